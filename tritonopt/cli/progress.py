"""A bar for runs that take long enough to wonder about; on a terminal only."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, TaskID

PATIENCE = 1.0
"""Seconds before a bar appears: a short run shows none, and never imports rich."""
_BAR = 12
"""Columns of the bar itself: the words need more."""
_BLANKS = 6
"""Between what stands side by side, and for numbers that become longer."""
_LEAST = 20
"""Columns of the words that are always shown."""


class Bar:
    """Counts `total` things. Call `clear` before anything else is printed."""

    def __init__(
        self,
        total: int,
        label: str,
        stream: TextIO,
        patience: float = PATIENCE,
        *,
        quiet: bool = False,
    ) -> None:
        self._patience = patience
        self._total = total
        self._label = label
        self._left = ""
        self._stream = stream
        self._done = 0
        self._wanted = not quiet and stream.isatty() and os.environ.get("TERM") != "dumb"
        self._begin = self._at = time.monotonic()
        """When it began, and when the last one was done."""
        self._shown: tuple[Progress, TaskID] | None = None
        self._timer: threading.Timer | None = None
        self._lock = threading.RLock()
        """The timer shows the bar beside whatever goes on."""

    def __enter__(self) -> Bar:
        self._show_soon()
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

    def update(self, done: int, total: int, label: str, left: str = "") -> None:
        """So many are done, of so many; `left` is said in place of an estimate of the time."""
        with self._lock:
            if done != self._done:
                self._at = time.monotonic()
            self._done, self._total, self._label, self._left = done, max(done, total), label, left
            if self._shown is not None:
                self._tell()
            else:
                self._show_soon()

    def clear(self) -> None:
        """Take the bar off the terminal; the next step brings it back."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._shown is not None:
                self._shown[0].stop()
                self._shown = None

    def _show_soon(self) -> None:
        """Once the patience is over, also where nothing is done until then."""
        if not self._wanted or self._timer is not None:
            return
        rest = self._begin + self._patience - time.monotonic()
        if rest <= 0:
            self._show()
            return
        self._timer = timer = threading.Timer(rest, self._patience_is_over)
        timer.daemon = True
        timer.start()

    def _patience_is_over(self) -> None:
        with self._lock:
            if self._timer is not threading.current_thread():
                return  # canceled while it waited for the lock
            self._timer = None
            if self._shown is None:
                self._show()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            ProgressColumn,
            Task,
            TextColumn,
        )
        from rich.text import Text

        told = self._times

        class Times(ProgressColumn):
            def render(self, task: Task) -> Text:
                return Text(told())

        progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(_BAR),
            MofNCompleteColumn(),
            Times(),
            console=Console(file=self._stream),
            transient=True,
            # Ours go through `clear`; rich need not stand between.
            redirect_stdout=False,
            redirect_stderr=False,
        )
        task = progress.add_task("", total=self._total)
        self._shown = progress, task
        self._tell()
        progress.start()

    def _tell(self) -> None:
        """What stands on the bar now."""
        assert self._shown is not None
        progress, task = self._shown
        numbers = f"{self._done}/{self._total}{self._times()}"
        room = max(progress.console.width - _BAR - len(numbers) - _BLANKS, _LEAST)
        label = self._label if len(self._label) <= room else f"{self._label[: room - 3]}..."
        progress.update(task, completed=self._done, total=self._total, description=label)

    def _times(self) -> str:
        """How long it took by now, and what is left."""
        now = time.monotonic()
        left = self._left
        if not left and 0 < self._done < self._total:
            each = (self._at - self._begin) / self._done
            seconds = each * (self._total - self._done) - (now - self._at)
            left = f"about {_clock(seconds)} left" if seconds > 0 else ""
        taken = _clock(now - self._begin)
        return f"{taken}, {left}" if left else taken


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes}:{rest:02} min" if minutes else f"{rest} s"
