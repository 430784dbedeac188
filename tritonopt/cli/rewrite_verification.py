"""`rewrite --verify`: what a rewrite of a file may keep once it was run against the original.

A file is rewritten only as far as it was verified. If its whole rewrite is not,
each pass is verified for itself, and those that fail are left out; what remains
is verified again, together. A pass that gives another function is a defect of
ours, and is reported with the script that shows it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tritonopt.cli import arguments as shared
from tritonopt.engines.errors import EngineError

if TYPE_CHECKING:
    from tritonopt.rewriting.pipeline import RewriteResult
    from tritonopt.rewriting.protocol import Pass
    from tritonopt.verification import Verdict

_SAME = ("identical", "equivalent")


@dataclass(frozen=True)
class Request:
    """How a rewrite is to be verified."""

    backend: str = "auto"
    max_examples: int = 100
    engine: str | None = None
    """Who verifies, where several files have kernels."""
    timeout: float | None = None
    """Seconds for one file."""


@dataclass(frozen=True)
class Verified:
    """What is left of a rewrite, and what there is to say of the rest."""

    result: RewriteResult
    """As much as was verified; it may be nothing, and the text the original."""
    summary: str = ""
    """The verdict on what is left, in one line."""
    refused: tuple[str, ...] = ()
    """Why the rest was left out."""
    verdict: Verdict | None = None
    """The verdict on what is left."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "verification",
        "With --verify a file is changed only as far as its rewrite was run against the\n"
        "original and was the same function. A pass whose rewrite is not, or cannot be run,\n"
        "is left out and is an error (exit code 2); the others are applied. This runs the\n"
        "files' code.",
    )
    group.add_argument(
        "--verify", action="store_true", help="run every rewrite against the original first"
    )
    group.add_argument(
        "--backend",
        choices=("auto", "interpreter", "cuda"),
        default="auto",
        help="where --verify runs the kernels; auto is the GPU where there is one",
    )
    group.add_argument(
        "--max-examples",
        type=shared.positive,
        default=100,
        metavar="N",
        help="how many inputs --verify draws for a launcher (default: %(default)s)",
    )
    shared.add_engine(group, jobs=False)


def request_of(arguments: argparse.Namespace) -> Request | None:
    """What was asked for on the command line; None without --verify.

    Raises ModuleNotFoundError, with what to install, where verification cannot run, and
    EngineError for an engine without something to verify.
    """
    if not arguments.verify:
        if arguments.engine is not None:
            raise EngineError("--engine is for --verify; rewriting alone needs none")
        return None
    try:
        # The package imports what it is asked for only then, and what draws calls later still.
        import hypothesis  # noqa: F401

        from tritonopt.verification import verify  # noqa: F401
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(shared.missing(error, "--verify")) from None
    return Request(
        arguments.backend, arguments.max_examples, arguments.engine, arguments.task_timeout
    )


def verified(
    path: Path,
    result: RewriteResult,
    passes: Sequence[Pass],
    rewrite: Callable[[Sequence[Pass]], RewriteResult],
    request: Request,
) -> Verified:
    """As much of a file's rewrite as gives the same function.

    `result` is what `rewrite` gives for all of `passes`; the file at `path`
    still holds the original.
    """
    from tritonopt.rewriting.model import RemarkKind

    nothing = replace(
        result,
        text=result.original,
        remarks=tuple(r for r in result.remarks if r.kind is not RemarkKind.PASSED),
    )
    verdict = _verify(path, result, request)
    if verdict.verdict in _SAME:
        return Verified(result, _in_a_line(verdict), verdict=verdict)
    applied = {r.pass_name for r in result.remarks if r.kind is RemarkKind.PASSED}
    candidates = [p for p in passes if p.name in applied]
    kept: list[Pass] = []
    refused: list[str] = []
    for one in candidates if len(candidates) > 1 else []:
        alone = rewrite([one])
        found = _verify(path, alone, request)
        if not alone.changed or found.verdict in _SAME:
            kept.append(one)
        else:
            refused.append(_refused(path, [one], found))
    if not refused:
        # One pass; or each of them is right for itself, and together they are not.
        return Verified(nothing, refused=(_refused(path, candidates, verdict),))
    rest = rewrite([p for p in passes if p in kept or p.name not in applied])
    if not rest.changed:
        return Verified(nothing, refused=tuple(refused))
    verdict = _verify(path, rest, request)
    if verdict.verdict in _SAME:
        return Verified(rest, _in_a_line(verdict), tuple(refused), verdict)
    return Verified(nothing, refused=(*refused, _refused(path, kept, verdict)))


def _names(passes: Sequence[Pass]) -> str:
    return ", ".join(p.name for p in passes)


def _in_a_line(verdict: Verdict) -> str:
    algebra, evidence = verdict.algebra, verdict.verdict
    if algebra is not None and algebra.is_same:
        evidence += ", the same algebra,"
    elif algebra is not None and algebra.is_different:
        evidence += ", not the same algebra (see tritonopt verify),"
    return f"verified: {evidence} on {verdict.examples} examples ({verdict.backend})"


def _verify(path: Path, result: RewriteResult, request: Request) -> Verdict:
    """Identical bits are asked for where every remark promises them."""
    from tritonopt.rewriting.model import Bits, RemarkKind

    passed = [r for r in result.remarks if r.kind is RemarkKind.PASSED]
    same_bits = all(r.bits is Bits.SAME for r in passed)
    verdict = _ask(path, result, request, "identical" if same_bits else "equivalent")
    if same_bits and verdict.verdict == "unsupported":
        # The bits of an original that adds atomically are nobody's to keep.
        return _ask(path, result, request, "equivalent")
    return verdict


def _ask(path: Path, result: RewriteResult, request: Request, require: str) -> Verdict:
    from tritonopt.verification import Verdict, VerificationError, verify

    try:
        return verify(
            path,
            path,
            text=result.text,
            backend=request.backend,
            require=require,
            max_examples=request.max_examples,
        )
    except VerificationError as error:
        return Verdict("unsupported", request.backend, 0, reason=str(error))


def _refused(path: Path, passes: Sequence[Pass], verdict: Verdict) -> str:
    names = _names(passes)
    if verdict.verdict != "counterexample":
        reason = (verdict.reason or "no reason was given").replace("\n", " ")
        return f"{path}: {names} not applied, because it could not be verified: {reason}"
    shown = ""
    if verdict.script is not None:
        script = Path(f"counterexample_{path.stem}_{names.replace(', ', '_')}.py")
        try:
            script.write_text(verdict.script, encoding="utf-8")
            shown = f" and {script}, which shows it"
        except OSError as error:
            shown = f" ({script} cannot be written: {error.strerror})"
    what = (verdict.counterexample or "").strip()
    if any(one.fixes for one in passes):
        mending = _names([one for one in passes if one.fixes])
        look = f" ({shown.removeprefix(' and ')})" if shown else ""
        return (
            f"{path}: {names} not applied, because the result is another function. {mending} fixes "
            f"mistakes, so look whether it is the original that is wrong here{look}, and apply it "
            f"without --verify if so:\n{what}"
        )
    return (
        f"{path}: {names} not applied, because the result is another function. This is a defect "
        f"of ours; please report it with the file{shown}:\n{what}"
    )
