"""Evidence that is kept answers the question that it was given for, and no other one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tritonopt.measurement.tuned import Evidence
from tritonopt.tuning.proving.kept import Kept
from tritonopt.tuning.proving.verifying_server import Question
from tritonopt.tuning.store import Key


class Remembered:
    """In place of the trials and their store."""

    def __init__(self) -> None:
        self.found: dict[Key, Any] = {}

    def key(self, text: str, what: str) -> Key:
        return Key("subject", text, what, "planted GPU", "")

    def stored(self, key: Key) -> Any:
        return self.found.get(key)

    def keep(self, key: Key, found: Any) -> None:
        self.found[key] = found


QUESTION = Question("file.py", "scale", "text", "x: f32[n]", (), backend="cuda", examples=1)


@pytest.mark.parametrize(
    "other",
    [
        {"covered_elsewhere": True},
        {"algebra": True},
        {"backend": "interpreter"},
        {"examples": 2},
        {"args": "x: f32[2, n]"},
        {"assume": ("n % 16 == 0",)},
        {"kernel": "scale_kernel", "grid": "cdiv(n, 64)"},
        {"text": "another"},
    ],
)
def test_another_question_is_not_answered(other: dict[str, Any]) -> None:
    trials: Any = Remembered()
    kept = Kept(trials)
    yes = Evidence("identical", "cuda: planted", 1, notes=("a note",), args="x: f32[n]")
    kept.keep(QUESTION, yes)
    assert kept.known(QUESTION) == yes
    assert kept.known(replace(QUESTION, **other)) is None


def test_what_came_to_no_verdict_is_asked_again() -> None:
    trials: Any = Remembered()
    Kept(trials).keep(
        QUESTION, Evidence("unsupported", reason="its verification did not end within 5 s")
    )
    assert not trials.found
