"""What the compiler makes of a number when it is told of it, in figures."""

from __future__ import annotations

from collections.abc import Sequence

from tritonopt.facts import KernelFacts
from tritonopt.facts.machine_code.compiler import Need, NotCompiled, is_there, needs
from tritonopt.facts.machine_code.launched_settings import (
    USUAL_TYPE,
    LaunchedSetting,
    launched_settings,
)
from tritonopt.source.decorators import AUTOTUNE

_USUAL_LENGTH = 4096
"""Of rows, where the launches do not say how long they are."""


def told_in_figures(facts: KernelFacts, names: Sequence[str], *, one: bool) -> str | None:
    """The loads and stores of a thread with these numbers told and untold, in words.

    None where they are as wide at every launch. Empty where that is not known: nothing is
    compiled, a tuner chooses or a launch does not show what for, or none is seen to pass 1 where
    that is to be told.
    """
    is_tuned = AUTOTUNE in facts.kernel.decorators  # with how many warps, its tuner decides
    asks = is_there() and not is_tuned
    launched = list(launched_settings(facts, _USUAL_LENGTH)) if asks else []
    for shown in launched:
        setting = shown.setting
        if one and not any(number == 1 for n, number in setting.numbers if n in names):
            return ""
        try:
            untold, told = needs(facts.kernel, [setting, setting.telling(names)])
        except NotCompiled:
            return ""
        if untold is None or told is None:
            return ""
        if _width(told) > _width(untold):
            return _said(shown, untold, told)
    return None if launched and len(launched) == len(facts.launches.bindings) else ""


def _width(need: Need) -> float:
    """In bits, of one access; how many there are may follow how often a loop is unrolled."""
    bits = sum(number * int(kind.split()[-2]) for kind, number in need.accesses.items())
    return bits / max(sum(need.accesses.values()), 1)


def _said(shown: LaunchedSetting, untold: Need, told: Need) -> str:
    setting = shown.setting
    tile = f"{shown.tile}={dict(setting.constants)[shown.tile]}, " if shown.tile else ""
    types = f", {' and '.join(shown.taken)} in {USUAL_TYPE}" if shown.taken else ""
    return (
        f"a thread has {_accesses(untold)}; told, {_accesses(told)} (compiled for sm_90 with "
        f"{tile}{setting.warps} warps{types})"
    )


def _accesses(need: Need) -> str:
    found = [
        f"{number} {kind if number > 1 else kind.replace('s of', ' of')}"
        for kind, number in sorted(need.accesses.items())
    ]
    *first, last = found or ["none"]
    return f"{', '.join(first)} and {last}" if first else last
