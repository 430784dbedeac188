"""Remarks and suggestions as places on a page, and those that were left alone in groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tritonopt.checks import reasons
from tritonopt.reporting.findings import EXACT, safety_names
from tritonopt.reporting.page.contents import Check, Group, Left, Place
from tritonopt.reporting.page.side_by_side import Diff
from tritonopt.rewriting.measured import Figure
from tritonopt.rewriting.model import Remark, RemarkKind
from tritonopt.rewriting.registry import catalog

if TYPE_CHECKING:
    from tritonopt.reporting.findings import FileFindings, Suggestion
    from tritonopt.rewriting.model import Condition

_SHOWN = 20
"""Places of a group that are listed."""


def place_of(path: str, remark: Remark, anchor: str) -> Place:
    """A place that is, or would be, rewritten."""
    return Place(
        anchor,
        f"{path}:{remark.line}",
        remark.kernel,
        remark.pass_name,
        ", ".join(safety_names(remark.safety)) or EXACT,
        remark.message,
        gain_why(remark.pass_name),
        gain_text(remark.pass_name),
        "",
        tuple(map(check_of, remark.conditions)),
    )


def suggested(path: str, suggestion: Suggestion, anchor: str, diff: Diff | None) -> Place:
    """A place that somebody is advised to change."""
    remark = suggestion.remark
    return Place(
        anchor,
        f"{path}:{remark.line}",
        remark.kernel,
        remark.pass_name,
        suggestion.label,
        remark.message,
        suggestion.why,
        suggestion.worth,
        suggestion.apply,
        # Of a mistake the message says what is wrong.
        () if suggestion.is_finding else tuple(map(check_of, remark.conditions)),
        diff,
    )


def check_of(condition: Condition) -> Check:
    """A condition with its claim as a sentence."""
    claim = condition.claim
    return Check(claim, condition.status.value, condition.detail, reasons.CLAIMS.get(claim, ""))


def gain_text(pass_name: str) -> str:
    """What the pass was measured to be worth; "" where nobody measured it."""
    chosen = catalog().get(pass_name)
    return chosen.gain.text if chosen is not None and chosen.gain is not None else ""


def gain_why(pass_name: str) -> str:
    """Why it is faster."""
    chosen = catalog().get(pass_name)
    return chosen.gain.why if chosen is not None and chosen.gain is not None else ""


def rank_of(worth: str) -> float:
    """To sort by: the middle of what is said to have been measured; 0 where nothing is."""
    figure = Figure.first_in(worth)
    return 0.0 if figure is None else figure.middle


def groups_of(files: Iterable[FileFindings]) -> tuple[Group, ...]:
    """What was left alone, by pass and reason, the most frequent first."""
    found: dict[tuple[str, str], list[tuple[str, Remark]]] = {}
    for file in files:
        for remark in (*file.remarks, *file.left_alone):
            if remark.kind is RemarkKind.MISSED:
                found.setdefault((remark.pass_name, remark.reason), []).append((file.path, remark))
    groups = [_group(*key, places) for key, places in found.items()]
    return tuple(sorted(groups, key=lambda g: (-g.count, g.pass_name, g.reason)))


def meaning_of(reason: str) -> tuple[str, str]:
    """Why a place is left alone, in a sentence, and what to do about it."""
    known = reasons.REASONS.get(reason)
    if known is not None:
        return known.means, known.advice
    claim = reasons.CLAIMS.get(reason)
    return ("" if claim is None else f"This was not proved: {claim}"), ""


def _group(pass_name: str, reason: str, places: Sequence[tuple[str, Remark]]) -> Group:
    means, advice = meaning_of(reason)
    return Group(
        pass_name,
        reason,
        means,
        advice,
        len(places),
        tuple(_left(path, remark) for path, remark in places[:_SHOWN]),
    )


def _left(path: str, remark: Remark) -> Left:
    failed = [c for c in remark.conditions if not c.holds]
    return Left(
        f"{path}:{remark.line}",
        remark.kernel,
        remark.message,
        tuple(map(check_of, failed)),
        len(remark.conditions) - len(failed),
    )
