"""`verify --bench` from the verdict to its speeds, with a clock on the wall in place of a GPU."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.tuning.cpu_server import Wall
from tritonopt.tuning import believed
from tritonopt.verification import Options
from tritonopt.verification.process.client import Worker
from tritonopt.verification.verdict import Verdict
from tritonopt.verification.worker.server import answer_requests

SOFTMAX = Path(__file__).resolve().parents[2] / "examples" / "judge"
_KEPT = """
import torch
results = []
def softmax(x):
    results.append(torch.softmax(x, -1))
    return results[0]
"""


class OnTheWall(Wall):
    l2_bytes = 0

    def rest(self, mark: float) -> float:
        return 0.0


class CpuServer(believed.BelievedServer):
    place = "cpu"

    def begin(self, siblings: int = 0) -> None:
        os.environ["TRITON_INTERPRET"] = "1"
        self.device = OnTheWall()

    def whole(self) -> Any:
        return self.device

    def copied(self, count: int) -> float:
        assert count == 4 * 16 * 16 * 2  # all of `x`, and of the result
        return 1.0


def serve(descriptor: int) -> None:
    answer_requests(descriptor, CpuServer(), believed.wire.send)


def timed(candidate: Path, monkeypatch: pytest.MonkeyPatch) -> Verdict:
    def here(seconds: float, **given: Any) -> Worker:
        # There is no GPU, which a forked process could not use, and importing torch takes longer.
        return Worker(seconds, **{**given, "forked": True, "server": __name__})

    monkeypatch.setattr(believed, "Worker", here)
    args = "x: f32[m, n] in finite"
    calls = believed.usual_calls(believed.parse(args))[:1]
    small = [believed.replace(call, sizes={"m": 16, "n": 16}) for call in calls]
    monkeypatch.setattr(believed, "usual_calls", lambda _: small)
    verdict = Verdict("equivalent", "cuda: made up", 3, args=args)
    return believed.with_speeds(verdict, SOFTMAX / "softmax.py", candidate, Options())


def test_an_honest_candidate_has_a_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    found = timed(SOFTMAX / "candidates" / "one_tile.py", monkeypatch)
    assert found.verdict == "equivalent", found
    (speed,) = found.speeds
    assert speed.low <= speed.ratio <= speed.high and speed.copy == 1.0
    assert "a copy of what it needs 1.0 us" in str(speed)


def test_a_result_of_other_inputs_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "kept.py").write_text(_KEPT)
    found = timed(tmp_path / "kept.py", monkeypatch)
    assert found.verdict == "counterexample" and not found.speeds
    assert [cheat.name for cheat in found.cheats] == ["timed-wrong"]
