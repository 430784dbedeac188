"""`tritonopt rewrite`: rewrite the kernels of files. It runs the files' code only to verify.

It is a hook for commits too, so what looks at kernels is imported when there are some.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tritonopt import source
from tritonopt.cli import arguments as shared
from tritonopt.cli import html_report, rewrite_verification, scanning
from tritonopt.cli.answers import Answers
from tritonopt.cli.configuration import ConfigurationError
from tritonopt.cli.main import ERROR, FOUND, OK, complain
from tritonopt.cli.progress import PATIENCE, Bar
from tritonopt.cli.scanning import Target
from tritonopt.engines.errors import EngineError
from tritonopt.reporting import formats
from tritonopt.reporting.findings import FileFindings, Summary
from tritonopt.reporting.reporter import Reporter, Run, say
from tritonopt.rewriting.model import Remark, RemarkKind

if TYPE_CHECKING:
    from tritonopt.cli.selection import Selection
    from tritonopt.rewriting.pipeline import RewriteResult
    from tritonopt.rewriting.protocol import Pass

_DESCRIPTION = """\
Rewrite the kernels of files. Without --write a unified diff goes to stdout and
remarks go to stderr; nothing is changed. Of stdin (-) the new text goes to stdout.

A command after `--` (`-- pytest tests`) runs as always, and the sizes of the launches
that it makes decide what is profitable. With --safety assumption a rewrite may be legal
at these launches only.
"""

_NEAR = "profitable-at-some-sizes"
"""The reason for which a pass that was not named says that it left a site alone."""
_AGAIN = 3
"""How often a file is read and rewritten, where others write to it meanwhile."""


@dataclass(frozen=True)
class Job:
    """What is to be done to every file."""

    selection: Selection
    write: bool
    verify: rewrite_verification.Request | None
    with_text: bool = False
    """Whether a report shows the file before and after."""
    every_remark: bool = True
    """Whether what was not applied is told of passes that were not named."""

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Job:
        from tritonopt.cli.selection import Selection

        return cls(
            Selection.of(arguments),
            arguments.write,
            rewrite_verification.request_of(arguments),
            arguments.report is not None,
            arguments.explain_missed or arguments.statistics or arguments.report is not None,
        )


@dataclass(frozen=True)
class Done:
    """What came of one file."""

    findings: FileFindings
    kernels: tuple[frozenset[str], ...] = ()
    """The parameter names of every kernel."""
    facts_used: frozenset[str] = frozenset()
    near: int = 0
    """The kernels that lack one size for a rewrite to be profitable."""
    to_write: tuple[source.SourceFile, str] | None = None
    """A file and its new text, where it was another process's only to find it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    scanning.add_arguments(parser)
    parser.add_argument(
        "--passes",
        metavar="a,b|all|default|rows",
        help="the passes to run, with options as in 'fuse-stats{formula=moments}' "
        "wherever it is legal (default: what the configuration names, else safe fixes of mistakes, "
        "then every profitable rewrite; `tritonopt passes` lists them)",
    )
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--write", action="store_true", help="replace the files, each as a whole")
    action.add_argument("--check", action="store_true", help="exit with 1 if a file would change")
    parser.add_argument(
        "--careful",
        action="store_true",
        help="where the configuration says nothing else: only exact sites, and only those after "
        "which compiled results stay the same bit for bit; no remarks on what was not applied",
    )
    parser.add_argument(
        "--explain-missed",
        action="store_true",
        help=(
            "print every remark on what was not applied, not only those of passes in "
            "--passes and of rewrites that one unknown size keeps from being profitable"
        ),
    )
    shared.add_filter(parser)
    shared.add_safety(parser)
    shared.add_assume(parser)
    shared.add_report_format(parser)
    html_report.add_report(parser)
    rewrite_verification.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    summary = Summary()
    try:
        targets = scanning.with_launches(arguments, scanning.find(arguments))
    except ConfigurationError as error:
        return complain(str(error))
    if arguments.verify and any(t.data is not None or t.is_notebook for t in targets.files):
        return complain("--verify runs Python files, not stdin or notebooks")
    answers = Answers(arguments, targets)
    answered = answers.known()
    job, passes = (None, []) if answered is not None else _job(arguments, targets)
    for path, message in targets.errors:
        summary.add_error(path, message)
        say(message)
    for named, by in targets.excluded:
        summary.notes.append(f"{named}: excluded by {by}")
    summary.notes.extend(targets.notes)
    run = Run(writes=arguments.write, checks=arguments.check, quiet=arguments.quiet)
    reporter = formats.reporter(arguments.format, run, statistics=arguments.statistics)
    parameters: list[frozenset[str]] = []
    facts_used: set[str] = set()
    kept: list[FileFindings] = []
    near = mistakes = 0
    try:
        found: Iterable[Done] = answers.keeping(
            _done(job, targets, arguments), passes, lambda done: done.findings.defects
        )
        for done in _worked(found if answered is None else answered, targets, arguments, reporter):
            summary.add(done.findings)
            if arguments.report is not None:
                kept.append(done.findings)
            near += done.near
            mistakes += sum(r.kind is RemarkKind.ANALYSIS for r in done.findings.remarks)
            parameters.extend(done.kernels)
            facts_used |= done.facts_used
    except EngineError as error:
        return complain(str(error))
    # A file that could not be looked at may have the names that a fact speaks of.
    if arguments.assume and not summary.errors:
        from tritonopt.cli.selection import unneeded

        summary.notes.extend(unneeded(arguments.assume, parameters, facts_used))
    if mistakes and arguments.passes is None:
        summary.notes.append("`tritonopt suggest` prints the command that fixes each mistake")
    if near and not (arguments.launches or arguments.shadowed or arguments.careful):
        summary.notes.append(
            f"{near} kernel{'s' * (near != 1)} may become faster, at sizes that no launch in these "
            "files shows: `tritonopt rewrite PATH -- COMMAND` takes those of a run, and "
            "`--passes rows` needs none"
        )
    reporter.finish(summary)
    if arguments.report is not None and not _report(arguments, kept, summary):
        return ERROR
    if summary.errors:
        return ERROR
    return FOUND if summary.left_out or (arguments.check and summary.changed) else OK


def _job(
    arguments: argparse.Namespace, targets: scanning.Targets
) -> tuple[Job | None, list[list[Pass]]]:
    """What is to be done, with the passes for each different settings; no job without kernels.

    Raises ConfigurationError for flags and settings that mean nothing.
    """
    if arguments.passes is None and not arguments.assume and not scanning.any_kernels(targets):
        return None, []
    from tritonopt.facts import AssumptionError
    from tritonopt.rewriting.options import PassSelectionError

    try:
        job = Job.of(arguments)
        job.selection.check()
        return job, job.selection.check_settings(target.settings for target in targets.files)
    except (PassSelectionError, AssumptionError, EngineError, ModuleNotFoundError) as error:
        raise ConfigurationError(str(error)) from error


def _report(arguments: argparse.Namespace, found: Sequence[FileFindings], summary: Summary) -> bool:
    """Whether the report was written."""
    from tritonopt.reporting.page.findings_page import rewrite_page

    facts = html_report.facts_of(arguments)
    apply, verifies = html_report.applying(arguments), arguments.verify
    contents = rewrite_page(found, summary, facts, apply=apply, verifies=verifies)
    return html_report.is_written(arguments.report, contents)


def _worked(
    found: Iterable[Done],
    targets: scanning.Targets,
    arguments: argparse.Namespace,
    reporter: Reporter,
) -> Iterator[Done]:
    """What comes of every file, in order, written and reported."""
    patience = 0 if arguments.verify else PATIENCE
    with Bar(len(targets.files), "rewriting", sys.stderr, patience, quiet=arguments.quiet) as bar:
        bar.update(0, len(targets.files), "rewriting")
        for done in map(_written, found):
            if done.findings.says_something:
                bar.clear()
            reporter.file(done.findings)
            bar.advance()
            yield done


def _done(
    job: Job | None, targets: scanning.Targets, arguments: argparse.Namespace
) -> Iterator[Done]:
    """What comes of every file, in order."""
    if job is None:
        yield from scanning.work(partial(_only_read, arguments.careful), targets.files, 1)
        return
    do = partial(_rewrite, job)
    program = scanning.program(targets, keep=arguments.write)
    if job.verify is None:
        yield from scanning.work(do, targets.files, arguments.jobs, program)
        return
    from tritonopt.cli.verify_pairs import in_tasks

    yield from in_tasks(do, _not_done, targets.files, job.verify, arguments.jobs, program)


def _not_done(target: Target, reason: str) -> Done:
    shown = str(target.path)
    return Done(FileFindings(shown, refused=(f"{shown}: not changed: {reason}",)))


def _written(done: Done) -> Done:
    """The same, with the file written where that is left to do."""
    if done.to_write is None:
        return done
    try:
        source.write_file(*done.to_write)
    except source.SourceError as error:
        return Done(FileFindings(done.findings.path, errors=(str(error),)))
    return done


def _only_read(careful: bool, _: source.Program | None, target: Target) -> Done:
    """One file of a run without kernels: one that was named is at least Python.

    But not for a hook, which gets the names of all files of a commit.
    """
    try:
        file = target.read()
        if target.named and not careful:
            source.read(file.text, str(target.path))
    except source.SourceError as error:
        return Done(FileFindings(str(target.path), errors=(str(error),)))
    return Done(FileFindings(str(target.path), output=target.data))


def _rewrite(job: Job, program: source.Program | None, target: Target) -> Done:
    """Do one file. Whatever fails is in the findings, and the next file is done all the same."""
    from tritonopt.facts import AssumptionError
    from tritonopt.rewriting.remarks import describe
    from tritonopt.source.files import FileChanged

    shown = str(target.path)
    defects: tuple[str, ...] = ()
    for attempt in range(_AGAIN):
        try:
            return _attempt(job, program, target)
        except FileChanged as error:
            if attempt + 1 < _AGAIN:
                continue
            message = str(error)
        except source.SourceError as error:
            message = str(error)
        except AssumptionError as error:
            message = f"{shown}: {error}"
        except Exception as error:
            failure = describe(error)
            message = (
                f"{shown}: not changed: {failure}. This is a bug in tritonopt; please report it"
            )
            defects = (message,)
        break
    # An editor that put its text in takes back what it gets.
    return Done(FileFindings(shown, errors=(message,), defects=defects, output=target.data))


def _attempt(job: Job, program: source.Program | None, target: Target) -> Done:
    from tritonopt.rewriting import pipeline

    shown = str(target.path)
    selection, settings = job.selection, target.settings
    file = target.read()
    if target.focus is not None:
        target.focus.check(source.read(file.text, shown))
    elif target.named and not selection.careful and not source.has_kernels(file.text):
        # In a directory such a file costs nothing; one that was named is at least Python.
        source.read(file.text, shown)

    def rewrite(passes: Sequence[Pass]) -> pipeline.RewriteResult:
        return pipeline.rewrite_source(
            file.text,
            passes,
            path=shown,
            safety=selection.safety(settings),
            assume=selection.facts(settings),
            same_bits=selection.same_bits(settings),
            only=target.focus,
            program=program,
            recorded=target.evidence(selection.safety(settings)),
        )

    passes = selection.passes(settings)
    result = rewrite(passes)
    checked = rewrite_verification.Verified(result)
    if job.verify is not None and result.changed:
        checked = rewrite_verification.verified(target.path, result, passes, rewrite, job.verify)
        result = checked.result
    writes = job.write and result.changed and target.data is None
    if writes and job.verify is None:
        source.write_file(file, result.text)
    return Done(
        _findings(job, target, file, result, checked),
        result.kernels,
        result.facts_used,
        len({remark.kernel for remark in result.remarks if remark.reason == _NEAR}),
        (file, result.text) if writes and job.verify is not None else None,
    )


def _findings(
    job: Job,
    target: Target,
    file: source.SourceFile,
    result: RewriteResult,
    checked: rewrite_verification.Verified,
) -> FileFindings:
    from tritonopt.reporting import diff
    from tritonopt.rewriting import registry
    from tritonopt.source.files import BYTE_ORDER_MARK, encoded

    shown = str(target.path)
    named = job.selection.named(target.settings)

    def is_told(remark: Remark) -> bool:
        if remark.kind is not RemarkKind.MISSED or remark.failure:
            return True
        is_unnamed = remark.pass_name not in named and remark.pass_name in registry.names()
        # Of a directory a note says how many there are.
        is_near = remark.reason == _NEAR and target.named
        is_asked = job.every_remark or is_near or not is_unnamed
        return is_asked and not job.selection.careful

    told = tuple(filter(is_told, result.remarks))
    mark = BYTE_ORDER_MARK if file.bom else ""
    defects = tuple(r.defect_at(shown) for r in result.remarks if r.failure)
    return FileFindings(
        shown,
        len(result.kernels),
        result.changed,
        diff.unified(shown, mark + file.text, mark + result.text) if result.changed else "",
        told,
        errors=defects,
        defects=defects,
        before=file.text if job.with_text else "",
        after=result.text if job.with_text else "",
        verified=checked.summary,
        verdict=checked.verdict,
        refused=checked.refused,
        fixed=checked.fixed,
        notes=(*_without_sites(target, result.remarks), *job.selection.notes(target.settings)),
        encoding=file.encoding,
        output=encoded(file, result.text) if target.data is not None else None,
        unlisted=0 if job.selection.careful else len(result.remarks) - len(told),
    )


def _without_sites(target: Target, remarks: Iterable[Remark]) -> Iterator[str]:
    """Lines that were named, and of which nothing was said."""
    met = {remark.line for remark in remarks}
    for line in sorted(target.focus.lines - met if target.focus is not None else ()):
        place = f"{target.path}:{line}"
        yield f"{place}: no pass has a site in this line (`tritonopt explain {place}`)"
