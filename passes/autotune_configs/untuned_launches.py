"""Launches that leave to a tuner what they have said so far: number of warps, stages, a tile."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.writing import NotExpressible
from tritonopt.facts import KernelFacts
from tritonopt.launches.plan import LaunchPlan, PlannedLaunch
from tritonopt.source import Change, Launch, Remove, ReplaceArgument
from tritonopt.source.decorators import JIT
from tritonopt.source.launches import places
from tritonopt.source.trees import walk

OPTIONS = ("num_warps", "num_stages", "num_ctas")
"""What each configuration of a tuner sets, whether it names it or not."""
_CAPTURES = frozenset({"torch.cuda.graph", "torch.cuda.make_graphed_callables"})


def check_launches(facts: KernelFacts, attempt: Attempt) -> None:
    """That every launch is seen, and can leave its options to a tuner. Raises Declined."""
    kernel, evidence = facts.kernel, facts.launches
    LaunchPlan.of(facts, attempt, apart=True)
    attempt.assume_no_other_launches()
    _check_capture(evidence.launches)
    claim = "launches-can-be-tuned"
    for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
        if name != JIT:
            what = ast.unparse(decorator).partition("(")[0]
            detail = f"what {what} does with what a tuner chooses is not looked into"
            raise unknown(claim, "unknown-decorator", detail)
    for launch in evidence.launches:
        where = f"the launch in {launch.where}"
        if launch.hides_options:
            detail = f"{where} may have options in **"
            raise unknown(claim, "arguments-are-not-seen", detail)
        if not isinstance(launch.call.func, ast.Subscript):
            raise unknown(claim, "arguments-are-not-seen", f"{where} is no `kernel[grid](...)`")
        for option in OPTIONS:
            if option in launch.options and _number(launch.options[option]) is None:
                detail = f"{where} computes its {option}"
                raise unknown(claim, "not-tunable", detail)
    said = {tuple(options_of(launch).items()) for launch in evidence.launches}
    if len(said) > 1:
        where = places(evidence.launches)
        detail = f"the launches in {where} ask for different options"
        raise refuted(claim, "not-tunable", detail)
    attempt.prove(claim, "each launch says numbers for them, or nothing")


def _check_capture(launches: Sequence[Launch]) -> None:
    """While a graph is captured nothing can be timed, so a first launch there would fail."""
    for module in {launch.module for launch in launches}:
        for node in walk(module.tree):
            if isinstance(node, ast.Name | ast.Attribute) and module.resolve(node) in _CAPTURES:
                detail = f"a launch may be captured in a graph, in line {node.lineno}"
                raise unknown("launches-can-be-tuned", "captured-in-a-graph", detail)


def options_of(launch: Launch) -> dict[str, int]:
    """The numbers that a launch gives for what a configuration sets."""
    given = {name: launch.options.get(name) for name in OPTIONS}
    numbers = {name: _number(node) for name, node in given.items() if node is not None}
    return {name: number for name, number in numbers.items() if number is not None}


def _number(node: ast.expr) -> int | None:
    is_number = isinstance(node, ast.Constant) and type(node.value) is int
    return node.value if is_number else None  # type: ignore[attr-defined]


def tile_at(launch: Launch, tile: str, also: ast.expr | None = None) -> int | None:
    """The number that a launch passes for a tile by its name.

    None where it is no number, and where the launcher has another use for it than this argument,
    or `also` some expression.
    """
    keyword = next((k for k in launch.call.keywords if k.arg == tile), None)
    if keyword is None:
        return None
    if isinstance(keyword.value, ast.Name):
        statement = PlannedLaunch(launch).own_binding(keyword.value, also)
        return _number(statement.value) if statement is not None else None
    return _number(keyword.value)


def left_to_the_tuner(
    launch: Launch, taken: Collection[str], grid: Sequence[Change] = ()
) -> Iterator[Change]:
    """A launch without the keywords that are taken out of it. Raises NotExpressible.

    `grid` is what changes in its grid, for a tile that is taken out.
    """
    call, text, span = launch.call, launch.module.text, launch.module.lines.span
    items: list[ast.expr | ast.keyword] = [call.func, *call.args, *call.keywords]
    gone = [k for k in call.keywords if k.arg in taken]
    if len(gone) == len(items) - 1:
        raise NotExpressible(f"line {call.lineno} passes nothing else")
    also = launch.grid if grid else None
    yield from grid
    for keyword in gone:
        start, end = span(keyword)
        since = max(before for _, before in map(span, items) if before <= start)
        if "#" in text[since:end] + text[end:].partition("\n")[0]:
            raise NotExpressible(f"line {call.lineno} has a comment next to the removed code")
        yield ReplaceArgument(call, keyword, ())
        statement = PlannedLaunch(launch).own_binding(keyword.value, also)
        if statement is not None:
            yield Remove(statement)
