"""What is said of a GPU that is not ours alone, or does not run as it can."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")

from tritonopt.measurement.cuda import CudaDevice
from tritonopt.measurement.results import Clocks


class MadeUpBoard:
    """What NVML would say, as a test wants it."""

    def __init__(self, *processes: int) -> None:
        self.processes = list(processes)

    def others(self) -> int:
        return self.processes.pop(0) if len(self.processes) > 1 else self.processes[0]

    def speed(self) -> int:
        return 1500

    def reasons(self) -> set[str]:
        return set()


def device(board: MadeUpBoard | None, siblings: int = 0, busy: int = 0) -> CudaDevice:
    found: Any = CudaDevice.__new__(CudaDevice)
    found.board, found.siblings, found.busy_before = board, siblings, busy
    found.speeds, found.reasons, found.properties = [], set(), SimpleNamespace(name="made up")
    found.others = found._others()
    kept: CudaDevice = found
    return kept


def test_somebody_who_comes_while_it_is_timed_is_seen() -> None:
    found = device(MadeUpBoard(2, 2, 3, 2), siblings=2)
    assert not found._notes(None)
    for _ in range(3):
        found.watch()
    assert "1 other process(es) had memory on this GPU" in found._notes(None)[0]


def test_a_gpu_that_was_busy_before_is_seen() -> None:
    found = device(MadeUpBoard(0), busy=60)
    assert "somebody else uses it" in found._notes(None)[0]


def test_clocks_that_move_are_told() -> None:
    notes = device(MadeUpBoard(0))._notes(Clocks(900, 1900, 1980, ("too hot (software)",)))
    assert "clocks moved between 900 and 1900 MHz" in notes[0]
    assert "held back: too hot" in notes[1]


def test_without_nvml_nothing_is_claimed_to_be_watched() -> None:
    assert "were not watched" in device(None)._notes(None)[0]
