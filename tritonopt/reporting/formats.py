"""The formats of reports by their names. What makes one is imported when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tritonopt.reporting.reporter import (
        ComparisonReporter,
        PairsReporter,
        Reporter,
        Run,
        VerdictReporter,
    )

OF_FILES = ("text", "concise", "json", "github", "sarif")
ALIASES = {"full": "text"}
OF_VERDICTS = ("text", "json")
WHOLE = ("json", "sarif")
"""Those that are one object for the whole run, with all that another program may need."""


def reporter(name: str, run: Run, *, statistics: bool = False) -> Reporter:
    """What reports on files; with `statistics`, formats for people show counts and no remarks."""
    if name == "json":
        from tritonopt.reporting.json import JsonReporter

        return JsonReporter(run)
    if name == "sarif":
        from tritonopt.reporting.sarif import SarifReporter

        return SarifReporter(run)
    from tritonopt.reporting import one_line, text

    if statistics:
        return one_line.StatisticsReporter(run)
    people = {
        "text": text.TextReporter,
        "concise": one_line.ConciseReporter,
        "github": one_line.GithubReporter,
    }
    return people[name](run)


def verdict_reporter(name: str) -> VerdictReporter:
    """What reports on a verification."""
    if name == "json":
        from tritonopt.reporting.json import JsonVerdict

        return JsonVerdict()
    from tritonopt.reporting.text import TextVerdict

    return TextVerdict()


def pairs_reporter(name: str) -> PairsReporter:
    """What reports on the verification of several files."""
    if name == "json":
        from tritonopt.reporting.json import JsonPairs

        return JsonPairs()
    from tritonopt.reporting.verdict_table import TextPairs

    return TextPairs()


def comparison_reporter(name: str) -> ComparisonReporter:
    """What reports on times."""
    if name == "json":
        from tritonopt.reporting.json import JsonComparison

        return JsonComparison()
    from tritonopt.reporting.timing_table import TextComparison

    return TextComparison()
