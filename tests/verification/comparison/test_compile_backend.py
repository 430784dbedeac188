"""The `compile` backend: machine code for GPUs that are not here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tritonopt import source
from tritonopt.reporting import text
from tritonopt.verification import Verdict
from tritonopt.verification.comparison.compile_backend import Compilation
from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.client import Refusal
from tritonopt.verification.process.compiled_programs import Launch, Program
from tritonopt.verification.process.messages import Failure

SUBJECTS = Path(__file__).parents[1] / "subjects"

OPTIONS = {"backend": "compile", "args": "x: f32[n], y: f32[n]", "max_examples": 2}


def test_the_same_instructions_are_a_proof_for_their_signature(
    against: Callable[..., Verdict],
) -> None:
    changes = (
        (
            "    mask = offsets < n\n",
            "\n    # moved, and said in another way\n\n    mask = offsets < n\n",
        ),
        ("tl.maximum(x + y, 0.0)", "tl.where(x + y > 0.0, x + y, 0.0)"),
    )
    verdict = against("add", *changes, **OPTIONS)
    assert verdict.verdict == "identical", verdict
    assert verdict.backend.startswith("compile: sm_80, sm_90, sm_100, gfx942")
    assert "for these signatures and targets only" in verdict.notes[0]
    assert verdict.compiled and all(pair.identical for pair in verdict.compiled)


def test_other_instructions_are_shown_side_by_side(against: Callable[..., Verdict]) -> None:
    verdict = against("add", ("x + y, 0.0", "x * y, 1.0"), **OPTIONS)
    assert verdict.verdict == "unsupported"
    assert verdict.reason is not None and "the machine code of add_kernel differs" in verdict.reason
    shown = "\n".join(text.verdict_lines(verdict, text.Style(color=False)))
    for part in ("sm_80", "gfx942", "registers", "instructions", "barriers", "global stores of 32"):
        assert part in shown


class Answers:
    """Stands for a worker: gives these launches, each compiled to these bytes."""

    def __init__(self, *launches: Launch, digest: str = "same") -> None:
        self.launches = launches
        self.digest = digest
        self.asked: list[tuple[str, tuple[Any, ...]]] = []

    def ask(self, request: str, *arguments: object) -> None:
        self.asked.append((request, arguments))

    def answer(self) -> object:
        request, arguments = self.asked.pop(0)
        if request == "statistics":
            return [{"registers": 7}] * len(arguments[0])
        if not self.launches:
            raise Refusal(Failure("RuntimeError", "broken"))
        programs = tuple(
            Program(x.kernel, x.signature, "sm_90", self.digest) for x in self.launches
        )
        return self.launches, programs


_FORWARD, _BACKWARD = (Launch(k, "n: i32", (4,), ("x",)) for k in ("_forward", "_backward"))
_TEXT = (SUBJECTS / "autograd.py").read_text()


def judged(new_text: str, ours: Answers, theirs: Answers) -> Verdict:
    old, new = (source.read(text, "autograd.py") for text in (_TEXT, new_text))
    compilation = Compilation(ours, theirs, old, new)  # type: ignore[arg-type]
    return compilation.verdict([Example(())], "compile", lambda count: None)


def test_what_is_no_proof() -> None:
    both = _FORWARD, _BACKWARD
    backward = _TEXT.replace("2 * x * dy", "x * dy")
    assert judged(backward, Answers(*both), Answers(*both)).verdict == "identical"
    other_grid = replace(_BACKWARD, grid=(5,))
    refused = {
        "_backward was changed and was not launched": (backward, Answers(_FORWARD), (_FORWARD,)),
        "the grid of a launch of _backward differs": (
            _TEXT,
            Answers(*both),
            (_FORWARD, other_grid),
        ),
        "makes 2 launches, the rewritten version 1": (_TEXT, Answers(*both), (_FORWARD,)),
        "only the rewritten version's launcher fails": (_TEXT, Answers(*both), ()),
        "failed on every example: RuntimeError: broken": (_TEXT, Answers(), both),
        "code outside of the kernels differs": (_TEXT + "\nX = 1\n", Answers(*both), both),
        "the machine code of _backward, _forward differs": (
            _TEXT,
            Answers(*both, digest="x"),
            both,
        ),
    }
    for reason, (text_, ours, theirs) in refused.items():
        verdict = judged(text_, ours, Answers(*theirs))
        assert verdict.verdict == "unsupported"
        assert verdict.reason is not None and reason in verdict.reason
