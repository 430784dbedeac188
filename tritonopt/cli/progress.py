"""A bar for runs that take long enough to wonder about; on a terminal only."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, TaskID

PATIENCE = 1.0
"""Seconds before a bar appears: a short run shows none, and never imports rich."""


class Bar:
    """Counts `total` things. Call `clear` before anything else is printed."""

    def __init__(self, total: int, label: str, stream: TextIO, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._total = total
        self._label = label
        self._stream = stream
        self._done = 0
        self._wanted = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._begin = time.monotonic()
        self._shown: tuple[Progress, TaskID] | None = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.clear()

    def advance(self) -> None:
        """One more is done."""
        self.update(self._done + 1, self._total, self._label)

    def update(self, done: int, total: int, label: str) -> None:
        """So many are done, of so many."""
        self._done, self._total, self._label = done, total, label
        if not self._wanted or time.monotonic() - self._begin < self._patience:
            return
        if self._shown is None:
            self._shown = self._show()
        progress, task = self._shown
        progress.update(task, completed=done, total=total, description=label)

    def clear(self) -> None:
        """Take the bar off the terminal; the next step brings it back."""
        if self._shown is not None:
            self._shown[0].stop()
            self._shown = None

    def _show(self) -> tuple[Progress, TaskID]:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("left"),
            console=Console(file=self._stream),
            transient=True,
            # Ours go through `clear`; rich need not stand between.
            redirect_stdout=False,
            redirect_stderr=False,
        )
        task = progress.add_task(self._label, total=self._total)
        progress.start()
        return progress, task
