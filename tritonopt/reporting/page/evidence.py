"""What a verification found, in words for somebody who has not read how it decides."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

from tritonopt.reporting.page.contents import Evidence, Tier
from tritonopt.reporting.text import counted

if TYPE_CHECKING:
    from tritonopt.measurement.tuned import Evidence as Tuned
    from tritonopt.verification.verdict import Verdict

YES, NO, OPEN = "yes", "no", "open"

_CODE, _ALGEBRA, _NUMBERS = "Same machine code", "Same algebra", "Same numbers"
_HEADLINES = {
    YES: "Verified: the same answer",
    NO: "Not the same function: there is a counterexample",
    OPEN: "Inconclusive",
}
_CODE_NOT_ASKED = Tier(
    _CODE, "not asked", OPEN, "`tritonopt verify --backend compile` compares it, without a GPU"
)
_ALGEBRA_NOT_ASKED = Tier(
    _ALGEBRA, "not asked", OPEN, "compared only if the interpreter finds no difference"
)
_ONLY_COMPILED = "compile"
NOT_RUN = Evidence("Not verified: nothing was run", OPEN)


def evidence_of(verdict: Verdict) -> Evidence:
    """The evidence of a verdict."""
    numbers, grade = _numbers(verdict)
    notes = verdict.notes
    if grade == OPEN and verdict.reason:
        notes = (verdict.reason, *notes)
    if verdict.discarded:
        failed = counted(verdict.discarded, "input")
        notes = (*notes, f"on {failed} more the original fails; they were not counted")
    return Evidence(
        _HEADLINES[grade],
        grade,
        where_of(verdict.backend),
        (_machine_code(verdict), _algebra(verdict), numbers),
        (verdict.counterexample or "").strip("\n"),
        notes,
    )


def in_short(verdict: Verdict) -> str:
    """The same for a cell of a table."""
    backend = verdict.backend.partition(":")[0]
    if verdict.verdict == "counterexample":
        return f"counterexample ({backend})"
    if verdict.verdict not in ("identical", "equivalent"):
        return "no answer"
    tiers = ", ".join(verdict.evidence)
    if backend == _ONLY_COMPILED:
        return tiers
    return f"{tiers}: {verdict.examples} inputs ({backend})"


def kinds_of(backend: str) -> str:
    """The backends without what they ran on."""
    return " and ".join(part.partition(":")[0] for part in backend.split("; "))


def grade_of(verdict: str) -> str:
    """Of a verdict by its name."""
    if verdict == "counterexample":
        return NO
    return YES if verdict in ("identical", "equivalent") else OPEN


def where_of(backend: str) -> str:
    """Where kernels were run; `tune` asks two backends."""
    gpu, both, processor = backend.partition("; interpreter:")
    if both:
        return (
            f"{where_of(gpu)}; and in Triton's interpreter, on the processor ({processor.strip()})"
        )
    kind, _, on = backend.partition(":")
    on = on.strip()
    if kind == "interpreter":
        return f"In Triton's interpreter, on the processor and not on a GPU ({on})"
    if kind == "cuda":
        return f"On a GPU: {on}"
    if kind == _ONLY_COMPILED:
        return f"Nothing was run; the kernels were compiled ({on})"
    return backend


def _numbers(verdict: Verdict) -> tuple[Tier, str]:
    """What running both versions showed, and how the whole verdict is to be read."""
    grade = grade_of(verdict.verdict)
    if verdict.backend.startswith(_ONLY_COMPILED):
        return Tier(_NUMBERS, "not asked", OPEN, "nothing was run"), grade
    examples = f"{verdict.examples} inputs, {verdict.compared:,} elements compared"
    if grade == NO:
        text = f"the versions differ on an input that is shown below; {examples}"
        return Tier(_NUMBERS, "no", NO, text), grade
    if grade == OPEN:
        return Tier(_NUMBERS, "no answer", OPEN, examples), grade
    if verdict.verdict == "identical":
        return Tier(_NUMBERS, "yes, every bit", YES, f"{examples}: all bits are equal"), grade
    text = f"{examples}: equal up to a rounding error like the original's"
    if verdict.worst_error is not None and verdict.oracle_error is not None:
        text += (
            f". Against the same kernel in wider types the largest error is "
            f"{verdict.worst_error:.2g}, and that of the original {verdict.oracle_error:.2g}, each "
            "as a part of the largest value of its row"
        )
    return Tier(_NUMBERS, "yes, up to rounding", YES, text), grade


def _machine_code(verdict: Verdict) -> Tier:
    pairs = verdict.compiled
    if not pairs:
        return _CODE_NOT_ASKED
    same = sum(pair.identical for pair in pairs)
    targets = ", ".join(dict.fromkeys(pair.original.target for pair in pairs))
    text = f"{same} of {len(pairs)} compiled kernels are the same machine code ({targets})"
    if same == len(pairs):
        return Tier(_CODE, "yes", YES, text)
    return Tier(_CODE, "no", OPEN, f"{text}; the others may still give the same answer")


def _algebra(verdict: Verdict) -> Tier:
    found = verdict.algebra
    if found is None:
        return _ALGEBRA_NOT_ASKED
    if found.is_same:
        text = f"in exact arithmetic both computed the same in {found.draws} random trials"
        if found.bound is not None:
            least = max(found.bound, sys.float_info.min)
            text += (
                f"; the probability of a coincidence is at most 1e{math.ceil(math.log10(least))}"
            )
        return Tier(_ALGEBRA, "yes", YES, text)
    return Tier(_ALGEBRA, "no" if found.is_different else "no answer", OPEN, found.text)


def of_tuning(found: Tuned) -> Evidence:
    """The evidence for what `tune` accepted."""
    grade = grade_of(found.verdict)
    inputs = f"{found.examples} inputs"
    answer = {YES: "yes", NO: "no", OPEN: "no answer"}[grade]
    if found.verdict == "identical":
        numbers = Tier(_NUMBERS, "yes, every bit", YES, f"{inputs}: all bits are equal")
    elif grade == YES:
        text = f"{inputs}: equal up to a rounding error like the original's"
        numbers = Tier(_NUMBERS, "yes, up to rounding", YES, text)
    else:
        numbers = Tier(_NUMBERS, answer, grade, inputs)
    algebra = {
        "same": Tier(
            _ALGEBRA, "yes", YES, "in exact arithmetic both computed the same in random trials"
        ),
        "different": Tier(_ALGEBRA, "no", OPEN, "or by a law that is not known"),
        "not-applicable": Tier(_ALGEBRA, "no answer", OPEN, "residues could not be computed"),
    }.get(found.algebra, _ALGEBRA_NOT_ASKED)
    return Evidence(
        _HEADLINES[grade],
        grade,
        where_of(found.backend),
        (_CODE_NOT_ASKED, algebra, numbers),
        found.reason if grade == NO else "",
        ((found.reason,) if grade == OPEN and found.reason else ()) + found.notes,
    )
