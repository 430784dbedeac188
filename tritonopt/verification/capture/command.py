"""`tritonopt verify A B -- COMMAND`: the user's own run, with every launch recorded."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any

from tritonopt import source
from tritonopt.verification.capture import recording
from tritonopt.verification.capture.generalize import NotGeneral
from tritonopt.verification.capture.recording import Plan
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.inputs.examples import (
    ArgumentRecipe,
    Example,
    Held,
    PlainValue,
    Several,
    TensorRecipe,
)
from tritonopt.verification.signature.argument_language import short_name
from tritonopt.verification.signature.kernel_launcher import LAUNCH
from tritonopt.verification.signature.launchers import changed_definitions


@dataclass
class Captured:
    """What was seen of a command."""

    status: int = 0
    launches: dict[str, int] = field(default_factory=dict)
    """Of every kernel, how many launches can be made again."""
    records: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    """The different ones, as `recording` writes them down."""
    skipped: list[str] = field(default_factory=list)


def capture(
    old: source.Module, new: source.Module, command: Sequence[str], folder: str
) -> Captured:
    """Run the command and read what its processes report; memory is kept in the folder.

    Raises VerificationError where nothing can be compared: launchers that changed too, a
    command that cannot be started, or that never launches a kernel of the file.
    """
    _check(old, new)
    kept = {k.qualname for k in new.kernels}
    names = tuple(k.name for k in old.kernels if k.qualname == k.name and k.name in kept)
    plan = asdict(Plan({os.path.realpath(old.path): names}, memory=folder))
    seen, reports = watched(command, recording.__name__, plan, recording.VARIABLE)
    found = Captured(seen.status)
    for line in chain.from_iterable(reports):
        kernel = line["kernel"]
        if "skipped" in line:
            found.skipped.append(f"{kernel}: {line['skipped']}")
            continue
        found.launches[kernel] = found.launches.get(kernel, 0) + 1
        if "launch" in line:
            found.records.setdefault(kernel, []).append(line)
    if not found.launches and not found.skipped:
        if seen.blind:
            raise VerificationError(
                f"{seen.shown}: whether it launches a kernel of {old.path} is not known: "
                f"{seen.blind}."
            )
        raise VerificationError(
            f"{seen.shown} never launched a kernel of {old.path} "
            f"({', '.join(names)}). Run something that does, with this very file: an installed "
            "copy of it does not count. Without a GPU set TRITON_INTERPRET=1, and see that "
            f"nothing skips the tests. {seen.limits}."
        )
    return found


def call_of(kernel: str, line: Mapping[str, Any]) -> tuple[str, Example]:
    """A launcher, as text, and the call of it that is a recorded launch; raises NotGeneral."""
    launch, number = line["launch"], line["configuration"]
    tuned = launch.get("tuned") or [launch]
    grid = tuned[number if launch.get("tuned") else 0]["grid"] if number < len(tuned) else None
    if grid is None:
        raise NotGeneral("its grid could not be computed")
    recipes: dict[str, ArgumentRecipe] = {}
    written = []
    for name, value in launch["arguments"].items():
        recipe = _recipe(value, line["memory"])
        if recipe is None and "text" not in value:
            raise NotGeneral(f"`{name}` is a {value['other']}")
        if recipe is not None:
            recipes[name] = recipe
        written.append(f"{name}={value['text'] if recipe is None else name}")
    written += [f"{n}={v['value']!r}" for n, v in line["options"].items() if "value" in v]
    text = (
        f"def {LAUNCH}{kernel}({', '.join([*recipes, 'grid'])}):\n"
        "    import triton.language\n"
        f"    {kernel}[grid]({', '.join(written)})\n"
    )
    recipes["grid"] = PlainValue(tuple(grid))
    return text, Example(tuple(recipes.items()), configuration=number)


def _recipe(value: Mapping[str, Any], memory: Sequence[str]) -> ArgumentRecipe | None:
    if "shape" in value:
        number, offset = value["memory"]
        held = Held(memory[number], number, offset, tuple(value["strides"]))
        return TensorRecipe(short_name(value["dtype"]), tuple(value["shape"]), held=held)
    if "parts" in value:
        parts = (_recipe(part, memory) for part in value["parts"])
        return Several(tuple(p for p in parts if isinstance(p, TensorRecipe)), as_tuple=True)
    return PlainValue(value["value"]) if "value" in value else None


def recorded(
    module: source.Module, command: Sequence[str]
) -> tuple[Watched, dict[str, list[Mapping[str, Any]]]]:
    """Run the command; how it ended, and the launches that it makes of the file's kernels.

    A launch is described as in `Captured.records`, those of the same sizes once.
    Raises VerificationError where the command cannot be started.
    """
    seen, found = recorded_of([module], command)
    return seen, found.get(os.path.realpath(module.path), {})


def recorded_of(
    modules: Sequence[source.Module], command: Sequence[str]
) -> tuple[Watched, dict[str, dict[str, list[Mapping[str, Any]]]]]:
    """The same for several files in one run, by their real paths."""
    names = {
        os.path.realpath(module.path): [k.name for k in module.kernels if k.qualname == k.name]
        for module in modules
    }
    plan = asdict(Plan(names))
    seen, reports = watched(command, recording.__name__, plan, recording.VARIABLE)
    found: dict[str, dict[str, list[Mapping[str, Any]]]] = {}
    more: list[str] = []
    for line in chain.from_iterable(reports):
        of_kernel = found.setdefault(line["path"], {}).setdefault(line["kernel"], [])
        if line["launch"] is not None:
            of_kernel.append(line["launch"])
        else:
            more.append(line["kernel"])
    return replace(seen, more=tuple(dict.fromkeys(more))), found


def _check(old: source.Module, new: source.Module) -> None:
    """Launch by launch only kernels can be compared: what launches them must be the same."""
    changed = changed_definitions(old, new)
    kernels = {k.name for module in (old, new) for k in module.kernels}
    others = (changed or set()) - kernels
    if others:
        raise VerificationError(
            f"{new.path}: {', '.join(sorted(others))} changed as well, so a launch of one "
            "version cannot run the other. Verify the launcher itself: leave out `-- COMMAND`."
        )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            # Cut off by the end of the process.
            return


# Running a user's command with a module of ours installed first in each of its Python processes.
#
# Python imports `sitecustomize` before anything of the command; ours calls `install` of the module,
# and leaves a file that says so. Where no process left one, nothing of the command could be seen.

_STARTED = "started"
"""A folder beside `sitecustomize`: every process writes a file of its own there."""

_NOT_WATCHED = (
    "tritonopt cannot watch python -S, -I or -E, or a Python that starts without the PYTHONPATH "
    "that tritonopt sets (tox, `env -i`, sudo, a container), or with another `sitecustomize` "
    "ahead on it"
)


@dataclass(frozen=True)
class Watched:
    """A command that has ended."""

    shown: str
    """The command and its exit status, as a message has them."""
    status: int
    processes: int
    """Python processes in which `install` ran to its end."""
    failure: str = ""
    """An error that kept it from running in another one, or nothing."""
    more: tuple[str, ...] = ()
    """Kernels with too many different launches to record them all."""

    @property
    def blind(self) -> str:
        """Why nothing of the command could be seen, and what to do; or nothing."""
        if self.processes:
            return ""
        if self.failure:
            return (
                f"its Python fails to load tritonopt ({self.failure}). Run it with Python 3.10 or "
                "later, and with what tritonopt needs"
            )
        return (
            f"no Python process of it loaded tritonopt. {_NOT_WATCHED}. Run the command without "
            "these"
        )

    @property
    def limits(self) -> str:
        """What may have run unseen, after what was not seen in the processes that were watched."""
        number = f"{self.processes} Python process" + ("es" if self.processes > 1 else "")
        return f"Watched: {number}. {_NOT_WATCHED}"


def watched(
    command: Sequence[str], module: str, plan: Mapping[str, object], variable: str
) -> tuple[Watched, list[list[dict[str, Any]]]]:
    """Run the command; how it ended, and the lines of JSON that each of its processes reports.

    The environment variable names a file with the plan as JSON, in which `reports` is a folder.
    Raises VerificationError where the command cannot be started.
    """
    shown = shlex.join(command)
    sys.stdout.flush()
    with tempfile.TemporaryDirectory(prefix="tritonopt-") as name:
        folder = Path(name)
        file, reports, started = (folder / n for n in ("plan.json", "reports", _STARTED))
        file.write_text(json.dumps({**plan, "reports": str(reports)}), encoding="utf-8")
        reports.mkdir()
        started.mkdir()
        environment = {**_environment(module, folder), variable: str(file)}
        try:
            # Its output is no part of the report.
            status = subprocess.run(command, env=environment, stdout=2).returncode
        except OSError as error:
            raise VerificationError(f"`{shown}` cannot be started: {error.strerror}") from None
        told = [each.read_text(encoding="utf-8") for each in sorted(started.iterdir())]
        lines = [list(_lines(report)) for report in sorted(reports.iterdir())]
    failures = [text for text in told if text]
    shown = f"`{shown}` (exit status {status})"
    return Watched(shown, status, len(told) - len(failures), "".join(failures[:1])), lines


def _environment(module: str, folder: Path) -> dict[str, str]:
    """The environment of the command; writes `sitecustomize` into the folder."""
    (folder / "sitecustomize.py").write_text(_SITECUSTOMIZE.replace("MODULE", module))
    root = str(Path(str(files("tritonopt"))).resolve().parent)
    before = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([str(folder), root, *([before] if before else [])])
    return {**os.environ, "PYTHONPATH": path}


_SITECUSTOMIZE = f'''\
"""Sees the launches of kernels; made by `tritonopt ... -- COMMAND`."""
import importlib.machinery
import importlib.util
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
try:
    from MODULE import install
    install()
    failure = ""
except Exception as error:
    failure = "Python %s: %s: %s" % (sys.version.split()[0], type(error).__name__, error)
try:
    with open(os.path.join(here, "{_STARTED}", str(os.getpid())), "w", encoding="utf-8") as file:
        file.write(failure)
except OSError:
    pass  # the command has ended, and this process outlives it
# Whoever had this name before keeps it. Folders ahead of ours were searched before.
folders = [os.path.abspath(p) for p in sys.path]
rest = sys.path[folders.index(here) + 1 :] if here in folders else []
spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
if spec is not None and spec.loader is not None:
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
'''
