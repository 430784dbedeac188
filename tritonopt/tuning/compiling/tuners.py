"""What the autotuners of a version chose, and versions whose tuners take that without a search.

A tuner compiles and times each of its configurations for every size that is new to it: of a dozen
of them, for five calls, that takes a minute. To see which variants are worth it, those that the
original's tuners chose for the same call are enough.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from tritonopt.verification.worker.autotuner import tuners_of


def chosen(module: ModuleType) -> dict[str, str]:
    """By the name of a kernel, the configuration that its tuner took last, out of several."""
    several = ((name, tuner) for name, tuner in _tuners(module) if len(tuner.configs) > 1)
    # One that was never launched has taken none.
    found = {name: getattr(tuner, "best_config", None) for name, tuner in several}
    return {name: str(config) for name, config in found.items() if config is not None}


def fix(module: ModuleType, configurations: Mapping[str, str]) -> None:
    """Leave each tuner that one; a tuner without such a configuration goes on choosing."""
    for name, tuner in _tuners(module):
        named = [config for config in tuner.configs if str(config) == configurations.get(name)]
        if named:
            # A tuner with one configuration measures nothing.
            tuner.configs = named[:1]


def _tuners(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The outermost tuner of each kernel that is the module's own; what is imported is shared."""
    kernel = importlib.import_module("triton.runtime.jit").KernelInterface
    for name, value in list(vars(module).items()):
        # Anything else may do whatever it likes when it is asked for an attribute.
        for tuner in tuners_of(value) if isinstance(value, kernel) else ():
            if tuner.base_fn.__module__ == module.__name__:
                yield name, tuner
            break
