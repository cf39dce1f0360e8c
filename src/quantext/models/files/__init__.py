"""Model files: a fitted model in, bytes out, and back; nothing of a file is ever executed."""
