"""How well a gate tells answerable from unanswerable queries, as table rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench import data
from bench.tables import Row, number

HEAD = (
    "set · kind of unanswerable",
    "what is missing",
    "yes",
    "no",
    "AUROC",
    "recall@FIR5",
    "recall@FIR10",
    "precision",
    "recall",
    "FIR",
)


def by_kind(
    scorer: data.Scorer,
    name: str,
    kinds: Sequence[str],
    answerable: NDArray[np.bool_],
    probability: NDArray[np.float64],
    decision: NDArray[np.bool_],
) -> list[Row]:
    """A row for each kind of unanswerable query of a set, against all its answerable ones.

    Precision, recall and FIR (false-injection rate) are at the decision; the two recalls before
    them are the best any threshold could do on this set alone.
    """
    out: list[Row] = []
    kind_of = np.array(kinds)
    yes = probability[answerable]
    taken = int(decision[answerable].sum())
    for kind in sorted(set(kind_of[~answerable])):
        here = ~answerable & (kind_of == kind)
        no = probability[here]
        wrong = int(decision[here].sum())
        out.append(
            [
                f"{name} · {kind}",
                data.what_is_missing(name, str(kind)),
                len(yes),
                len(no),
                scorer.auroc(yes, no),
                scorer.recall_at_fir(yes, no, 0.05),
                scorer.recall_at_fir(yes, no, 0.10),
                taken / (taken + wrong) if taken + wrong else float("nan"),
                taken / len(yes),
                wrong / len(no),
            ]
        )
    return out


def means(rows: Sequence[Row]) -> str:
    """One line for each thing that may be missing: mean AUROC, recall and FIR of its rows."""
    lines: list[str] = []
    for missing in dict.fromkeys(str(row[1]) for row in rows):
        here = [row for row in rows if row[1] == missing]
        auroc, recall, fir = (
            float(np.mean([float(row[i] or 0.0) for row in here])) for i in (4, 8, 9)
        )
        lines.append(
            f"mean of {len(here)} × {missing}: AUROC {number(auroc)}, recall {number(recall)}, "
            f"FIR {number(fir)}"
        )
    return "\n".join(lines)
