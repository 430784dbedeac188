"""What stands above a kernel: one more heuristic, and the buffers that a tuner puts back."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from textwrap import indent

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.writing import NotExpressible, Writer, in_a_file
from tritonopt.facts import EffectKind, KernelFacts
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.host.same_memory import may_be_part
from tritonopt.facts.host.side_effects import definition_of, effects_of
from tritonopt.facts.operations import Op
from tritonopt.facts.values import reachable
from tritonopt.launches.launch_grids import HEURISTICS
from tritonopt.source import AddDecorator, AddParameter, Change, Launch
from tritonopt.source.decorators import CACHING_BY_VALUE
from tritonopt.source.kernels import Parameter

_WIDTH = 99
_CACHING = CACHING_BY_VALUE | {"sglang.srt.utils.cached_triton_kernel"}
"""Decorators that keep what was compiled for one launch, and do not ask a heuristic at each."""


def check_heuristic(facts: KernelFacts, asked: Sequence[Parameter]) -> None:
    """Nobody may use the kernel in a way that a heuristic above it would change.

    `asked` are the parameters that it looks at. Raises Declined.
    """
    kernel, module = facts.kernel, facts.kernel.module
    claim = "parameter-can-be-added"
    if facts.launches.caller is not None:
        caller = facts.launches.caller.name
        detail = (
            f"{caller} calls the kernel, which Triton does not allow for a kernel with a heuristic"
        )
        raise refuted(claim, "called-from-a-kernel", detail)
    if module.escapes.get(kernel.qualname) or module.uses_elsewhere(kernel).escapes:
        raise unknown(claim, "unseen-launches", facts.launches.unknown or "it may be launched")
    if kernel.signature_use is not None:
        detail = f"line {kernel.signature_use.lineno} may read the kernel's parameters"
        raise unknown(claim, "parameter-cannot-be-added", detail)
    if any(p.kind.startswith("var") for p in kernel.parameters):
        raise refuted(
            claim, "parameter-cannot-be-added", "the kernel takes any number of arguments"
        )
    unknown_decorator = kernel.unknown_decorator
    for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
        by_value = name in CACHING_BY_VALUE and _are_specialized(facts, asked)
        if decorator is unknown_decorator or (name in _CACHING and not by_value):
            what = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
            detail = f"{what} may cache the result of a heuristic, or launch without it"
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


# Buffers that a tuner must put right: it runs a kernel many times on the same memory

_CLAIM = "launches-can-be-tuned"
_REPEATABLE = frozenset(
    {EffectKind.LOAD, EffectKind.STORE, EffectKind.ATOMIC, EffectKind.BARRIER, EffectKind.EXIT}
)


def restored_buffers(facts: KernelFacts, attempt: Attempt) -> list[str]:
    """Parameters whose buffers a run of the kernel changes for the next one, in their order.

    Those that are written, and that the kernel may read: by a load, or by an atomic. Raises
    Declined where the kernel does something that cannot be put right by copying buffers back.
    """
    for effect in facts.effects:
        where = f"the {effect.name} in line {effect.line}"
        if effect.kind not in _REPEATABLE:
            raise unknown(_CLAIM, "not-tunable", f"{where} would be executed many times")
        if effect.writes and facts.bases(effect) is None:
            detail = f"which buffer {where} writes to is not known"
            raise unknown(_CLAIM, "not-tunable", detail)
    for launch in facts.launches.launches:
        _check_grid(launch)
    loads = [e for e in facts.effects if e.kind is EffectKind.LOAD]
    changed: set[str] = set()
    for write in (e for e in facts.effects if e.writes):
        is_read = write.kind is EffectKind.ATOMIC or any(facts.may_alias(e, write) for e in loads)
        if is_read:
            changed |= facts.bases(write) or frozenset()
    names = [p.name for p in facts.kernel.parameters if p.name in changed]
    for name in names:
        _check_is_a_tensor(facts, name)
    what = ", ".join(names) if names else "nothing"
    attempt.prove(_CLAIM, f"the tuner restores {what}; no other buffer is both read and written")
    return names


def _check_grid(launch: Launch) -> None:
    """A grid that is a function is called again for each run."""
    definition = definition_of(launch.module, launch.grid)
    body = [launch.grid.body] if isinstance(launch.grid, ast.Lambda) else []
    changes = effects_of(launch.module).changes(body if definition is None else definition.body)
    if changes.anything or changes.mutated:
        detail = f"the grid of the launch in {launch.where} may do more than return a tuple"
        raise unknown(_CLAIM, "grid-is-not-readable", f"{detail}, and a tuner calls it many times")


def _check_is_a_tensor(facts: KernelFacts, name: str) -> None:
    """A tuner copies the buffer before it runs anything: it must be there at every launch."""
    if may_be_none(facts, name):
        detail = f"{name} may be None, and a tuner cannot copy that"
        raise refuted(_CLAIM, "not-tunable", detail)
    for launch in facts.launches.launches:
        argument = launch.arguments.get(name)
        if not isinstance(argument, ast.Name) or may_be_part(launch, argument):
            detail = (
                f"the launch in {launch.where} may pass a part of a tensor for {name}: the kernel "
                "may write outside of it, and a tuner copies only that part"
            )
            raise unknown(_CLAIM, "not-tunable", detail)


def may_be_none(facts: KernelFacts, name: str) -> bool:
    """Whether a launch may pass None for a buffer: it is asked for, or not always accessed."""
    asked = any(
        v.op in (Op.IS, Op.IS_NOT) and any(o.op is Op.PARAM and o.name == name for o in v.operands)
        for v in reachable(facts.values.values())
    )
    accesses = [e for e in facts.effects if name in (facts.bases(e) or ())]
    # Where the compiler decides a condition around an access, there may be no buffer.
    return asked or all(
        any(is_constexpr(facts, guard.node.test) for guard in access.guards) for access in accesses
    )
