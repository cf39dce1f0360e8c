"""The command line as ``python -m quantext``, for where ``quantext`` is not on the path."""

from quantext.cli import main

if __name__ == "__main__":
    main()
