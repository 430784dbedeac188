"""Remarks: on each site that a pass finds in a kernel, and on a pass that fails on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tritonopt import facts, source
from tritonopt.facts.algebra.polynomial import at_most
from tritonopt.rewriting.model import Remark, RemarkKind, Safety, Site
from tritonopt.rewriting.recorded_launches import resting, rests_on

if TYPE_CHECKING:
    from tritonopt.rewriting.protocol import Pass

FORMS_PER_LOOK = 1_000_000
"""What one pass may compute at one look at a kernel; far more than those that people write take."""


def of_replaced(module: source.Module) -> Iterator[Remark]:
    """What is to be said of functions that no pass looks at, though `triton.jit` is above them."""
    for kernel, decorator in module.replaced:
        line, column = module.lines.place(decorator)
        text = f"@{module.text_of(decorator)}".partition("\n")[0]
        message = (
            f"left {kernel.name} alone: {text} is below @triton.jit, so Triton compiles what "
            "it returns, which may differ from this source; put it above @triton.jit, or "
            "make it a function of this file that returns its argument"
        )
        missed = RemarkKind.MISSED
        yield Remark(
            "jit", missed, kernel.qualname, line, column, message, reason="unknown-decorator"
        )


def classify(
    kernel: source.Kernel,
    chosen: Pass,
    site: Site,
    place: tuple[int, int],
    allowed: frozenset[Safety],
    given: Iterable[str] = (),
    *,
    fixes: bool = True,
) -> Remark:
    """What is to be said of a site at a line and column, with these levels allowed.

    `given` are the texts of the facts that the user gave.
    `fixes` says whether a mistake is fixed where that is asked for, or safe, rather than told of.
    """
    kind, message, reason = RemarkKind.PASSED, site.message, ""
    if not site.facts_used.isdisjoint(given):
        # Giving the fact is the permission to rest on it, and on no other one.
        allowed |= {Safety.ASSUMPTION}
    left = chosen.is_of_group and site.profit.is_unlikely
    forbidden = sorted(level.value for level in site.safety - allowed)
    if site.analysis:
        is_wanted = chosen.is_named or (site.is_reported and site.is_safe_fix)
        if not (fixes and chosen.fixes and site.changes and is_wanted) or forbidden:
            kind, reason = RemarkKind.ANALYSIS, site.failed[0].reason if site.failed else ""
            message = site.advice or message
            if fixes and chosen.fixes and site.changes and site.assumed and not chosen.is_named:
                message += f" (applied only if the pass is named: {site.assumed})"
    elif site.failed:
        kind, reason = RemarkKind.MISSED, site.failed[0].reason
    elif forbidden:
        kind, reason = RemarkKind.MISSED, "safety"
        message = f"needs {', '.join(forbidden)}, which is not permitted; would have {message}"
    elif not (site.profit.is_expected or (chosen.is_named and not left)):
        near = site.profit.failed == 1
        kind, reason = RemarkKind.MISSED, "profitable-at-some-sizes" if near else "not-profitable"
        why = f" ({site.profit.why})" if site.profit.why else ""
        why += f", unless --assume {site.profit.fact!r}" if left and site.profit.fact else ""
        message = (
            f"not known to be faster here{why}; with --passes {chosen.name} would have {message}"
        )
    conditions = site.conditions
    if kind is RemarkKind.PASSED and site.profit.recorded and not chosen.is_named:
        conditions += (rests_on(site.profit.recorded, "faster at the sizes"),)
    return Remark(
        chosen.name,
        kind,
        kernel.qualname,
        *place,
        message,
        site.safety,
        site.bits,
        conditions,
        reason,
    )


def refused_remark(remark: Remark, site: Site, why: str) -> Remark:
    """The remark of a rewrite that could be made and is not wanted; a mistake is still told."""
    if site.analysis:
        message = f"{site.advice or site.message}; it is not applied here: {why}"
        return replace(
            remark, kind=RemarkKind.ANALYSIS, message=message, reason=site.failed[0].reason
        )
    message = f"{why}; would have {remark.message}"
    return replace(remark, kind=RemarkKind.MISSED, message=message, reason="left-alone")


def within_reason(chosen: Pass, known: facts.KernelFacts) -> Iterator[Site]:
    """The sites of a pass; TooMuchWork where there is no end to be seen of looking for them."""
    with at_most(FORMS_PER_LOOK):
        if known.recorded is None or not known.recorded.proves:
            yield from chosen.sites(known)
            return
        without = list(chosen.sites(known.without_records))
        yield from resting(chosen.sites(known), without, known.recorded, known.kernel.module)


def gave_up_remark(kernel: source.Kernel, chosen: Pass, place: tuple[int, int]) -> Remark:
    """What is to be said of a kernel that is too much for a pass."""
    return Remark(
        chosen.name,
        RemarkKind.MISSED,
        kernel.qualname,
        *place,
        f"gave up on {kernel.qualname}: it takes more than {FORMS_PER_LOOK:,} forms of its indices",
        reason="gave-up",
    )


def defect_remark(kernel: source.Kernel, chosen: Pass, error: Exception) -> Remark:
    """What is to be said of a kernel on which a pass failed."""
    place = kernel.module.lines.place(kernel.node)
    return internal_error(chosen.name, describe(error), home(chosen), kernel.qualname, place)


def home(chosen: Pass) -> str:
    """The package that brings a pass."""
    return type(chosen).__module__.partition(".")[0]


def internal_error(
    culprit: str, failure: str, home: str, kernel: str, place: tuple[int, int]
) -> Remark:
    return Remark(
        culprit,
        RemarkKind.MISSED,
        kernel,
        *place,
        f"the kernel is not changed, because {culprit} failed on it: {failure}. "
        f"This is a bug in the pass, not in the kernel; please report it to the maintainers "
        f"of {home}, with the kernel and this remark",
        reason="internal-error",
        failure=failure,
    )


def describe(error: Exception) -> str:
    """One line for a report: what was raised, and where."""
    import traceback  # rarely needed

    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return text
    frame = frames[-1]
    where = "/".join(Path(frame.filename).parts[-2:])
    return f"{text} ({where}:{frame.lineno} in {frame.name})"
