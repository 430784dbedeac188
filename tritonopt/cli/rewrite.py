"""`tritonopt rewrite`: rewrite the kernels of files. It never runs the files' code."""

from __future__ import annotations

import argparse
import itertools
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tritonopt import facts, source
from tritonopt.cli import arguments as shared
from tritonopt.cli import verifying
from tritonopt.cli.main import ERROR, FOUND, OK, complain
from tritonopt.cli.progress import Bar
from tritonopt.reporting import diff, text
from tritonopt.reporting.findings import FileFindings, Summary
from tritonopt.rewriting import pipeline, registry
from tritonopt.rewriting.model import Safety
from tritonopt.rewriting.options import PassSelectionError, nearest
from tritonopt.rewriting.passes import Pass

_DESCRIPTION = """\
Rewrite the kernels of files. Without --write a unified diff goes to stdout and
remarks go to stderr; nothing is changed.
"""


@dataclass(frozen=True)
class Job:
    """What is to be done to every file."""

    passes: Sequence[Pass]
    safety: frozenset[Safety]
    assume: Sequence[facts.Assumption]
    write: bool
    verify: verifying.Request | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a file, or a directory (searched for Python files, .gitignore respected)",
    )
    parser.add_argument(
        "--passes",
        default="default",
        metavar="a,b|all|default",
        help="the passes to run, with options as in 'fuse-stats{formula=moments}' "
        "(default: %(default)s; `tritonopt passes` lists them)",
    )
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--write", action="store_true", help="replace the files, each as a whole")
    action.add_argument(
        "--check", action="store_true", help="exit with 1 when something would change"
    )
    parser.add_argument(
        "--safety",
        type=shared.safety,
        default=pipeline.DEFAULT_SAFETY,
        metavar="LIST",
        help="what may be applied beyond exact, by commas: rounding, contract; "
        "`exact` for nothing more (default: rounding,contract)",
    )
    shared.add_assume(parser)
    shared.add_format(parser)
    verifying.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    try:
        job = Job(
            registry.select(arguments.passes),
            arguments.safety,
            [facts.parse_assumption(expression) for expression in arguments.assume],
            arguments.write,
            verifying.request_of(arguments),
        )
    except (PassSelectionError, facts.AssumptionError, ModuleNotFoundError) as error:
        return complain(str(error))
    as_json = arguments.format == "json"
    summary = Summary()
    if not job.passes:
        summary.notes.append(
            "no pass runs by default; name one with --passes (`tritonopt passes` lists them)"
        )
    found: list[FileFindings] = []
    parameters: list[frozenset[str]] = []
    facts_used: set[str] = set()
    paths = list(_files(arguments.paths, summary))
    for message in itertools.chain.from_iterable(summary.errors.values()):
        _say(message)
    with Bar(len(paths), "rewriting", sys.stderr) as bar:
        for path, named in paths:
            findings, result, encoding = _rewrite(path, named, job)
            summary.add(findings)
            if result is not None:
                parameters.extend(result.kernels)
                facts_used |= result.facts_used
            if findings.diff or findings.remarks or findings.errors or findings.refused:
                bar.clear()
                _show(findings, encoding, job, as_json)
            if as_json:
                found.append(findings)
            bar.advance()
    summary.notes.extend(_unneeded(job.assume, parameters, facts_used))
    _finish(found, summary, job, as_json)
    if summary.errors:
        return ERROR
    return FOUND if arguments.check and summary.changed else OK


def _files(paths: Iterable[str], summary: Summary) -> Iterator[tuple[Path, bool]]:
    """Every file once, and whether it was named itself; what is no file goes to the errors."""
    seen: set[Path] = set()
    for text_of_path in paths:
        path = Path(text_of_path)
        if not os.path.exists(path):
            summary.add_error(text_of_path, f"{text_of_path}: does not exist")
            continue
        directory = path.is_dir()
        files = list(source.find_python_files([path]))
        if not files:
            why = "no Python file in it that .gitignore does not exclude"
            summary.add_error(text_of_path, f"{text_of_path}: {why}")
        for file in files:
            if (key := file.resolve()) not in seen:
                seen.add(key)
                yield file, not directory


def _rewrite(
    path: Path, named: bool, job: Job
) -> tuple[FileFindings, pipeline.RewriteResult | None, str]:
    """Do one file. Whatever fails is in the findings, and the next file is done all the same."""
    shown = str(path)
    try:
        file = source.read_file(path)
        if named and not source.has_kernels(file.text):
            # In a directory such a file costs nothing; one that was named is at least Python.
            source.read(file.text, shown)

        def rewrite(passes: Sequence[Pass]) -> pipeline.RewriteResult:
            return pipeline.rewrite_source(
                file.text, passes, path=shown, safety=job.safety, assume=job.assume
            )

        result = rewrite(job.passes)
        checked = verifying.Verified(result)
        if job.verify is not None and result.changed:
            checked = verifying.verified(path, result, job.passes, rewrite, job.verify)
            result = checked.result
        if job.write and result.changed:
            source.write_file(file, result.text)
    except source.SourceError as error:
        return FileFindings(shown, errors=(str(error),)), None, "utf-8"
    except facts.AssumptionError as error:
        return FileFindings(shown, errors=(f"{shown}: {error}",)), None, "utf-8"
    except Exception as error:
        failure = pipeline.describe(error)
        message = f"{shown}: left as it was: {failure}. This is a defect of ours; please report it"
        return FileFindings(shown, errors=(message,)), None, "utf-8"
    mark = "\ufeff" if file.bom else ""
    findings = FileFindings(
        shown,
        len(result.kernels),
        result.changed,
        diff.unified(shown, mark + file.text, mark + result.text) if result.changed else "",
        result.remarks,
        tuple(
            f"{shown}:{remark.line}:{remark.column}: {remark.pass_name} failed: {remark.failure}"
            for remark in result.remarks
            if remark.failure
        ),
        verified=checked.summary,
        refused=checked.refused,
    )
    return findings, result, file.encoding


def _show(findings: FileFindings, encoding: str, job: Job, as_json: bool) -> None:
    """Report one file as soon as it is done: the diff on stdout, the rest on stderr."""
    if not as_json and findings.diff and not job.write:
        _print_diff(findings.diff, encoding)
    style = text.Style.of(sys.stderr)
    if not as_json:
        for remark in findings.remarks:
            for line in text.remark_lines(findings.path, remark, style):
                _say(line)
        if findings.verified:
            _say(f"{findings.path}: {findings.verified}")
        if job.write and findings.changed:
            _say(f"{findings.path}: rewritten")
    if as_json or not findings.remarks:
        for message in findings.errors:
            _say(message)
    for message in findings.refused:
        _say(message)


def _print_diff(shown: str, encoding: str) -> None:
    """Print a diff in the bytes of its file, so that it can be applied."""
    style = text.Style.of(sys.stdout)
    buffer = getattr(sys.stdout, "buffer", None)
    if style.colour or buffer is None:
        sys.stdout.write(diff.coloured(shown) if style.colour else shown)
    else:
        sys.stdout.flush()
        buffer.write(diff.encoded(shown, encoding))
    sys.stdout.flush()


def _finish(found: list[FileFindings], summary: Summary, job: Job, as_json: bool) -> None:
    if as_json:
        from tritonopt.reporting import json

        print(json.rewrite_report(found, summary))
        return
    for note in summary.notes:
        _say(f"note: {note}")
    _say(text.summary_line(summary, job.write))


def _unneeded(
    assume: Iterable[facts.Assumption], parameters: Sequence[frozenset[str]], used: set[str]
) -> Iterator[str]:
    """The facts that changed nothing: their names are nobody's, or no site rests on them."""
    known = frozenset[str]().union(*parameters)
    for fact in assume:
        strange = sorted(fact.names - known)
        if strange:
            hint = " ".join(filter(None, (nearest(name, known) for name in strange)))
            yield (
                f"--assume {fact.text!r}: no kernel has a parameter {', '.join(strange)}"
                + (f"; {hint}" if hint else "")
            )
        elif not any(fact.names <= names for names in parameters):
            yield f"--assume {fact.text!r}: no kernel has all of its names as parameters"
        elif fact.text not in used:
            yield f"--assume {fact.text!r}: no site uses it"


def _say(line: str) -> None:
    print(line, file=sys.stderr)
