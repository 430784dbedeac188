"""`bench`: what two versions of a file take, call by call, on this GPU."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tritonopt import install_command
from tritonopt.measurement.results import Comparison, Machine, Row
from tritonopt.measurement.timing import Effort
from tritonopt.tuning.compiling.compiled_code import Compiling
from tritonopt.tuning.session import Session
from tritonopt.tuning.subjects import Subject, Wanted, subjects_of
from tritonopt.tuning.timing_server import Version
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.process.client import Died, Refusal

BEFORE, AFTER = "before", "after"
"""How the versions are called in what is reported."""


class NoGpu(Exception):
    """There is nothing to time on; the message says what can be done without."""


@dataclass(frozen=True)
class Progress:
    """Where a run is; given to its callback before every call."""

    done: int
    of: int
    label: str


def bench(
    before: Path | str,
    after: Path | str | None = None,
    *,
    launcher: str | None = None,
    about: str | None = None,
    kernel: str | None = None,
    grid: str | None = None,
    args: str | None = None,
    assume: Sequence[str] = (),
    command: Sequence[str] = (),
    effort: Effort | None = None,
    timeout: float = 120.0,
    gpu: bool = True,
    progress: Callable[[Progress], None] | None = None,
) -> Comparison:
    """Time the launcher of two versions of a file in turn, or of one file alone.

    What is called is told as to `verify`; behind the names of sizes in `args` stand the numbers
    to time (`x: f16[m=1024..65536*4, n=4096]`). `timeout` seconds may a first call take, in
    which kernels are compiled and tuned. Without `gpu` nothing runs: kernels are compiled, and
    what they need is told. What fails for a call is told in its row. Raises VerificationError for
    what the caller did wrong, and NoGpu.
    """
    _check_installed()
    if gpu:
        check_gpu()
    asked = Wanted(
        Path(before),
        None if after is None else Path(after),
        launcher,
        about,
        kernel,
        grid,
        args,
        tuple(assume),
        tuple(command),
        runs=gpu,
    )
    return _Run(asked, effort or Effort(), timeout, progress).comparison()


def _check_installed() -> None:
    needed = ("torch", "triton", "hypothesis", "numpy")
    if missing := [name for name in needed if importlib.util.find_spec(name) is None]:
        raise VerificationError(
            f"this runs the kernels, and needs {', '.join(missing)}: {install_command('verify')}"
        )


def check_gpu() -> None:
    """Raises NoGpu where there is none."""
    session = Session(())
    try:
        there = session.has_gpu()
    except (Died, Refusal) as error:
        raise VerificationError(f"torch cannot be used here: {error}") from None
    finally:
        session.close()
    if not there:
        raise NoGpu(
            "torch finds no GPU here, and timing needs one. --no-gpu compiles the kernels "
            "without one, and shows what they need"
        )


@dataclass
class _Run:
    """One comparison, and what was found by now."""

    asked: Wanted
    effort: Effort
    timeout: float
    progress: Callable[[Progress], None] | None
    of: int = 0
    rows: list[Row] = field(default_factory=list)
    machine: Machine | None = None

    def comparison(self) -> Comparison:
        found = subjects_of(self.asked)
        self.of = sum(len(subject.calls) for subject in found.subjects)
        for subject in found.subjects:
            (self.time if self.asked.runs else self.compile)(subject)
        both = ((BEFORE, self.asked.before), (AFTER, self.asked.after))
        paths = {name: str(path) for name, path in both if path is not None}
        return Comparison(
            tuple(paths), tuple(paths.values()), tuple(self.rows), self.machine, found.notes
        )

    def versions(self, subject: Subject) -> list[Version]:
        path = str(self.asked.before.resolve())
        what = subject.launcher, subject.autograd
        found = [Version(BEFORE, path, subject.before.text, path, *what)]
        if self.asked.after is not None:
            there = str(self.asked.after.resolve())
            found.append(Version(AFTER, path, subject.after.text, there, *what))
        return found

    def time(self, subject: Subject) -> None:
        session = Session(self.versions(subject), self.timeout)
        try:
            for call in subject.calls:
                self._report(call.label)
                row = session.row(subject.launcher, call, self.effort)
                self.rows.append(session.described(row))
            if session.worker.process is not None:
                self.machine = session.machine()
        except Died:
            pass  # what it had measured before is told all the same
        finally:
            session.close()

    def compile(self, subject: Subject) -> None:
        with ExitStack() as stack:
            compiling = Compiling.of(self.versions(subject), stack)
            for call in subject.calls:
                self._report(call.label)
                self.rows.append(compiling.row(subject.launcher, call))

    def _report(self, label: str) -> None:
        if self.progress is not None:
            self.progress(Progress(len(self.rows), self.of, label))
