"""Small tables in files of every format, and readers that must refuse them."""

import io
import json

import pytest

from quantext.texts.reading import read_corpus


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def parquet(frame):
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def refused(path, message, error=ValueError, **options):
    options = {"text": "t", "label": "l", **options}
    with pytest.raises(error, match=message) as caught:
        read_corpus(path, **options)
    assert str(path) in str(caught.value)
