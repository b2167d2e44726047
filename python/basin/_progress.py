"""Progress of a training: one line that is rewritten, in a terminal or a notebook."""

from __future__ import annotations

import sys
from typing import Any, Dict, Optional


def _notebook() -> Any:
    """The display function of a notebook; None elsewhere."""
    if "IPython" not in sys.modules:
        return None
    shell = sys.modules["IPython"].get_ipython()
    if shell is None or type(shell).__name__ != "ZMQInteractiveShell":
        return None
    from IPython.display import display

    return display


class Progress:
    """Told of events; shows them. Messages are shown on lines of their own if `messages`."""

    def __init__(self, messages: bool) -> None:
        self.messages = messages
        self.epoch: Optional[Dict[str, Any]] = None
        self.width = 0
        display = _notebook()
        self.shown = display({"text/plain": ""}, raw=True, display_id=True) if display else None
        self.terminal = self.shown is None and sys.stderr is not None and sys.stderr.isatty()

    def tell(self, event: Dict[str, Any]) -> None:
        kind = event.get("event")
        if kind == "epoch":
            self.epoch = event
            self._line(self._of_epoch(event), last=True)
        elif kind == "progress" and event.get("total"):
            share = 100 * event["done"] / event["total"]
            before = f"; {self._of_epoch(self.epoch)}" if self.epoch else ""
            self._line(f"{event['what']}: {share:.0f} %{before}")
        elif kind == "message" and self.messages:
            self._message(event["text"])

    def _of_epoch(self, e: Dict[str, Any]) -> str:
        loss = e.get("loss_net", e.get("loss_energy"))
        valid = e.get("valid") or {}
        name = next(iter(valid), None)
        text = f"epoch {e.get('epoch')}"
        if loss is not None:
            text += f", loss {loss:.4g}"
        if name is not None:
            text += f", {name} {100 * valid[name]:.2f}"
        return text + (", best so far" if e.get("best") else "")

    def _line(self, text: str, last: bool = False) -> None:
        if self.shown is not None:
            self.shown.update({"text/plain": text}, raw=True)
        elif self.terminal:
            text = text[:79]
            sys.stderr.write("\r" + text.ljust(self.width))
            sys.stderr.flush()
            self.width = len(text)
        elif last and sys.stderr is not None:
            print(text, file=sys.stderr)

    def _message(self, text: str) -> None:
        if sys.stderr is not None:
            print(("\r" + text.ljust(self.width)) if self.terminal else text, file=sys.stderr)

    def close(self) -> None:
        if self.terminal and self.width:
            sys.stderr.write("\n")
            sys.stderr.flush()
