"""Findings as SARIF 2.1.0, for code scanning and for editors."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tritonopt import __version__
from tritonopt.reporting.findings import FileFindings, Suggestion, Summary, safety_names
from tritonopt.reporting.reporter import WholeReporter
from tritonopt.rewriting import registry
from tritonopt.rewriting.model import Remark, RemarkKind
from tritonopt.rewriting.protocol import Pass

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_LEVELS = {RemarkKind.ANALYSIS: "warning", RemarkKind.PASSED: "note", RemarkKind.MISSED: "none"}


class SarifReporter(WholeReporter):
    """One log, with the pages of the passes that had something to say."""

    def report(self, summary: Summary) -> str:
        known = [name for name in summary.statistics if name in registry.names()]
        rules = {name: registry.load(name) for name in known}
        return report(self.found, rules, summary.errors)


def report(
    files: Iterable[FileFindings],
    passes: Mapping[str, type[Pass]],
    errors: Mapping[str, list[str]],
) -> str:
    """One run. `passes` are the rules; `errors` say of paths what could not be done with them."""
    results = [result for found in files for result in _results(found)]
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "tritonopt",
                "version": __version__,
                "rules": [_rule(passes[name]) for name in sorted(passes)],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not errors,
                "toolExecutionNotifications": [
                    {
                        "level": "error",
                        "message": {"text": message},
                        "locations": [{"physicalLocation": {"artifactLocation": _artifact(path)}}],
                    }
                    for path, messages in errors.items()
                    for message in messages
                ],
            }
        ],
        "results": results,
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, allow_nan=False)


def _rule(chosen: type[Pass]) -> dict[str, Any]:
    page = inspect.getdoc(chosen) or chosen.summary
    return {
        "id": chosen.name,
        "shortDescription": {"text": chosen.summary},
        "help": {"text": page, "markdown": page},
    }


def _results(found: FileFindings) -> Iterable[dict[str, Any]]:
    for remark in found.remarks:
        yield _result(found.path, remark)
    for suggestion in found.suggestions:
        yield _result(found.path, suggestion.remark, suggestion)


def _result(path: str, remark: Remark, suggestion: Suggestion | None = None) -> dict[str, Any]:
    text = [remark.message]
    if suggestion is not None:
        text += filter(None, [suggestion.why, suggestion.worth])
    missed = remark.kind is RemarkKind.MISSED
    result: dict[str, Any] = {
        "ruleId": remark.pass_name,
        "kind": "notApplicable" if missed else "fail",
        "level": "note" if suggestion is not None and suggestion.is_note else _LEVELS[remark.kind],
        "message": {"text": ". ".join(text)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": _artifact(path),
                    "region": _region(remark, suggestion),
                },
                "logicalLocations": [{"fullyQualifiedName": remark.kernel, "kind": "function"}],
            }
        ],
        "properties": {
            "safety": safety_names(remark.safety),
            "bits": remark.bits.value,
            "reason": remark.reason,
        },
    }
    if suggestion is not None and suggestion.fix:
        result["fixes"] = [_fix(path, suggestion)]
    return result


def _region(remark: Remark, suggestion: Suggestion | None) -> dict[str, int]:
    region = {"startLine": remark.line, "startColumn": remark.column}
    if suggestion is not None and suggestion.span is not None:
        span = suggestion.span
        region |= {"endLine": span.end_line, "endColumn": span.end_column}
    return region


def _fix(path: str, suggestion: Suggestion) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": {
                "startLine": part.first,
                "startColumn": 1,
                "endLine": part.behind,
                "endColumn": 1,
            },
            "insertedContent": {"text": part.text},
        }
        for part in suggestion.fix
    ]
    return {
        "description": {"text": suggestion.apply or suggestion.remark.message},
        "artifactChanges": [{"artifactLocation": _artifact(path), "replacements": replacements}],
    }


def _artifact(path: str) -> dict[str, str]:
    """Relative to where the command ran, as code scanning wants it; absolute for what is not."""
    relative = os.path.relpath(path)
    if relative.startswith(".."):
        return {"uri": Path(path).absolute().as_uri()}
    return {"uri": quote(Path(relative).as_posix())}
