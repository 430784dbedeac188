"""Runs a user's command with a module of ours installed first in each of its Python processes.

Python imports `sitecustomize` before anything of the command; ours calls `install` of the module,
and leaves a file that says so. Where no process left one, nothing of the command could be seen.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from tritonopt.verification.errors import VerificationError

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
    command: Sequence[str], module: str, plan: Mapping[str, object], variable: str, folder: Path
) -> Watched:
    """Run the command; the environment variable names a file in the folder with the plan as JSON.

    Raises VerificationError where the command cannot be started.
    """
    file = folder / "plan.json"
    file.write_text(json.dumps(plan), encoding="utf-8")
    started = folder / _STARTED
    started.mkdir()
    environment = {**_environment(module, folder), variable: str(file)}
    shown = shlex.join(command)
    sys.stdout.flush()
    try:
        # Its output is no part of the report.
        status = subprocess.run(command, env=environment, stdout=2).returncode
    except OSError as error:
        raise VerificationError(f"`{shown}` cannot be started: {error.strerror}") from None
    told = [each.read_text(encoding="utf-8") for each in sorted(started.iterdir())]
    failures = [text for text in told if text]
    shown = f"`{shown}` (exit status {status})"
    return Watched(shown, status, len(told) - len(failures), "".join(failures[:1]))


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
# Whoever had this name before keeps it. A folder before ours has had its turn.
folders = [os.path.abspath(p) for p in sys.path]
rest = sys.path[folders.index(here) + 1 :] if here in folders else []
spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
if spec is not None and spec.loader is not None:
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
'''
