"""How commands start: what is loaded, and that what is not can be."""

import subprocess
import sys

import pytest

from quantext import ClassifyAndCount, LinearSVM, TextQuantifier, save


def python(code, *arguments):
    """What a fresh Python prints."""
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


def test_estimate_does_not_load_what_it_does_not_use(tmp_path):
    pytest.importorskip("pandas", reason="without pandas there is nothing to leave out")
    model = TextQuantifier(ClassifyAndCount(LinearSVM()))
    save(model.fit(["too slow", "slow", "dear", "price"], ["a", "a", "b", "b"]), tmp_path / "m.qx")
    (tmp_path / "new.csv").write_text("answer\nslow and dear\n")
    code = """
import sys
from quantext.cli import app
app(sys.argv[1:], standalone_mode=False)
unused = "asyncio matplotlib narwhals pandas scipy.linalg scipy.optimize scipy.special scipy.stats"
unused += " sklearn.preprocessing yaml"
print("loaded:", *(name for name in unused.split() if name in sys.modules))
"""
    where = str(tmp_path / "m.qx"), str(tmp_path / "new.csv")
    shown = python(code, "estimate", *where, "--text", "answer", "--no-intervals", "--quiet")
    assert "(1" in shown  # one document was estimated
    assert shown[-1] == "loaded:"  # nothing


def test_modules_that_were_left_out_work_at_their_first_use():
    code = """
import gc, sys
from quantext.cli.startup import LaterModule, quick_imports
with quick_imports():
    import sklearn
assert gc.isenabled()
assert not any(isinstance(module, LaterModule) for module in sys.modules.values())

from sklearn.utils import fixes  # it holds stand-ins
assert isinstance(fixes.pd, LaterModule)
assert "pandas" not in sys.modules
print(fixes._mode([1, 2, 2])[0])  # by scipy.stats
print(fixes.pd.Series([3]).sum())
import pandas, scipy.stats, numpy.testing
assert fixes.pd.Series is pandas.Series
assert not isinstance(scipy.stats, LaterModule)
print(scipy.stats.norm.cdf(0), numpy.testing.__name__, numpy.f2py.__name__)
"""
    pytest.importorskip("pandas")
    assert python(code) == ["[2]", "3", "0.5", "numpy.testing", "numpy.f2py"]


def test_functions_that_were_taken_from_stand_ins_work_at_their_first_call():
    code = """
import sys
from quantext.cli.startup import quick_imports
with quick_imports():
    import sklearn
import numpy as np
from sklearn.utils import fixes, sparsefuncs
assert "scipy.sparse.linalg" not in sys.modules
print(fixes._sparse_linalg_cg(np.array([[2.0]]), np.array([3.0]))[0])  # 2x = 3
print(sparsefuncs.LinearOperator((1, 1), lambda x: 4 * x) @ np.array([0.5]))
import scipy.sparse.linalg
assert scipy.sparse.linalg is sys.modules["scipy.sparse.linalg"]
assert isinstance(scipy.sparse.linalg.LinearOperator, type)
"""
    assert python(code) == ["[1.5]", "[2.]"]


def test_kernels_compiled_after_a_quick_start_have_linear_algebra():
    code = """
from quantext.cli.startup import quick_imports
with quick_imports():
    import numba
import numpy as np
print(numba.njit(lambda a, b: np.dot(a, b))(np.array([1.0, 2.0]), np.array([3.0, 4.0])))
"""
    assert python(code) == ["11.0"]  # 1 · 3 + 2 · 4


def test_what_is_loaded_already_stays():
    code = """
import sys
import scipy.stats
from quantext.cli.startup import quick_imports
with quick_imports():
    import sklearn
print(sys.modules["scipy.stats"] is scipy.stats, sklearn.utils.fixes.scipy.stats is scipy.stats)
"""
    assert python(code) == ["True", "True"]


def test_a_stand_in_that_will_not_do_is_not_missed():
    code = """
from quantext.cli import startup
startup._SELDOM_USED = {"joblib": ("Parallel",)}  # which scikit-learn derives a class from
with startup.quick_imports():
    from quantext import LinearSVM
import joblib
from sklearn.utils.parallel import Parallel
print(issubclass(Parallel, joblib.Parallel), LinearSVM().fit([[0.0], [1.0]], [0, 1]).n_iter_ > 0)
"""
    assert python(code) == ["True", "True"]
