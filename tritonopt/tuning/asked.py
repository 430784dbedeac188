"""From files to what is asked of each launcher: requests with the calls to time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tritonopt import source
from tritonopt.tuning.calls import Call
from tritonopt.tuning.requests import Request
from tritonopt.tuning.shapes import how_to, without_sizes
from tritonopt.tuning.subjects import Wanted, own_command, seen_call, signature_of, subjects_of
from tritonopt.verification.capture.generalize import NotGeneral
from tritonopt.verification.capture.seen_calls import seen_calls
from tritonopt.verification.capture.seen_forms import SeenForm
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.signature.argument_language import Signature, parse
from tritonopt.verification.signature.launchers import Launcher, Launchers
from tritonopt.verification.tasks import read_module, tasks_of


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
        old = read_module(wanted.before)
        if wanted.command or (wanted.runs and wanted.args is None and _needs_sizes(old, wanted)):
            return _seen(old, wanted, like)
        fitting = _fitting(old, wanted)
        every = [subjects_of(replace(wanted, launcher=launcher)) for launcher in fitting]
    except VerificationError as error:
        return Asked(errors=(str(error),))
    args = None if wanted.args is None else without_sizes(wanted.args).text
    notes = tuple(note for subjects in every for note in subjects.notes)
    requests = tuple(
        replace(
            _of_file(old, wanted, like),
            launcher=subject.launcher,
            by_position=subject.autograd,
            calls=subject.calls,
            args=args,
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
    launchers = Launchers(module)
    among = launchers.outermost() if wanted.about is None else launchers.reaching(wanted.about)
    fitting: list[str | None] = [
        x.name
        for x in among
        if {p.arg for p in x.parameters} - set(x.defaults) <= given <= {p.arg for p in x.parameters}
    ]
    return fitting or [None]


def _of_file(module: source.Module, wanted: Wanted, like: Request) -> Request:
    path = str(Path(wanted.before).resolve())
    return replace(like, path=path, text=module.text, assume=wanted.assume)


def _needs_sizes(module: source.Module, wanted: Wanted) -> bool:
    """Whether what the file says of its launchers leaves open how large anything is."""
    tasks = tasks_of(Launchers(module), module, wanted.launcher, None, wanted.about)
    return any(signature_of(task).size_names for task in tasks)


def _seen(module: source.Module, wanted: Wanted, like: Request) -> Asked:
    """The calls that a command makes, or the file itself where it is run."""
    command = wanted.command or own_command(module)
    launchers = Launchers(module)
    chosen = [launchers.named(wanted.launcher)] if wanted.launcher else launchers.outermost()
    if wanted.about:
        chosen = launchers.reaching(wanted.about)
    if command is None:
        asked = how_to(signature_of(tasks_of(launchers, module, chosen[0].name, None)[0]))
        raise VerificationError(f"{module.path}: shows no sizes. {asked}")
    status, seen = seen_calls(module, command)
    shown = " ".join(command)
    notes = [f"{module.path}: the calls are those of `{shown}`"] if not wanted.command else []
    if status:
        notes.append(f"`{shown}` ended with exit status {status}")
    requests = []
    for launcher in chosen:
        calls, args = _calls(seen.get(launcher.name, []), launcher, notes)
        if calls:
            of_file = _of_file(module, wanted, like)
            drawn = _drawn_from(module, launcher, args)
            requests.append(
                replace(
                    of_file,
                    launcher=launcher.name,
                    by_position=launcher.autograd,
                    calls=calls,
                    args=drawn,
                    seen=drawn is not None,
                )
            )
    if not requests:
        lines = "".join(f"\n  {note}" for note in notes)
        names = ", ".join(launcher.name for launcher in chosen) or "a launcher"
        raise VerificationError(
            f"`{shown}` (exit status {status}) made no call of {names} that can be made again. "
            f"Give --args with sizes{lines}"
        )
    return Asked(tuple(requests), tuple(notes))


def _calls(
    seen: Sequence[Mapping[str, Any]], launcher: Launcher, notes: list[str]
) -> tuple[tuple[Call, ...], str]:
    """The calls, and the arguments of the most that are alike, as a verification draws them."""
    alike: dict[object, list[dict[str, Any]]] = {}
    for one in seen:
        arguments = dict(one["arguments"])
        if launcher.autograd:
            arguments.pop(next(iter(arguments), ""), None)  # the context
        ranks = tuple((n, len(v["shape"])) for n, v in arguments.items() if "shape" in v)
        alike.setdefault(ranks, []).append(arguments)
    calls: dict[str, Call] = {}
    drawn = ""
    for group in sorted(alike.values(), key=len, reverse=True):
        try:
            form = SeenForm.of(group)
            for text, arguments in zip(form.each(), group, strict=True):
                call = seen_call(parse(text), {"arguments": arguments})
                calls.setdefault(call.label, call)
            drawn = drawn or form.all_together()
        except (NotGeneral, VerificationError) as error:
            notes.append(f"{launcher.name}: a call cannot be made again: {error}")
    return tuple(calls.values()), drawn


def _drawn_from(module: source.Module, launcher: Launcher, args: str) -> str | None:
    """What a verification draws from: what is written in the file, or else what was seen."""
    (task,) = tasks_of(Launchers(module), module, launcher.name, None)
    return None if isinstance(task.arguments, Signature) else args
