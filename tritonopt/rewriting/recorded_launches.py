"""Launches that a run of the user's made: kept in a file, and as evidence for a kernel.

What a run shows is evidence for the text of the kernel that ran, and no other. Through the edits
of one rewriting it holds for what the launches still pass as they did.
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tritonopt import source
from tritonopt.checks.condition import Condition, Safety, Status
from tritonopt.facts.host.launch_evidence import LaunchEvidence
from tritonopt.facts.launch_bindings import Recorded, RecordedLaunch
from tritonopt.rewriting.model import Site

VERSION = 1

_PLACE = re.compile(r"\(\d+, \d+, \d+, \d+\)|\d+, \d+, \d+, \d+")
"""In forms, where something stands that was not read."""


class RecordingError(ValueError):
    """A file of recorded launches that cannot be read."""


@dataclass(frozen=True)
class KernelLaunches:
    """The different launches of one kernel, as `verification.capture` describes them."""

    kernel: str
    digest: str
    """Of the kernel's text."""
    command: str
    launches: tuple[Mapping[str, Any], ...]

    def evidence(self, *, proves: bool) -> Recorded:
        """What they are for the facts of the kernel."""
        every = tuple(one for launch in self.launches for one in _numbers(launch))
        return Recorded(every, self.command, self.digest, proves)


Recordings = Mapping[str, tuple[KernelLaunches, ...]]
"""By the real path of a file."""


def made_by(
    command: str, module: source.Module, seen: Mapping[str, Sequence[Mapping[str, Any]]]
) -> tuple[KernelLaunches, ...]:
    """What a command showed of the kernels of a file: of those that their names tell apart."""
    names = Counter(kernel.name for kernel in module.kernels)
    return tuple(
        KernelLaunches(kernel.name, kernel.digest, command, tuple(_different(seen[kernel.name])))
        for kernel in module.kernels
        if kernel.qualname == kernel.name and names[kernel.name] == 1 and seen.get(kernel.name)
    )


def _different(launches: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The launches, each once, with numbers for the places of their memory."""
    found: dict[str, Mapping[str, Any]] = {}
    for launch in launches:
        places: dict[int, int] = {}
        arguments = {}
        for name, value in launch["arguments"].items():
            kept = {key: part for key, part in value.items() if key not in ("memory", "values")}
            if "memory" in value:
                kept["storage"] = places.setdefault(value["memory"][0], len(places))
            arguments[name] = kept
        told = {**launch, "arguments": arguments}
        found.setdefault(json.dumps(told, sort_keys=True), told)
    return list(found.values())


def _numbers(launch: Mapping[str, Any]) -> Iterator[RecordedLaunch]:
    """The launch under each configuration of its tuner."""
    given = launch["arguments"]
    storages = {name: value["storage"] for name, value in given.items() if "storage" in value}
    for tuned in launch.get("tuned") or [{"constants": {}, "grid": launch["grid"]}]:
        passed = {**given, **tuned["constants"]}
        numbers = {name: value["value"] for name, value in passed.items() if "value" in value}
        whole = {name: number for name, number in numbers.items() if type(number) is int}
        yield RecordedLaunch(whole, tuple(tuned["grid"] or ()), storages)


# The file


def read(path: Path) -> Recordings:
    """Raises RecordingError, with what is wrong, and OSError."""
    wrong = f"{path}: is not a file of recorded launches"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        version = data["version"]
        if version != VERSION:
            raise RecordingError(
                f"{path}: has recorded launches of version {version}, and this tritonopt reads "
                f"{VERSION}: record them again with `--launches {path} -- COMMAND`"
            )
        found: dict[str, tuple[KernelLaunches, ...]] = {}
        for one in data["kernels"]:
            own = os.path.realpath(path.parent / one["path"])
            launches = KernelLaunches(
                one["kernel"], one["source"], one["command"], tuple(one["launches"])
            )
            launches.evidence(proves=False)
            found[own] = (*found.get(own, ()), launches)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, RecordingError):
            raise
        raise RecordingError(f"{wrong}: record it with `--launches {path} -- COMMAND`") from None
    return found


def write(path: Path, recordings: Recordings) -> None:
    """Write the file, with paths of the kernels' files from its own folder."""
    kernels = [
        {
            "path": Path(os.path.relpath(own, os.path.realpath(path.parent))).as_posix(),
            "kernel": one.kernel,
            "source": one.digest,
            "command": one.command,
            "launches": one.launches,
        }
        for own, every in sorted(recordings.items())
        for one in every
    ]
    text = json.dumps({"version": VERSION, "kernels": kernels}, indent=1)
    path.write_text(f"{text}\n", encoding="utf-8")


# As evidence


def still_shown(
    recorded: Recorded | None, origin: source.Kernel, now: source.Kernel
) -> Recorded | None:
    """The evidence for what a kernel has become: of what its launches pass as they did."""
    if recorded is None or recorded.digest not in ("", origin.digest):
        return None
    if origin is now:
        return recorded
    before, after = _passed(origin), _passed(now)
    same = {name for name in after if before.get(name) == after[name]}
    return recorded.where_known(same, grid=before["grid of it"] == after["grid of it"])


def _passed(kernel: source.Kernel) -> dict[str, tuple[str, ...]]:
    """By parameter, what the launches pass, as text; and so the grid."""
    evidence = LaunchEvidence(kernel)
    found: dict[str, list[str]] = {p.name: [] for p in kernel.parameters}
    grids: list[str] = []
    for launch in evidence.launches:
        grids.append(ast.unparse(launch.grid))
        for name, passed in launch.arguments.items():
            found[name].append(ast.unparse(passed))
    for binding in evidence.bindings:
        grids.append(_text(binding.grid))
        for atom, form in binding.values.items():
            found.get(getattr(atom, "name", ""), []).append(_text(form))
    return {name: tuple(texts) for name, texts in (*found.items(), ("grid of it", grids))}


def _text(form: object) -> str:
    return _PLACE.sub("", str(form))


def resting(
    sites: Iterable[Site], without: Collection[Site], recorded: Recorded, module: source.Module
) -> Iterator[Site]:
    """The sites; those that are another rewrite without the recorded launches rest on them."""

    def rewritten(site: Site) -> str:
        return source.apply(module, site.changes) if site.changes else ""

    for site in sites:
        twins = (other for other in without if other.anchor is site.anchor)
        if not site.changes or rewritten(site) in map(rewritten, twins):
            yield site
            continue
        used = ", ".join(sorted(site.facts_used))
        detail = "the rewrite is legal" + (f" where {used}" if used else "")
        yield replace(
            site,
            safety=site.safety | {Safety.ASSUMPTION},
            conditions=(*site.conditions, rests_on(recorded.told, detail)),
        )


def rests_on(recorded: str, detail: str) -> Condition:
    """The condition of a site that rests on launches of a run."""
    told = f"{detail}, as in the recorded launches ({recorded}): no source shows it"
    return Condition("recorded-launches", Status.ASSUMED, told)
