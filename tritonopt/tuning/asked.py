"""From files to what is asked of each launcher: requests with the calls to time."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from tritonopt import source
from tritonopt.tuning.calls import Call
from tritonopt.tuning.requests import Request
from tritonopt.tuning.shapes import (
    how_to,
    scaled_forms,
    usual_calls,
    with_numbers,
    without_sizes,
)
from tritonopt.tuning.shown import commands_of
from tritonopt.tuning.subjects import Wanted, seen_call, signature_of, subjects_of
from tritonopt.verification.capture.generalize import NotGeneral
from tritonopt.verification.capture.seen_calls import (
    SeenForm,
    drawn_forms,
    related_forms,
    seen_calls,
)
from tritonopt.verification.coverage.text_differences import whole_numbers
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.signature.argument_language import Signature
from tritonopt.verification.signature.argument_parser import assumed, parse
from tritonopt.verification.signature.launchers import Launcher, Launchers, method
from tritonopt.verification.signature.tile_parameters import tile_parameters
from tritonopt.verification.tasks import read_module, tasks_of


@dataclass(frozen=True)
class _Seen:
    """Calls of a launcher, and the arguments as a verification may draw them: those of the most
    that are alike first."""

    calls: tuple[Call, ...]
    wide: tuple[tuple[str, ...], ...]
    """With every size free; and then, where some held, but for facts that the launcher may need."""
    narrow: tuple[str, ...]
    """With rows as long as those that were seen, and fewer of them; see `scaled_forms`."""


@dataclass(frozen=True)
class Asked:
    """What came of one file."""

    requests: tuple[Request, ...] = ()
    notes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def requests_of(wanted: Wanted, like: Request) -> Asked:
    """One request for every launcher of a file, with the options of `like`.

    A file that shows no calls is an error that says what to write.
    """
    try:
        if wanted.command and (wanted.args is not None or wanted.assume):
            raise VerificationError(
                "with `-- COMMAND` the command chooses the calls, not --args or --assume"
            )
        old = read_module(wanted.before)
        if not Launchers.of(old).found:
            kernels = ", ".join(k.name for k in old.kernels) or "a kernel"
            raise VerificationError(
                f"{old.path}: no function of this file launches {kernels}. Tune the file that has "
                "one; or add a function that takes tensors, launches it and returns what it wrote"
            )
        if wanted.command or (wanted.runs and wanted.args is None and _needs_sizes(old, wanted)):
            return _seen(old, wanted, like)
        fitting = _fitting(old, wanted)
        every = [subjects_of(replace(wanted, launcher=launcher)) for launcher in fitting]
    except (VerificationError, source.SourceError) as error:
        return Asked(errors=(str(error),))
    args, narrow = None, tuple[str, ...]()
    if wanted.args is not None:
        ranged = without_sizes(wanted.args)
        args, numbers = ranged.text, whole_numbers(old)
        narrow = tuple(scaled_forms(with_numbers(parse(args), ranged.sizes), numbers))
    notes = tuple(note for subjects in every for note in subjects.notes)
    requests = tuple(
        replace(
            _of_file(wanted, like),
            launcher=subject.launcher,
            by_position=subject.autograd,
            calls=subject.calls,
            args=args,
            otherwise=narrow,
        )
        for subjects in every
        for subject in subjects.subjects
    )
    return Asked(requests, notes)


def _fitting(module: source.Module, wanted: Wanted) -> list[str | None]:
    """The launchers that are meant; None for all that the file has.

    Arguments that are given are for each launcher that takes them, and needs no others.
    """
    if wanted.launcher is not None or wanted.args is None:
        return [wanted.launcher]
    given = {argument.name for argument in parse(without_sizes(wanted.args).text).arguments}
    launchers = Launchers.of(module)
    among = launchers.outermost() if wanted.about is None else launchers.reaching(wanted.about)
    fitting: list[str | None] = [
        x.name
        for x in among
        if {p.arg for p in x.parameters} - set(x.defaults) <= given <= {p.arg for p in x.parameters}
    ]
    return fitting or [None]


def _of_file(wanted: Wanted, like: Request) -> Request:
    # With the ends of its lines as they are, which a module that is only run does not have.
    text = source.read_file(wanted.before).text
    path = str(Path(wanted.before).resolve())
    return replace(like, path=path, text=text, assume=wanted.assume)


def _needs_sizes(module: source.Module, wanted: Wanted) -> bool:
    """Whether what the file says of its launchers leaves open how large anything is."""
    tasks = tasks_of(Launchers.of(module), module, wanted.launcher, None, wanted.about)
    return any(
        not isinstance(task.arguments, Signature)
        and task.arguments.unknown
        or signature_of(task).size_names
        for task in tasks
    )


def _seen(module: source.Module, wanted: Wanted, like: Request) -> Asked:
    """The calls that a command makes: the user's, or one that the file or its project has."""
    launchers = Launchers.of(module)
    chosen, inner = _chosen(launchers, wanted)
    names = ", ".join(launcher.name for launcher in chosen) or "a launcher"
    notes: list[str] = []
    for command in [wanted.command] if wanted.command else commands_of(module):
        ended, seen = seen_calls(module, command, chosen, inner)
        shown, left_out = " ".join(command), list[str]()
        requests = []
        for launcher in [*chosen, *_called_alone(launchers, inner, seen)]:
            again = _calls(seen.get(launcher.name, []), launcher, launchers, left_out)
            if again.calls:
                requests.append(_request(module, wanted, like, launcher, again))
        if requests:
            told = [] if wanted.command else [f"{module.path}: the calls are those of `{shown}`"]
            if ended.status:
                told.append(f"`{shown}` ended with exit status {ended.status}")
            found = {request.launcher for request in requests}
            if rest := [x.name for x in chosen if x.name not in found]:
                told.append(f"`{shown}` calls no {', '.join(rest)}: not tuned")
            return Asked(tuple(requests), (*told, *left_out))
        made = f"{ended.shown} made no call of {names} that can be repeated"
        if ended.blind:
            notes.append(f"{made} and that tritonopt could see: {ended.blind}")
            continue
        notes += [made, *left_out]
        if not seen:
            notes.append(f"{ended.limits}; nor, before Python 3.12, calls under a profiler")
    return _without_calls(module, wanted, like, chosen, notes)


def _chosen(launchers: Launchers, wanted: Wanted) -> tuple[list[Launcher], list[Launcher]]:
    """The launchers that are meant, those of backward passes behind the others; and those that
    the file itself calls."""
    if wanted.launcher:
        return [launchers.named(wanted.launcher)], []
    every = [*launchers.outermost(), *_of_backward(launchers)]
    inner = [x for x in launchers.found.values() if x not in every]
    if wanted.about is None:
        return every, inner
    kernel = wanted.about.partition(".")[0]
    reaching = [
        x for x in (*every, *inner) if kernel in launchers.reached(launchers.definition_of(x))
    ]
    return [x for x in reaching if x in every], [x for x in reaching if x in inner]


def _called_alone(
    launchers: Launchers, inner: Sequence[Launcher], seen: Mapping[str, object]
) -> Iterator[Launcher]:
    """Of those that the file itself calls, what the command called for kernels that nothing else
    of what it called runs: one of several overloads of an operator."""
    called = [x for x in launchers.found.values() if x.name in seen and x not in inner]
    run = set().union(*(_run_by(launchers, x) for x in called))
    # One that calls another one comes before it.
    among = [x for x in inner if x.name in seen]
    for launcher in sorted(among, key=lambda x: -len(_run_by(launchers, x))):
        if not (own := _run_by(launchers, launcher)) <= run:
            run |= own
            yield launcher


def _run_by(launchers: Launchers, launcher: Launcher) -> frozenset[str]:
    """The kernels of the file that a launcher may run."""
    kernels = {kernel.name for kernel in launchers.module.kernels}
    return launchers.reached(launchers.definition_of(launcher)) & kernels


def _of_backward(launchers: Launchers) -> list[Launcher]:
    """The functions that backward passes launch with, and that nothing else does.

    A call of an autograd function is a forward pass: of what only the other one runs there are no
    times in it.
    """
    found: dict[str, Launcher] = {}
    for node in launchers.definitions.values():
        backward = method(node, "backward") if isinstance(node, ast.ClassDef) else None
        if backward is None:
            continue
        assert isinstance(node, ast.ClassDef)
        forward = method(node, "forward")
        others = set() if forward is None else launchers.references(forward)
        reached = set().union(*map(launchers.reached, others))
        for name in sorted(launchers.references(backward) - reached):
            launcher = launchers.found.get(name)
            if launcher is not None and not launcher.autograd:
                found[name] = launcher
    return list(found.values())


def _request(
    module: source.Module,
    wanted: Wanted,
    like: Request,
    launcher: Launcher,
    seen: _Seen,
) -> Request:
    (task,) = tasks_of(Launchers.of(module), module, launcher.name, None)
    # What is written in the file comes first, then what was seen; what its code says goes before
    # what is known to be narrow. Facts do not: the launcher is called with most of what it takes.
    # But they may have held by chance, so what is shown without them goes before.
    widest, *others = seen.wide or ((),)
    first, *rest = (None,) if isinstance(task.arguments, Signature) else (*widest, None)
    forms = (*chain.from_iterable(others), *seen.narrow)
    return replace(
        _of_file(wanted, like),
        launcher=launcher.name,
        by_position=launcher.autograd,
        calls=seen.calls,
        args=first,
        otherwise=(*rest, *forms) if rest else (),
    )


def _without_calls(
    module: source.Module,
    wanted: Wanted,
    like: Request,
    chosen: Sequence[Launcher],
    notes: Sequence[str],
) -> Asked:
    """Calls of sizes that many have, where the file was named; else the error says what to write.

    Raises VerificationError.
    """
    launchers, requests, told = Launchers.of(module), [], [*notes]
    if wanted.usual and not wanted.command:
        for launcher in chosen:
            (task,) = tasks_of(launchers, module, launcher.name, None)
            try:
                signature = assumed(signature_of(task), wanted.assume)
            except VerificationError as error:
                told.append(str(error))
                continue
            if calls := tuple(usual_calls(signature)):
                of_file = _of_file(wanted, like)
                requests.append(
                    replace(
                        of_file,
                        launcher=launcher.name,
                        by_position=launcher.autograd,
                        calls=calls,
                    )
                )
                told.append(
                    f"{module.path}: no call of {launcher.name} was found: tuned for usual "
                    f"sizes. {how_to(signature)}"
                )
    if requests:
        return Asked(tuple(requests), tuple(told))
    if told:
        raise VerificationError("\n  ".join((f"{told[0]}. Give --args with sizes", *told[1:])))
    name = chosen[0].name if chosen else None
    asked = how_to(signature_of(tasks_of(launchers, module, name, None)[0]))
    raise VerificationError(f"{module.path}: has no calls with sizes. {asked}")


def _left_out(launcher: Launcher, calls: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The last parameters of an autograd function that had their defaults in every call.

    A backward pass returns a gradient for each argument that was passed, and those that
    nobody passes are easily forgotten there.
    """
    plain = launcher.function.args
    looks = "needs_input_grad" in ast.dump(launcher.definition)
    if not launcher.autograd or looks or plain.kwonlyargs:
        return  # it knows how many arguments there are, or some have no place among them
    pairs = zip(reversed((*plain.posonlyargs, *plain.args)), reversed(plain.defaults), strict=False)
    for parameter, default in pairs:
        had = {repr(call.get(parameter.arg, {}).get("value", NotGeneral)) for call in calls}
        is_only_one = any(len(call) == 1 for call in calls)
        if is_only_one or not isinstance(default, ast.Constant) or had != {repr(default.value)}:
            return
        yield parameter.arg


def _calls(
    seen: Sequence[Mapping[str, Any]], launcher: Launcher, launchers: Launchers, notes: list[str]
) -> _Seen:
    """The calls that can be made again; notes say of the others why not."""
    tiles, numbers = tile_parameters(launchers, launcher), whole_numbers(launchers.module)
    alike: dict[object, list[dict[str, Any]]] = {}
    for one in seen:
        arguments = dict(one["arguments"])
        if launcher.autograd:
            arguments.pop(next(iter(arguments), ""), None)  # the context
        ranks = tuple((n, len(v["shape"])) for n, v in arguments.items() if "shape" in v)
        alike.setdefault(ranks, []).append(arguments)
    calls: dict[str, Call] = {}
    wide: list[tuple[str, ...]] = []
    narrow: list[str] = []
    for group in sorted(alike.values(), key=len, reverse=True):
        for name in _left_out(launcher, group):
            for arguments in group:
                arguments.pop(name, None)
        try:
            form = SeenForm.of(group)
            for text, arguments in zip(form.each(), group, strict=True):
                call = seen_call(parse(text), {"arguments": arguments})
                calls.setdefault(call.label, call)
            forms = drawn_forms(group)
            wide.append((*forms[:1], *related_forms(group, tiles)))
            narrow += chain.from_iterable(scaled_forms(parse(f), numbers) for f in forms[1:])
        except (NotGeneral, VerificationError) as error:
            notes.append(f"{launcher.name}: a call cannot be repeated: {error}")
    return _Seen(tuple(calls.values()), tuple(filter(None, wide)), tuple(narrow))
