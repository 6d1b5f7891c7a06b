"""What pycanon finds for some tables; run by an interpreter that has it.

Each argument names a CSV file, its sensitive attribute in the last column. Prints a
JSON list of one object per file.
"""

import json
import sys

import pandas as pd


def levels(path):
    from pycanon import anonymity  # only where this is run, not where it is collected

    frame = pd.read_csv(path, keep_default_na=False)
    *public, sensitive = frame.columns
    frame = frame.astype(dict.fromkeys(public, str))
    roles = frame, public, [sensitive]
    alpha, k = anonymity.alpha_k_anonymity(*roles)
    return {
        "k": anonymity.k_anonymity(frame, public),
        "k_of_alpha": k,
        "alpha": alpha,
        "l_distinct": anonymity.l_diversity(*roles),
        "l_entropy": anonymity.entropy_l_diversity(*roles),
        "t": anonymity.t_closeness(*roles),
        "beta": anonymity.basic_beta_likeness(*roles),
        "beta_enhanced": anonymity.enhanced_beta_likeness(*roles),
        "delta": anonymity.delta_disclosure(*roles),
    }


if __name__ == "__main__":
    print(json.dumps([levels(path) for path in sys.argv[1:]], default=float))
