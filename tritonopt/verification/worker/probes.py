"""Counting what runs: probes in the text of kernels and launchers.

Before every statement stands a call that notes its line; tests and loops are wrapped. Interpreted
kernels are Python, so the same goes for both. What a program of a launch ran counts once the
program has stored something: one whose lanes are all masked off computes nothing.
"""

from __future__ import annotations

import ast
import builtins
import copy
import importlib
import linecache
import math
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from tritonopt.source.parsing import parsed
from tritonopt.source.single_numbers import limit_of, named_numbers, number_asked_for
from tritonopt.source.tile_extents import extents_of
from tritonopt.source.trees import is_text
from tritonopt.verification.process.messages import (
    OBJECT,
    Bounds,
    Coverage,
    Loop,
    Place,
    Span,
    span_of,
)

_KERNEL, _HOST = "_tritonopt_kernel", "_tritonopt_host"
"""The names under which instrumented code finds its probes, wherever it runs."""

_OPERATIONS = 4
"""So many operations of the interpreter are in a statement, mostly; in `tl.rand` are hundreds."""
_MOST_LIMITS = 512
"""More numbers are not told apart: they are the data's."""
_MOST_VALUES = 4
_LIKELY_LIMITS = 16
"""So many are told of a run, those first that most programs have in common."""


class TooLong(Exception):
    """Kernels execute more statements than a run may."""


class Sheet:
    """What was noted, until it is known whether it counts."""

    def __init__(self) -> None:
        self.lines: set[int] = set()
        self.left: set[int] = set()
        """Lines that end a program, or what it calls."""
        self.tests: set[tuple[Place, bool]] = set()
        self.loops: dict[int, Loop] = {}
        self.extents: dict[Place, int] = {}
        """The most that each length of a tile came to."""
        self.limits: Counter[float] = Counter()
        """Numbers that floats were compared with; of many sheets, in how many."""
        self.values: dict[Span, set[str]] = {}
        """What watched expressions came to; a few values of each."""

    def add(self, other: Sheet) -> None:
        self.lines |= other.lines
        self.tests |= other.tests
        if len(self.limits) < _MOST_LIMITS:
            self.limits.update(other.limits.keys())
        for line, loop in other.loops.items():
            self.saw(line, loop)
        for span, values in other.values.items():
            self.values.setdefault(span, set()).update(values)
        for place, length in other.extents.items():
            self.extents[place] = max(length, self.extents.get(place, 0))

    def saw(self, line: int, loop: Loop) -> None:
        before = self.loops.get(line)
        self.loops[line] = loop if before is None else before.merged(loop)


class _Entry:
    """A loop that is running."""

    def __init__(self, line: int, bounds: Bounds | None, types: dict[str, Any]) -> None:
        self.line = line
        self.bounds = bounds
        self.types = types
        """Of the names that it binds again, before its first turn."""
        self.begun = False
        self.turns = 0
        self.lanes: dict[int, int] = {}
        """In the current turn, by the line of an access, the most lanes that were on."""
        self.last: dict[int, int] = {}
        """The same in the last turn that counted."""
        self.most: dict[int, int] = {}
        """The same over all turns before that."""

    def turn_ends(self) -> None:
        lanes, self.lanes = self.lanes, {}
        if lanes and not any(lanes.values()):
            return
        self.turns += 1
        for line, count in self.last.items():
            self.most[line] = max(self.most.get(line, 0), count)
        self.last = lanes

    def seen(self) -> Loop:
        ragged = any(0 < count < self.most.get(line, 0) for line, count in self.last.items())
        return Loop(self.turns, ragged, self.bounds)


class Probe:
    """What instrumented code calls."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self.sheet = Sheet()
        self.current = 0
        self.statements = 0
        self.most_statements = math.inf
        self.running: list[_Entry] = []
        self.retyped: list[str] = []
        """Names that a loop leaves with another type than they had before."""

    def line(self, number: int) -> None:
        self.statements += 1
        if self.statements > self.most_statements:
            raise TooLong(f"more than {self.most_statements:,} statements of kernels")
        self.sheet.lines.add(number)
        self.current = number

    def leave(self, number: int) -> None:
        """A `return`: what it ends may well have stored nothing."""
        self.line(number)
        self.sheet.left.add(number)

    def test(self, line: int, column: int, value: Any) -> Any:
        outcome = bool(value)
        self.sheet.tests.add(((line, column), outcome))
        return outcome

    def value(self, span: Span, truth: bool, value: Any) -> Any:
        """What a watched expression comes to, or only whether it is true."""
        known = self.sheet.values.setdefault(span, set())
        if len(known) < _MOST_VALUES:
            known.add(_in_words(bool(value) if truth else value))
        return value

    def single(self, line: int, column: int, value: Any, among: Any = True) -> Any:
        """Where a comparison with a number holds, of the lanes of which something else does."""
        lanes, counted = np.broadcast_arrays(_lanes(value), _lanes(among))
        for outcome in (True, False):
            if (counted & (lanes == outcome)).any():
                self.sheet.tests.add(((line, column), outcome))
        return value

    def masked(self, line: int, column: int, mask: Any, value: Any) -> Any:
        """`mask & (cols != 9999)`: lanes that are masked off show nothing."""
        return mask & self.single(line, column, value, mask)

    def limited(self, line: int, column: int, limit: Any, value: Any) -> Any:
        """Where a limit holds: `min(n, 256)` is 256 in some lane, and is not in another."""
        self.single(line, column, _held(value) == _held(limit))
        return value

    def extent(self, line: int, column: int, length: Any) -> Any:
        """How long a tile is along one of its axes."""
        for number in _lengths(length):
            known = self.sheet.extents
            known[line, column] = max(number, known.get((line, column), 0))
        return length

    def loop(self, line: int, iterable: Any, carried: tuple[str, ...]) -> Iterator[Any]:
        """The same values, with every turn noted."""
        bounds = None
        if hasattr(iterable, "step"):
            bounds = (iterable.start, iterable.stop, iterable.step)
        entry = _Entry(line, bounds, _types(sys._getframe(1), carried))
        depth = len(self.running)
        self.running.append(entry)
        try:
            for value in iterable:
                if entry.begun:
                    self._turn_ends(entry, depth)
                entry.begun = True
                yield value
            # Left in its head: what a `break` leaves behind is not carried round.
            if entry.begun:
                self._check(entry, sys._getframe(1))
        finally:
            if entry.begun:
                entry.turn_ends()
            del self.running[depth:]
            self.sheet.saw(line, entry.seen())

    def _turn_ends(self, entry: _Entry, depth: int) -> None:
        del self.running[depth + 1 :]
        entry.turn_ends()
        self._check(entry, sys._getframe(2))

    def enter(self, line: int, carried: tuple[str, ...]) -> None:
        """A `while` is about to begin."""
        self.running.append(_Entry(line, None, _types(sys._getframe(1), carried)))

    def turn(self, line: int, value: Any) -> Any:
        """The test of a `while`: before its first turn, and after each."""
        goes_on = bool(value)
        depth = next((i for i, e in reversed([*enumerate(self.running)]) if e.line == line), None)
        if depth is None:
            return goes_on
        del self.running[depth + 1 :]
        entry = self.running[depth]
        if entry.begun:
            entry.turn_ends()
            self._check(entry, sys._getframe(1))
        entry.begun = goes_on
        if not goes_on:
            del self.running[depth:]
        self.sheet.saw(line, entry.seen())
        return goes_on

    def access(self, lanes: int) -> None:
        """A kernel loads or stores so many lanes."""
        for entry in self.running:
            if lanes >= entry.lanes.get(self.current, 0):
                entry.lanes[self.current] = lanes

    def _check(self, entry: _Entry, frame: Any) -> None:
        for name, before in entry.types.items():
            after = _type(frame.f_locals.get(name))
            if before is not None and after is not None and before != after:
                self.retyped.append(
                    f"the loop in line {entry.line} leaves `{name}` as {after}, which was {before} "
                    "before it"
                )
                entry.types[name] = None


def _in_words(value: Any) -> str:
    """A value as text, where it is one that a launcher decides by."""
    if value is True or value is False or isinstance(value, np.bool_):
        return str(bool(value)).lower()
    plain = value is None or isinstance(value, (int, float, str, np.generic))
    # Types and devices of torch, and sizes.
    told = type(value).__name__ in ("dtype", "device", "layout", "Size")
    return repr(value) if plain or told else OBJECT


def _lanes(value: Any) -> Any:
    """The truth of a value of the interpreter, or of Python, in each of its lanes."""
    return _held(value).astype(bool)


def _held(value: Any) -> Any:
    """What a value of the interpreter, or of Python, holds in each of its lanes."""
    handle = getattr(value, "handle", value)
    return np.asarray(getattr(handle, "data", getattr(value, "value", value)))


def _lengths(extent: Any) -> list[int]:
    """A length, or those of a whole shape: plain numbers, or constants of the language.

    Looked up among what an object holds, for a tuple of the language fails on names it lacks.
    """
    held = vars(extent) if hasattr(extent, "__dict__") else {}
    whole = held.get("values", extent)
    if isinstance(whole, (tuple, list)):
        return [number for part in whole for number in _lengths(part)]
    number = held.get("value", extent)
    return [number] if type(number) is int else []


def _types(frame: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: _type(frame.f_locals[name]) for name in names if name in frame.f_locals}


def _type(value: Any) -> str | None:
    """The type that the compiler would give to a value; None where that is not known."""
    kind = getattr(value, "type", None)
    if kind is not None:
        return str(kind)
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return "int32" if -(2**31) <= value < 2**31 else "int64"
    return "fp32" if isinstance(value, float) else None


_ELSEWHERE = 2
"""A program that executes no more of the file's statements than these is one of another file."""
_OF_ANOTHER_FILE = 20
"""So many statements it counts for, which are not seen."""
_SAMPLE = 16
"""After so many programs of a launch it is known about how long it takes."""
_ABOUT = 2
"""So many times too long, other programs will hardly make up for it."""
_SURELY = 1.1
"""The same once a good part of what may be executed has been."""
_GOOD_PART = 0.2


class Recorder:
    """The probes of a process, and what they have seen of the current run."""

    def __init__(self) -> None:
        self.host, self.kernel = Probe(), Probe()
        self.begin()

    def begin(self, most_work: float = math.inf) -> None:
        """A run begins, in which kernels execute so many statements at most."""
        self.host.begin()
        self.kernel.begin()
        self.kernel.most_statements = most_work
        self.counted = Sheet()
        self.unseen = self.before = self.operations = self.executed_before = 0
        self.stored = self.any_stored = False
        self.grids: dict[tuple[str, tuple[int, ...]], None] = {}
        self.constants: set[int] = set()
        self.writers: set[str] = set()

    def program_begins(self) -> None:
        """Also where the last one of a launch has ended."""
        if self.kernel.statements - self.before <= _ELSEWHERE:
            self.unseen += _OF_ANOTHER_FILE
        self.before = self.kernel.statements
        if self.stored:
            self.counted.add(self.kernel.sheet)
        else:
            # A guard that ends a program before it stores anything has done its work.
            self.counted.tests |= self.kernel.sheet.tests
            self.counted.lines |= self.kernel.sheet.left
        self.kernel.sheet, self.stored = Sheet(), False
        self.kernel.running.clear()

    @property
    def work(self) -> int:
        """How much was executed so far, in statements of usual length."""
        return max(self.kernel.statements + self.unseen, self.operations // _OPERATIONS)

    def expect(self, ended: int, programs: int) -> None:
        """Of a launch of so many programs some have ended; raises TooLong if it would not soon."""
        executed, most = self.work, self.kernel.most_statements
        if not ended:
            self.executed_before = executed
        elif ended >= _SAMPLE:
            expected = (executed - self.executed_before) * programs / ended
            about = _SURELY if executed > _GOOD_PART * most else _ABOUT
            if expected > about * most:
                raise TooLong(f"some {expected:,.0f} statements of kernels, where {most:,} may be")

    def access(self, lanes: int, *, store: bool) -> None:
        self.kernel.access(lanes)
        if store and lanes:
            self.stored = self.any_stored = True

    def compares(self, numbers: Any) -> None:
        """Floats are compared with these, or the larger or the smaller one is taken.

        A number that is the same in every lane may be one of the program's, or be computed from
        those and from arguments.
        """
        if numbers.dtype.kind == "f" and numbers.size:
            first = numbers.flat[0]
            likely = 0 < abs(first) < np.inf and numbers.flat[-1] == first
            if likely and (numbers == first).all():
                self.kernel.sheet.limits[float(first)] = 1

    def launched(self, name: str, grid: tuple[int, ...], constants: Iterable[object]) -> None:
        self.grids[name, grid] = None
        self.constants.update(c for c in constants if type(c) is int)

    def wrote(self, kernel: str) -> None:
        """A launch has changed memory; of a compiled kernel nothing else is told."""
        self.writers.add(kernel)
        self.any_stored = True

    def coverage(self) -> Coverage:
        total = Sheet()
        if self.any_stored:
            total.add(self.host.sheet)
        elif not self.grids:
            # An early return, for what is empty: that it returns the same has been compared.
            total.lines |= self.host.sheet.left
            total.tests |= self.host.sheet.tests
        if not self.any_stored:
            # How many programs are launched for what is empty may be the other value of a number.
            total.values |= self.host.sheet.values
        total.add(self.counted)
        return Coverage(
            frozenset(total.lines),
            frozenset(total.tests),
            total.loops,
            total.extents,
            tuple(self.grids),
            frozenset(self.constants),
            self.work,
            frozenset(self.writers),
            frozenset(n for n, _ in self.counted.limits.most_common(_LIKELY_LIMITS)),
            self.any_stored,
            {span: frozenset(values) for span, values in total.values.items()},
        )


RECORDER = Recorder()


def install() -> None:
    """From now on code that was instrumented finds its probes."""
    setattr(builtins, _KERNEL, RECORDER.kernel)
    setattr(builtins, _HOST, RECORDER.host)


def install_in_kernels(path: str) -> None:
    """From now on kernels of the file at this path have probes, once they are interpreted."""
    interpreter: Any = importlib.import_module("triton.runtime.interpreter")
    rewriter: Any = getattr(interpreter, "FunctionRewriter", None)
    original: Any = getattr(rewriter, "_transform_ast", None)
    if original is None:
        return

    def transform(this: Any, source: str) -> ast.AST:
        tree: ast.AST = original(this, source)
        if this.filename == path:
            _indent(tree, linecache.getline(path, this.def_file_lineno))
            tree = ast.fix_missing_locations(_Instrument(_KERNEL).visit(tree))
        return tree

    rewriter._transform_ast = transform


def _indent(tree: ast.AST, line: str) -> None:
    """Columns as the file has them: Triton reads a kernel without its indentation, in a class."""
    width = len(line) - len(line.lstrip())
    for node in ast.walk(tree):
        for name in ("col_offset", "end_col_offset"):
            column = getattr(node, name, None)
            if column is not None:
                setattr(node, name, column + width)


def instrumented(text: str, path: str, watched: Iterable[tuple[Span, bool]] = ()) -> ast.Module:
    """A file with probes in its functions, and at what is watched of them."""
    tree = parsed(text, path)
    _Instrument(_HOST, named_numbers(tree), dict(watched)).visit(tree)
    return ast.fix_missing_locations(tree)


class _Instrument(ast.NodeTransformer):
    def __init__(
        self,
        probe: str,
        named: Mapping[str, int] = MappingProxyType({}),
        watched: Mapping[Span, bool] = MappingProxyType({}),
    ) -> None:
        self.probe = probe
        self.watched = watched
        """Expressions whose values are noted, or whether they are true."""
        self.named = named
        """Numbers of the module that have names."""
        self.inside = False
        """Whether this is in a function: what runs on import need not be counted."""
        self.extents: set[ast.AST] = set()
        """Expressions that say how long a tile is."""
        self.visible: set[str] = set()
        """Names that are bound, as Triton sees it: what a loop binds first is gone after it."""

    def visit(self, node: ast.AST) -> Any:
        place = span_of(node) if isinstance(node, ast.expr) else None
        visited = super().visit(node)
        truth = None if place is None else self.watched.get(place)
        if truth is not None:
            span = _constant(place, node)
            visited = self._call("value", node, span, _constant(truth, node), visited)
        return self._extent(visited) if node in self.extents else visited

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        before = self.inside, self.visible
        arguments = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        self.inside, self.visible = True, arguments
        node.body = self._block(node.body)
        self.inside, self.visible = before
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        self._blocks(node)
        node.test = self._tested(node.test)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if self.inside:
            node.test = self._tested(node.test)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if self.inside and self.probe == _KERNEL:
            self.extents.update(extents_of(node))
        limit = limit_of(node, self.named) if self.inside else None
        side = None if limit is None else copy.deepcopy(limit[1])
        super().generic_visit(node)
        return node if side is None else self._call("limited", node, *_place(node), side, node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        return self._call("single", node, *_place(node), node) if self._is_single(node) else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        singles = [side for side in (node.right, node.left) if self._is_single(side)]
        if not singles or not isinstance(node.op, ast.BitAnd):
            return self.generic_visit(node)
        mask = node.left if singles[0] is node.right else node.right
        self.generic_visit(singles[0])
        return self._call("masked", node, *_place(singles[0]), self.visit(mask), singles[0])

    def _is_single(self, node: ast.AST) -> bool:
        return self.inside and self.probe == _KERNEL and number_asked_for(node) is not None

    def visit_For(self, node: ast.For) -> ast.AST:
        unrolled = _unrolled(node.iter)
        carried = () if unrolled else self._carried(node)
        self._loop(node, keeps_names=unrolled)
        if self.inside:
            node.iter = self._call("loop", node.iter, node.iter, _constant(carried, node.iter))
            node.iter.args.insert(0, _constant(node.lineno, node))
        return node

    def visit_While(self, node: ast.While) -> Any:
        carried = self._carried(node)
        self._loop(node, keeps_names=False)
        if not self.inside:
            return node
        line = _constant(node.lineno, node)
        node.test = self._call("turn", node.test, line, node.test)
        enter = self._call("enter", node.test, line, _constant(carried, node))
        return [ast.copy_location(ast.Expr(enter), node), node]

    def _carried(self, loop: ast.For | ast.While) -> tuple[str, ...]:
        """Names that go round a loop: bound before it, and again in it."""
        return tuple(name for name in _bound(loop) if name in self.visible)

    def _loop(self, node: ast.For | ast.While, *, keeps_names: bool) -> None:
        before = set(self.visible)
        if isinstance(node, ast.For):
            self.visible |= set(_stored(node.target))
        self._blocks(node)
        if not keeps_names:
            self.visible = before

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, (ast.With, ast.Try, ast.ExceptHandler, ast.match_case)):
            self._blocks(node)
            return node
        return super().generic_visit(node)

    def _blocks(self, node: ast.AST) -> None:
        for name, value in ast.iter_fields(node):
            if name in ("body", "orelse", "finalbody"):
                setattr(node, name, self._block(value))
            elif isinstance(value, list):
                setattr(node, name, [self.visit(v) for v in value])
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))

    def _block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for statement in body:
            visited = self.visit(statement)
            if self.inside and not is_text(statement):
                name = "leave" if isinstance(statement, ast.Return) else "line"
                call = self._call(name, statement, _constant(statement.lineno, statement))
                found.append(ast.copy_location(ast.Expr(call), statement))
            found += visited if isinstance(visited, list) else [visited]
            if not hasattr(statement, "body"):
                self.visible |= set(_stored(statement))
        return found

    def _tested(self, test: ast.expr) -> ast.expr:
        if not self.inside:
            return test
        return self._call("test", test, *_place(test), test)

    def _extent(self, length: ast.expr) -> ast.expr:
        return self._call("extent", length, *_place(length), length)

    def _call(self, name: str, place: ast.AST, *arguments: ast.expr) -> ast.Call:
        function = ast.Attribute(ast.Name(self.probe, ast.Load()), name, ast.Load())
        call = ast.Call(function, list(arguments), [])
        return ast.fix_missing_locations(ast.copy_location(call, place))


def _place(node: ast.expr) -> tuple[ast.Constant, ast.Constant]:
    """Its line and column, as code."""
    return _constant(node.lineno, node), _constant(node.col_offset, node)


def _constant(value: object, place: ast.AST) -> ast.Constant:
    return ast.copy_location(ast.Constant(value), place)  # type: ignore[arg-type]  # a tuple of str


def _unrolled(iterable: ast.expr) -> bool:
    called = iterable.func if isinstance(iterable, ast.Call) else iterable
    return ast.unparse(called).rpartition(".")[2] == "static_range"


def _bound(loop: ast.For | ast.While) -> tuple[str, ...]:
    """The names that the body binds."""
    return tuple(dict.fromkeys(name for statement in loop.body for name in _stored(statement)))


def _stored(node: ast.AST) -> Iterator[str]:
    """The names that are bound somewhere in a node."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
