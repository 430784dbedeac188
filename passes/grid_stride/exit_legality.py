"""Whether a tile can leave before its end, and what names it must not share with its rest."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import chain

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted
from tritonopt.emit.writing import names_bound
from tritonopt.facts.program_ids import returning_early
from tritonopt.passes.grid_stride.tile_body import Exit, TileBody
from tritonopt.source.trees import walk


def check_exits(body: TileBody, attempt: Attempt) -> None:
    """Whether a tile can end without ending the program. Raises Declined."""
    claim = "loops-are-plain"
    ends = {found.end for found in body.exits}
    for statement in body.looped:
        for node in walk(statement):
            if isinstance(node, ast.Return) and node not in ends:
                raise refuted(claim, "early-exit", _why_not(node, statement))
    for place, found in _placed(body):
        again = {name for s in body.looped[place + 1 :] for name in names_bound(s)}
        again |= {name for s in found.done for name in names_bound(s)}
        for name in sorted(again & _bound_before(body, place, found)):
            if not _keeps_its_type(body, name):
                line = found.end.lineno
                detail = f"{name} is bound before the return in line {line} and again after"
                way = "Triton asks for one type, not seen here: give the second another name"
                raise refuted(claim, "name-is-bound-elsewhere", f"{detail}; {way}")
    call = returning_early(body.kernel, body.looped)
    if call is not None:
        detail = f"what line {call.lineno} calls may return early, and does not compile in a loop"
        way = "let it return once, at its end"
        raise refuted(claim, "early-exit", f"{detail}: {way}")
    lines = ", ".join(str(found.statement.lineno) for found in body.exits)
    attempt.prove(claim, f"the return in line {lines} becomes a guard" if lines else "no return")


def _why_not(end: ast.Return, statement: ast.stmt) -> str:
    line = f"the return in line {end.lineno}"
    loops = [n for n in walk(statement) if isinstance(n, ast.For | ast.While)]
    if any(end in walk(loop) for loop in loops):
        return f"{line} leaves from inside a loop: give the loop a condition to end by"
    way = "put what comes after it under an `else`"
    return f"{line} is not at the end of a plain `if` of the kernel's own block: {way}"


def _placed(body: TileBody) -> Iterator[tuple[int, Exit]]:
    for found in body.exits:
        yield body.looped.index(found.statement), found


def names_in_both(body: TileBody, found: Exit) -> list[str]:
    """Names that a branch and what comes after it bind, each for itself."""
    if found.is_switched:
        return []
    place = body.looped.index(found.statement)
    both = _visible(body, found.done) & _visible(body, body.looped[place + 1 :])
    return sorted(both - _bound_before(body, place, found))


def _bound_before(body: TileBody, place: int, found: Exit) -> set[str]:
    """The names that an exit sees, of those that are bound for each tile."""
    leaving = {other.statement: other for other in body.exits}
    before = [s for s in body.looped[:place] if s not in leaving]
    for other in body.exits:
        if other.is_switched and body.looped.index(other.statement) <= place:
            before += other.statement.body[:-1]
    copies = {p for p in body.copied if body.region_of(p) <= body.exits.index(found)}
    return _visible(body, before) | copies


def _visible(body: TileBody, statements: Sequence[ast.stmt]) -> set[str]:
    """The names that are bound there and known afterwards: not those of a loop alone.

    What the compiler unrolls is no loop for it.
    """
    unrolled = {loop.node for loop in body.facts.loops if loop.kind == "tl.static_range"}
    names: set[str] = set()
    for statement in statements:
        match statement:
            case ast.If(body=then, orelse=other):
                names |= _visible(body, [*then, *other])
            case ast.For() if statement in unrolled:
                names |= _visible(body, statement.body)
            case ast.For() | ast.While():
                pass
            case _:
                names |= names_bound(statement)
    return names


def _keeps_its_type(body: TileBody, name: str) -> bool:
    """Whether it is a pointer that is only ever moved by scalars, and so stays what it is."""
    if name not in body.facts.pointers:
        return False
    nodes = chain.from_iterable(map(walk, body.looped))
    simple = (n for n in nodes if isinstance(n, ast.stmt) and not isinstance(n, _COMPOUND))
    return all(_moves(body, n, name) for n in simple if name in names_bound(n))


_COMPOUND = (ast.If, ast.For, ast.While)


def _moves(body: TileBody, statement: ast.stmt, name: str) -> bool:
    """Whether it is `name += scalar`, or the same as an assignment."""
    match statement:
        case ast.AugAssign(target=ast.Name(), op=ast.Add() | ast.Sub(), value=step):
            pass
        case ast.Assign(
            targets=[ast.Name()],
            value=ast.BinOp(left=ast.Name(id=moved), op=ast.Add() | ast.Sub(), right=step),
        ) if moved == name:
            pass
        case _:
            return False
    added = body.facts.values.get(step)
    return added is not None and added.rank == 0
