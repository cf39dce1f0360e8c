"""The page to work in: a server for one person, on their own machine, over a folder of files."""

from quantext.app.server import serve

__all__ = ["serve"]
