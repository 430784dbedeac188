"""What the heuristics above a kernel set, and one more of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from textwrap import indent

from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.writing import NotExpressible, Writer, in_a_file
from tritonopt.facts import KernelFacts
from tritonopt.source import AddDecorator, AddParameter, Change, Kernel
from tritonopt.source.kernels import Parameter

HEURISTICS = "triton.heuristics"
_WIDTH = 99
_CACHING = frozenset({"flag_gems.utils.libentry", "flag_gems.utils.libentry.libentry"}) | {
    "sglang.srt.utils.cached_triton_kernel"
}
"""Decorators that keep what was compiled for one launch, and do not ask a heuristic at each."""
_CACHING_BY_VALUE = frozenset({"flag_gems.utils.libentry", "flag_gems.utils.libentry.libentry"})
"""Of these, those that compile anew for another value of an argument that is specialized."""


def heuristic_functions(kernel: Kernel) -> Iterator[tuple[str, ast.expr | None]]:
    """What heuristics set: the parameter and the function; ("", None) for what is not seen."""
    for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
        if name != HEURISTICS or not isinstance(decorator, ast.Call):
            continue
        for table in (*decorator.args, *(k.value for k in decorator.keywords)):
            if not isinstance(table, ast.Dict):
                yield "", None
                continue
            for key, function in zip(table.keys, table.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, function
                else:
                    yield "", None


def check_heuristic(facts: KernelFacts, asked: Sequence[Parameter]) -> None:
    """Nobody may use the kernel in a way that a heuristic above it would change.

    `asked` are the parameters that it looks at. Raises Declined.
    """
    kernel, module = facts.kernel, facts.kernel.module
    claim = "parameter-can-be-added"
    if facts.launches.caller is not None:
        caller = facts.launches.caller.name
        detail = f"{caller} calls the kernel, which a kernel below a heuristic does not allow"
        raise refuted(claim, "called-from-a-kernel", detail)
    if module.escapes.get(kernel.qualname) or module.uses_elsewhere(kernel).escapes:
        raise unknown(claim, "unseen-launches", facts.launches.unknown or "it may be launched")
    if kernel.signature_use is not None:
        detail = f"line {kernel.signature_use.lineno} may ask what parameters the kernel has"
        raise unknown(claim, "parameter-cannot-be-added", detail)
    if any(p.kind.startswith("var") for p in kernel.parameters):
        raise refuted(
            claim, "parameter-cannot-be-added", "the kernel takes any number of arguments"
        )
    unknown_decorator = kernel.unknown_decorator
    for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
        by_value = name in _CACHING_BY_VALUE and _are_specialized(facts, asked)
        if decorator is unknown_decorator or (name in _CACHING and not by_value):
            what = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
            detail = f"{what} may keep what a heuristic said, or launch without asking it"
            raise unknown(claim, "unknown-decorator", detail)
    if unknown_decorator is not None:
        raise unknown(claim, "unknown-decorator", facts.launches.unknown)


def _are_specialized(facts: KernelFacts, asked: Sequence[Parameter]) -> bool:
    """Whether each is a number, and none that `triton.jit` is told not to specialize."""
    if any(p.name in facts.pointers for p in asked):
        return False
    kernel = facts.kernel
    jit = kernel.node.decorator_list[kernel.decorators.index(kernel.jit)]
    if not isinstance(jit, ast.Call):
        return True
    named = {p.name for p in asked}
    for keyword in jit.keywords:
        if keyword.arg is None or keyword.arg == "do_not_specialize":
            if not isinstance(keyword.value, (ast.List, ast.Tuple)):
                return False
            if any(_may_name(element, named) for element in keyword.value.elts):
                return False
    return True


def _may_name(element: ast.expr, named: set[str]) -> bool:
    """Whether an entry of `do_not_specialize` may be one of these parameters."""
    name = element.value if isinstance(element, ast.Constant) else None
    return not isinstance(name, str) or name in named


def heuristic(writer: Writer, name: str, function: str) -> Iterator[Change]:
    """A constexpr parameter that a function of what is launched sets. Raises NotExpressible.

    The function may go over several lines, unindented.
    """
    kernel, names = writer.facts.kernel, writer.facts.kernel.module.names
    spelled = in_a_file(names, HEURISTICS, names.module)
    if spelled is None:
        raise NotExpressible("the file does not import triton, so triton.heuristics has no name")
    decorator = f"@{spelled}("
    code = f'{decorator}{{"{name}": {function}}})'
    if len(code) + kernel.node.col_offset > _WIDTH:
        code = f'{decorator}\n    {{"{name}": {function}}}\n)'
    if "\n" in function:
        entry = indent(f'"{name}": {function}', " " * 8)
        code = f"{decorator}\n    {{\n{entry}\n    }}\n)"
    default = " = False" if kernel.node.args.defaults else ""
    yield AddDecorator(kernel, code)
    yield AddParameter(kernel, f"{name}: {writer.language('constexpr')}{default}")
