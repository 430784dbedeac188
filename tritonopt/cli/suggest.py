"""`tritonopt suggest`: what is worth rewriting, and what is a mistake. It changes nothing.

It runs at every commit, so it must be quick where no kernel is touched: what looks at kernels is
imported when there are some.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from tritonopt.cli import scanning
from tritonopt.cli.answers import Answers
from tritonopt.cli.arguments import EXACT
from tritonopt.cli.configuration import ConfigurationError
from tritonopt.cli.main import ERROR, FOUND, OK, complain
from tritonopt.reporting import formats

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable, Iterator, Sequence

    from tritonopt import source
    from tritonopt.cli.scanning import Target
    from tritonopt.cli.selection import Selection
    from tritonopt.reporting.findings import FileFindings, Replacement, Span, Suggestion, Summary
    from tritonopt.rewriting.applied_suppressions import AppliedSuppressions
    from tritonopt.rewriting.dry_run import Found, Survey
    from tritonopt.rewriting.model import Remark
    from tritonopt.rewriting.protocol import Pass

_DESCRIPTION = """\
List mistakes in the kernels of files, then profitable rewrites, whatever passes a configuration
names for `rewrite`. Without --fix nothing is changed. The files' code is not run, unless a pass
that compiles kernels is named: specialization and spills import the file, in another process.
A command after `--` (`-- pytest tests`) runs as always: the sizes of the launches that it makes
count as those of the launches in the files.
"""

_EPILOG = """\
exit codes:
  0  nothing is listed, or nothing that --fail-on asks for
  1  something is
  2  an error
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from tritonopt.cli import arguments as shared
    from tritonopt.cli.html_report import add_report

    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    scanning.add_arguments(parser)
    parser.add_argument(
        "--passes",
        metavar="a,b|all|default|rows",
        help=(
            "list everything that these passes find, profitable or not (default: mistakes, "
            "then profitable rewrites)"
        ),
    )
    parser.add_argument(
        "--fix", action="store_true", help="apply the listed rewrites and safe fixes"
    )
    failing = parser.add_mutually_exclusive_group()
    failing.add_argument(
        "--fail-on",
        choices=("any", "mistakes", "nothing"),
        default="any",
        help="which findings give exit code 1 (default: all that are listed)",
    )
    failing.add_argument(
        "--exit-zero",
        dest="fail_on",
        action="store_const",
        const="nothing",
        help="the same as --fail-on nothing",
    )
    shared.add_filter(parser)
    shared.add_safety(parser)
    shared.add_assume(parser)
    shared.add_report_format(parser)
    add_report(parser)


@dataclass(frozen=True)
class Job:
    """What is asked of every file."""

    selection: Selection
    flags: str
    """Of this run, that belong into the command that applies a suggestion."""
    with_fixes: bool
    context: str = ""
    """The flags that give the same files, where a suggestion rests on several."""
    with_text: bool = False
    """Whether a report shows the file, and what was left alone in it."""
    fix: bool = False
    """Whether what is suggested is done."""
    launches: tuple[str, str] = ("", "")
    """The flag and the end of a command that rests on recorded launches."""


def run(arguments: argparse.Namespace) -> int:
    try:
        targets = scanning.with_launches(arguments, scanning.find(arguments))
    except ConfigurationError as error:
        return complain(str(error))
    kernels = [target for target in targets.files if scanning.may_hold_kernels(target)]
    nothing = not (kernels or targets.errors or arguments.passes or arguments.assume)
    if nothing and arguments.format not in formats.WHOLE and arguments.report is None:
        return OK
    return _suggest(arguments, targets, kernels)


def _suggest(
    arguments: argparse.Namespace, targets: scanning.Targets, kernels: list[Target]
) -> int:
    from tritonopt.cli.progress import Bar
    from tritonopt.reporting.findings import Summary
    from tritonopt.reporting.reporter import Run

    if arguments.fix and any(target.data is not None for target in targets.files):
        return complain("--fix changes files, and stdin is not a file")
    summary = Summary(files=len(targets.files) - len(kernels), notes=list(targets.notes))
    looked = _looked_at(arguments, targets, kernels)
    for path, message in targets.errors:
        summary.add_error(path, message)
        print(message, file=sys.stderr)
    run = Run(suggests=True, quiet=arguments.quiet)
    reporter = formats.reporter(arguments.format, run, statistics=arguments.statistics)
    found_some = False
    kept: list[FileFindings] = []
    ideas: list[FileFindings] = []
    parameters: list[frozenset[str]] = []
    with Bar(len(kernels), "looking", sys.stderr, quiet=arguments.quiet) as bar:
        for findings in looked:
            summary.add(findings)
            parameters += findings.parameters
            found_some = found_some or any(
                suggestion.is_mistake or arguments.fail_on == "any"
                for suggestion in findings.suggestions
            )
            if arguments.report is not None:
                kept.append(findings)
            if arguments.format not in formats.WHOLE:
                findings, rest = findings.parted()
                ideas.append(rest)
            if findings.says_something:
                bar.clear()
            reporter.file(findings)
            bar.advance()
    for rest in ideas:
        reporter.file(rest)
    if arguments.assume and not summary.errors:
        from tritonopt.cli.selection import unneeded

        summary.notes.extend(unneeded(arguments.assume, parameters))
    reporter.finish(summary)
    if arguments.report is not None and not _report(arguments, kept, summary):
        return ERROR
    if summary.errors:
        return ERROR
    return FOUND if found_some and arguments.fail_on != "nothing" else OK


def _looked_at(
    arguments: argparse.Namespace, targets: scanning.Targets, kernels: list[Target]
) -> Iterable[FileFindings]:
    """The findings of every file with kernels, from an earlier run or as they are computed.

    Raises ConfigurationError for flags and settings that mean nothing.
    """
    whole = arguments.format in formats.WHOLE
    answers = Answers(arguments, targets, with_fixes=whole)
    known = answers.known()
    if known is not None:
        return known
    from tritonopt import facts
    from tritonopt.cli.selection import Selection
    from tritonopt.rewriting.options import PassSelectionError

    given = dict.fromkeys((*arguments.paths, *arguments.context))
    job = Job(
        Selection.of(arguments).suggesting(),
        _flags(arguments),
        whole or arguments.report is not None,
        "".join(f" --context {shlex.quote(path)}" for path in given),
        arguments.report is not None,
        arguments.fix,
        _launches(arguments),
    )
    try:
        job.selection.check()
        passes = job.selection.check_settings(target.settings for target in kernels)
    except (PassSelectionError, facts.AssumptionError) as error:
        raise ConfigurationError(str(error)) from error
    program = scanning.program(targets)
    found = scanning.work(partial(_look, job), kernels, arguments.jobs, program)
    return answers.keeping(found, passes, lambda one: one.defects)


def _report(arguments: argparse.Namespace, found: Sequence[FileFindings], summary: Summary) -> bool:
    """Whether the report was written."""
    from tritonopt.cli import html_report
    from tritonopt.reporting.page.findings_page import suggest_page

    contents = suggest_page(found, summary, html_report.facts_of(arguments))
    return html_report.is_written(arguments.report, contents)


def _flags(arguments: argparse.Namespace) -> str:
    """Settings and facts, on which the command that applies must agree with this run."""
    flags = [f"--config {shlex.quote(str(arguments.config))}"] if arguments.config else []
    flags += ["--isolated"] if arguments.isolated else []
    if arguments.safety is not None:
        levels = sorted(level.value for level in arguments.safety)
        flags.append(f"--safety {','.join(levels) or EXACT}")
    flags += [f"--assume {shlex.quote(fact)}" for fact in arguments.assume]
    return "".join(f" {flag}" for flag in flags)


def _launches(arguments: argparse.Namespace) -> tuple[str, str]:
    """The flag and the end of a command that rests on recorded launches."""
    if arguments.launches is not None:
        return f" --launches {shlex.quote(str(arguments.launches))}", ""
    return "", f" -- {shlex.join(arguments.shadowed)}" if arguments.shadowed else ""


# One file


def _look(job: Job, program: source.Program | None, target: Target) -> FileFindings:
    """The suggestions for one file. Whatever fails is in the findings."""
    from tritonopt import facts, source
    from tritonopt.reporting.findings import FileFindings
    from tritonopt.reporting.one_line import concise_line
    from tritonopt.rewriting.applied_suppressions import AppliedSuppressions
    from tritonopt.rewriting.dry_run import dry_run
    from tritonopt.rewriting.remarks import describe

    shown, fixed = str(target.path), ""
    selection, settings = job.selection, target.settings
    try:
        file = target.read()
        module = source.read(file.text, shown, program)
        if target.focus is not None:
            target.focus.check(module)
        passes = selection.passes(settings)
        seen = _Seen(AppliedSuppressions(module))
        for part in _parts_of(job, target, module, passes):
            result = dry_run(
                part,
                passes,
                selection.safety(settings),
                selection.facts(settings),
                worthwhile=selection.is_default(settings),
                only=target.focus,
                suppressions=seen.suppressions,
                recorded=target.evidence(selection.safety(settings)),
            )
            seen.take_in(job, target, result)
        suggestions = tuple(seen.suggestions(job, target, passes))
        if job.fix and (fixed := _fixed(job, target, module, passes, suggestions)) != file.text:
            source.write_file(file, fixed)
    except source.SourceError as error:
        return FileFindings(shown, errors=(str(error),))
    except facts.AssumptionError as error:
        return FileFindings(shown, errors=(f"{shown}: {error}",))
    except Exception as error:
        message = f"{shown}: {describe(error)}. This is a bug in tritonopt; please report it"
        return FileFindings(shown, errors=(message,), defects=(message,))
    defects = tuple(remark.defect_at(shown) for remark in seen.defects)
    return FileFindings(
        shown,
        len(module.kernels),
        errors=defects,
        defects=defects,
        changed=job.fix and fixed != file.text,
        doubtful=tuple(seen.doubtful),
        parameters=tuple(frozenset(p.name for p in k.parameters) for k in module.kernels),
        before=module.text if job.with_text else "",
        suggestions=suggestions,
        left_alone=tuple(seen.left_alone()) if job.with_text else (),
        notes=(
            *(concise_line(shown, remark) for remark in seen.given_up),
            *(_at_a_length(job, target, found) for found in seen.at_a_length),
            *selection.notes(settings),
        ),
    )


def _fixed(
    job: Job,
    target: Target,
    module: source.Module,
    passes: Sequence[Pass],
    suggestions: Iterable[Suggestion],
) -> str:
    """The text after all that is suggested with a command: a pass acts on a kernel by the same
    rule by which its sites were listed. A fix that is not safe is left to its command."""
    from tritonopt.rewriting.focus import Focus
    from tritonopt.rewriting.pipeline import rewrite_source

    text, known = module.text, {chosen.name: chosen for chosen in passes}
    wanted = dict.fromkeys((s.remark.pass_name, s.remark.kernel) for s in suggestions if s.apply)
    for name, kernel in wanted:
        text = rewrite_source(
            text,
            [known[name]],
            path=str(target.path),
            safety=job.selection.safety(target.settings),
            assume=job.selection.facts(target.settings),
            only=Focus(kernels=frozenset({kernel})),
            program=module.program,
            recorded=target.evidence(job.selection.safety(target.settings)),
        ).text
    return text


def _parts_of(
    job: Job, target: Target, module: source.Module, passes: Iterable[Pass]
) -> Iterator[source.Module]:
    """The file; where its parts have nothing to do with each other, an excerpt with each."""
    from itertools import chain

    from tritonopt.source.editing import apart

    excerpts: Iterator[apart.Excerpt] = iter(())
    if not (
        job.selection.facts(target.settings) or any(p.runs_file and p.is_named for p in passes)
    ):
        excerpts = apart.excerpts(module)
    first = next(excerpts, None)
    if first is None:
        return iter((module,))
    return (excerpt.module for excerpt in chain((first,), excerpts))


@dataclass
class _Seen:
    """What was found in the parts of a file. What it was found by is gone with each of them."""

    suppressions: AppliedSuppressions
    given_up: list[Remark] = field(default_factory=list)
    defects: list[Remark] = field(default_factory=list)
    at_a_length: list[Found] = field(default_factory=list)
    """What a fact on sizes would make profitable."""
    doubtful: list[str] = field(default_factory=list)
    """The passes of what is listed only where they are named."""
    _remarks: list[tuple[tuple[int, ...], Remark]] = field(default_factory=list)
    _suggestions: list[tuple[tuple[int, ...], Suggestion]] = field(default_factory=list)

    def take_in(self, job: Job, target: Target, result: Survey) -> None:
        self.given_up += result.given_up
        self.defects += result.defects
        near = (f for f in result.found if f.remark.reason == "profitable-at-some-sizes")
        self.at_a_length += (f for f in near if f.site.profit.fact and f.is_legal)
        self.doubtful += (f.chosen.name for f in result.found if _is_doubtful(f))
        self._remarks += ((found.place, found.remark) for found in result.found)
        self._suggestions += _suggestions(job, target, result)

    def suggestions(self, job: Job, target: Target, passes: Iterable[Pass]) -> Iterator[Suggestion]:
        from tritonopt.reporting.findings import Suggestion

        for _, suggestion in sorted(self._suggestions, key=lambda pair: pair[0]):
            yield suggestion
        if not self.defects and target.focus is None:
            ran = {chosen.name for chosen in passes}
            default = job.selection.is_default(target.settings)
            for remark in self.suppressions.unused(ran, everything=default):
                yield Suggestion(remark)

    def left_alone(self) -> Iterator[Remark]:
        from tritonopt.rewriting.model import RemarkKind

        return (remark for remark in self._in_order() if remark.kind is RemarkKind.MISSED)

    def _in_order(self) -> list[Remark]:
        return [remark for _, remark in sorted(self._remarks, key=lambda pair: pair[0])]


def _suggestions(
    job: Job, target: Target, result: Survey
) -> Iterator[tuple[tuple[int, ...], Suggestion]]:
    """Each with its place among those of the file: mistakes first."""
    rewriting = _Rewriting(job, target, result.module)
    shown = [found for found in result.found if _is_told(found) and rewriting.does(found)]
    for found in shown:
        others = (f for f in result.found if f.is_legal and f.is_beside(found) and f not in shown)
        where = "" if any(others) else found.kernel_name
        suggestion = _suggestion(job, target, found, where, fixes=rewriting.fixes(found))
        rank = suggestion.is_note if suggestion.is_finding else 2
        yield (rank, *found.place), suggestion


def _at_a_length(job: Job, target: Target, found: Found) -> str:
    """What would be gained at sizes that no launch shows, and the command that makes it: with the
    fact it would be a text for these sizes only."""
    from tritonopt.rewriting.options import spelled

    remark, fact, gain = found.remark, found.site.profit.fact, found.chosen.gain
    worth = f" ({gain.figure})" if gain else ""
    where = shlex.quote(f"{target.path}:{found.kernel_name or remark.line}")
    flags = job.flags
    flags += job.context if found.known.kernel.module.has_asked_elsewhere else ""
    return (
        f"{target.path}:{remark.line}:{remark.column}: {remark.pass_name} is profitable where "
        f"{fact}{worth}: tritonopt rewrite {where} --passes {shlex.quote(spelled(found.chosen))}"
        f"{flags} --write"
    )


class _Rewriting:
    """Whether `tritonopt rewrite` does what is suggested, with the settings of this run.

    A site is judged by itself; that a whole rewrite goes through with it is tried.
    """

    def __init__(self, job: Job, target: Target, module: source.Module) -> None:
        self._safety = job.selection.safety(target.settings)
        self._facts = job.selection.facts(target.settings)
        self._module = module
        self._recorded = target.evidence(self._safety)
        self._done: dict[tuple[Pass, int], bool] = {}

    def does(self, found: Found) -> bool:
        from tritonopt.rewriting.model import RemarkKind

        return found.remark.kind is RemarkKind.ANALYSIS or self._goes_through(found)

    def fixes(self, found: Found) -> bool:
        """Of a mistake: whether `rewrite` fixes it."""
        from tritonopt.rewriting.model import RemarkKind

        brings = found.chosen.fixes and bool(found.site.changes)
        is_note = found.remark.kind is RemarkKind.ANALYSIS
        return is_note and brings and self._goes_through(found)

    def _goes_through(self, found: Found) -> bool:
        key = (found.chosen, found.remark.line)
        if key not in self._done:
            self._done[key] = self._try(*key)
        return self._done[key]

    def _try(self, chosen: Pass, line: int) -> bool:
        from tritonopt.rewriting.focus import Focus
        from tritonopt.rewriting.model import RemarkKind
        from tritonopt.rewriting.pipeline import rewrite_source

        result = rewrite_source(
            self._module.text,
            [chosen.by_name()],
            path=str(self._module.path),
            safety=self._safety,
            assume=self._facts,
            only=Focus(lines=frozenset({line})),
            program=self._module.program,
            whole=self._module.whole,
            recorded=self._recorded,
        )
        return any(remark.kind is RemarkKind.PASSED for remark in result.remarks)


def _is_told(found: Found) -> bool:
    from tritonopt.rewriting.model import RemarkKind

    if found.remark.kind is RemarkKind.ANALYSIS:
        return (found.chosen.finds_mistakes and found.site.is_reported) or found.chosen.is_named
    return found.remark.kind is RemarkKind.PASSED


def _is_doubtful(found: Found) -> bool:
    from tritonopt.rewriting.model import RemarkKind

    is_note = found.remark.kind is RemarkKind.ANALYSIS
    return is_note and found.chosen.finds_mistakes and not _is_told(found)


def _suggestion(job: Job, target: Target, found: Found, kernel: str, *, fixes: bool) -> Suggestion:
    """With a command that names the kernel, where that does the same as the line: it stays right
    where another command moves lines."""
    from tritonopt.checks.reasons import REASONS
    from tritonopt.reporting.findings import Suggestion
    from tritonopt.rewriting.model import RemarkKind
    from tritonopt.rewriting.options import spelled

    module = found.known.kernel.module
    span = _span(module, found.site.anchor)
    gain, why, worth = found.chosen.gain, found.site.harm or found.chosen.harm, ""
    remark, is_fixable = found.remark, True
    if remark.kind is not RemarkKind.ANALYSIS:
        remark = replace(remark, message=found.site.advice or remark.message)
        why = gain.why if gain is not None else ""
        worth = gain.text if gain is not None and found.site.profit.is_expected else ""
    elif not fixes:
        known = REASONS.get(remark.reason)
        advice = known.advice if known else ""
        return Suggestion(remark, why=why, span=span, advice=advice, is_note=found.site.is_note)
    else:
        is_fixable = found.chosen.is_named or found.site.is_safe_fix
    passes = shlex.quote(spelled(found.chosen))
    path = shlex.quote(f"{target.path}:{kernel or remark.line}")
    flags = job.flags + (job.context if module.has_asked_elsewhere else "")
    # What is named acts wherever it is legal: the launches count where it is legal for them only.
    rests = any(c.claim == "recorded-launches" for c in found.site.conditions)
    recorded, end = job.launches if rests else ("", "")
    return Suggestion(
        remark,
        why=why,
        worth=worth,
        apply=f"tritonopt rewrite {path} --passes {passes}{flags}{recorded} --write{end}",
        fix=_fix(module, found.rewritten()) if job.with_fixes else (),
        span=span,
        is_fixable=is_fixable,
        is_note=found.site.is_note,
    )


def _span(module: source.Module, node: ast.AST) -> Span | None:
    from tritonopt.reporting.findings import Span

    line, column = module.lines.place(node)
    end_line, end = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
    if end_line is None or end is None:
        return None
    end_column = module.lines.offset(end_line, end) - module.lines.start(end_line) + 1
    return Span(line, column, end_line, end_column, _lines(module.text)[line - 1].rstrip())


def _fix(module: source.Module, text: str) -> tuple[Replacement, ...]:
    """What becomes of a text, as whole lines."""
    import difflib

    from tritonopt.reporting.findings import Replacement

    old, new = _lines(module.text), _lines(text)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return tuple(
        Replacement(i1 + 1, i2 + 1, "".join(new[j1:j2]))
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    )


def _lines(text: str) -> list[str]:
    import io

    # Unlike `splitlines`, this ends lines where Python's parser and SARIF do.
    return list(io.StringIO(text, newline=""))
