"""What tests of reading share."""

import pytest


@pytest.fixture
def file(tmp_path):
    """A function that writes a small file and returns its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
