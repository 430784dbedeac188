"""What the kernels of a call need as machine code, for GPUs that need not be here.

The workers of a verification with the `compile` backend do it. Nothing is run, and what stands in
the arguments does not matter, so calls with gigabytes are made smaller: the compiler is told of
a size only whether 16 divides it, and what the launcher makes a constant of.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass

from tritonopt.measurement.results import Compiled, Row
from tritonopt.tuning.calls import Call
from tritonopt.tuning.session import said
from tritonopt.tuning.timing_server import Version
from tritonopt.verification.process.client import Died, Refusal, VersionWorker
from tritonopt.verification.process.messages import VersionSpec

_TIMEOUT = 600.0
"""Seconds for the kernels of one call, on all targets."""
_MOST_BYTES = 2**26


@dataclass
class Compiling:
    """Versions of a launcher in workers that compile what it launches."""

    versions: dict[str, VersionWorker]

    @staticmethod
    def of(versions: list[Version], stack: ExitStack) -> Compiling:
        """Workers that live as long as the stack."""
        workers = {}
        for v in versions:
            text = v.text, v.text_path
            spec = VersionSpec(v.name, v.path, *text, "compile", v.launcher, v.autograd)
            workers[v.name] = VersionWorker(spec, _TIMEOUT)
            stack.callback(workers[v.name].close)
        return Compiling(workers)

    def row(self, launcher: str, call: Call) -> Row:
        """The kernels that a call launches, in every version."""
        compiled: list[Compiled] = []
        failures: dict[str, str] = {}
        small = call.smaller(_MOST_BYTES)
        for name, worker in self.versions.items():
            try:
                compiled += _programs(name, worker, small)
            except (Refusal, Died) as error:
                failures[name] = said(error.failure)
        notes: tuple[str, ...] = ()
        if small.sizes != call.sizes:
            changed = (n for n in call.sizes if call.sizes[n] != small.sizes[n])
            text = ", ".join(f"{n} = {small.sizes[n]}" for n in changed)
            notes = (f"compiled for {text}: the compiler is not told how large it is",)
        return Row(
            launcher,
            call.label,
            call.sizes,
            failures=failures,
            compiled=tuple(compiled),
            notes=notes,
        )


def _programs(name: str, worker: VersionWorker, call: Call) -> list[Compiled]:
    """What this call launches. Raises Refusal and Died."""
    worker.ask("compile", call.example)
    launches, programs = worker.answer()
    launched = {(launch.kernel, launch.signature) for launch in launches}
    wanted = [p for p in programs if (p.kernel, p.signature) in launched]
    worker.ask("statistics", tuple((p.kernel, p.signature, p.target) for p in wanted))
    return [
        Compiled(name, p.kernel, p.target, numbers, p.failure, p.digest)
        for p, numbers in zip(wanted, worker.answer(), strict=True)
    ]
