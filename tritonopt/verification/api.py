"""`verify`: two versions of a file, one question, and the answer with what it rests on."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tritonopt import install_command, source
from tritonopt.verification.capture.command import Captured, call_of, capture
from tritonopt.verification.capture.generalize import NotGeneral, forms_of
from tritonopt.verification.comparison.tally import now
from tritonopt.verification.coverage.demands import LOOPS, Demand
from tritonopt.verification.coverage.requirements import listed
from tritonopt.verification.coverage.surroundings import decided_beside, narrowed_offsets
from tritonopt.verification.coverage.text_differences import Comparison
from tritonopt.verification.errors import CandidateError, NothingRunsError, VerificationError
from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.fork_server import fork_server
from tritonopt.verification.questions import Options, Progress
from tritonopt.verification.reference.cheats import with_cheats
from tritonopt.verification.reference.reach import out_of_bounds
from tritonopt.verification.reference.subjects import is_reference, subject_of
from tritonopt.verification.run import (
    Finding,
    OtherLaunchers,
    Verification,
    choose_backend,
    contained,
)
from tritonopt.verification.signature.argument_language import Signature
from tritonopt.verification.signature.kernel_launcher import LAUNCH, KernelCall
from tritonopt.verification.signature.launchers import (
    Launchers,
    changed_definitions,
    in_its_package,
    left_out,
)
from tritonopt.verification.taken_otherwise import launched_otherwise
from tritonopt.verification.tasks import (
    Task,
    again,
    inner_tasks,
    kernel_alone,
    parse_module,
    read_module,
    seen_alone,
    tasks_of,
    tiles_of,
)
from tritonopt.verification.verdict import (
    YES,
    Algebra,
    AlgebraAnswer,
    Answer,
    Fault,
    Verdict,
    together,
)

_ORDER = [
    Answer.IDENTICAL.value,
    Answer.EQUIVALENT.value,
    Answer.UNSUPPORTED.value,
    Answer.COUNTEREXAMPLE.value,
]
"""From the best answer to the worst."""
_WANTED_SOON = "tritonopt.verification.comparison.search"
"""It imports hypothesis, which takes a while: best while the fork server imports torch."""
_FEW = 4
"""So many examples are drawn where tests of launchers are taken to come out otherwise."""
_LEAST_SECONDS = 1.0
"""For calls, where what comes before them took all the time that was given."""
_FOR_A_SCRIPT = 10
"""So many launches are drawn to show again what a command has shown."""


def verify(
    original: Path | str, rewritten: Path | str, options: Options | None = None, **given: Any
) -> Verdict:
    """Whether two versions of a kernel file compute the same, on inputs that nobody chose.

    Of the files one launcher is called, or all that come to a kernel; or a kernel is launched by
    itself; or a command is run: see `Options`, whose fields may be `given` by name as well.
    Raises VerificationError for what the caller did wrong; what the kernels do wrong is a verdict.
    """
    if given.get("seed", 0) is None:
        given["seed"] = 0
    options = replace(options or Options(), **given)
    began = now()
    try:
        verdict = _verified(original, rewritten, options)
    except CandidateError as error:
        answer = Answer.COUNTEREXAMPLE.value
        verdict = Verdict(answer, options.backend, 0, counterexample=str(error))
    except NothingRunsError as error:
        answer, blamed = Answer.UNSUPPORTED.value, error.fault
        verdict = Verdict(answer, options.backend, 0, reason=str(error), blamed=blamed)
    return replace(verdict, seconds=round(now() - began, 3))


def _verified(original: Path | str, rewritten: Path | str, options: Options) -> Verdict:
    """`verify`, with the options together."""
    began = now()
    options.check()
    _check_installed()
    if options.backend in ("auto", "interpreter"):
        fork_server()  # it imports torch meanwhile
    paths = Path(original), Path(rewritten)
    old, text = read_module(paths[0]), options.text
    if options.original_text is not None:
        old = parse_module(options.original_text, paths[0])
    try:
        new = read_module(paths[1]) if text is None else parse_module(text, paths[1])
    except VerificationError as error:
        if text is None and (paths[1].suffix == ".ipynb" or not paths[1].is_file()):
            raise
        raise CandidateError(str(error)) from None
    if options.command:
        settings = replace(options, assume_covered=False, covered_elsewhere=False)
        return _captured(old, new, replace(settings, backend=choose_backend(options.backend)))
    if options.untrusted:
        if reason := out_of_bounds(new):
            answer, blamed = Answer.UNSUPPORTED.value, Fault.CANDIDATE.value
            return Verdict(answer, options.backend, 0, reason=reason, blamed=blamed)
        options = contained(replace(options, backend=choose_backend(options.backend)), paths)
    old, new, tasks = to_run(old, new, options)
    importlib.import_module(_WANTED_SOON)
    settings = replace(options, backend=choose_backend(options.backend))
    if any(task.reference for task in tasks):
        settings = replace(settings, written_for_it=True, algebra=options.require == "algebra")
    if settings.budget is not None:
        left = settings.budget - (now() - began)
        settings = replace(settings, budget=max(left, _LEAST_SECONDS))
    inner = not (options.launcher or options.kernel or options.args)
    verdict = _verdict_of((old, new), paths, tasks, settings, inner)
    verdict = with_cheats(verdict, (), refused=options.require in ("kernel", "layouts"))
    rest = left_out(Launchers.of(old), new, [name for task in tasks for name in task.reaches])
    chosen = bool(options.launcher or options.about or options.kernel)
    return _with_rest(verdict, rest, chosen=chosen)


def to_run(
    old: source.Module, new: source.Module, asked: Options
) -> tuple[source.Module, source.Module, list[Task]]:
    """Both versions with what is to be called of them."""
    if asked.kernel is not None:
        return kernel_alone(old, new, asked.kernel, asked.grid, asked.args)
    if asked.grid is not None:
        raise VerificationError("--grid is the grid of a kernel: add --kernel NAME")
    if is_reference(old):
        by_name = {"launcher": asked.launcher, "args": asked.args}
        found = subject_of(old, new, **by_name, contained=asked.contained)
        return found.old, found.new, found.tasks
    old = in_its_package(old)
    return old, new, tasks_of(Launchers.of(old), new, asked.launcher, asked.args, asked.about)


def _with_rest(verdict: Verdict, rest: list[str], *, chosen: bool) -> Verdict:
    """The verdict with a word about what differs as well and was not run: no yes covers it."""
    if not rest:
        return verdict
    names = ", ".join(f"`{name}`" for name in rest)
    text = f"changed code that no verified call runs: {names}"
    if chosen or verdict.verdict not in YES:
        return replace(verdict, notes=(*verdict.notes, text))
    how = "A kernel can be verified by itself: --kernel NAME --grid ... --args ..."
    return _no_yes(verdict, f"{text}. {how}")


def _no_yes(verdict: Verdict, reason: str) -> Verdict:
    """No answer in place of a yes."""
    notes = (*verdict.notes, f"the calls that ran are {verdict.verdict}")
    return replace(verdict, verdict=Answer.UNSUPPORTED.value, reason=reason, notes=notes)


def _verdict_of(
    modules: tuple[source.Module, source.Module],
    paths: tuple[Path, Path],
    tasks: list[Task],
    settings: Options,
    inner: bool,
) -> Verdict:
    """Of all tasks; with `inner` launchers that they call are asked for what never ran."""
    made: list[tuple[Verification, Finding]] = []
    for task in tasks:
        made.append(_of_task(modules, paths, task, settings, made, alone=len(tasks) == 1))
    otherwise: list[tuple[Verification, Finding]] = []
    notes: list[str] = []
    if inner and all(f.is_yes for _, f in made):
        otherwise, notes = _taken_otherwise(modules, made, settings)
        every = [*made, *otherwise]
        lines = {d.line for _, f in made for d in _never_ran(f, every) if d.title == "original"}
        for task in inner_tasks(Launchers.of(modules[0]), tasks, lines):
            verification = Verification(*modules, *paths, task, settings, others=_shown_by(made))
            with contextlib.suppress(VerificationError):
                finding = verification.run()
                if finding.is_yes or finding.verdict.verdict == Answer.COUNTEREXAMPLE.value:
                    made.append((verification, finding))
            if not any(_never_ran(f, [*made, *otherwise]) for _, f in made):
                break
    verdicts = [_unless_unseen(*one, [*made, *otherwise]) for one in made]
    if len(verdicts) == 1:
        return replace(verdicts[0], notes=(*verdicts[0].notes, *notes))
    together = _combined([v.task for v, _ in made], verdicts)
    return replace(together, notes=(*together.notes, *notes))


def _of_task(
    modules: tuple[source.Module, source.Module],
    paths: tuple[Path, Path],
    task: Task,
    settings: Options,
    made: Sequence[tuple[Verification, Finding]],
    *,
    alone: bool,
) -> tuple[Verification, Finding]:
    """Of one task, or of the first one in its place that can be called; of it, if none can."""
    failed: VerificationError | None = None
    first: tuple[Verification, Finding] | None = None
    for one in (task, *task.otherwise):
        verification = Verification(*modules, *paths, one, settings, others=_shown_by(made))
        try:
            finding = verification.run()
        except VerificationError as error:
            failed = failed or error
            reason = str(error)
            finding = Finding(Verdict(Answer.UNSUPPORTED.value, settings.backend, 0, reason=reason))
        else:
            if finding.is_yes or finding.verdict.verdict == Answer.COUNTEREXAMPLE.value:
                return verification, finding
        first = first or (verification, finding)
    if alone and failed is not None:
        raise failed
    assert first is not None, "there is at least the task itself"
    return first


def _taken_otherwise(
    modules: tuple[source.Module, source.Module],
    made: Sequence[tuple[Verification, Finding]],
    settings: Options,
) -> tuple[list[tuple[Verification, Finding]], list[str]]:
    """Both versions once more, with tests of their launchers taken to lead to what never ran."""
    unmet = {d: None for _, f in made for d in _never_ran(f, made)}
    found: list[tuple[Verification, Finding]] = []
    notes = []
    settings = replace(settings, max_examples=min(settings.max_examples, _FEW), algebra=False)
    for other in launched_otherwise(Comparison.of(*modules), unmet) if unmet else ():
        launchers, results = Launchers.of(other.old), list[tuple[Verification, Finding]]()
        for verification, finding in made:
            wanted = frozenset(d for d in finding.never_ran.unmet if d in unmet and other.asks(d))
            task = again(verification.task, launchers, other.new, finding.signature)
            if not wanted or task is None:
                continue
            paths = verification.original_path, verification.rewritten_path
            one = Verification(other.old, other.new, *paths, task, settings, wanted)
            with contextlib.suppress(VerificationError):
                results.append((one, one.run()))
        if any(f.verdict.verdict == Answer.COUNTEREXAMPLE.value for _, f in results):
            # Then what another launcher shows of the same kernel is no evidence either.
            notes.append(f"{other}; they differ there, perhaps because of that condition")
        elif any(f.is_yes for _, f in results):
            found += [one for one in results if one[1].is_yes]
            notes.append(str(other))
    return found, notes


def _shown_by(made: Sequence[tuple[Verification, Finding]]) -> OtherLaunchers:
    taken = tuple(
        (v.task.launcher.name, f.signature)
        for v, f in made
        if f.signature is not None and not f.trial_failure
    )
    return OtherLaunchers(taken, frozenset(d for _, f in made if f.is_yes for d in f.never_ran.met))


def _never_ran(finding: Finding, every: Sequence[tuple[Verification, Finding]]) -> list[Demand]:
    """What has to run of one launcher, and ran from none."""
    return [
        demand
        for demand in finding.never_ran.unmet
        if all(demand in f.never_ran.unmet for v, f in every if demand in v.demands)
    ]


def _unless_unseen(
    verification: Verification, finding: Finding, every: Sequence[tuple[Verification, Finding]]
) -> Verdict:
    """The verdict, but no yes where something had to run and did so from no launcher."""
    verdict = finding.verdict
    nothing_known = finding.trial_failure and not verdict.written
    if verdict.verdict not in YES and not nothing_known:
        return verdict
    if finding.trial_failure:
        reason = f"no plain call of the original succeeds: {finding.trial_failure}"
        unsupported = replace(verdict, verdict=Answer.UNSUPPORTED.value, reason=reason)
        return replace(unsupported, counterexample=None, script=None)
    unmet = _never_ran(finding, every)
    if not unmet:
        return _unless_elsewhere(verification, _unless_narrowed(verification, verdict))
    # What never ran took no second turn either.
    unmet.sort(key=lambda demand: demand.kind in LOOPS)
    if finding.never_ran.blind and verification.settings.assume_covered:
        text = f"assumed to have run (--assume-covered): {listed(unmet)}"
        return replace(verdict, notes=(*verdict.notes, text))
    return _no_yes(verdict, verification.why_not(finding, unmet))


def _unless_narrowed(verification: Verification, verdict: Verdict) -> Verdict:
    """The verdict, but no yes where offsets lose bits that no call that is run can need."""
    narrowed = narrowed_offsets(Comparison.of(verification.old, verification.new))
    lines = ", ".join(map(str, dict.fromkeys(narrowed)))
    text = f"offsets that the original converts to 64 bits (line {lines}) then have fewer bits"
    if narrowed and verification.settings.assume_covered:
        text += "; assumed never to need them (--assume-covered)"
        return replace(verdict, notes=(*verdict.notes, text))
    text += ", and no call that is run here has 2**31 elements. Keep the conversion; or, where "
    text += "you know that there are never so many, add --assume-covered"
    return _no_yes(verdict, text) if narrowed else verdict


def _unless_elsewhere(verification: Verification, verdict: Verdict) -> Verdict:
    """The verdict, but no yes where the rewritten version queries the device, or a file does that
    it alone imports."""
    asked = verification.asked_elsewhere
    compared = Comparison.of(verification.old, verification.new)
    paths = verification.original_path.resolve(), verification.rewritten_path.resolve()
    imported = decided_beside(compared, (paths[0].parent, paths[1].parent))
    if not (asked or imported) or verdict.verdict not in YES:
        return verdict
    lines = ", ".join(f"line {line}: `{what}`" for line, what in asked or imported)
    does = "queries the device" if asked else "imports code that may depend on the device"
    text = f"only the rewritten version {does} ({lines})"
    if verification.settings.assume_covered:
        text += "; assumed to do the same everywhere (--assume-covered)"
        return replace(verdict, notes=(*verdict.notes, text))
    text += ": what it does elsewhere was not seen. Leave that out; or, where you know that it "
    return _no_yes(verdict, f"{text}makes no difference, add --assume-covered")


def _check_installed() -> None:
    missing = [
        name
        for name in ("torch", "triton", "hypothesis", "numpy")
        if importlib.util.find_spec(name) is None
    ]
    if missing:
        raise VerificationError(
            f"verification runs the kernels, and needs {', '.join(missing)}: "
            f"{install_command('verify')}"
        )


def _captured(old: source.Module, new: source.Module, settings: Options) -> Verdict:
    """What the launches of a command show; where no difference, what others like them show."""
    with tempfile.TemporaryDirectory(prefix="tritonopt-") as folder:
        seen = capture(old, new, settings.command, folder)
        notes = [f"not compared: {text}" for text in dict.fromkeys(seen.skipped)]
        made = {name: _made_again(old, new, name, seen, settings, notes) for name in seen.records}
    counts = ", ".join(f"{name} {seen.launches[name]}x" for name, found in made.items() if found)
    notes.insert(0, f"recorded launches that were compared: {counts or 'none'}")
    if seen.status:
        notes.append(f"the command ended with exit status {seen.status}")
    result = Verdict(Answer.IDENTICAL.value, settings.backend, 0, notes=tuple(notes))
    for name, verdict in ((name, v) for name, found in made.items() for v in found):
        result = _worse_of(result, verdict)
        if verdict.verdict == Answer.COUNTEREXAMPLE.value:
            return _with_script(result, old, new, name, seen.records[name], settings, notes)
    if not counts:
        reason = "no launch could be compared"
        return replace(result, verdict=Answer.UNSUPPORTED.value, reason=reason)
    for name in made:
        drawn = _generalized(old, new, name, seen.records[name], settings, notes)
        if drawn is not None:
            result = _worse_of(result, drawn)
        elif settings.algebra or settings.require == "algebra":
            text = (
                f"{name}: residues are computed in generated launches, and none could be generated"
            )
            unknown = Algebra(AlgebraAnswer.NOT_APPLICABLE.value, text=text)
            result = replace(result, algebra=together([result.algebra, unknown]))
    result = replace(result, notes=tuple(dict.fromkeys([*notes, *result.notes])))
    if settings.require == "algebra" and result.verdict in YES:
        result = _as_required(result)
    return _with_rest(result, left_out(Launchers.of(old), new, seen.launches), chosen=False)


def _made_again(
    old: source.Module,
    new: source.Module,
    kernel: str,
    seen: Captured,
    settings: Options,
    notes: list[str],
) -> list[Verdict]:
    """The launches of a kernel that a command made, as calls of both versions; a note for others.

    Coverage is not asked of them.
    """
    found, calls, left = [], dict[str, list[Example]](), dict[str, None]()
    nodes = [k.node for module in (old, new) if (k := module.kernel(kernel)) is not None]
    tuners = {"".join(map(ast.dump, node.decorator_list)) for node in nodes}
    other_tuner = len(tuners) > 1 or changed_definitions(old, new) is None
    for line in seen.records[kernel]:
        try:
            if line["launch"].get("tuned") and other_tuner:
                raise NotGeneral("the rewritten version may be tuned differently")
            text, example = call_of(kernel, line)
        except NotGeneral as error:
            left[str(error)] = None
        else:
            calls.setdefault(text, []).append(example)
    require = "identical" if settings.require == "identical" else "equivalent"
    settings = replace(settings, require=require, algebra=False, covered_elsewhere=True)
    for text, examples in calls.items():
        call = KernelCall(f"{LAUNCH}{kernel}", text, Signature(()))
        *both, task = seen_alone(old, new, call, examples)
        paths = Path(old.path), Path(new.path)
        verdict = Verification(both[0], both[1], *paths, task, settings).run().verdict
        if verdict.verdict != Answer.UNSUPPORTED.value:
            found.append(verdict)
        else:
            left[str(verdict.reason)] = None
    notes += [f"not compared: {kernel}: {why}" for why in left]
    return found


def _as_required(result: Verdict) -> Verdict:
    """The yes of a command, where it has to be the same algebra as well."""
    if result.algebra is not None and result.algebra.is_same:
        return result
    why = "nothing was drawn" if result.algebra is None else result.algebra.text
    reason = f"the same algebra was not checked: {why}"
    return replace(result, verdict=Answer.UNSUPPORTED.value, reason=reason)


def _with_script(
    result: Verdict,
    old: source.Module,
    new: source.Module,
    kernel: str,
    lines: Sequence[Mapping[str, Any]],
    settings: Options,
    notes: list[str],
) -> Verdict:
    """A script needs no run of the user's: it shows a drawn launch, where one differs as well."""
    settings = replace(settings, max_examples=min(settings.max_examples, _FOR_A_SCRIPT))
    drawn = _generalized(old, new, kernel, lines, settings, notes)
    if drawn is not None and drawn.script is not None:
        notes.append("the script runs a generated launch, similar to the recorded one")
    else:
        notes.append("there is no script: run the same command again to repeat the launch")
    script = None if drawn is None else drawn.script
    return replace(result, script=script, notes=tuple(dict.fromkeys(notes)))


def _generalized(
    old: source.Module,
    new: source.Module,
    kernel: str,
    lines: Sequence[Mapping[str, Any]],
    settings: Options,
    notes: list[str],
) -> Verdict | None:
    """Launches like those that were seen, drawn; None, with a note, where none can be told."""
    try:
        forms = forms_of([line["launch"] for line in lines], tiles_of(old, kernel))
    except NotGeneral as error:
        notes.append(f"{kernel}: not generalized: {error}")
        return None
    left = []
    for form in forms:
        text = f"--kernel {kernel} --grid '{form.grid}' --args '{form.args}'"
        try:
            *both, tasks = kernel_alone(old, new, kernel, form.grid, form.args)
        except VerificationError as error:
            left.append(f"{kernel}: not generalized: {error}")
            continue
        paths = Path(old.path), Path(new.path)
        verdict = _verdict_of((both[0], both[1]), paths, tasks, settings, inner=False)
        if verdict.verdict != Answer.UNSUPPORTED.value:
            notes.append(
                f"{kernel}: {verdict.examples} launches generated like the recorded ones: {text}"
            )
            return verdict
        left.append(f"{kernel}: not generalized to {text}: {verdict.reason}")
    notes += left
    return None


def _worse_of(seen: Verdict, drawn: Verdict) -> Verdict:
    """Both together: the worse answer, and every example of the two."""
    worse = max(seen, drawn, key=lambda v: _ORDER.index(v.verdict))
    return replace(
        worse,
        backend=seen.backend or drawn.backend,
        examples=seen.examples + drawn.examples,
        discarded=seen.discarded + drawn.discarded,
        written=seen.written + drawn.written,
        compared=seen.compared + drawn.compared,
        notes=(*seen.notes, *drawn.notes),
        algebra=together([seen.algebra, drawn.algebra]),
    )


def _combined(tasks: list[Task], verdicts: list[Verdict]) -> Verdict:
    """The worst answer of several launchers: a file is as good as the worst of it."""
    at = max(range(len(verdicts)), key=lambda i: _ORDER.index(verdicts[i].verdict))
    worst = verdicts[at]
    notes = [
        f"{task.launcher.name}: {verdict.verdict} ({verdict.examples} examples)"
        for task, verdict in zip(tasks, verdicts, strict=True)
    ]
    notes += [note for verdict in verdicts for note in verdict.notes]
    reason = worst.reason
    if reason is not None:
        reason = f"{tasks[at].launcher.name}: {reason}"
    errors = [v.worst_error for v in verdicts if v.worst_error is not None]
    own = [v.oracle_error for v in verdicts if v.oracle_error is not None]
    return replace(
        worst,
        examples=sum(v.examples for v in verdicts),
        discarded=sum(v.discarded for v in verdicts),
        written=sum(v.written for v in verdicts),
        compared=sum(v.compared for v in verdicts),
        worst_error=max(errors, default=None),
        oracle_error=max(own, default=None),
        algebra=together([v.algebra for v in verdicts]) if worst.verdict in YES else None,
        reason=reason,
        notes=tuple(dict.fromkeys(notes)),
        cheats=tuple(cheat for v in verdicts for cheat in v.cheats),
    )


__all__ = ["Progress", "verify"]
