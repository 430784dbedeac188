"""Launches that change with their kernel: whether each is seen, and may start other programs.

For any rewrite that starts other programs than before, and tells the kernel so by one more
argument.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tritonopt.checks.condition import NotExpressible, refuted, unknown
from tritonopt.facts import KernelFacts
from tritonopt.launches.launch_grids import (
    Extent,
    GridNotReadable,
    new_name,
    read_extent,
    scope_at,
    statement_of,
)
from tritonopt.launches.pruning import check_pruning
from tritonopt.source import Change, InsertBefore, Launch
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import walk
from tritonopt.source.tuner_functions import counting_use

_UNDERSTOOD_DECORATORS = frozenset({"triton.jit", "triton.autotune", "triton.heuristics"})


def extents_of(facts: KernelFacts, axis: int) -> tuple[Extent, ...]:
    """How many programs each launch starts along an axis. Raises Declined."""
    return tuple(_extent(launch, axis) for launch in facts.launches.launches)


def _extent(launch: Launch, axis: int) -> Extent:
    try:
        return read_extent(launch, axis)
    except GridNotReadable as why:
        detail = f"the launch in {launch.where}: {why}"
        raise unknown("grid-is-known", "grid-is-not-readable", detail) from why


def check_numbers(extents: Sequence[Extent]) -> None:
    """Whether each launch can compute its number of programs once more. Raises Declined."""
    for extent in extents:
        if extent.at_launch() is None:
            line = extent.launch.call.lineno
            detail = f"the launch in line {line} leaves its grid to a tuner or a heuristic"
            raise unknown("grid-is-known", "grid-depends-on-the-configuration", detail)
        if extent.meta and (extent.has_effects or not extent.is_plain):
            line = extent.launch.call.lineno
            detail = f"what the grid in line {line} calls may do more than compute a number"
            raise unknown("grid-is-known", "grid-is-not-readable", detail)


def check_parameter(facts: KernelFacts) -> None:
    """Whether the kernel can take one more parameter, which each launch passes. Raises Declined."""
    kernel = facts.kernel
    for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
        check_pruning(kernel.module, decorator)
        if name not in _UNDERSTOOD_DECORATORS:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            what = ast.unparse(called)
            detail = f"what {what} does with one more parameter is not known"
            raise unknown("parameter-can-be-added", "unknown-decorator", detail)
    use = counting_use(kernel)
    if use is not None and use.is_seen:
        line = use.node.lineno
        detail = f"a heuristic or a hook takes all arguments of a launch in line {line}"
        raise refuted("parameter-can-be-added", "parameter-cannot-be-added", detail)
    if use is not None:
        text = kernel.module.text_of(use.node).partition("\n")[0]
        detail = (
            f"what {text} in line {use.node.lineno} does with one more argument is not seen; "
            "give its file too, or see --context"
        )
        raise unknown("parameter-can-be-added", "parameter-cannot-be-added", detail)
    if any(p.kind.startswith("var") for p in kernel.parameters):
        detail = "the kernel takes any number of arguments"
        raise refuted("parameter-can-be-added", "parameter-cannot-be-added", detail)
    if any(p.kind == "keyword_only" for p in kernel.parameters):
        detail = "the kernel has parameters after a `*`, which Triton does not hand on"
        raise refuted("parameter-can-be-added", "parameter-cannot-be-added", detail)


@dataclass(frozen=True)
class NumberAtLaunch:
    """The number of programs of a launch as code that may stand there several times."""

    code: str
    bound_to: str
    """The same where the grid may say it that way too; "" where the grid stays as it is."""
    changes: tuple[Change, ...]
    """What must stand before the launch."""


def number_at_launch(extent: Extent, wanted: str) -> NumberAtLaunch:
    """The number of programs that a launch starts today. Raises NotExpressible.

    `wanted` is what it is called where it needs a name.
    """
    launch = extent.launch
    statement, code = statement_of(launch), extent.at_launch()
    assert statement is not None
    assert code is not None
    tuple_at_launch = not extent.name and not extent.meta
    changes: tuple[Change, ...] = ()
    if not extent.is_plain:
        # A number of numpy's or a tensor starts programs, but is no argument of a kernel.
        check_builtin(launch, "int")
        code = f"int({code})"
    if tuple_at_launch and not (extent.is_plain and extent.is_short and extent.is_repeatable):
        if not extent.comes_first:
            line = launch.call.lineno
            raise NotExpressible(f"line {line} evaluates something else before its grid")
        name = new_name(wanted, launch)
        changes = (InsertBefore(statement, f"{name} = {code}"),)
        code = name
    return NumberAtLaunch(code, code if tuple_at_launch else "", changes)


def check_builtin(launch: Launch, name: str) -> None:
    """Raises NotExpressible where a launcher calls something else by the name, or nothing."""
    scope = scope_at(launch)
    names = launch.module.names
    if name in ("torch", "triton"):
        # A part of a file reads the name without importing it.
        read = (n for n, home in names.scope_of.items() if home.find(name) is None)
        is_there = scope.find(name) is not None or any(node.id == name for node in read)
        known = is_there and names.resolve_name(name, scope) == name
    else:
        known = scope.find(name) is None and not names.stars
    if not known:
        raise NotExpressible(f"line {launch.call.lineno} has no {name} to call")


def check_binding(launch: Launch, code: str, parameters: Mapping[str, bool]) -> None:
    """Whether code that launches a new kernel passes each of its parameters, and that once.

    Of the parameters it is said which have a default. What the launch of the old kernel leaves to
    a tuner or a heuristic, this one does too. Raises NotExpressible.
    """
    calls = [node for node in walk(parsed(code)) if isinstance(node, ast.Call)]
    call = next(node for node in calls if isinstance(node.func, ast.Subscript))
    left = {p.name for p in launch.kernel.parameters} - set(launch.arguments)
    named = [k.arg for k in call.keywords if k.arg is not None and k.arg not in launch.options]
    passed = [*[*parameters][: len(call.args)], *named]
    needed = {name for name, has_default in parameters.items() if not has_default} - left
    fits = len(call.args) <= len(parameters) and len(set(passed)) == len(passed)
    if not fits or not needed <= set(passed) <= set(parameters):
        line = launch.call.lineno
        raise NotExpressible(f"line {line} would not pass what the new kernel takes, each once")
