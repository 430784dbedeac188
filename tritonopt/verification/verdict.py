"""What a verification answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from tritonopt.verification.process.compiled_programs import Comparison


class Answer(str, Enum):
    IDENTICAL = "identical"
    """Every bit of every output was the same on every example."""
    EQUIVALENT = "equivalent"
    """The same up to rounding that the original shows as well."""
    COUNTEREXAMPLE = "counterexample"
    """An example on which the rewritten version is another function."""
    UNSUPPORTED = "unsupported"
    """Inconclusive; the reason says why. Never a yes."""


class Fault(str, Enum):
    """Who has to do something about an answer that is no yes."""

    CANDIDATE = "candidate"
    REFERENCE = "reference"
    ENVIRONMENT = "environment"
    """What was asked for cannot be done here: an option, a file, a library, memory."""
    TOOL = "tool"
    """The verification itself did not come to an end."""


SAME_CODE, SAME_ALGEBRA, SAME_NUMBERS = "same machine code", "same algebra", "same numbers"
"""The tiers of evidence."""
YES = (Answer.IDENTICAL.value, Answer.EQUIVALENT.value)


class AlgebraAnswer(str, Enum):
    SAME = "same"
    """Every output was the same function of the inputs in every draw."""
    DIFFERENT = "different"
    """Some output was not: a mistake, or a law that is not known."""
    NOT_APPLICABLE = "not-applicable"
    """Something could not be followed; the text says what."""


@dataclass(frozen=True)
class Algebra:
    """Whether both versions compute the same where arithmetic is exact; see docs/algebra.md."""

    answer: str
    draws: int = 0
    bound: float | None = None
    """How likely it is at most that different functions agreed in all draws."""
    text: str = ""
    """Where they part; or why it does not apply."""

    @property
    def is_same(self) -> bool:
        return self.answer == AlgebraAnswer.SAME.value

    @property
    def is_different(self) -> bool:
        return self.answer == AlgebraAnswer.DIFFERENT.value


def together(answers: Sequence[Algebra | None]) -> Algebra | None:
    """Of several launchers: the worst answer, and what is least certain."""
    known = [answer for answer in answers if answer is not None]
    order = [a.value for a in (AlgebraAnswer.SAME, AlgebraAnswer.NOT_APPLICABLE)]
    if not known:
        return None
    if all(answer.is_same for answer in known):
        bound = sum(answer.bound or 0.0 for answer in known)
        return replace(known[0], draws=min(answer.draws for answer in known), bound=bound)
    return max(known, key=lambda a: order.index(a.answer) if a.answer in order else len(order))


@dataclass(frozen=True)
class Timing:
    """Where the time of a verification went, in seconds of the clock."""

    start: float
    """Until both versions were loaded."""
    run: float
    """Waiting for the workers, which work at the same time, on examples before any difference."""
    judge: float
    """Drawing examples and comparing."""
    shrink: float
    """Everything after the first difference."""
    compile: float
    """Of the original's worker, within `run` and `shrink`."""
    compilations: int
    """Kernels that the original's worker compiled: one for each set of types and constants."""


CHEATS = {
    "no-kernel": "no kernel is launched, in any call or for some shapes",
    "values-skipped": "no kernel is launched for some values",
    "kernel-unused": "no result depends on what the kernels write",
    "torch-computes": "torch does the reference's whole computation, or computes inside a grid "
    "function; or most results do not change when kernels get other inputs, so they come from "
    "torch, numpy, Python or an earlier call. If the reference only copies or permutes, doing "
    "that in torch counts too. Refused wrongly: kernels that see an input only after torch has "
    "scaled it",
    "fallback": "the failure of a launch is caught",
    "result-cached": "equal calls launch fewer kernels later, or a copy of a result outlives its "
    "call",
    "buffer-reused": "a result lies where an earlier one did",
    "memory-left-over": "a result depends on uninitialized memory",
    "reference-imported": "the reference is imported, or its file opened",
    "reference-executed": "a function is the reference, word by word",
    "asks-elsewhere": "it uses the clock, chance, environment, system, threads or memory "
    "management",
    "code-hidden": "it uses exec, globals, setattr and the like: the text does not show what runs",
    "tool-changed": "functions of the verification, or torch's by which it reads results, are "
    "replaced; or the candidate forges answers",
    "timer-changed": "clock functions are replaced",
    "timed-wrong": "a result of a timed run is wrong",
    "other-stream": "the GPU still works when the caller's stream is done",
    "too-fast": "below 0.8 of the time of a copy of the bytes that must move: the result, and the "
    "inputs that it depends on",
}
"""What each kind is, for a person; the last four are of `--bench`."""


@dataclass(frozen=True)
class Cheat:
    """Something that computes the same, and is not what a kernel was asked for."""

    name: str
    """Of the kind: `no-kernel`."""
    text: str

    def __str__(self) -> str:
        return f"{self.name}: {self.text}"


@dataclass(frozen=True)
class Speed:
    """One call, as a reference and a candidate make it: times in microseconds."""

    label: str
    reference: float
    candidate: float
    ratio: float
    """Above 1 the candidate is faster."""
    low: float
    high: float
    """The ends of the interval that holds the ratio with 95 % confidence."""
    copy: float
    """What a copy of all that the result needs takes in the same run."""

    def __str__(self) -> str:
        ratio = f"{self.ratio:.2f}x [{self.low:.2f}, {self.high:.2f}]"
        times = f"{self.candidate:.1f} us, the reference {self.reference:.1f} us"
        return f"{ratio} on {self.label}: {times}, a copy of what it needs {self.copy:.1f} us"


@dataclass(frozen=True)
class Verdict:
    """The answer, where it was reached, and what it rests on.

    `worst_error` is the largest error of the rewritten version and
    `oracle_error` the largest of the original, both measured against the
    widened kernel and scaled by the largest value of the row; None where
    nothing was measured (all bits the same, or no oracle).
    """

    verdict: str
    backend: str
    examples: int
    discarded: int = 0
    worst_error: float | None = None
    oracle_error: float | None = None
    counterexample: str | None = None
    """The smallest input that was found, and what differs on it; for a person."""
    values: str = ""
    """One element that differs on it, with both values; empty where more is wrong than a value,
    as where only the rewritten version fails."""
    script: str | None = None
    """Text of a script that shows the counterexample again; it needs torch and triton only."""
    reason: str | None = None
    notes: tuple[str, ...] = ()
    args: str = ""
    """What the calls of the launcher were drawn from, as `--args` has it; "" of several ones."""
    timing: Timing | None = None
    written: int = 0
    """How many elements the original's kernels wrote, over all examples."""
    compared: int = 0
    """How many elements of both versions were compared."""
    algebra: Algebra | None = None
    """Beside a yes, where it was asked for."""
    compiled: tuple[Comparison, ...] = ()
    """What the `compile` backend compared: one for each signature and target."""
    cheats: tuple[Cheat, ...] = ()
    """What the rewritten version does in place of the work; `require="kernel"` refuses these."""
    layouts: tuple[str, ...] = ()
    """With which inputs that are not contiguous it is wrong, where others are judged; these
    `require="layouts"` refuses."""
    required: int = 0
    """So many lines, tests, loops and launches had to run."""
    uncovered: tuple[str, ...] = ()
    """Those of them that did not."""
    speeds: tuple[Speed, ...] = ()
    """Of a yes that was timed."""
    seconds: float = 0.0
    blamed: str = ""
    """Whose fault it is, where that is known otherwise than from the answer."""

    @property
    def fault(self) -> str | None:
        """Whose fault it is that there is no yes; None of a yes."""
        if self.verdict in YES or self.blamed:
            return self.blamed or None
        if self.verdict == Answer.COUNTEREXAMPLE.value:
            return Fault.CANDIDATE.value
        about_the_original = "the original" in (self.reason or "") and not self.uncovered
        return Fault.REFERENCE.value if about_the_original else Fault.TOOL.value

    @property
    def evidence(self) -> tuple[str, ...]:
        """What a yes rests on, in words, the strongest first; nothing without a yes."""
        if self.verdict not in YES:
            return ()
        if self.backend.startswith("compile"):
            return (SAME_CODE,)
        same = self.algebra is not None and self.algebra.is_same
        return (SAME_ALGEBRA, SAME_NUMBERS) if same else (SAME_NUMBERS,)
