"""Classification, as a by-product: tables of the methods that label documents before they count.

Each function takes the long table of results, one row per task, method, bag and class.
"""

import polars as pl

from quantext.experiments.results import main_rows

__all__ = ["f1", "fp_fn", "rates"]

_RARE = 0.01


def f1(results: pl.DataFrame) -> pl.DataFrame:
    """F1 of each method that classifies, over the union of the test sets.

    ``micro`` merges the contingency tables of the classes, ``macro`` averages their F1; ``rare_``
    is over the classes of training prevalence up to .01 alone. A class without positives, of
    which none was predicted, has F1 = 1.
    """
    per_class = (
        _classified(results)
        .group_by("method", "asked", maintain_order=True)
        .agg(pl.col("tp", "fp", "fn").sum(), pl.col("p_train").first())
        .with_columns(f1=_f1(pl.col("tp"), pl.col("fp"), pl.col("fn")))
    )
    rare = pl.col("p_train") <= _RARE
    columns: dict[str, pl.Expr] = {}
    for prefix, inside in (("", pl.lit(True)), ("rare_", rare)):
        tp, fp, fn = (pl.col(name).filter(inside).sum() for name in ("tp", "fp", "fn"))
        some = inside.any() if prefix else pl.lit(True)
        columns[f"{prefix}micro"] = pl.when(some).then(_f1(tp, fp, fn))
        columns[f"{prefix}macro"] = pl.col("f1").filter(inside).mean()
    frame = per_class.group_by("method", maintain_order=True).agg(**columns)
    return frame.sort("micro", descending=True, maintain_order=True)


def fp_fn(results: pl.DataFrame) -> pl.DataFrame:
    """Ratio of false positives to false negatives of each method that classifies; 1 is balance.

    Notes
    -----
    ``mean_ratio`` is over the test sets with false negatives (``test_sets`` of them), and a
    few with very few false negatives weigh much in it; ``ratio_of_sums`` does not have that fault.
    """
    ratio = pl.when(pl.col("fn") > 0).then(pl.col("fp") / pl.col("fn"))
    fp, fn = pl.col("fp").sum(), pl.col("fn").sum()
    return (
        _classified(results)
        .group_by("method", maintain_order=True)
        .agg(
            mean_ratio=ratio.mean(),
            ratio_of_sums=pl.when(fn > 0).then(fp / fn),
            test_sets=ratio.count(),
        )
        .sort((pl.col("ratio_of_sums") - 1).abs(), nulls_last=True, maintain_order=True)
    )


def rates(results: pl.DataFrame) -> pl.DataFrame:
    """True and false positive rates in training (out of fold) against test, by method.

    Training rates are means over the classes, test rates over the test sets with positives (and,
    for the false positive rate, negatives); the change is relative to training.
    """
    rows = _classified(results).filter(
        pl.col("tpr_train").is_not_null(), pl.col("tpr_train").is_not_nan()
    )
    train = (
        rows.unique(["asked", "method"], maintain_order=True)
        .group_by("method", maintain_order=True)
        .agg(pl.col("tpr_train", "fpr_train").mean())
    )
    negatives = pl.col("fp") + pl.col("tn")
    test = (
        rows.filter(pl.col("tp") + pl.col("fn") > 0)
        .group_by("method")
        .agg(
            tpr_test=(pl.col("tp") / (pl.col("tp") + pl.col("fn"))).mean(),
            fpr_test=pl.when(negatives > 0).then(pl.col("fp") / negatives).mean(),
            test_sets=pl.len(),
        )
    )

    def change(rate: str) -> pl.Expr:
        before = pl.col(f"{rate}_train")
        return pl.when(before > 0).then(pl.col(f"{rate}_test") / before - 1)

    return train.join(test, on="method", how="left", maintain_order="left").select(
        "method",
        "tpr_train",
        "tpr_test",
        tpr_change=change("tpr"),
        fpr_train=pl.col("fpr_train"),
        fpr_test=pl.col("fpr_test"),
        fpr_change=change("fpr"),
        test_sets=pl.col("test_sets"),
    )


def _f1(tp: pl.Expr, fp: pl.Expr, fn: pl.Expr) -> pl.Expr:
    """F1 of a contingency table, 1 where there is nothing to find and nothing was found."""
    return pl.when(tp + fp + fn == 0).then(1.0).otherwise(2 * tp / (2 * tp + fp + fn))


def _classified(results: pl.DataFrame) -> pl.DataFrame:
    """Rows of the methods that classify documents."""
    return main_rows(results).filter(pl.col("tp").is_not_null())
