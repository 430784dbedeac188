"""Triton's own floating-point sanitizer, of 3.8 and later: floats become whole numbers.

They are numbers modulo a power of two, on which sums and products are exact. Earlier versions take
the mode and change nothing, so the compiled text is looked at.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from tritonopt.verification.replacing import replaced

_MODE = "fpsan"


def sanitized(
    run: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Any, bool]:
    """What a launch with the sanitizer compiled, and whether it is other code than without it."""
    plain = run(*args, **{**kwargs, "warmup": True})
    knobs: Any = importlib.import_module("triton.knobs").compilation
    with replaced(knobs, "instrumentation_mode", _MODE):
        compiled = run(*args, **{**kwargs, "warmup": False})
    return compiled, bool(plain.asm["ptx"] != compiled.asm["ptx"])
