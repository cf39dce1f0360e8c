"""Every method, with less work in it."""

from quantext.models.methods import METHODS


def quick(name, folds=None):
    """The method, with fewer draws, members and trees.

    It has as many folds as are named, if it can have any; or else 5 if it has some by itself.
    """
    quantifier = METHODS[name].make()
    few = {"n_members": 2, "quantifier__folds": 3, "classifier__n_trees": 5, "draws": 20}
    if folds or getattr(quantifier, "folds", 0):
        few["folds"] = folds or 5
    return quantifier.set_params(**{k: v for k, v in few.items() if k in quantifier.get_params()})
