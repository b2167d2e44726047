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
