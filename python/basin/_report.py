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
    """What the energy of a model learned about labels, tags or pixels; a page in a notebook, text
    elsewhere.

    Attributes
    ----------
    labels : list of str
        Labels or tags; of pixels the offsets from -8 to 8.
    interactions : array (labels, labels)
        Positive: the energy is lower with both than each alone suggests. Of tags [i, j] is about
        tag j right after tag i, of pixels [dy, dx] about two with this offset from each other.
    together : array (labels, labels) or None
        In how many rows both labels are; how often a tag follows another; how the classes of two
        pixels correlate.
    join : str
        What is between two names: "+", "then" of tags, "," of pixels.
    """

    def __init__(
        self, labels: List[str], interactions: Any, together: Any, join: str = "+"
    ) -> None:
        self.labels, self.interactions, self.together = labels, interactions, together
        self.join = join

    def _places(self) -> List[Tuple[int, int]]:
        """Of all pairs, from the one that is wanted together most; no pixel with itself, none that
        is unknown."""
        n = range(len(self.labels))
        found = [(i, k) for i in n for k in n if self.join != "+" or i < k]
        if self.join == ",":
            middle = len(self.labels) // 2
            found.remove((middle, middle))
        found = [p for p in found if self.interactions[p] == self.interactions[p]]
        return sorted(found, key=lambda p: -float(self.interactions[p]))

    def pairs(self) -> List[Tuple[str, str, float]]:
        """All pairs of labels, of tags in sequence, or offsets down and to the right, from the one
        that is wanted together most."""
        return [
            (self.labels[i], self.labels[k], float(self.interactions[i, k]))
            for i, k in self._places()
        ]

    def _name(self, i: int, k: int) -> str:
        return f"{self.labels[i]} {self.join} {self.labels[k]}".replace(" ,", ",")

    def __repr__(self) -> str:
        places = self._places()
        head = {"+": "pair", "then": "tags", ",": "down, right"}[self.join]
        wide = max([len(self._name(*p)) for p in places] + [len(head)])
        other = "masks" if self.join == "," else "rows" if self.join == "+" else "times"
        rows = [f"{head:{wide}}  interaction" + ("" if self.together is None else f"  {other}")]
        for p in places if len(places) <= 20 else places[:10] + places[-10:]:
            rows.append(f"{self._name(*p):{wide}}  {self.interactions[p]:11.4g}")
            if self.together is not None:
                digits = 2 if self.join == "," else 0
                rows[-1] += f"  {self.together[p]:{len(other)}.{digits}f}"
        return "\n".join(rows)

    def _repr_html_(self) -> str:
        """A map of all pairs: blue wants them together, red apart."""
        n, cell = len(self.labels), 14
        places = set(self._places())
        most = max([abs(float(self.interactions[p])) for p in places] + [0.0])
        boxes = ""
        for i in range(n) if n <= 200 else ():
            for k in range(n):
                shown = (min(i, k), max(i, k)) if self.join == "+" else (i, k)
                v = float(self.interactions[i, k]) if shown in places else 0.0
                share = min(1.0, abs(v) / (most or 1.0))
                title = escape(f"{self._name(i, k)}: {v:.4g}")
                boxes += (
                    f'<rect x="{k * cell}" y="{i * cell}" width="{cell}" height="{cell}" '
                    f'fill="{"#4269d0" if v > 0 else "#d04242"}" fill-opacity="{share:.3f}">'
                    f"<title>{title}</title></rect>"
                )
        svg = (
            f'<svg role="img" aria-label="interactions" width="{n * cell}" '
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
