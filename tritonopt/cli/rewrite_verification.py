"""`rewrite --verify`: what a rewrite of a file may keep once it was run against the original.

A file is rewritten only as far as it was verified. If its whole rewrite is not,
each pass is verified for itself, and those that fail are left out; what remains
is verified again, together. A pass that gives another function is a defect of
ours, and is reported with the script that shows it.

A safe fix of a mistake changes what a wrong call gives, and no other call. It is
made, its first different value is shown, and the rewrites are compared with the
fixed original.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tritonopt.cli import arguments as shared
from tritonopt.engines.errors import EngineError
from tritonopt.rewriting.model import Bits, RemarkKind

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
    scripts: str | None = ""
    """The folder for scripts that show counterexamples; None for no scripts."""


@dataclass(frozen=True)
class Verified:
    """What is left of a rewrite, and what there is to say of the rest."""

    result: RewriteResult
    """As much as was verified; it may be nothing, and the text the original."""
    summary: str = ""
    """The verdict on what is left, in one line."""
    refused: tuple[str, ...] = ()
    """Why the rest was left out."""
    fixed: Mapping[str, str] = field(default_factory=dict)
    """The passes that changed a result, which was wrong, with the first value that differs."""
    verdict: Verdict | None = None
    """The verdict on what is left."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "verification",
        "With --verify a file is changed only as far as its rewrite was run against the\n"
        "original and gave the same results. A pass whose rewrite does not, or cannot be run,\n"
        "is left out (exit code 1); the others are applied. A safe fix of a mistake may change\n"
        "a wrong result: it is applied, and both values are printed. This runs the files' code.",
    )
    group.add_argument(
        "--verify", action="store_true", help="first compare every rewrite with the original"
    )
    group.add_argument(
        "--backend",
        choices=("auto", "interpreter", "cuda"),
        default="auto",
        help="where --verify runs the kernels; auto is the GPU if there is one",
    )
    shared.add_examples(group, "how many inputs --verify generates for a launcher")
    shared.add_script(group, "the folder for scripts of counterexamples")
    shared.add_engine(group, jobs=False)


def request_of(arguments: argparse.Namespace) -> Request | None:
    """What was asked for on the command line; None without --verify.

    Raises ModuleNotFoundError, with what to install, where verification cannot run, and
    EngineError for an engine without something to verify.
    """
    if not arguments.verify:
        if arguments.engine is not None:
            raise EngineError("--engine needs --verify")
        return None
    try:
        # The package imports what it is asked for only then, and what draws calls later still.
        import hypothesis  # noqa: F401

        from tritonopt.verification import verify  # noqa: F401
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(shared.missing(error, "--verify")) from None
    return Request(
        arguments.backend,
        arguments.max_examples,
        arguments.engine,
        arguments.task_timeout,
        None if arguments.no_script else os.path.join(arguments.script or "", ""),
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
    verdict = _verify(path, result, request)
    if verdict.verdict in _SAME:
        return Verified(result, _in_a_line(verdict), verdict=verdict)
    applied = {r.pass_name for r in result.remarks if r.kind is RemarkKind.PASSED}
    candidates = [p for p in passes if p.name in applied]
    fixed, known = _fixed(path, result, candidates, rewrite, request)
    fixes = [p for p in candidates if p.name in fixed]
    others = [p for p in candidates if p.name not in fixed]
    base = _unchanged(result)
    if fixes:
        base = rewrite(fixes)
        if not others or base.text == result.text:
            return Verified(base, fixed=fixed)
        verdict = _verify(path, result, request, base.text)
        if verdict.verdict in _SAME:
            return Verified(result, _in_a_line(verdict, fixed), verdict=verdict, fixed=fixed)
    kept: list[Pass] = []
    refused: list[str] = []
    for one in others if len(others) > 1 else []:
        found = known.get(one.name)
        if found is None:
            alone = rewrite([p for p in passes if p is one or p in fixes])
            same = alone.text == base.text
            found = None if same else _verify(path, alone, request, base.text)
        if found is None or found.verdict in _SAME:
            kept.append(one)
        else:
            refused.append(_refused(path, [one], found, request))
    if not refused:
        # One pass; or each of them is right for itself, and together they are not.
        refused.append(_refused(path, others, verdict, request))
        return Verified(base, refused=tuple(refused), fixed=fixed)
    rest = rewrite([p for p in passes if p in (*fixes, *kept) or p.name not in applied])
    if kept and rest.text != base.text:
        verdict = _verify(path, rest, request, base.text)
        if verdict.verdict in _SAME:
            return Verified(rest, _in_a_line(verdict, fixed), tuple(refused), fixed, verdict)
        refused.append(_refused(path, kept, verdict, request))
    return Verified(base, refused=tuple(refused), fixed=fixed)


def _unchanged(result: RewriteResult) -> RewriteResult:
    """The file as it was, with the remarks on what was not applied."""
    left = tuple(r for r in result.remarks if r.kind is not RemarkKind.PASSED)
    return replace(result, text=result.original, remarks=left)


def _fixed(
    path: Path,
    result: RewriteResult,
    candidates: Sequence[Pass],
    rewrite: Callable[[Sequence[Pass]], RewriteResult],
    request: Request,
) -> tuple[dict[str, str], dict[str, Verdict]]:
    """The safe fixes after which a value is another one, with that value; and all verdicts."""
    fixed: dict[str, str] = {}
    known: dict[str, Verdict] = {}
    for one in candidates:
        remarks = [r for r in result.remarks if r.pass_name == one.name]
        passed = [r for r in remarks if r.kind is RemarkKind.PASSED]
        if not (one.fixes and all(remark.is_safe_fix for remark in passed)):
            continue
        alone = rewrite([one])
        if not alone.changed:
            continue
        known[one.name] = found = _verify(path, alone, request)
        if found.verdict == "counterexample" and found.values:
            script = _shown_by(found.script, path, one.name, request)
            fixed[one.name] = found.values + (f" ({script} shows it)" if script else "")
    return fixed, known


def _names(passes: Sequence[Pass]) -> str:
    return ", ".join(p.name for p in passes)


def _in_a_line(verdict: Verdict, fixed: Iterable[str] = ()) -> str:
    algebra, evidence = verdict.algebra, verdict.verdict
    if algebra is not None and algebra.is_same:
        evidence += ", the same algebra,"
    elif algebra is not None and algebra.is_different:
        evidence += ", not the same algebra (see tritonopt verify),"
    fixes = ", ".join(fixed)
    after = f", compared with the original after {fixes}" if fixes else ""
    return f"verified: {evidence} on {verdict.examples} examples ({verdict.backend}){after}"


def _verify(
    path: Path, result: RewriteResult, request: Request, original: str | None = None
) -> Verdict:
    """The verdict on a result and the file, or `original` in its place.

    Identical bits are asked for where every remark promises them.
    """
    if original == result.original:
        original = None
    passed = [r for r in result.remarks if r.kind is RemarkKind.PASSED]
    same_bits = all(r.bits is Bits.SAME for r in passed)
    required = "identical" if same_bits else "equivalent"
    verdict = _ask(path, result, request, required, original)
    if same_bits and verdict.verdict == "unsupported":
        # The bits of an original that adds atomically are nobody's to keep.
        return _ask(path, result, request, "equivalent", original)
    return verdict


def _ask(
    path: Path, result: RewriteResult, request: Request, require: str, original: str | None
) -> Verdict:
    from tritonopt.verification import Verdict, VerificationError, verify

    try:
        return verify(
            path,
            path,
            text=result.text,
            original_text=original,
            backend=request.backend,
            require=require,
            max_examples=request.max_examples,
        )
    except VerificationError as error:
        return Verdict("unsupported", request.backend, 0, reason=str(error))


def _refused(path: Path, passes: Sequence[Pass], verdict: Verdict, request: Request) -> str:
    names = _names(passes)
    if verdict.verdict != "counterexample":
        reason = (verdict.reason or "no reason was given").replace("\n", " ")
        return f"{path}: {names} not applied, because it could not be verified: {reason}"
    shown = _shown_by(verdict.script, path, names, request)
    what = (verdict.counterexample or "").strip()
    if any(one.fixes for one in passes):
        fixing = _names([one for one in passes if one.fixes])
        return (
            f"{path}: {names} not applied, because results differ. {fixing} fixes mistakes: "
            f"if the original is wrong here{f' ({shown})' if shown else ''}, apply it without "
            f"--verify:\n{what}"
        )
    return (
        f"{path}: {names} not applied, because the result is another function. This is a "
        "bug in tritonopt; please report it with the "
        f"file{f' and {shown}' if shown else ''}:\n{what}"
    )


def _shown_by(text: str | None, path: Path, names: str, request: Request) -> str:
    """Where the script that shows a counterexample was written; empty without one."""
    if text is None or request.scripts is None:
        return ""
    name = f"counterexample_{path.stem}_{names.replace(', ', '_')}.py"
    return shared.write_script(text, name, request.scripts) or ""
