"""`tritonopt verify A B -- COMMAND`: the user's own run, with every launch shadowed."""

from __future__ import annotations

import ast
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
from tritonopt.source.trees import names_in
from tritonopt.verification.capture import shadowing
from tritonopt.verification.capture.shadowing import Plan
from tritonopt.verification.comparison.compare import FACTOR, TOLERANCE, UNITS
from tritonopt.verification.comparison.widening import widen
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.signature.launchers import changed_definitions


@dataclass
class _Errors:
    """The errors of one output over all launches; residuals as in `compare.Measure`."""

    worst: Mapping[str, Any]
    """The measure of the largest residual that the rewritten version shows."""
    told: str
    """What it would be as a difference."""
    original_residual: float
    error: float
    original_error: float


@dataclass
class Captured:
    """What was seen of a command."""

    status: int = 0
    backend: str = ""
    launches: dict[str, int] = field(default_factory=dict)
    """Of every kernel, how many were compared."""
    errors: dict[tuple[str, str, str, bool], _Errors] = field(default_factory=dict)
    """By kernel, output, its type, and whether they were measured against float64."""
    identical: bool = True
    difference: str = ""
    """The first one, with the launch that shows it."""
    differing: str = ""
    """The kernel that it was found in."""
    skipped: list[str] = field(default_factory=list)
    records: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    """Launches of every kernel, as `shadowing` describes them."""

    obstacles: Mapping[str, str] = field(default_factory=dict)
    """Kernels without a float64 copy, and why."""

    @property
    def worst_error(self) -> float | None:
        return max((e.error for e in self.errors.values()), default=None)

    @property
    def oracle_error(self) -> float | None:
        """The original's largest one, where it could be told."""
        found = (e.original_error for (_, _, _, oracle), e in self.errors.items() if oracle)
        return max(found, default=None)

    def without_oracle(self) -> Iterator[str]:
        """What was compared with the original itself, as notes."""
        limits = ", ".join(f"{d} {t:g}" for d, t in TOLERANCE.items())
        for name in dict.fromkeys(k for k, _, _, oracle in self.errors if not oracle):
            why = self.obstacles.get(name, f"the float64 copy of `{name}` could not be run")
            yield (
                f"compared with the original itself, within {limits} of the largest value of "
                f"the row: {why}"
            )

    @property
    def count(self) -> int:
        return sum(self.launches.values())


def capture(
    old: source.Module,
    new: source.Module,
    command: Sequence[str],
    *,
    identical: bool,
) -> Captured:
    """Run the command and read what its processes report; `identical` is without contraction.

    Raises VerificationError where nothing can be shadowed: launchers that changed too, a
    command that cannot be started, or that never launches a kernel of the file.
    """
    _check(old, new)
    kept = {k.qualname for k in new.kernels}
    names = tuple(k.name for k in old.kernels if k.qualname == k.name and k.name in kept)
    widened = widen(old)
    plan = Plan(
        os.path.realpath(old.path),
        _definitions(old, new),
        names,
        fusion=not identical,
        widened=widened.source,
        widened_names=tuple(n for n in widened.names if n not in widened.obstacles),
        atomic=tuple(sorted(_atomic(old) | _atomic(new))),
    )
    seen, reports = watched(command, shadowing.__name__, asdict(plan), shadowing.VARIABLE)
    found = Captured(seen.status, obstacles=widened.obstacles)
    for report in reports:
        _read(report, found)
    if not found.difference:
        found.difference, found.differing = _excess(found)
    if not found.count and not found.skipped:
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
    plan = asdict(Plan("", "", (), compares=False, others=names))
    seen, reports = watched(command, shadowing.__name__, plan, shadowing.VARIABLE)
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
            f"{new.path}: {', '.join(sorted(others))} changed as well, so a launch of the one "
            "version is none of the other's. Verify the launcher itself: leave out `-- COMMAND`."
        )


def _definitions(old: source.Module, new: source.Module) -> str:
    """What the rewritten kernels need of their file: kernels, imports, names that are new."""
    kernels = {id(k.node) for k in new.kernels}
    known = {ast.dump(s) for s in old.tree.body}
    parts = []
    for statement in new.tree.body:
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not future and id(statement) not in kernels and ast.dump(statement) in known:
            continue
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)) and id(statement) not in kernels:
            continue
        decorators = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(d.lineno for d in decorators)])
        end = new.lines.start((statement.end_lineno or first) + 1)
        parts.append(new.text[new.lines.start(first) : end])
    return "\n".join(parts)


def _atomic(module: source.Module) -> set[str]:
    """Kernels that use atomic operations, themselves or in a helper of the file."""
    bodies = {k.name: k.node for k in module.kernels}
    uses = {name: names_in(node) & bodies.keys() for name, node in bodies.items()}
    found = {
        name
        for name, node in bodies.items()
        if any(
            isinstance(n, ast.Call) and ".atomic_" in module.resolve(n.func) for n in ast.walk(node)
        )
    }
    while more := {name for name, used in uses.items() if used & found} - found:
        found |= more
    return found


def _excess(found: Captured) -> tuple[str, str]:
    """The first error that is larger than what the original shows, and its kernel; or nothing."""
    for (kernel, _, dtype, oracle), errors in found.errors.items():
        limit = FACTOR * errors.original_residual + (UNITS if oracle else TOLERANCE)[dtype]
        if errors.worst["residual"] > limit + errors.worst["allowance"]:
            against = "the float64 oracle" if oracle else "the original itself"
            return f"{errors.told}\n(against {against})", kernel
    return "", ""


def _remember(kernel: str, line: Mapping[str, Any], found: Captured) -> None:
    for measure in line.get("measures", ()):
        key = kernel, measure["label"], measure["dtype"], line["oracle"]
        told = _told(kernel, {**line, "difference": measure["difference"]})
        errors = found.errors.setdefault(key, _Errors(measure, told, 0.0, 0.0, 0.0))
        if measure["residual"] > errors.worst["residual"]:
            errors.worst, errors.told = measure, told
        for name in ("original_residual", "error", "original_error"):
            setattr(errors, name, max(getattr(errors, name), measure[name]))


def _read(report: Sequence[Mapping[str, Any]], found: Captured) -> None:
    begun = harmless = ""
    for line in report:
        if "backend" in line:
            found.backend = line["backend"]
            continue
        kernel = line["kernel"]
        if "begun" in line:
            # With a reason beside it, only if nothing comes after.
            begun, harmless = kernel, line.get("skipped", "")
            continue
        begun = ""
        if "skipped" in line:
            found.skipped.append(f"{kernel}: {line['skipped']}")
            continue
        if line["how"] not in ("", "identical", "equivalent"):
            found.skipped.append(f"{kernel}: {line['how']}")
            continue
        found.launches[kernel] = found.launches.get(kernel, 0) + 1
        found.identical = found.identical and line["how"] == "identical"
        if line["launch"] is not None:
            found.records.setdefault(kernel, []).append(line["launch"])
        _remember(kernel, line, found)
        if line["difference"] and not found.difference:
            found.difference, found.differing = _told(kernel, line), kernel
    if begun and harmless:
        found.skipped.append(f"{begun}: {harmless}")
    elif begun and not found.difference:
        found.launches[begun] = found.launches.get(begun, 0) + 1
        found.difference = f"{begun}: the process ended in the rewritten version of a launch"


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            # Cut off by the end of the process.
            return


def _told(kernel: str, line: Mapping[str, Any]) -> str:
    shown = []
    launch = line["launch"] or {"arguments": {}, "grid": None}
    for name, value in launch["arguments"].items():
        if "shape" in value:
            text = f"{value['dtype']}{value['shape']}, strides {value['strides']}"
        else:
            text = repr(value.get("value", value.get("other")))
        shown.append(f"  {name} = {text}")
    if launch["grid"] is not None:
        shown.append(f"  grid = {tuple(launch['grid'])}")
    return "\n".join([f"{kernel} was launched with", *shown, line["difference"]])


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
