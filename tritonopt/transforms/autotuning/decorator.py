"""The text of `@triton.autotune(...)`, as the file spells it."""

from __future__ import annotations

from collections.abc import Sequence

from tritonopt.facts import KernelFacts
from tritonopt.transforms.writing import NotExpressible


def decorator(
    facts: KernelFacts, configurations: Sequence[str], key: Sequence[str], restored: Sequence[str]
) -> str:
    """Code for the decorator; raises NotExpressible where the file has no name for `triton`.

    `configurations` are the arguments of a `triton.Config` each.
    """
    names = facts.kernel.module.names
    scope = names.scopes[facts.kernel.node]
    triton = next(
        (n for n in names.module.bindings if names.resolve_name(n, scope) == "triton"), ""
    )
    if not triton:
        raise NotExpressible("the file does not import triton, so its tuner has no name")
    lines = [f"        {triton}.Config({one})," for one in configurations]
    text = [f"@{triton}.autotune(", "    configs=[", *lines, "    ],", f"    key={_list(key)},"]
    if restored:
        text.append(f"    restore_value={_list(restored)},")
    return "\n".join([*text, ")"])


def _list(names: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"
