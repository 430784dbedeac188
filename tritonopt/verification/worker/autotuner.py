"""Autotuned kernels take the configuration that the example names.

Timings differ from run to run, so they choose nothing here. Usually a call is made as by a
tuner that has chosen already. A *first* call is made as by one that has not: every
configuration runs once, with the hooks that restore and reset, before the chosen one does.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any

from tritonopt.verification.replacing import replaced


def tuners_of(kernel: Any) -> Iterator[Any]:
    """The autotuners in a chain of decorators, outermost first."""
    return filter(_is_tuner, layers_of(kernel))


def _is_tuner(layer: Any) -> bool:
    return isinstance(layer, importlib.import_module("triton.runtime.autotuner").Autotuner)


def layers_of(kernel: Any) -> Iterator[Any]:
    """A kernel and what its decorators wrap, outermost first."""
    seen: set[int] = set()
    while kernel is not None and id(kernel) not in seen:
        seen.add(id(kernel))
        yield kernel
        kernel = getattr(kernel, "fn", None)


@contextlib.contextmanager
def chosen(
    kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any], number: int, *, first: bool
) -> Iterator[int]:
    """Let every autotuner of the kernel take its configuration `number`, counted round.

    Yields how many configurations a tuner may choose from, after pruning.
    """
    tuners = list(tuners_of(kernel))
    configurations = [_allowed(tuner, args, kwargs) for tuner in tuners]
    with contextlib.ExitStack() as stack:
        for tuner, allowed in zip(tuners, configurations, strict=True):
            config = allowed[number % len(allowed)]
            if first and _measures_as_usual(tuner):
                stack.enter_context(_measuring(tuner, config))
            else:
                # A tuner with one configuration neither measures nor remembers.
                stack.enter_context(replaced(tuner, "configs", [config]))
        yield max(map(len, configurations), default=1)


def constants(
    kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, most: int = 8
) -> list[dict[str, Any]]:
    """What the decorators above a kernel may add to its arguments, one for each configuration."""
    given = {**dict(zip(getattr(kernel, "arg_names", ()), args, strict=False)), **kwargs}
    found: list[dict[str, Any]] = [{}]
    for layer in layers_of(kernel):
        if _is_tuner(layer):
            configs = _allowed(layer, args, kwargs)
            found = [{**before, **config.kwargs} for before in found for config in configs][:most]
        elif isinstance(getattr(layer, "values", None), dict):
            for known in found:
                for name, rule in layer.values.items():
                    known[name] = rule({**given, **known})
    return found


def chosen_by(tuner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
    """Which of its configurations, after pruning, a tuner has chosen."""
    best = getattr(tuner, "best_config", None)
    allowed = _allowed(tuner, args, kwargs)
    return next((at for at, config in enumerate(allowed) if config is best), 0)


def _allowed(tuner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """The configurations that are left after the user's own pruning."""
    with replaced(tuner, "nargs", dict(zip(tuner.arg_names, args, strict=False))):
        found = list(tuner.prune_configs(kwargs))
    return found or list(tuner.configs)


def _measures_as_usual(tuner: Any) -> bool:
    """Whether this is Triton's own tuner: others keep what they measure in files."""
    kind = importlib.import_module("triton.runtime.autotuner").Autotuner
    return type(tuner).run is kind.run and type(tuner)._bench is kind._bench


@contextlib.contextmanager
def _measuring(tuner: Any, config: Any) -> Iterator[None]:
    """Every configuration runs once, and `config` is found to be the quickest."""
    original = type(tuner)._bench

    def bench(*args: Any, config: Any, **meta: Any) -> Any:
        original(tuner, *args, config=config, **meta)
        return [0.0 if config is quickest else 1.0] * 3

    def run_once(call: Any, quantiles: Any = None) -> list[float]:
        call()
        return [1.0, 1.0, 1.0]

    quickest = config
    with (
        replaced(tuner, "cache", {}),
        replaced(tuner, "_bench", bench),
        replaced(tuner, "do_bench", run_once),
        replaced(tuner, "cache_results", False),
    ):
        yield
