"""On a GPU: what Triton's own floating-point sanitizer says of two versions that agree.

With it floats are whole numbers modulo a power of two, and a sum in another order gives the same
bits. It is a second opinion, reported and not judged: even divisors have no inverse there, and
comparisons and casts of whole numbers are made as they would be without it.
"""

from __future__ import annotations

import re

from tritonopt.verification.comparison.checker import Checker
from tritonopt.verification.comparison.compare import shared
from tritonopt.verification.inputs.examples import ORDINARY, Example
from tritonopt.verification.process.client import Died, Refusal
from tritonopt.verification.process.messages import RunOptions
from tritonopt.verification.verdict import Algebra, AlgebraAnswer

_FIRST = (3, 8)
_CALLS = 4
_MOST_ELEMENTS = 2**20


def unfollowed(checker: Checker, backend: str) -> Algebra:
    """What is said of algebra where kernels are compiled."""
    text = "residues are followed by the interpreter: --backend interpreter. "
    text += second_opinion(checker, backend)
    return Algebra(AlgebraAnswer.NOT_APPLICABLE.value, text=text)


def second_opinion(checker: Checker, backend: str) -> str:
    """In words; `backend` names the versions of what runs."""
    found = re.search(r"triton (\d+)\.(\d+)", backend)
    if found is None or (int(found[1]), int(found[2])) < _FIRST:
        return f"Triton's own sanitizer was not asked: {_where(backend)} has none, 3.8 and later do"
    calls = [e for e in checker.taken(_MOST_ELEMENTS) if _is_plain(e)]
    calls = calls[:: max(1, len(calls) // _CALLS)][:_CALLS]
    try:
        answers = [_answer(checker, example) for example in calls]
    except (Died, Refusal) as error:
        return f"Triton's own sanitizer gave no answer: {error}"
    if not answers or not all(answers):
        return "Triton's own sanitizer gave no answer: it changed no compiled kernel, or one failed"
    differing = [e for e, answer in zip(calls, answers, strict=True) if answer == "different"]
    if not differing:
        return f"Triton's own sanitizer finds the same bits in {len(calls)} calls"
    call = "; ".join(str(differing[0]).splitlines())
    return (
        f"Triton's own sanitizer finds other bits in {len(differing)} of {len(calls)} calls, as "
        f"in one with {call}: a mistake, or a law that does not hold there"
    )


def _where(backend: str) -> str:
    return ", ".join(part for part in backend.split(", ") if part.startswith("triton")) or backend


def _is_plain(example: Example) -> bool:
    floats = [r for r in example.tensors.values() if r.is_float]
    return bool(floats) and all(r.values == ORDINARY for r in floats) and not example.is_far


def _answer(checker: Checker, example: Example) -> str:
    """`same` or `different`; nothing where a version fails, or no code was changed."""
    versions, options = checker.versions, RunOptions(sanitized=True)
    (ours,) = versions.original.run(example, options)
    (theirs,) = versions.rewritten.run(example, options)
    if ours.failure or theirs.failure or not (ours.sanitized and theirs.sanitized):
        return ""
    pairs = shared(ours, theirs)
    same = all((one.bits == other.bits).all() for one, other in pairs if one.is_float)
    return "same" if same else "different"
