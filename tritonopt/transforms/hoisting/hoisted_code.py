"""A load above a loop, as a person would write it: with its own statement, or under a new name."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tritonopt.checks.attempt import Attempt
from tritonopt.facts.effects import Guard
from tritonopt.source import Change, ReplaceExpression
from tritonopt.source.editing import excerpts
from tritonopt.source.trees import walk
from tritonopt.transforms.hoisting.guarded_code import Piece, insertion, removals
from tritonopt.transforms.hoisting.invariant_loads import InvariantLoad
from tritonopt.transforms.hoisting.load_masks import masked, run_conditions
from tritonopt.transforms.loop_invariants import HoistedSlice
from tritonopt.transforms.trip_guards import why_it_runs
from tritonopt.transforms.writing import NotExpressible, Writer, reads_of

_POINTER_NAME = re.compile(r"^(p|ptr)_|_?(ptr|pointer)s?$", re.IGNORECASE)

_WHY_MASKED = "# Without iterations of the loop below, nothing is loaded."


@dataclass(frozen=True)
class _Plan:
    """What goes where: statements that move as they are, and a new name, if one is needed."""

    statements: Sequence[ast.stmt]
    name: str = ""
    definition: ast.stmt | None = None
    """`x = ...`, which moves with its name changed, ..."""
    target: ast.Name | None = None
    """... and its x."""
    uses: Sequence[ast.expr] = ()
    """What becomes the new name: the expression, or the names that stood for it."""
    guards: Mapping[ast.stmt, tuple[Guard, ...]] = field(default_factory=dict)
    """The conditions that statements stand under, in the loop and again above it."""

    @property
    def moved(self) -> list[ast.stmt]:
        return [*self.statements, *([self.definition] if self.definition else [])]


def hoisted(load: InvariantLoad, attempt: Attempt) -> list[Change]:
    """The load above the loop. Raises Declined or NotExpressible."""
    facts = load.facts
    writer = Writer(facts)
    _check_conditions_move(load, writer)
    conditions = run_conditions(load, writer, attempt)
    plan = _plan(load, writer)
    _check_something_stays(load, plan)
    masks = [change for one in load.loads for change in masked(load, one, writer, conditions)]
    code = _code(load, plan, masks)
    changes: list[Change] = [
        insertion(facts, load.loop, load.known, code),
        *removals(facts, load.loop, plan.moved),
        *(ReplaceExpression(node, plan.name) for node in plan.uses),
    ]
    excerpts.check_comments(facts.kernel.module, changes)
    return changes


def _check_conditions_move(load: InvariantLoad, writer: Writer) -> None:
    """What the compiler knows must mean the same above the loop."""
    environment = load.facts.before[load.loop.node]
    for guard in load.known:
        if not writer.means_the_same(guard.node.test, environment):
            line = guard.node.lineno
            raise NotExpressible(f"the condition in line {line} is another one there")


def _check_something_stays(load: InvariantLoad, plan: _Plan) -> None:
    for loop in load.loops:
        if all(statement in plan.moved for statement in loop.node.body):
            raise NotExpressible(f"nothing would be left in the loop in line {loop.line}")


# What moves, and under which name


def _plan(load: InvariantLoad, writer: Writer) -> _Plan:
    try:
        hoisted = _hoisted_slice(load, writer)
        hoisted.add(load.statement)
        hoisted.add_derived()
        return _Plan(hoisted.statements, guards=hoisted.guards)
    except NotExpressible:
        # The kernel has other uses for the name: what is loaded gets one of its own.
        hoisted = _hoisted_slice(load, writer)
        hoisted.need(load.expression)
    name = _new_name(load, writer)
    definition = _definition(load)
    if definition is None:
        return _Plan(hoisted.statements, name, uses=[load.expression], guards=hoisted.guards)
    uses = [n for n in _names_in_the_loop(load, definition.id) if n is not definition]
    return _Plan(hoisted.statements, name, load.statement, definition, uses, hoisted.guards)


def _hoisted_slice(load: InvariantLoad, writer: Writer) -> HoistedSlice:
    # A mask keeps the load from reading, not what is computed with it from being computed.
    runs = all(why_it_runs(load.facts, loop, []) is not None for loop in load.loops)
    runs &= len(load.known) == len(load.conditions_inside)
    return HoistedSlice(
        writer, load.loop, load.loads, load.conditions_inside, load.known, runs=runs
    )


def _definition(load: InvariantLoad) -> ast.Name | None:
    """The name that stands for the expression, and for nothing else, all through the loop."""
    match load.statement:
        case (
            ast.Assign(targets=[ast.Name() as target], value=value)
            | ast.AnnAssign(target=ast.Name() as target, value=value)
        ) if value is load.expression and not _is_read_later(load, target.id):
            meant = load.facts.values[target]
            everywhere = _names_in_the_loop(load, target.id)
            if all(load.facts.values.get(n) is meant for n in everywhere):
                stores = [n for n in everywhere if not isinstance(n.ctx, ast.Load)]
                return target if stores == [target] else None
    return None


def _is_read_later(load: InvariantLoad, name: str) -> bool:
    """Whether what the loop leaves in a name may be read: by what follows, or the next time."""
    loop = load.loop
    if name not in loop.initial:
        return False
    inside = set(walk(loop.node))
    return loop.parent is not None or any(
        node.lineno > loop.line and node not in inside
        for node in reads_of(load.facts.kernel.node, name)
    )


def _names_in_the_loop(load: InvariantLoad, name: str) -> list[ast.Name]:
    nodes = walk(load.loop.node)
    return [n for n in nodes if isinstance(n, ast.Name) and n.id == name]


def _new_name(load: InvariantLoad, writer: Writer) -> str:
    """A name for what is loaded, after the parameter that it comes from."""
    bases = load.facts.bases(load.loads[0]) or frozenset({"loaded"})
    parameter = min(bases, default="loaded")
    short = _POINTER_NAME.sub("", parameter).strip("_").lower()
    if keyword.iskeyword(short):
        return writer.fresh(f"{short}_value")
    if not short.isidentifier():
        short = "loaded"
    return writer.fresh(short, f"{short}_value")


# The code


def _code(load: InvariantLoad, plan: _Plan, masks: Sequence[Change]) -> list[Piece]:
    """What stands above the loop, with the masks changed and the new name in its place."""
    renamed = [ReplaceExpression(plan.target, plan.name)] if plan.target else []
    module, nodes = excerpts.after(
        load.facts.kernel.module, [*masks, *renamed], [*plan.moved, load.expression]
    )
    why = f"{_WHY_MASKED}\n" if masks and not _is_said_above(load) else ""
    pieces = []
    for original, statement in zip(plan.moved, nodes, strict=False):
        assert isinstance(statement, ast.stmt)
        code = excerpts.moved_code(module, statement)
        if original is load.statement and _WHY_MASKED not in code:
            code = f"{why}{code}"
        pieces.append(Piece(code, plan.guards[original]))
    if load.statement not in plan.moved:
        expression = nodes[-1]
        assert isinstance(expression, ast.expr)
        text = excerpts.one_line(module, expression)
        pieces.append(Piece(f"{why}{plan.name} = {text}", load.known))
    return pieces


def _is_said_above(load: InvariantLoad) -> bool:
    """Whether the lines right above the loop say already why loads are masked."""
    module, loop = load.facts.kernel.module, load.loop
    for number in range(loop.line - 1, 0, -1):
        text = module.text[module.lines.start(number) : module.lines.start(number + 1)]
        if not text.strip() or len(text) - len(text.lstrip()) != loop.node.col_offset:
            return False
        if text.strip() == _WHY_MASKED:
            return True
    return False
