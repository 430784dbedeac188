"""One call of the original, to see whether it takes what it is given."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import ge, gt, le, lt
from types import FrameType
from typing import Any

from tritonopt.facts.host import torch_api
from tritonopt.source.parsing import parsed
from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.messages import (
    TOO_LONG,
    Attempt,
    Blame,
    Literal,
    Outcome,
    RunOptions,
)
from tritonopt.verification.worker.guarded_memory import memory_of
from tritonopt.verification.worker.loaded_version import LoadedVersion
from tritonopt.verification.worker.one_call import called

# Which arguments a line that failed was about, and what its condition compared.
#
# Tensors are followed through views by the memory they lie in, so it does not matter what a
# launcher calls them; a plain value is known by the name of its parameter.

_ASKED = torch_api.SIZE_ATTRIBUTES | {"dtype"}
_CALLED = torch_api.SIZE_METHODS | {"len", "tuple", "list", "int", "max", "min"}
_PLAIN = (
    ast.Name, ast.Constant, ast.Tuple, ast.List, ast.Subscript, ast.Slice, ast.BinOp, ast.UnaryOp,
    ast.operator, ast.unaryop, ast.expr_context,
)  # fmt: skip
_OPERATORS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_OPERATORS |= {ast.In: "in", ast.NotIn: "in"}
_BOUNDS: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: lt,
    ast.LtE: le,
    ast.Gt: gt,
    ast.GtE: ge,
}


class Blaming:
    """Looks at the frames of one call while it fails."""

    def __init__(self, text: str, given: Sequence[str] = ()) -> None:
        """`given` are the arguments in the order in which they are passed, where that counts."""
        self.text = text
        self.given = given
        self.blame = Blame()
        self.owners: dict[int, str] | None = None
        """Address of a memory: the argument that lies in it."""
        self.arguments: set[str] = set()
        """The launcher's parameters; in a helper a plain value mostly has the same name."""
        self.error: object = None

    def entered(self, frame: FrameType) -> None:
        """The first frame of the file is the launcher's: its variables are the arguments."""
        if self.owners is not None:
            return
        self.owners = {}
        for name, value in self._passed(frame):
            parts = value if isinstance(value, (list, tuple)) else [value]
            addresses = [address for part in parts if (address := memory_of(part))]
            self.owners.update((address, name) for address in addresses)
            self.arguments.add(name)

    def _passed(self, frame: FrameType) -> Iterator[tuple[str, Any]]:
        """The arguments by name, those in `*args` as well."""
        code = frame.f_code
        named = code.co_argcount + code.co_kwonlyargcount
        packed = code.co_varnames[named] if code.co_flags & inspect.CO_VARARGS else ""
        for name, value in frame.f_locals.items():
            if name != packed:
                yield name, value
        yield from zip(self.given[code.co_argcount :], frame.f_locals.get(packed, ()), strict=False)

    def failed(self, frame: FrameType, error: object) -> None:
        """An exception is in this frame: of those it goes through, the innermost counts."""
        known = error is self.error or getattr(error, "__cause__", None) is self.error is not None
        if known and (self.blame.names or self.blame.compared):
            return
        self.error = error
        found = _innermost(_tree(self.text), frame.f_lineno)
        if found is None:
            return
        statement, test = found
        refused = isinstance(statement, ast.Raise)
        compared = () if test is None else tuple(_comparisons(test, frame, refused))
        names: dict[str, None] = {}
        ranks: dict[str, int] = {}
        used = [*_names(_head(statement)), *(_names(test) if test is not None else ())]
        for name in used:
            for owner in self._owners_of(name, frame, frame.f_lineno):
                names[owner] = None
                rank = getattr(frame.f_locals[name], "ndim", None)
                if rank is not None:
                    ranks.setdefault(owner, rank)
        self.blame = Blame(tuple(names), tuple(ranks.items()), compared)

    def _owners_of(self, name: str, frame: FrameType, line: int, depth: int = 6) -> list[str]:
        """The arguments that a variable is, or was computed from in the lines before."""
        if name not in frame.f_locals or depth == 0:
            return []
        owner = (self.owners or {}).get(memory_of(frame.f_locals[name]) or 0)
        if owner is not None:
            return [owner]
        function = _function(_tree(self.text), frame.f_code.co_firstlineno, frame.f_code.co_name)
        given = [n for n in _assignments(function, name) if n.lineno < line]
        if given:
            last = max(given, key=lambda n: n.lineno)
            found = [
                o
                for n in _names(last.value)
                for o in self._owners_of(n, frame, last.lineno, depth - 1)
            ]
            if found:
                return list(dict.fromkeys(found))
        if name in self.arguments:
            return [name]
        return []


@lru_cache(maxsize=1)
def _tree(text: str) -> ast.Module:
    return parsed(text)


def _innermost(tree: ast.AST, line: int) -> tuple[ast.stmt, ast.expr | None] | None:
    """The statement at a line; with the condition that led there, if all that it does is fail."""
    found: ast.stmt | None = None
    above: dict[ast.stmt, ast.stmt] = {}
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt) and isinstance(node, ast.stmt):
                above[child] = node
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            found = node  # what is walked later lies deeper
    if found is None:
        return None
    if isinstance(found, ast.Assert):
        return found, found.test
    match found:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="static_assert"), args=[test, *_])):
            return found, test
    parent = above.get(found)
    if isinstance(found, ast.Raise) and isinstance(parent, ast.If):
        return found, parent.test
    return found, None


def _names(node: ast.AST | None) -> list[str]:
    nodes = [] if node is None else ast.walk(node)
    return list(dict.fromkeys(n.id for n in nodes if isinstance(n, ast.Name)))


def _function(tree: ast.Module, line: int, name: str) -> ast.FunctionDef | None:
    """The function whose code begins at that line, its decorators included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first == line:
                return node
    return None


def _assignments(function: ast.FunctionDef | None, name: str) -> list[ast.Assign]:
    """Where a function gives a variable its value."""
    nodes = [] if function is None else ast.walk(function)
    return [
        node
        for node in nodes
        if isinstance(node, ast.Assign) and any(name in _names(target) for target in node.targets)
    ]


def _head(statement: ast.stmt) -> ast.AST:
    """What a statement itself computes, without the statements in it."""
    if isinstance(statement, (ast.If, ast.While)):
        return statement.test
    if isinstance(statement, ast.For):
        return statement.iter
    if isinstance(statement, ast.With):
        return ast.Tuple([item.context_expr for item in statement.items], ast.Load())
    return statement


def _comparisons(
    test: ast.expr, frame: FrameType, refused: bool
) -> Iterator[tuple[str, object, object]]:
    """What is to blame: of bounds (`2 <= n <= 4`) those that failed, or that were `refused`."""
    nodes = list(ast.walk(test))
    unclear = any(isinstance(node, ast.Not) for node in nodes)
    for node in nodes:
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        for operator, left, right in zip(node.ops, sides, sides[1:], strict=False):
            if type(operator) not in _OPERATORS:
                continue
            if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod):
                yield "%", _value(left.left, frame), _value(left.right, frame)
            elif isinstance(left, ast.BinOp) and isinstance(left.op, ast.BitAnd):
                yield "&", _value(left.left, frame), _value(left.right, frame)
            else:
                one, other = _value(left, frame), _value(right, frame)
                bound = _BOUNDS.get(type(operator))
                whole = isinstance(one, int) and isinstance(other, int)
                if unclear or bound is None or not whole or bound(one, other) == refused:
                    yield _OPERATORS[type(operator)], one, other


def _value(node: ast.expr, frame: FrameType) -> object:
    """What an expression was worth, where asking again changes nothing; else None."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return Literal(node.value)
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute):
            if part.attr not in _ASKED | _CALLED:
                return None
        elif isinstance(part, ast.Call):
            called = part.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name not in _CALLED or part.keywords:
                return None
        elif not isinstance(part, _PLAIN):
            return None
    try:
        code = compile(ast.Expression(node), "condition", "eval")
        return _sent(eval(code, frame.f_globals, frame.f_locals))
    except Exception:
        return None


def _sent(value: Any) -> object:
    """A value as it can be sent, or None."""
    from tritonopt.verification.worker.guarded_memory import COMPARED

    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, (tuple, list)) and all(type(v) is int for v in value):
        return tuple(value)
    try:
        return COMPARED.get(value)
    except TypeError:
        return None


_MOST_WORK = 20_000
"""Statements of kernels that an attempt executes: what has run as long has shown all it can."""
_WRONG_SIZE = "returned an invalid gradient"
"""What autograd says of a gradient that has not the shape of its tensor: every kernel ran, so it
is a size that is wrong. A type without gradients would only evade it."""


def attempt(version: LoadedVersion, example: Example) -> Attempt:
    """Run the launcher once, and count the lines of its file that were reached."""
    path, text = version.spec.text_path, version.spec.text
    if version.spec.home:
        path = version.spec.home
        text = "".join(linecache.getlines(path))
    reached: set[tuple[str, int]] = set()
    names = [name for name, _ in example.arguments]
    blaming = Blaming(text, names if version.spec.by_position else ())

    def line(frame: FrameType, event: str, argument: Any) -> Any:
        reached.add((frame.f_code.co_name, frame.f_lineno))
        if event == "exception":
            blaming.failed(frame, argument[1])
        return line

    def call(frame: FrameType, event: str, argument: object) -> Any:
        if frame.f_code.co_filename != path:
            return None
        blaming.entered(frame)
        return line

    before = sys.gettrace()
    started = time.process_time()
    sys.settrace(call)
    try:
        outcome = called(version, example, RunOptions(most_work=_MOST_WORK))
    finally:
        sys.settrace(before)
    seconds = time.process_time() - started
    return judge(outcome, len(reached), seconds, blaming.blame)


def judge(outcome: Outcome, lines: int, seconds: float, blame: Blame = Blame()) -> Attempt:  # noqa: B008  # it is frozen
    """How far a run came, in which so many lines were reached."""
    failure = outcome.failure
    if failure is not None and failure.kind == TOO_LONG:
        failure = None  # it has taken its arguments as far as it came
    trouble = "" if failure is None else str(failure)
    if failure is not None and outcome.launches and _WRONG_SIZE in trouble:
        level = Attempt.OUTSIDE
    elif failure is not None:
        level = Attempt.FAILED_AFTER_LAUNCH if outcome.launches else Attempt.FAILED
    elif outcome.out_of_bounds_loads or outcome.out_of_bounds_stores:
        level = Attempt.OUTSIDE
        trouble = (*outcome.out_of_bounds_stores, *outcome.out_of_bounds_loads)[0]
        blame = Blame(tuple(re.findall(r"argument ([\w\[\]]+)", trouble)))
    elif not outcome.launches:
        level, trouble = Attempt.NO_LAUNCH, "no kernel was launched"
    elif not outcome.written and not outcome.coverage.stored:
        level, trouble = Attempt.NOTHING_WRITTEN, "no kernel changed any memory"
    elif outcome.races:
        level = Attempt.RACING
        trouble = outcome.races[0]
    else:
        level = Attempt.GOOD
    return Attempt(level, lines, trouble, outcome.configurations, seconds, blame)
