"""What is to be tuned, as plain data: one launcher, its calls, and what may be tried.

A request is one task for one GPU (the first of CUDA_VISIBLE_DEVICES). It can be sent to another
process or another machine that has the file, the packages it imports, and the store.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tritonopt.measurement.timing import Effort
from tritonopt.tuning import session
from tritonopt.tuning.calls import Call
from tritonopt.tuning.proving.verifying import SERVER


@dataclass(frozen=True)
class Request:
    """The tuning of one launcher."""

    path: str
    """Absolute."""
    text: str = field(repr=False)
    launcher: str
    """A function or autograd function of the file."""
    calls: tuple[Call, ...] = field(repr=False)
    args: str | None = None
    """What a verification draws from, as `--args` without numbers; None for what the file says."""
    otherwise: tuple[str | None, ...] = ()
    """What else it may draw from, one after the other, as long as it comes to no answer: what was
    seen of calls may not run all that differs, or may be what the launcher does not take."""
    assume: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    """Absolute paths of the files that were given with it, which may use what it has."""
    by_position: bool = False
    """Whether the launcher takes no names: an autograd function."""
    passes: str = ""
    """The passes that may be tried, as after `--passes`; "" for all."""
    parameters: bool = True
    """Whether tile sizes, num_warps and the like are varied as well."""
    budget: float = 600.0
    """Seconds for everything."""
    effort: Effort = Effort()
    """Of the fresh measurement, by which a result is accepted."""
    examples: int = 100
    """Of a verification, at most."""
    backend: str = "auto"
    """Where it runs."""
    timeout: float = 120.0
    """Seconds for the first call of a version, which may compile and tune."""
    gpu: bool = True
    """Whether anything is timed; else the variants are compiled, for GPUs that need not be here."""
    store: str = ""
    """The path of the store; "" for none."""
    server: str = session.SERVER
    """The module that serves in the worker that times."""
    verifier: str = SERVER
    """The module that serves in the workers that verify."""
