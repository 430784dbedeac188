"""Many files, each a task of an engine: `verify` of several pairs, and `rewrite --verify`."""

from __future__ import annotations

import argparse
import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tritonopt.cli import html_report, scanning
from tritonopt.cli.arguments import write_script
from tritonopt.cli.main import ERROR, FOUND, INCONCLUSIVE, OK, complain
from tritonopt.cli.progress import Bar
from tritonopt.engines import Answer, Engine, EngineError, Outcome, Task, engine_of
from tritonopt.reporting import formats
from tritonopt.reporting.findings import PairFinding

if TYPE_CHECKING:
    from tritonopt import source
    from tritonopt.cli.rewrite_verification import Request
    from tritonopt.cli.scanning import Target
    from tritonopt.reporting.reporter import PairsReporter
    from tritonopt.verification import Verdict
    from tritonopt.verification.pairs import Pair

Result = TypeVar("Result")

_OF_ONE_FILE = ("launcher", "kernel", "grid", "args", "assume", "shadowed", "bench")
_OPTIONS = (
    *("backend", "require", "max_examples", "seed", "assume_covered", "algebra", "budget"),
    "untrusted",
)
_OF_CANDIDATES = ("launcher", "args", "assume")
"""What is said of the reference, and so of every candidate."""


def are_meant(arguments: argparse.Namespace) -> bool:
    """Whether the command line is about more than two files."""
    directories = any(map(os.path.isdir, (arguments.original, arguments.rewritten)))
    return bool(arguments.pair or directories)


def run(arguments: argparse.Namespace) -> int:
    reporter = formats.pairs_reporter(arguments.format)
    try:
        pairs, same = _pairs(arguments)
        found = list(_verified(pairs, arguments, reporter))
    except (_Unclear, EngineError) as error:
        reporter.nothing(str(error))
        return complain(str(error))
    order = {pair.name: at for at, pair in enumerate(pairs)}
    found.sort(key=lambda one: order[one.name])
    reporter.finish(found, same)
    if arguments.report is not None:
        from tritonopt.reporting.page.verdict_page import pairs_page

        contents = pairs_page(found, same, html_report.facts_of(arguments))
        if not html_report.is_written(arguments.report, contents):
            return ERROR
    verdicts = {one.verdict.verdict for one in found}
    if "counterexample" in verdicts:
        return FOUND
    return OK if verdicts <= {"identical", "equivalent"} else INCONCLUSIVE


class _Unclear(Exception):
    """The command line does not say what to compare with what."""


def _pairs(arguments: argparse.Namespace) -> tuple[list[Pair], int]:
    """What is to be compared, each under a name of its own, and how many files say the same."""
    from tritonopt.verification.pairs import Pair, pairs_of

    for name in _OF_ONE_FILE:
        if arguments.candidates and name in _OF_CANDIDATES:
            continue
        if getattr(arguments, name):
            what = "`-- COMMAND`" if name == "shadowed" else f"--{name}"
            raise _Unclear(f"{what} applies to one file, and several are given")
    given = [(arguments.original, arguments.rewritten), *arguments.pair]
    found: list[Pair] = []
    same = 0
    for original, rewritten in given:
        for path in (original, rewritten):
            if not os.path.exists(path):
                raise _Unclear(f"{path}: does not exist")
        if os.path.isdir(original) != os.path.isdir(rewritten):
            raise _Unclear(
                f"{original}, {rewritten}: two files or two directories, not one of each"
            )
        if os.path.isdir(original):
            pairs = pairs_of(Path(original), Path(rewritten))
            same += pairs.same
            found += pairs.differing
        else:
            found.append(Pair(rewritten, Path(original), Path(rewritten)))
    return _named(found), same


def _named(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs, each once; where two have one name, under the whole path."""
    from dataclasses import replace

    names = [pair.name for pair in pairs]
    once = {(pair.original, pair.rewritten): pair for pair in pairs}
    return [
        replace(pair, name=str(pair.rewritten)) if names.count(pair.name) > 1 else pair
        for pair in once.values()
    ]


def _verified(
    pairs: Sequence[Pair], arguments: argparse.Namespace, reporter: PairsReporter
) -> Iterator[PairFinding]:
    """The findings as they come, each reported."""
    from tritonopt.verification import Verdict

    for pair in pairs:
        if pair.why_not:
            yield _found(pair, Verdict("unsupported", "none", 0, reason=pair.why_not), reporter)
    by_name = {pair.name: pair for pair in pairs if not pair.why_not}
    tasks = [_task(pair, arguments) for pair in by_name.values()]
    if not tasks:
        return
    count = 1 if arguments.candidates and not arguments.jobs else len(tasks)
    engine = engine_for(count, arguments.engine, arguments.jobs)
    with (
        Bar(len(tasks), "verifying", sys.stderr, patience=0) as bar,
        engine.running(tasks) as answers,
    ):
        bar.update(0, len(tasks), "verifying")
        for answer in answers:
            bar.clear()
            yield _found(
                by_name[answer.task.name], _verdict_of(answer), reporter, answer, arguments
            )
            bar.advance()


def _task(pair: Pair, arguments: argparse.Namespace) -> Task:
    asked = _OPTIONS + (_OF_CANDIDATES if arguments.candidates else ())
    options = {name: getattr(arguments, name) for name in asked}
    return Task(
        pair.name,
        "tritonopt.verification.pairs:verdict_on",
        (pair.original, pair.rewritten, options),
        timeout=arguments.task_timeout,
        gpu=gpu_share(arguments.backend),
    )


def _verdict_of(answer: Answer) -> Verdict:
    """No answer of the engine is no answer of the verification."""
    from tritonopt.verification import Verdict

    if answer.outcome is Outcome.DONE:
        verdict: Verdict = answer.value
        return verdict
    return Verdict("unsupported", "none", 0, reason=why_none(answer))


def _found(
    pair: Pair,
    verdict: Verdict,
    reporter: PairsReporter,
    answer: Answer | None = None,
    arguments: argparse.Namespace | None = None,
) -> PairFinding:
    script = None
    if arguments is not None and not arguments.no_script and verdict.script is not None:
        # Files of several directories may have one name.
        name = f"counterexample_{pair.name.strip('./').replace(os.sep, '_')}"
        script = write_script(verdict.script, name, os.path.join(arguments.script or "", ""))
    seconds, where = (0.0, "") if answer is None else (answer.seconds, answer.where)
    found = PairFinding(
        pair.name, str(pair.original), str(pair.rewritten), verdict, seconds, where, script
    )
    reporter.pair(found)
    return found


# Tasks


GPU_SHARE = 0.25
"""Of a GPU, for a verification: its tensors are small, and mostly it waits for the host."""


def engine_for(count: int, name: str | None, jobs: int | None) -> Engine:
    """The engine of this name; without one, processes of this machine where there are several
    tasks. Raises EngineError."""
    if name is not None:
        return engine_of(name, jobs)
    return engine_of("local", jobs) if count > 1 else engine_of("inline")


def gpu_share(backend: str) -> float:
    """What a verification on this backend takes of a GPU."""
    return GPU_SHARE if backend in ("auto", "cuda") else 0.0


def why_none(answer: Answer) -> str:
    """Why the verification of a file has no result."""
    return f"the verification {answer.outcome.value}: {answer.reason}"


def in_tasks(
    do: Callable[[source.Program | None, Target], Result],
    otherwise: Callable[[Target, str], Result],
    targets: Sequence[Target],
    request: Request,
    jobs: int,
    program: source.Program | None,
) -> Iterator[Result]:
    """What comes of every target, in their order, as `scanning.work` gives it.

    Where a task has no result, `otherwise` makes one of the reason. Raises EngineError.
    """
    # Without a kernel there is nothing to verify, and no need for another process.
    names = {str(target.path) for target in targets if scanning.may_hold_kernels(target)}
    common = pickle.dumps((do, program))
    tasks = [
        Task(
            str(target.path),
            f"{__name__}:in_a_task",
            (target,),
            timeout=request.timeout,
            gpu=gpu_share(request.backend),
            common=common,
        )
        for target in targets
        if str(target.path) in names
    ]
    found: dict[str, Answer] = {}
    with engine_for(len(tasks), request.engine, jobs or None).running(tasks) as answers:
        for target in targets:
            name = str(target.path)
            if name not in names:
                yield do(program, target)
                continue
            while name not in found:
                answer = next(answers)
                found[answer.task.name] = answer
            answer = found.pop(name)
            done = answer.outcome is Outcome.DONE
            yield answer.value if done else otherwise(target, why_none(answer))


def in_a_task(
    common: tuple[Callable[[source.Program | None, Target], Result], source.Program | None],
    target: Target,
) -> Result:
    """One file, in whatever process does the task."""
    do, program = common
    return do(program, target)
