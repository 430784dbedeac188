"""Findings for a script. The form is a promise: fields are added, never changed or removed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tritonopt.reporting.diff import unified
from tritonopt.reporting.findings import FileFindings, PairFinding, Span, Summary, safety_names
from tritonopt.reporting.reporter import (
    ComparisonReporter,
    PairsReporter,
    VerdictReporter,
    WholeReporter,
)
from tritonopt.rewriting.model import Remark, RemarkKind

if TYPE_CHECKING:
    from tritonopt.measurement.results import Comparison as Timing
    from tritonopt.measurement.results import Row
    from tritonopt.measurement.tuned import Answer
    from tritonopt.verification.process.compiled_programs import Comparison
    from tritonopt.verification.verdict import Algebra, Verdict

VERSION = 1


class JsonReporter(WholeReporter):
    """One object for a script."""

    def report(self, summary: Summary) -> str:
        made = suggest_report if self.run.suggests else rewrite_report
        return made(self.found, summary)


class JsonVerdict(VerdictReporter):
    """One object for a script, which gets one without a verdict too."""

    def verdict(self, verdict: Verdict, script: str | None) -> None:
        print(verdict_report(verdict, script))

    def no_verdict(self, backend: str, reason: str) -> None:
        print(no_verdict_report(backend, reason))


class JsonPairs(PairsReporter):
    """One object for a script, with the verdict on every pair of files."""

    def pair(self, found: PairFinding) -> None:
        """It is told of at the end."""

    def finish(self, found: Sequence[PairFinding], same: int) -> None:
        print(pairs_report(found, same))

    def nothing(self, reason: str) -> None:
        print(_text({"version": VERSION, "pairs": [], "same": 0, "error": reason}))


class JsonComparison(ComparisonReporter):
    """One object for a script, which gets one where nothing was timed too."""

    def comparison(self, found: Timing) -> None:
        print(bench_report(found))

    def nothing(self, reason: str) -> None:
        print(_text({"version": VERSION, "calls": [], "error": reason}))


def bench_report(found: Timing) -> str:
    """The object that `bench --format json` prints; times are in microseconds."""
    return _text(
        {
            "version": VERSION,
            "paths": dict(zip(found.versions, found.paths, strict=True)),
            "machine": None if found.machine is None else asdict(found.machine),
            "notes": found.notes,
            "calls": [_timed(row, found.versions) for row in found.rows],
            "error": None,
        }
    )


def tuning_report(answers: Iterable[Answer]) -> str:
    """The object that `tune --format json` prints; times are in microseconds."""
    return _text({"version": VERSION, "launchers": [_tuned(answer) for answer in answers]})


def check_report(checks: Iterable[Mapping[str, Any]]) -> str:
    """The object that `tune --check --format json` prints: every call, then and now."""
    return _text({"version": VERSION, "calls": list(checks)})


def _tuned(answer: Answer) -> dict[str, Any]:
    found = asdict(answer)
    diff = unified(answer.path, answer.original, answer.text)
    tried = [{**asdict(t), "text": "", "remarks": []} for t in answer.tried]
    return {**found, "original": "", "text": "", "tried": tried, "diff": diff}


def _timed(row: Row, versions: Iterable[str]) -> dict[str, Any]:
    return {**asdict(row), "of_copy": {name: row.copy_share(name) for name in versions}}


def rewrite_report(files: Iterable[FileFindings], summary: Summary) -> str:
    """The object that `rewrite --format json` prints."""
    return _text(
        {
            "version": VERSION,
            "files": [
                {
                    "path": found.path,
                    "changed": found.changed,
                    "diff": found.diff,
                    "remarks": [{**_remark(r), **_evidence(r, found)} for r in found.remarks],
                    **({"verified": found.verified} if found.verified else {}),
                    **({"fixed": dict(found.fixed)} if found.fixed else {}),
                }
                for found in files
            ],
            "summary": asdict(summary),
        }
    )


def suggest_report(files: Iterable[FileFindings], summary: Summary) -> str:
    """The object that `suggest --format json` prints."""
    return _text(
        {
            "version": VERSION,
            "files": [
                {
                    "path": found.path,
                    "suggestions": [
                        {
                            **_remark(suggestion.remark),
                            **_end(suggestion.span),
                            "mistake": suggestion.is_mistake,
                            "note": suggestion.is_note,
                            "why": suggestion.why,
                            "worth": suggestion.worth,
                            "apply": suggestion.apply,
                            "fix": [asdict(part) for part in suggestion.fix],
                        }
                        for suggestion in found.suggestions
                    ],
                }
                for found in files
            ],
            "summary": asdict(summary),
        }
    )


def verdict_report(verdict: Verdict, script: str | None = None) -> str:
    """The object that `verify --format json` prints; `script` is where one was written."""
    return _text({"version": VERSION, **_verdict(verdict, script)})


def no_verdict_report(backend: str, reason: str) -> str:
    """The same object where the verification could not be started."""
    return _text({"version": VERSION, **_NO_VERDICT, "backend": backend, "reason": reason})


def pairs_report(found: Iterable[PairFinding], same: int) -> str:
    """The object that `verify --format json` prints for several files."""
    pairs = [
        {
            "name": one.name,
            "original": one.original,
            "rewritten": one.rewritten,
            **_verdict(one.verdict, one.script),
            "seconds": round(one.seconds, 3) or one.verdict.seconds,
            "where": one.where,
        }
        for one in found
    ]
    return _text({"version": VERSION, "pairs": pairs, "same": same, "error": None})


_NO_VERDICT: dict[str, Any] = {
    "verdict": "unsupported",
    "backend": None,
    "examples": 0,
    "discarded": 0,
    "written": 0,
    "compared": 0,
    "worst_error": None,
    "oracle_error": None,
    "counterexample": None,
    "script": None,
    "reason": None,
    "fault": "environment",
    "coverage": {"arguments": "", "required": 0, "uncovered": []},
    "cheats": [],
    "layouts": [],
    "seconds": 0.0,
    "notes": [],
    "evidence": [],
    "algebra": None,
}


def _verdict(verdict: Verdict, script: str | None) -> dict[str, Any]:
    return {
        **_NO_VERDICT,
        "verdict": verdict.verdict,
        "backend": verdict.backend,
        "examples": verdict.examples,
        "discarded": verdict.discarded,
        "written": verdict.written,
        "compared": verdict.compared,
        "worst_error": _finite(verdict.worst_error),
        "oracle_error": _finite(verdict.oracle_error),
        "counterexample": verdict.counterexample,
        "script": script,
        "reason": verdict.reason,
        "fault": verdict.fault,
        "coverage": {
            "arguments": verdict.args,
            "required": verdict.required,
            "uncovered": list(verdict.uncovered),
        },
        "cheats": [asdict(cheat) for cheat in verdict.cheats],
        "layouts": list(verdict.layouts),
        "seconds": verdict.seconds,
        "notes": list(verdict.notes),
        "evidence": list(verdict.evidence),
        **({"speed": [asdict(speed) for speed in verdict.speeds]} if verdict.speeds else {}),
        **({} if verdict.algebra is None else _algebra(verdict.algebra)),
        **(
            {"compiled": [_comparison(pair) for pair in verdict.compiled]}
            if verdict.compiled
            else {}
        ),
    }


def _algebra(found: Algebra) -> dict[str, Any]:
    return {
        "algebra": found.answer,
        "algebra_draws": found.draws,
        "algebra_bound": found.bound,
        "algebra_text": found.text,
    }


def _comparison(pair: Comparison) -> dict[str, Any]:
    program, other = pair.original, pair.rewritten
    return {
        "kernel": program.kernel,
        "signature": program.signature,
        "target": program.target,
        "identical": pair.identical,
        "original": {"failure": program.failure, **program.statistics},
        "rewritten": None if other is None else {"failure": other.failure, **other.statistics},
    }


def _remark(remark: Remark) -> dict[str, Any]:
    return {
        "pass": remark.pass_name,
        "kind": remark.kind.value,
        "kernel": remark.kernel,
        "line": remark.line,
        "column": remark.column,
        "safety": safety_names(remark.safety),
        "bits": remark.bits.value,
        "message": remark.message,
        "reason": remark.reason,
        "failure": remark.failure,
        "conditions": [
            {
                "claim": condition.claim,
                "status": condition.status.value,
                "detail": condition.detail,
            }
            for condition in remark.conditions
        ],
    }


def _end(span: Span | None) -> dict[str, int]:
    return {} if span is None else {"end_line": span.end_line, "end_column": span.end_column}


def _evidence(remark: Remark, found: FileFindings) -> dict[str, Any]:
    """Of an edit that was made, and verified."""
    if found.verdict is None or remark.kind is not RemarkKind.PASSED:
        return {}
    return {"evidence": [] if remark.pass_name in found.fixed else list(found.verdict.evidence)}


def _finite(error: float | None) -> float | str | None:
    """JSON has no infinity and no NaN; they are texts here ("inf", "nan")."""
    if error is None or abs(error) < float("inf"):
        return error
    return str(error)


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, allow_nan=False)
