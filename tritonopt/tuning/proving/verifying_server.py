"""The worker that verifies variants, one after the other; the code under test runs in its own."""

from __future__ import annotations

from dataclasses import dataclass, field

from tritonopt.measurement.tuned import Evidence
from tritonopt.verification.verdict import Verdict
from tritonopt.verification.worker.server import answer_requests

LATE = "its verification did not end within"
_LEAST_SHARE = 5
"""Of the calls that were asked for, one in so many has to be compared; all that are made on purpose
are among them, or the verification itself says no yes."""
_MOST_WORK = 8_000
"""Statements of kernels in one call: a tenth of what else may be, and enough for some hundred
programs."""
_SHRINK_SECONDS = 2.0
"""A counterexample says why a variant is left; the next one waits meanwhile."""


@dataclass(frozen=True)
class Question:
    """Is this text the same function as the file's?"""

    path: str
    launcher: str | None
    text: str = field(repr=False)
    args: str | None
    assume: tuple[str, ...]
    kernel: str | None = None
    grid: str | None = None
    backend: str = "auto"
    examples: int = 100
    algebra: bool = False
    covered_elsewhere: bool = False
    most_elements: int | None = None
    """Of a call that is made to run what differs."""
    seconds: float | None = field(default=None, compare=False)
    """After which no more calls are made, and what was seen is judged."""


class VerifyingServer:
    """What the worker can be asked."""

    def evidence(self, asked: Question) -> Evidence:
        from tritonopt.verification.api import verify
        from tritonopt.verification.comparison import drawing
        from tritonopt.verification.comparison.tally import SPENT
        from tritonopt.verification.errors import VerificationError

        drawing.SHRINK_SECONDS = _SHRINK_SECONDS
        try:
            found = verify(
                asked.path,
                asked.path,
                text=asked.text,
                launcher=asked.launcher,
                kernel=asked.kernel,
                grid=asked.grid,
                args=asked.args,
                assume=asked.assume,
                backend=asked.backend,
                max_examples=asked.examples,
                covered_elsewhere=asked.covered_elsewhere,
                algebra=asked.algebra,
                budget=asked.seconds,
                most_work=_MOST_WORK,
                most_elements=asked.most_elements,
            )
        except VerificationError as error:
            return Evidence("unsupported", reason=str(error))
        if SPENT in found.notes and _is_little(found, asked):
            why = f": {found.reason}" if found.reason else ""
            return Evidence("unsupported", reason=f"{LATE} {asked.seconds:.0f} s{why}")
        return Evidence(
            found.verdict,
            found.backend,
            found.examples,
            reason=(found.counterexample or found.reason or "").strip(),
            notes=found.notes,
            args=_as_written(found.args),
            algebra=found.algebra.answer if found.algebra is not None else "",
        )


def _is_little(found: Verdict, asked: Question) -> bool:
    """Whether a verification that ended early has no verdict, or says yes after too few calls."""
    few = found.examples * _LEAST_SHARE < asked.examples
    return found.verdict == "unsupported" or (found.verdict != "counterexample" and few)


def _as_written(args: str) -> str:
    """What can be asked about once more; "" for what was found by trying and cannot be written."""
    from tritonopt.verification.errors import VerificationError
    from tritonopt.verification.signature.argument_parser import parse

    try:
        parse(args)
    except VerificationError:
        return ""
    return args


def serve(descriptor: int) -> None:
    """Answer requests until the other side hangs up.

    What takes long is imported before, and what other processes are forked from is started.
    """
    from tritonopt.verification.process.fork_server import fork_server

    fork_server()
    answer_requests(descriptor, VerifyingServer())
