"""What ppi-python itself says of some simulated files: run by its own interpreter, see `main`.

The file that is given has pairs of tables, documents by answer (row) and truth (column): of all
documents, and of those with a known truth. Printed is, for each, the shares of all classes, tuned
together, and the tuned interval of the first class alone.
"""

import json
import sys

import numpy as np


def documents(all_by, gold_by):
    """Truth and answers of the documents with a known truth, answers of the others; as 0 and 1."""
    one = np.eye(len(all_by))
    answer, truth = np.indices(all_by.shape).reshape(2, -1)
    gold, rest = gold_by.ravel(), (all_by - gold_by).ravel()
    return one[np.repeat(truth, gold)], one[np.repeat(answer, gold)], one[np.repeat(answer, rest)]


def main():
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    arrays = np.load(sys.argv[1])
    found = []
    for i in range(len(arrays.files) // 2):
        truth, said, others = documents(arrays[f"all{i}"], arrays[f"gold{i}"])
        low, high = ppi_mean_ci(truth[:, 0], said[:, 0], others[:, 0], alpha=0.05)
        shares = ppi_mean_pointestimate(truth, said, others)
        found.append(
            {"low": float(np.ravel(low)[0]), "high": float(np.ravel(high)[0])}
            | {"shares": np.ravel(shares).tolist()}
        )
    print(json.dumps(found))


if __name__ == "__main__":
    main()
