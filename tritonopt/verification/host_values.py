"""What a launcher computes on the host: which expressions must have come to several values.

A decision has many spellings (`and`, a table, `n >> 16`, `max(n / 3e6, 1)`), but one sign: it is
computed from what changes from call to call, and came to the same in every call that was made.
What it is otherwise was not seen then. What is true or false must have been both.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from tritonopt.facts.host import torch_api
from tritonopt.source.trees import blocks_of, names_in
from tritonopt.verification.coverage.text_differences import Body, Statement
from tritonopt.verification.process.messages import BOTH, OBJECT, Span, span_of

_MADE = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Call, ast.Subscript, ast.Attribute)
"""Expressions that compute something."""
_SKIPPED = (ast.JoinedStr, ast.Constant)
_TOLD_BY_TYPE = ("isinstance", "callable", "issubclass")
_POWER = "next_power_of_2"
_DIVISION = ("cdiv",)
_FORMS = (torch_api.PROPERTIES - {"data_ptr", "item"}) | {
    "is_contiguous",
    "nbytes",
    "storage_offset",
}
"""What is asked of the form of a tensor."""
_MOST_BITS = 64
_OF_DEVICES = (
    "get_device_capability", "get_device_name", "get_arch_list", "get_current_target", "major",
    "minor", "total_memory", "warp_size", "shared_memory_per_block", "gcnArchName", "arch",
    "L2_cache_size", "max_threads_per_multi_processor",
)  # fmt: skip
_MULTIPROCESSORS = ("multi_processor_count",)


@dataclass(frozen=True)
class HostValue:
    """An expression of a launcher that one version alone has."""

    node: ast.expr
    truth: bool
    """Whether what counts of it is whether it is true."""
    parts: tuple[Span, ...]
    """All that it is computed from."""
    of_values: bool
    """Whether it asks what tensors hold."""
    number: int | None
    """The largest number that it is computed with, which a size may have to come to."""

    @property
    def span(self) -> Span:
        return span_of(self.node)


def host_values(
    body: Body, counterpart: Body | None, suspects: Collection[str], settled: Collection[ast.AST]
) -> Iterator[HostValue]:
    """What a function of one version alone computes, but for what is `settled` elsewhere.

    `suspects` are names that may hold something else than in the other version.
    """
    nodes = [] if counterpart is None else [*ast.walk(counterpart.node)]
    same = [n for n in nodes if isinstance(n, ast.expr) and names_in(n).isdisjoint(suspects)]
    known = {ast.dump(n) for n in same if isinstance(n, _MADE)}
    known_asked = {ast.dump(n) for node in same for n in _asked_whether_true(node)}
    for statement in body.statements:
        if not statement.differs or _is_refusal(statement):
            continue
        inside = list(_expressions(statement))
        asked = {n for node in inside for n in _asked_whether_true(node)}
        for node in inside:
            computed = node in asked or (isinstance(node, _MADE) and not _is_product(node))
            if not computed or node in settled or _is_plain(node, body):
                continue
            if ast.dump(node) not in (known_asked if node in asked else known):
                of_device = asks_device(node)
                parts = tuple(span_of(n) for n in _inside(node) if n is not node or of_device)
                yield HostValue(
                    node, node in asked, parts, reads_tensors(node, body), largest_number(node)
                )


def largest_number(node: ast.AST) -> int | None:
    """The largest number in an expression; of `n >> 16` what is left of such an n."""
    found = []
    for part in ast.walk(node):
        match part:
            case ast.BinOp(op=ast.RShift() | ast.LShift(), right=ast.Constant(value=int(by))):
                found.append(2 ** min(by, _MOST_BITS))
            case ast.BinOp(
                left=ast.Constant(value=int(base)), op=ast.Pow(), right=ast.Constant(value=int(by))
            ):
                found.append(base ** min(by, _MOST_BITS))
            case ast.Constant(value=int(number) | float(number)) if math.isfinite(number):
                found.append(int(abs(number)))
    return max(found, default=None)


def _asked_whether_true(node: ast.expr) -> list[ast.expr]:
    """What decides by being true, though it may be no bool: of `a and b` the `a`."""
    match node:
        case ast.BoolOp(values=[*first, _]):
            return first
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return [operand]
    return []


def have_differed(
    values: Mapping[Span, frozenset[str]], span: Span, parts: Collection[Span]
) -> bool:
    """Whether an expression was seen to come to more than one value, if it can.

    It can where something that it is computed from did, and where it is true or false.
    """
    own = values.get(span)
    if own is None:
        return False
    if span in parts:
        # What the device is asked is the same in every call here.
        return len(own) > 1 or OBJECT in own
    if own & BOTH:
        return own >= BOTH
    # An object may be anything: what becomes of it is asked further on.
    return len(own) > 1 or OBJECT in own or all(len(values.get(p, ())) < 2 for p in parts)


def asks_device(node: ast.AST) -> bool:
    """Whether an expression asks what the device is; how many multiprocessors it has may be."""
    match node:
        case ast.Attribute(attr=attr) if attr in _OF_DEVICES:
            return True
        case ast.Attribute(attr="type", value=ast.Attribute(attr="device")):
            return True
        case ast.Attribute(attr=attr) if attr in _MULTIPROCESSORS:
            return False
    return any(map(asks_device, ast.iter_child_nodes(node)))


def reads_tensors(node: ast.AST, body: Body) -> bool:
    """Whether an expression asks what tensors hold, and not only of which form they are."""
    return _reads(node, body, set())


def _reads(node: ast.AST, body: Body, open_names: set[str]) -> bool:
    match node:
        case ast.Name(id=name):
            if name in open_names:
                return False
            bound = [s.node for s in body.statements if name in s.binds]
            values = [v for n in bound if (v := getattr(n, "value", None)) is not None]
            return any(_reads(v, body, open_names | {name}) for v in values)
        case ast.Attribute(attr=attr) if attr in _FORMS:
            return False
        case ast.Call(func=ast.Attribute(attr=attr)) if attr in _FORMS:
            return False
        case ast.Call(func=ast.Attribute(value=of, attr=attr), args=arguments):
            module = isinstance(of, ast.Name) and of.id in ("triton", "math")
            return not module or any(_reads(a, body, open_names) for a in arguments)
    return any(_reads(part, body, open_names) for part in ast.iter_child_nodes(node))


def _is_refusal(statement: Statement) -> bool:
    """Whether nothing is decided here but that a call is refused."""
    for outer in (*statement.parents, statement):
        node = outer.node
        if isinstance(node, (ast.Assert, ast.Raise)):
            return True
        if isinstance(node, ast.If) and any(_raises(block) for block in blocks_of(node)):
            return True
    return False


def _raises(block: list[ast.stmt]) -> bool:
    return bool(block) and isinstance(block[-1], (ast.Raise, ast.Assert))


def _is_product(node: ast.expr) -> bool:
    """Whether an expression is the same only where its factors are, or change the other way.

    Factors that are computed are asked themselves.
    """
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)


def _is_plain(node: ast.expr, body: Body) -> bool:
    """Whether one value is no sign of a decision: types, absence, one tile for a whole row."""
    if not names_in(node):
        return True  # It is a number; what chooses it is asked apart.
    match node:
        case ast.Compare(ops=[ast.Is() | ast.IsNot()]):
            return True
        case ast.UnaryOp(op=op):
            return not isinstance(op, ast.Not)
        case ast.Call(func=ast.Name(id=name)) if name in _TOLD_BY_TYPE:
            return True
        case ast.Call(func=ast.Attribute(attr="is_available")):
            return True  # Kernels run where there is a device.
        case ast.Call(func=ast.Name(id="min"), args=arguments):
            # What is below 1 is 0: a grid without programs.
            return any(isinstance(a, ast.Constant) and a.value == 1 for a in arguments)
        case ast.Call(func=ast.Attribute(attr=attr), args=[size, tile]) if attr in _DIVISION:
            return _holds_all(ast.dump(size), tile, body)
    return False


def _holds_all(size: str, tile: ast.expr, body: Body) -> bool:
    """Whether a tile is the power of two that a size is rounded up to."""
    bound = [tile]
    if isinstance(tile, ast.Name):
        assigned = (s.node for s in body.statements if tile.id in s.binds)
        bound = [n.value for n in assigned if isinstance(n, ast.Assign)]
    return len(bound) == 1 and any(
        isinstance(n, ast.Call)
        and ast.unparse(n.func).rpartition(".")[2] == _POWER
        and [ast.dump(a) for a in n.args] == [size]
        for n in bound
    )


def _expressions(statement: Statement) -> Iterator[ast.expr]:
    parts = statement.head
    if isinstance(statement.node, ast.AnnAssign):
        parts = [] if statement.node.value is None else [statement.node.value]
    for part in parts:
        yield from _inside(part)


def _inside(node: ast.AST) -> Iterator[ast.expr]:
    """An expression whose value can be noted, and all inside of it."""
    if isinstance(node, (*_SKIPPED, ast.pattern)) or _sets_allocator(node):
        return
    stored = isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
    if isinstance(node, (*_MADE, ast.Name, ast.IfExp)) and not stored:
        yield node
    for name, value in ast.iter_fields(node):
        called = isinstance(node, ast.Call) and name == "func"
        for part in value if isinstance(value, list) else [value]:
            if called and isinstance(part, (ast.Attribute, ast.Subscript)):
                # What is called is a function; what it is a method of, or launched on, counts.
                inner = [part.value] if isinstance(part, ast.Attribute) else [part.slice]
                for one in inner:
                    yield from _inside(one)
            elif isinstance(part, ast.AST) and not (called and isinstance(part, ast.Name)):
                yield from _inside(part)


def _sets_allocator(node: ast.AST) -> bool:
    """Whether Triton is given what allocates scratch memory, which the interpreter never calls."""
    match node:
        case ast.Call(func=ast.Attribute(attr="set_allocator", value=ast.Name(id="triton"))):
            return True
    return False
