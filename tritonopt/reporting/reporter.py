"""What every format of a report does: of each file as soon as it is done, and at the end."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tritonopt.measurement.results import Comparison
    from tritonopt.reporting.findings import FileFindings, PairFinding, Summary
    from tritonopt.verification.verdict import Verdict


@dataclass(frozen=True)
class Run:
    """What a report must know of a run beside what it found."""

    suggests: bool = False
    """It is `suggest`, and not `rewrite`."""
    writes: bool = False
    checks: bool = False
    """It is only asked whether something would change."""
    quiet: bool = False
    """Text has neither notes nor a summary, and of `rewrite` no remarks."""


class Reporter(ABC):
    """A report on files, in one format."""

    def __init__(self, run: Run) -> None:
        self.run = run

    @abstractmethod
    def file(self, found: FileFindings) -> None:
        """Report one file as soon as it is done."""

    @abstractmethod
    def finish(self, summary: Summary) -> None:
        """Report what is to be said of the whole run."""


class WholeReporter(Reporter):
    """A report that is one object, and so comes at the end."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.found: list[FileFindings] = []

    def file(self, found: FileFindings) -> None:
        self.found.append(found)
        if not self.run.suggests:
            say(*found.errors, *found.refused)

    def finish(self, summary: Summary) -> None:
        print(self.report(summary))

    @abstractmethod
    def report(self, summary: Summary) -> str:
        """The object, as text."""


class VerdictReporter(ABC):
    """A report on a verification, in one format."""

    @abstractmethod
    def verdict(self, verdict: Verdict, script: str | None) -> None:
        """Report a verdict; `script` is where what shows a counterexample was written."""

    @abstractmethod
    def no_verdict(self, backend: str, reason: str) -> None:
        """Report that the verification could not be started, to whoever reads no complaints."""


class PairsReporter(ABC):
    """A report on the verification of several files, in one format."""

    @abstractmethod
    def pair(self, found: PairFinding) -> None:
        """Report one of them as soon as it is done."""

    @abstractmethod
    def finish(self, found: Sequence[PairFinding], same: int) -> None:
        """Report all of them in order; `same` files say the same in both versions."""

    @abstractmethod
    def nothing(self, reason: str) -> None:
        """Report that nothing could be verified, to whoever reads no complaints."""


class ComparisonReporter(ABC):
    """A report on what was timed, in one format."""

    @abstractmethod
    def comparison(self, found: Comparison) -> None:
        """Report what was found."""

    @abstractmethod
    def nothing(self, reason: str) -> None:
        """Report that nothing could be timed, to whoever reads no complaints."""


def say(*lines: str) -> None:
    """What is no part of a result goes to stderr."""
    for line in lines:
        print(line, file=sys.stderr)
