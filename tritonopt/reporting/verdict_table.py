"""The verdicts on several files as a table for a person, with what is to be read of each above."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tritonopt.reporting.reporter import PairsReporter
from tritonopt.reporting.text import BOLD, Style, counted, table_lines, verdict_lines

if TYPE_CHECKING:
    from tritonopt.reporting.findings import PairFinding

_NO_ANSWER = "no answer"
_REASON = 100
"""Characters of a reason in the table; all of it stands above."""


class TextPairs(PairsReporter):
    """Everything on stdout: what no table can hold as it comes, the table at the end."""

    def pair(self, found: PairFinding) -> None:
        if found.verdict.verdict not in ("counterexample", "unsupported"):
            return
        style = Style.of(sys.stdout)
        print(style.paint(found.name, BOLD))
        for line in verdict_lines(found.verdict, style):
            print(f"  {line}")
        if found.script is not None:
            print(f"    written as a script: python {found.script}")
        print(flush=True)

    def finish(self, found: Sequence[PairFinding], same: int) -> None:
        for line in pairs_lines(found, same, Style.of(sys.stdout)):
            print(line)

    def nothing(self, reason: str) -> None:
        """A person reads the complaint."""


def pairs_lines(found: Sequence[PairFinding], same: int, style: Style) -> Iterator[str]:
    """A line for each file, and one for all."""
    rows = [_row(one) for one in found]
    if rows:
        titles = ("verdict", "file", "examples", "seconds", "where")
        yield from table_lines(titles, rows, style)
    verdicts = [one.verdict.verdict for one in found]
    yes = sum(verdict in ("identical", "equivalent") for verdict in verdicts)
    no = verdicts.count("counterexample")
    yield (
        f"{counted(len(found), 'file')} differ{'s' * (len(found) == 1)}: {yes} verified, "
        f"{no} with a counterexample, {len(found) - yes - no} without a verdict; "
        f"{counted(same, 'file')} say{'s' * (same == 1)} the same"
    )


def _row(one: PairFinding) -> tuple[str, ...]:
    verdict = one.verdict
    name = _NO_ANSWER if verdict.verdict == "unsupported" else verdict.verdict
    # The versions behind the backend are those of all rows.
    where = ", ".join(filter(None, (verdict.backend.partition(":")[0], one.where)))
    if name == _NO_ANSWER and verdict.reason:
        reason = verdict.reason.splitlines()[0]
        where = reason if len(reason) <= _REASON else f"{reason[:_REASON]}..."
    return name, one.name, str(verdict.examples), f"{one.seconds:.1f}", where
