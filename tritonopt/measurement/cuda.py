"""The GPU as what `timing` measures on; this imports torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from tritonopt.measurement.nvml import Board
from tritonopt.measurement.results import Clocks, Machine

_FLUSHED = 2**28
"""Bytes that are written to clear the cache, at least; where the cache is large, four times it."""
_BUSY = 10
"""Of a hundred moments: what a process needs to begin is less."""


class CudaDevice:
    """The current GPU. Raises RuntimeError where there is none."""

    def __init__(self, siblings: int = 0) -> None:
        if not torch.cuda.is_available():
            raise RuntimeError("torch finds no GPU")
        self.properties = torch.cuda.get_device_properties(torch.cuda.current_device())
        self.board = Board.of(str(getattr(self.properties, "uuid", "")))
        # Before anything of ours runs: what the GPU does now is somebody else's.
        self.busy_before = self.board.busy() if self.board is not None else None
        self.siblings = siblings
        self.others = self._others()
        size = max(4 * self.l2_bytes, _FLUSHED)
        self.flush = torch.empty(size, dtype=torch.int8, device="cuda")
        self.speeds: list[int] = []
        self.reasons: set[str] = set()

    @property
    def l2_bytes(self) -> int:
        return int(getattr(self.properties, "L2_cache_size", 0))

    def clear(self, times: int) -> None:
        for _ in range(times):
            self.flush.zero_()

    def mark(self) -> Any:
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def reached(self, mark: Any) -> bool:
        return bool(mark.query())

    def between(self, begin: Any, end: Any) -> float:
        return float(begin.elapsed_time(end)) * 1e3

    def wait(self) -> None:
        torch.cuda.synchronize()

    def watch(self) -> None:
        if self.board is None:
            return
        if (speed := self.board.speed()) is not None:
            self.speeds.append(speed)
        self.reasons |= self.board.reasons()
        self.others = max(self.others, self._others())

    def _others(self) -> int:
        """Processes that are not ours."""
        return max(self.board.others() - self.siblings, 0) if self.board is not None else 0

    def machine(self) -> Machine:
        """What was measured on, with what was seen of it by now."""
        import triton

        clocks = None
        if self.board is not None and self.speeds:
            highest = self.board.highest_speed() or max(self.speeds)
            reasons = tuple(sorted(self.reasons))
            clocks = Clocks(min(self.speeds), max(self.speeds), highest, reasons)
        return Machine(
            gpu=self.properties.name,
            torch=torch.__version__,
            triton=triton.__version__,
            cuda=torch.version.cuda or "",
            driver=self.board.driver() if self.board is not None else "",
            l2_bytes=self.l2_bytes,
            clocks=clocks,
            notes=tuple(self._notes(clocks)),
        )

    def _notes(self, clocks: Clocks | None) -> list[str]:
        notes = []
        if self.board is None:
            notes.append("NVML cannot be asked: clocks, and others on the GPU, were not watched")
            return notes
        if self.others:
            notes.append(
                f"{self.others} other process(es) had memory on this GPU during the run: if one "
                "of them used it, the times are of both"
            )
        if (self.busy_before or 0) > _BUSY:
            notes.append(
                f"the GPU was busy ({self.busy_before} % of the time) before anything was timed: "
                "somebody else uses it"
            )
        if clocks is not None and clocks.unsteady:
            notes.append(
                f"the clocks moved between {clocks.low} and {clocks.high} MHz: ratios are of "
                "pairs, single times are not comparable with another run's"
            )
        if clocks is not None and clocks.reasons:
            notes.append(f"the clocks were held back: {', '.join(clocks.reasons)}")
        return notes


def copying(count: int) -> Callable[[], object]:
    """A copy that moves so many bytes, half of them read and half of them written."""
    half = torch.empty(max(count // 2, 1), dtype=torch.int8, device="cuda")
    other = torch.empty_like(half)
    return lambda: other.copy_(half)
