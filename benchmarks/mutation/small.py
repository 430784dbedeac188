"""Mistakes so small that tolerance may hide them, one operator each."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.mutation.edits import Change, Operator, Subject

_TINY = 1e-3
"""A constant below is an epsilon."""


def _constants(subject: Subject) -> Iterator[ast.Constant]:
    for node in subject.nodes:
        if isinstance(node, ast.BinOp):
            for side in (node.left, node.right):
                if isinstance(side, ast.Constant) and isinstance(side.value, float) and side.value:
                    yield side


def smaller_epsilon(subject: Subject) -> Iterator[Change]:
    """1e-5 for 1e-6, and an `eps` that is a tenth."""
    for side in _constants(subject):
        if subject.kernel and 0 < side.value < _TINY:
            yield {side: repr(side.value / 10)}
    for node in subject.nodes:
        if subject.kernel and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            for side in (node.left, node.right):
                if isinstance(side, ast.Name) and side.id.lower() in ("eps", "epsilon"):
                    yield {side: f"({side.id} * 0.1)"}


def nearby_constant(subject: Subject) -> Iterator[Change]:
    """0.1 % off."""
    for side in _constants(subject):
        if subject.kernel and side.value >= _TINY:
            yield {side: repr(side.value * 1.001)}


def one_less(subject: Subject) -> Iterator[Change]:
    """Divided by a count that is one too small."""
    for node in subject.nodes:
        if subject.kernel and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            right = node.right
            if isinstance(right, ast.Name) and right.id.lower().startswith(("n", "m")):
                yield {right: f"({right.id} - 1)"}


def weak_term(subject: Subject) -> Iterator[Change]:
    """A millionth too much of a sum, as of one element of very many that counts twice."""
    for call in subject.calls("sum"):
        yield {call: f"({subject.text(call)} * 1.000001)"}


def weak_factor(subject: Subject) -> Iterator[Change]:
    """A millionth too much of what goes into an exponential or below a root."""
    for call in subject.calls("exp", "exp2", "log", "sqrt", "rsqrt", "sigmoid"):
        if call.args:
            yield {call.args[0]: f"(({subject.text(call.args[0])}) * 1.000001)"}


def weak_store(subject: Subject) -> Iterator[Change]:
    """A millionth too much of what is stored."""
    for call in subject.calls("store"):
        value = subject.argument(call, 1, "value")
        if value is not None:
            yield {value: f"(({subject.text(value)}) * 1.000001)"}


def dropped_element(subject: Subject) -> Iterator[Change]:
    """One element of ten thousand is left out of what a kernel with a sum reads."""
    if not any(subject.calls("sum")):
        return
    tests = {
        node.targets[0].id: node.value
        for node in subject.nodes
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for call in subject.calls("load"):
        mask = subject.argument(call, 1, "mask")
        test = tests.get(mask.id) if isinstance(mask, ast.Name) else mask
        if mask is None or not isinstance(test, ast.Compare) or len(test.ops) != 1:
            continue
        if isinstance(test.ops[0], ast.Lt) and not isinstance(test.left, ast.Subscript):
            yield {mask: f"({subject.text(mask)}) & (({subject.text(test.left)}) != 9999)"}


SMALL: dict[str, Operator] = {
    "smaller epsilon": smaller_epsilon,
    "nearby constant": nearby_constant,
    "one less": one_less,
    "weak term": weak_term,
    "weak factor": weak_factor,
    "weak store": weak_store,
}

DROPPED: dict[str, Operator] = {"dropped element": dropped_element}
"""Drawn by itself: such a mistake shows in calls with ten thousand elements alone."""
