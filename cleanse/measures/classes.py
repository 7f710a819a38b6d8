"""How uneven the classes are, and the weights that answer it. Exact until the last division."""

import math
from collections.abc import Mapping
from typing import Any

from cleanse.measures.shards import gini

BETAS = ("0.9", "0.99", "0.999", "0.9999")  # of the effective number of samples: Cui et al. 2019
RARE = 0.1  # of an even share: a class below is rare; cleanlab's rule


def is_label(label: str | None) -> bool:
    """Null and blank labels are no classes: such rows are unlabelled."""
    return bool(label and label.strip())


def balance(counts: Mapping[str, int]) -> dict[str, Any]:
    """Figures over labels with at least one row each: shares, majority, rarest, imbalance ratio max/min, entropy.

    `counts`: label → rows >= 1; at least one label. Ties go to the first name.

    >>> figures = balance({"a": 9996, "b": 4})
    >>> figures["shares"]["b"], figures["imbalance_ratio"]
    (0.0004, 2499.0)
    """
    n, k, names = sum(counts.values()), len(counts), sorted(counts)
    largest = max(names, key=lambda label: counts[label])
    rarest = min(names, key=lambda label: counts[label])
    shares = {label: counts[label] / n for label in names}
    nats = -math.fsum(p * math.log(p) for p in shares.values()) if k > 1 else 0.0
    squares = sum(rows**2 for rows in counts.values())
    return {
        "k": k,
        "counts": {label: counts[label] for label in names},
        "shares": shares,
        "majority": {"label": largest, "rows": counts[largest], "share": shares[largest]},
        "rarest": {"label": rarest, "rows": counts[rarest], "share": shares[rarest]},
        "imbalance_ratio": counts[largest] / counts[rarest],
        "entropy_nats": nats,
        "entropy_bits": nats / math.log(2),
        "evenness": nats / math.log(k) if k > 1 else 1.0,
        "gini_simpson": (n**2 - squares) / n**2,
        "effective_classes": math.exp(nats),
        "inverse_simpson": n**2 / squares,
        "gini": gini(list(counts.values())),
        "gini_max": (k - 1) / k,
        "rare": [label for label in names if counts[label] * k < RARE * n],
        **weights(counts),
    }


def weights(counts: Mapping[str, int]) -> dict[str, Any]:
    """`balanced_weight` n/(K·n_c), `effective_number` by beta, `log_prior` ln(n_c/n), each by label.

    >>> weights({"a": 90, "b": 10})["balanced_weight"]["b"]
    5.0
    """
    n, k, names = sum(counts.values()), len(counts), sorted(counts)
    return {
        "balanced_weight": {label: n / (k * counts[label]) for label in names},
        "effective_number": {beta: effective_number(counts, float(beta)) for beta in BETAS},
        "log_prior": {label: math.log(counts[label] / n) for label in names},
    }


def effective_number(counts: Mapping[str, int], beta: float) -> dict[str, dict[str, float]]:
    """label → `e` = (1 − βⁿ)/(1 − β), how many samples its rows are worth, and `w`, weights that sum to K."""
    e = {label: -math.expm1(counts[label] * math.log(beta)) / (1 - beta) for label in sorted(counts)}
    total = math.fsum(1 / value for value in e.values())
    return {label: {"e": value, "w": len(counts) / (value * total)} for label, value in e.items()}
