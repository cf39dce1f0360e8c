"""Run the notebooks of this folder again and keep what they print: ``python docs/notebook.py``.

Cells are run here, in this process, one after the other, rather than by Jupyter: nbclient and a
kernel would bring some thirty packages and a second interpreter to every test, for cells that are
plain Python but for ``%matplotlib inline``. What they print, and the value of their last line, are
kept as Jupyter keeps them.
"""

import ast
import base64
import contextlib
import io
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["run", "said"]

HERE = Path(__file__).parent


def run(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """What each cell of code gives, run in order: its outputs in the format of notebooks."""
    main = ModuleType("__main__")
    cells = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    return [
        _outputs("".join(cell["source"]), number, main.__dict__)
        for number, cell in enumerate(cells, start=1)
    ]


def said(outputs: list[dict[str, Any]]) -> list[str]:
    """The texts among the outputs of a cell: what it printed, then the value of its last line."""
    texts = (output.get("text") or output["data"]["text/plain"] for output in outputs)
    return ["".join(text) for text in texts]


def _outputs(source: str, number: int, names: dict[str, Any]) -> list[dict[str, Any]]:
    tree = ast.parse(re.sub(r"^%.*", "", source, flags=re.MULTILINE))  # a word to Jupyter alone
    last = tree.body.pop().value if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, f"<cell {number}>", "exec"), names)
        value = None
        if last is not None:
            value = eval(compile(ast.Expression(last), f"<cell {number}>", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": _lines(text)})
    if value is not None:
        result = {"output_type": "execute_result", "execution_count": number}
        outputs.append({**result, "metadata": {}, "data": _shown(value)})
    return outputs


def _shown(value: Any) -> dict[str, Any]:
    """A value in each form that a notebook may show."""
    from matplotlib.figure import Figure

    data: dict[str, Any] = {"text/plain": _lines(repr(value))}
    if isinstance(value, Figure):
        image = io.BytesIO()
        value.savefig(image, format="png", dpi=110, metadata={"Software": None})
        data["image/png"] = base64.b64encode(image.getvalue()).decode()
    elif hasattr(value, "_repr_html_"):
        data["text/html"] = _lines(value._repr_html_())
    return data


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _run_again(path: Path) -> None:
    notebook = json.loads(path.read_text("utf-8"))
    codes = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        outputs = run(notebook)
    for number, (cell, own) in enumerate(zip(codes, outputs, strict=True), start=1):
        cell.update(outputs=own, execution_count=number)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "agg")
    for notebook_path in map(Path, sys.argv[1:] or sorted(HERE.glob("*.ipynb"))):
        _run_again(notebook_path.resolve())
        print(f"{notebook_path.name}: run, its outputs are up to date")
