"""What a notebook shows about a fitted estimator: scores and curves."""

from __future__ import annotations

from html import escape
from typing import Any, Dict, List, Optional, Tuple

WIDTH, HEIGHT, MARGIN = 420, 140, 28


class Report:
    """Scores on labelled data and the curves of the training; HTML in a notebook."""

    def __init__(self, title: str, evaluation: Any, history: List[Dict[str, Any]]) -> None:
        self.title, self.evaluation, self.history = title, evaluation, history

    def __repr__(self) -> str:
        return f"{self.title}\n{self.evaluation!r}"

    def _repr_html_(self) -> str:
        valid = [e.get("valid") or {} for e in self.history]
        name = next((k for v in valid for k in v), None)
        charts = chart("loss", [e.get("loss_net", e.get("loss_energy")) for e in self.history])
        if name:
            charts += chart(f"{name} of validation rows", [v.get(name) for v in valid])
        return (
            f"<div><p><b>{escape(self.title)}</b></p>{charts}"
            f"<pre>{escape(repr(self.evaluation))}</pre></div>"
        )

    def save(self, path: str) -> None:
        """Writes it as a self-contained page."""
        with open(path, "w", encoding="utf-8") as f:
            f.write(
                f'<!doctype html><meta charset="utf-8"><title>Basin</title>{self._repr_html_()}\n'
            )


class Explanation:
    """What the energy of a model learned about labels; a page in a notebook, text elsewhere.

    Attributes
    ----------
    labels : list of str
    interactions : array (labels, labels)
        Positive: the energy is lower with both than each alone suggests.
    together : array (labels, labels) or None
        In how many rows both labels are.
    """

    def __init__(self, labels: List[str], interactions: Any, together: Any) -> None:
        self.labels, self.interactions, self.together = labels, interactions, together

    def pairs(self) -> List[Tuple[str, str, float]]:
        """All pairs of labels, from the one that is wanted together most."""
        n = range(len(self.labels))
        found = [(i, k) for i in n for k in n if i < k]
        found.sort(key=lambda p: -float(self.interactions[p]))
        return [(self.labels[i], self.labels[k], float(self.interactions[i, k])) for i, k in found]

    def __repr__(self) -> str:
        pairs, index = self.pairs(), {name: i for i, name in enumerate(self.labels)}
        wide = max([len(f"{a} + {b}") for a, b, _ in pairs] + [4])
        rows = [f"{'pair':{wide}}  interaction" + ("  rows" if self.together is not None else "")]
        shown = pairs if len(pairs) <= 20 else pairs[:10] + pairs[-10:]
        for a, b, v in shown:
            rows.append(f"{a + ' + ' + b:{wide}}  {v:11.4g}")
            if self.together is not None:
                rows[-1] += f"  {self.together[index[a], index[b]]:4.0f}"
        return "\n".join(rows)

    def _repr_html_(self) -> str:
        """A map of all pairs: blue wants them together, red apart."""
        n, cell = len(self.labels), 14
        most = max(abs(v) for _, _, v in self.pairs()) if n > 1 else 0
        boxes = ""
        for i in range(n) if n <= 200 else ():
            for k in range(n):
                v = float(self.interactions[i, k]) if i != k else 0.0
                share = min(1.0, abs(v) / (most or 1.0))
                title = escape(f"{self.labels[i]} + {self.labels[k]}: {v:.4g}")
                boxes += (
                    f'<rect x="{k * cell}" y="{i * cell}" width="{cell}" height="{cell}" '
                    f'fill="{"#4269d0" if v > 0 else "#d04242"}" fill-opacity="{share:.3f}">'
                    f"<title>{title}</title></rect>"
                )
        svg = (
            f'<svg role="img" aria-label="interactions of labels" width="{n * cell}" '
            f'height="{n * cell}">{boxes}</svg>'
            if boxes
            else ""
        )
        return f"<div>{svg}<pre>{escape(repr(self))}</pre></div>"


def chart(title: str, values: List[Optional[float]]) -> str:
    """A curve by epoch as SVG; nothing where there are fewer than two values."""
    points: List[Tuple[int, float]] = [(i, v) for i, v in enumerate(values) if v is not None]
    if len(points) < 2:
        return ""
    low, high = min(v for _, v in points), max(v for _, v in points)
    span = (high - low) or 1.0
    last = points[-1][0] or 1
    line = " ".join(
        f"{MARGIN + i * (WIDTH - 2 * MARGIN) / last:.1f},"
        f"{HEIGHT - MARGIN - (v - low) * (HEIGHT - 2 * MARGIN) / span:.1f}"
        for i, v in points
    )
    return (
        f'<svg role="img" aria-label="{escape(title)} by epoch" width="{WIDTH}" height="{HEIGHT}" '
        f'font-size="11" font-family="sans-serif"><polyline points="{line}" fill="none" '
        f'stroke="#4269d0" stroke-width="1.5"/><text x="{MARGIN}" y="14" fill="currentColor">'
        f"{escape(title)}: {low:.4g} to {high:.4g}, {last + 1} epochs</text></svg>"
    )
