"""Kernels whose author promises the order in which they add: asked first, before it is changed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.model import Safety
from tritonopt.source import Launch, Module
from tritonopt.source.names import Function

_PROMISES = re.compile(
    r"batch[-_ ]?invarian\w*|determinis\w*|reproducib\w*|bit[-_ ]?(?:wise|exact|identical)\w*"
    r"|fixed[-_ ](?:\w+[-_ ])?order|order of (?:the )?(?:summation|sums?|additions?|reductions?)",
    re.IGNORECASE,
)
_NAMED = (ast.FunctionDef, ast.ClassDef)


def add_in_another_order(attempt: Attempt, facts: KernelFacts) -> None:
    """The rewrite adds floats in another order."""
    attempt.need(Safety.ROUNDING)
    assume_free_order(attempt, facts)


def assume_free_order(
    attempt: Attempt, facts: KernelFacts, launches: Iterable[Launch] = ()
) -> None:
    """Need an assumption where an order of additions is promised, which the rewrite changes.

    A promise is in the name of the kernel, in its comments and strings and those right above it,
    in what the file says of itself, or in the name of one of its functions, which may be launching
    it for `rms_norm_batch_invariant`; also in the functions around the launches given, which may
    ask torch for deterministic algorithms.
    """
    kernel = facts.kernel
    about = [ast.get_docstring(kernel.module.tree) or ""]
    files = [m for m in (kernel.module, kernel.module.whole) if m is not None]
    about += [n.name for m in files for n in m.tree.body if isinstance(n, _NAMED)]
    around = [_words(at.module, at.launcher) for at in launches if at.launcher is not None]
    promise = _PROMISES.search("\n".join([*about, _words(kernel.module, kernel.node), *around]))
    if promise is not None:
        said = (
            f"the kernel mentions `{promise[0]}`; we assume that no caller depends on the old order"
        )
        attempt.assume("rounding-is-free", said)
        attempt.need(Safety.ASSUMPTION)


def _words(module: Module, node: Function) -> str:
    """What is written of a function."""
    lines = module.lines.texts
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)]) - 1
    while first > 0 and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    assert node.end_lineno is not None
    return "\n".join(lines[first : node.end_lineno])
