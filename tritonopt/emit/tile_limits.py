"""How many programs a launch starts at most, and how a launcher comes to know it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tritonopt.emit.writing import NotExpressible, names_bound
from tritonopt.facts import EffectKind, KernelFacts
from tritonopt.facts.language import function
from tritonopt.facts.program_ids import ProgramIds
from tritonopt.launches.known_launches import check_builtin
from tritonopt.launches.launch_grids import (
    Extent,
    GridNotReadable,
    new_name,
    read_extent,
    statement_of,
)
from tritonopt.launches.plan import PlannedLaunch
from tritonopt.source import Change, InsertBefore, Launch, Remove, Replace, ReplaceExpression
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import remade, walk

_MOST_OF_LATER_AXES = "65535"
"""What CUDA allows along the second and the third axis of a grid."""
_WITH_SUMS, _WITHOUT = "sm*2", "sm*8"
"""As many as were measured: few where each program ends with atomics."""

_DEVICE = "torch.cuda.get_device_properties(torch.cuda.current_device())"
_NO_LIMIT = "2**31 - 1"
_NAME = "num_programs"


def default_limit(axis: int, *, has_sums: bool) -> str:
    if has_sums:
        return _WITH_SUMS
    return _MOST_OF_LATER_AXES if axis else _WITHOUT


@dataclass(frozen=True)
class Limit:
    """The most programs of a launch along an axis: `264`, or `sm*8` for 8 a multiprocessor."""

    text: str

    def at(self, launch: Launch, place: ast.stmt | None = None) -> tuple[str, list[Change]]:
        """Code for it at a launch, and what must stand before, or before another place of its
        block. Raises NotExpressible."""
        check_builtin(launch, "min")
        if not self._each:
            return self.text, []
        name = new_name(_NAME, launch)
        code = self._assigned(launch, name)
        return name, [InsertBefore(place or PlannedLaunch(launch).statement, code)]

    @property
    def _each(self) -> str:
        """The programs of one multiprocessor; "" for a plain number."""
        return self.text.removeprefix("sm*") if self.text.startswith("sm*") else ""

    def _assigned(self, launch: Launch, name: str) -> str:
        """A statement that binds it; where torch sees no GPU, there is no limit."""
        check_builtin(launch, "torch")
        each = self._each
        return (
            f"{name} = (\n"
            f"    {each} * {_DEVICE}.multi_processor_count\n"
            f"    if torch.cuda.is_available()\n"
            f"    else {_NO_LIMIT}\n"
            ")"
        )

    # A launch that has a limit already

    def instead(self, extent: Extent) -> list[Change]:
        """The changes that give a launch this limit in the place of the one that it has."""
        launch = extent.launch
        smaller = extent.expression
        match smaller:
            case ast.Call(args=[_, old], keywords=[]):
                pass
            case _:
                raise NotExpressible(f"line {launch.call.lineno} has no limit to change")
        if not self._each:
            if isinstance(old, ast.Constant) and str(old.value) == self.text:
                return []
            own = _own_limit(launch, old)
            changes: list[Change] = [ReplaceExpression(old, self.text)]
            return [*changes, Remove(own)] if own is not None else changes
        own = _own_limit(launch, old)
        if own is None:
            name, before = self.at(launch)
            return [*before, ReplaceExpression(old, name)]
        assert isinstance(old, ast.Name)
        code = self._assigned(launch, old.id)
        same = ast.dump(parsed(code).body[0]) == ast.dump(own)
        return [] if same else [Replace(own, code)]


def _own_limit(launch: Launch, old: ast.expr) -> ast.stmt | None:
    """The statement before a launch that asks the device for its limit, and for nothing else."""
    if not isinstance(old, ast.Name):
        return None
    for before in reversed(PlannedLaunch(launch).before):
        match before:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == old.id:
                asks = any(
                    isinstance(n, ast.Attribute) and n.attr == "multi_processor_count"
                    for n in walk(value)
                )
                return before if asks and _is_used_once(launch, name) else None
    return None


def _is_used_once(launch: Launch, name: str) -> bool:
    """Whether each value that the launcher binds to a name is read in one place."""
    assert launch.launcher is not None
    uses = [n.ctx for n in walk(launch.launcher) if isinstance(n, ast.Name) and n.id == name]
    bound = sum(isinstance(context, ast.Store) for context in uses)
    return len(uses) == 2 * bound


@dataclass(frozen=True)
class ExistingLimits:
    """The launches of a kernel that loops over tiles already, whatever its grid is."""

    extents: tuple[Extent, ...] = ()
    """Those whose grid is the number of tiles, or at most something."""
    whole: tuple[Extent, ...] = ()
    """Of them, those that start a program for each tile."""

    @classmethod
    def of(cls, facts: KernelFacts, ids: ProgramIds) -> ExistingLimits:
        found: list[Extent] = []
        whole: list[Extent] = []
        if not _any_grid_is_right(facts, ids):
            return cls()
        for launch in facts.launches.launches:
            try:
                extent = read_extent(launch, ids.axis)
            except GridNotReadable:
                continue
            if statement_of(launch) is None or launch.is_elsewhere:
                continue
            if _is_limited(extent):
                found.append(extent)
            elif _is_whole(facts, ids, extent):
                found.append(extent)
                whole.append(extent)
        return cls(tuple(found), tuple(whole))

    def changes(self, limit: Limit) -> list[Change]:
        changes: list[Change] = []
        for extent in self.extents:
            if extent in self.whole:
                code, before = limit.at(extent.launch)
                changes += [*before, *extent.capped(code)]
            else:
                changes += limit.instead(extent)
        return changes


def _is_whole(facts: KernelFacts, ids: ProgramIds, extent: Extent) -> bool:
    """Whether as many programs are started as the kernel's loop over tiles counts to."""
    stops = {
        ast.unparse(around.args[1])
        for call in ids.calls
        if isinstance(around := facts.kernel.module.names.parents.get(call), ast.Call)
    }
    if len(stops) != 1 or extent.expression is None:
        return False
    stop = stops.pop()
    parameters = {p.name for p in facts.kernel.parameters} - names_bound(facts.kernel.node)
    known = {
        name: argument for name, argument in extent.launch.arguments.items() if name in parameters
    }
    return _spelled(parsed(stop, mode="eval").body, known) == _spelled(extent.expression, {})


def _spelled(expression: ast.expr, given: Mapping[str, ast.expr]) -> str:
    """The text with arguments for parameters, and `cdiv` without what it is part of."""

    def spelled(node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Name):
            return given.get(node.id, node)
        is_cdiv = isinstance(node, ast.Attribute) and node.attr == "cdiv"
        return ast.Name("cdiv") if is_cdiv else remade(node, spelled)

    return ast.unparse(spelled(expression))


def _is_limited(extent: Extent) -> bool:
    """Whether it is `min(tiles, limit)`, of which the second is no number of tiles."""
    module = extent.launch.module
    match extent.expression:
        case ast.Call(func=called, args=[_, limit], keywords=[]):
            if module.builtin(called) != "min":
                return False
            return isinstance(limit, ast.Constant) or _own_limit(extent.launch, limit) is not None
    return False


def _any_grid_is_right(facts: KernelFacts, ids: ProgramIds) -> bool:
    """Whether the kernel asks for the number of programs only to go on to its next tile."""
    if ids.in_helper or ids.unknown is not None:
        return False
    if any(effect.kind is EffectKind.CALL for effect in facts.effects):
        return False
    return all(
        _is_step(facts, ids, call) or _is_replaced(facts, call) for call in _counts(facts, ids.axis)
    )


def _counts(facts: KernelFacts, axis: int) -> Iterator[ast.Call]:
    for node in walk(facts.kernel.node):
        if not isinstance(node, ast.Call):
            continue
        if function(facts.kernel.module.resolve(node.func)) == "num_programs":
            match [*node.args, *(keyword.value for keyword in node.keywords)]:
                case [ast.Constant(value=int() as number)] if number != axis:
                    continue
            yield node


def _is_step(facts: KernelFacts, ids: ProgramIds, call: ast.Call) -> bool:
    """Whether it is the last argument of `range(tl.program_id(0), ..., tl.num_programs(0))`."""
    match facts.kernel.module.names.parents.get(call):
        case ast.Call(args=[ast.Call() as start, _, step]):
            return step is call and start in ids.calls and start in ids.starts
    return False


def _is_replaced(facts: KernelFacts, call: ast.Call) -> bool:
    """Whether it stands for an argument that every launch passes."""
    around = facts.kernel.module.names.parents.get(call)
    match around:
        case ast.IfExp(
            test=ast.Compare(left=ast.Name(id=name), ops=[ast.Is()], comparators=[missing]),
            body=body,
            orelse=ast.Name(id=other),
        ) if body is call and name == other and isinstance(missing, ast.Constant):
            given = [launch.arguments.get(name) for launch in facts.launches.launches]
            return missing.value is None and all(
                argument is not None and not isinstance(argument, ast.Constant)
                for argument in given
            )
    return False
