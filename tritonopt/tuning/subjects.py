"""What is timed: a launcher of two versions of a file, and the calls of it.

The calls are those that `--args` gives with its sizes, or launches that a command of the user's
makes; without either the file itself is run, if it shows how: its own `__main__` part, or tests.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tritonopt import source
from tritonopt.tuning.calls import Call
from tritonopt.tuning.shapes import Ranged, calls_of, check_ranks, how_to, one_form, without_sizes
from tritonopt.tuning.shown import own_command
from tritonopt.verification.capture.command import recorded
from tritonopt.verification.capture.generalize import NotGeneral, generalize
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.inputs.examples import CONTIGUOUS, TensorRecipe, strides_of
from tritonopt.verification.signature.argument_language import Signature
from tritonopt.verification.signature.argument_parser import assumed
from tritonopt.verification.signature.launchers import Launchers, changed_definitions
from tritonopt.verification.tasks import Task, kernel_alone, read_module, tasks_of

NO_SIZES = 4096
"""What is compiled for where no size is known: a multiple of 16, as sizes mostly are."""


@dataclass(frozen=True)
class Wanted:
    """What the user asked for."""

    before: Path
    after: Path | None
    """None for one file alone."""
    launcher: str | None = None
    about: str | None = None
    kernel: str | None = None
    grid: str | None = None
    args: str | None = None
    assume: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    runs: bool = True
    """Whether there is a GPU to run on; else any size will do, to compile."""
    usual: bool = False
    """Whether sizes that many have will do where no call is shown anywhere."""


@dataclass(frozen=True)
class Subject:
    """A launcher, both texts that it stands in, and its calls."""

    launcher: str
    autograd: bool
    before: source.Module
    after: source.Module
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Subjects:
    subjects: tuple[Subject, ...]
    notes: tuple[str, ...] = ()


def subjects_of(wanted: Wanted) -> Subjects:
    """All that is to be timed. Raises VerificationError that says what to write where it can
    not be told."""
    old = read_module(wanted.before)
    new = read_module(wanted.after) if wanted.after is not None else old
    if wanted.command:
        if wanted.launcher or wanted.kernel or wanted.grid or wanted.args or wanted.assume:
            raise VerificationError(
                "with `-- COMMAND` the command chooses the launches, not --args or --assume"
            )
        return _captured(old, new, wanted.command, wanted.about)
    ranged = Ranged("", {}) if wanted.args is None else without_sizes(wanted.args)
    text = ranged.text or None
    if wanted.kernel is not None:
        old, new, tasks = kernel_alone(old, new, wanted.kernel, wanted.grid, text)
    elif wanted.grid is not None:
        raise VerificationError("--grid is the grid of a kernel: add --kernel NAME")
    else:
        tasks = tasks_of(Launchers.of(old), new, wanted.launcher, text, wanted.about)
    if wanted.runs and not ranged.sizes and any(signature_of(t).size_names for t in tasks):
        return _of_the_file(old, new, tasks, wanted)
    found, notes = [], []
    for task in tasks:
        signature = assumed(signature_of(task), wanted.assume)
        if wanted.runs:
            check_ranks(signature)
        sizes: Mapping[str, Sequence[int]] = ranged.sizes
        if not wanted.runs and not sizes:
            sizes = dict.fromkeys(signature.size_names, (NO_SIZES,))
            notes.append(f"no sizes were given (--args): compiled for {NO_SIZES} everywhere")
        calls = calls_of(signature, sizes, alternatives=wanted.args is not None)
        found.append(_subject(task, old, new, calls))
    return Subjects(tuple(found), tuple(dict.fromkeys(notes)))


def signature_of(task: Task) -> Signature:
    """What the launcher is called with; VerificationError with what to write if it is unknown."""
    if isinstance(task.arguments, Signature):
        return task.arguments
    if task.arguments.unknown:
        raise VerificationError(task.arguments.question())
    return Signature(task.arguments.known)


def _subject(task: Task, old: source.Module, new: source.Module, calls: Sequence[Call]) -> Subject:
    return Subject(task.launcher.name, task.launcher.autograd, old, new, tuple(calls))


def _of_the_file(
    old: source.Module, new: source.Module, tasks: Sequence[Task], wanted: Wanted
) -> Subjects:
    """The launches that the file makes where it is run, or an error that says what to write."""
    asked = how_to(signature_of(tasks[0]))
    if len(tasks) > 1:
        asked += f" --launcher {tasks[0].launcher.name}"
    if wanted.args is not None:
        raise VerificationError(f"--args: no size has a number. {asked}")
    command = own_command(old)
    if command is None:
        raise VerificationError(f"{old.path}: has no calls with sizes. {asked}")
    try:
        found = _captured(old, new, command, wanted.about)
    except VerificationError as error:
        raise VerificationError(f"{error}\nOr give sizes. {asked}") from None
    note = f"no --args: the launches are those of `{' '.join(command[1:])}`"
    return replace(found, notes=(note, *found.notes))


def _captured(
    old: source.Module, new: source.Module, command: Sequence[str], about: str | None
) -> Subjects:
    """The kernels that a command launches, each as it was launched."""
    kernels = {k.name for module in (old, new) for k in module.kernels}
    changed = changed_definitions(old, new)
    if changed is None or changed - kernels:
        names = ", ".join(sorted((changed or set()) - kernels)) or "the file outside its functions"
        raise VerificationError(
            f"{new.path}: {names} changed as well, so a launch of one version cannot run "
            "the other: give --args, and the launcher itself is timed"
        )
    ended, launches = recorded(old, command)
    shown = " ".join(command)
    notes = [f"`{shown}` ended with exit status {ended.status}"] if ended.status else []
    found: list[Subject] = []
    for name, seen in launches.items():
        if about is None or about == name:
            found += subjects_of_launches(old, new, name, seen, notes)
    if not found:
        made = f"{ended.shown} made no launch"
        if ended.blind:
            raise VerificationError(
                f"{made} of a kernel of {old.path} that tritonopt could see: {ended.blind}"
            )
        notes += [] if launches else [ended.limits]
        raise VerificationError(
            f"{made} that can be made again of a kernel of {old.path}"
            + "".join(f"\n  {note}" for note in notes)
        )
    return Subjects(tuple(found), tuple(notes))


def subjects_of_launches(
    old: source.Module,
    new: source.Module,
    name: str,
    launches: Sequence[Mapping[str, Any]],
    notes: list[str],
) -> Iterator[Subject]:
    """The different launches of one kernel, those of one form together."""
    forms: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for launch in _different(launches):
        try:
            form = generalize([launch])
        except NotGeneral as reason:
            notes.append(f"{name}: a launch cannot be repeated: {reason}")
            continue
        forms.setdefault((form.grid, form.args), []).append(launch)
    for (grid, args), same in forms.items():
        before, after, (task,) = kernel_alone(old, new, name, grid, args)
        signature = signature_of(task)
        calls = [seen_call(signature, launch) for launch in same]
        yield replace(_subject(task, before, after, calls), launcher=task.launcher.name)


def _different(launches: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The launches, each once; where their memory is does not count, but which share it."""
    found: dict[str, Mapping[str, Any]] = {}
    for launch in launches:
        places: dict[str, int] = {}
        arguments = {
            name: {**value, "memory": places.setdefault(str(value["memory"]), len(places))}
            if "memory" in value
            else value
            for name, value in launch["arguments"].items()
        }
        found.setdefault(json.dumps({**launch, "arguments": arguments}, sort_keys=True), launch)
    return list(found.values())


def seen_call(signature: Signature, launch: Mapping[str, Any]) -> Call:
    """The call that makes this launch, or is like one that was seen."""
    sizes: dict[str, int] = {}
    for tensor in signature.tensors:
        shape = launch["arguments"][tensor.name]["shape"]
        for name, size in zip(tensor.shape, shape, strict=True):
            if isinstance(name, str):
                sizes[name] = size
    call = Call(one_form(signature), sizes)
    strides = {}
    for name, recipe in call.example.arguments:
        if isinstance(recipe, TensorRecipe):
            own = tuple(launch["arguments"][name]["strides"])
            if own != strides_of(recipe.shape, CONTIGUOUS):
                strides[name] = own
    return replace(call, strides=strides)
