"""The page to work in: a folder of files in, pages out, for one person on their own machine."""

from quantext.app.server import serve

__all__ = ["serve"]
