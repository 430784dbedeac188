"""One walk over the statements of a launcher that collects evidence and equations."""

from __future__ import annotations

import ast

from tritonopt.facts.host.conditions import checked, conjuncts
from tritonopt.verification.signature.argument_language import LONG_NAMES
from tritonopt.verification.signature.evidence import (
    Findings,
    Number,
    Options,
    Packed,
    Rank,
    Shape,
    Size,
    Tensor,
    Value,
)
from tritonopt.verification.signature.launcher_values import Scope, Values, elements_of
from tritonopt.verification.signature.launchers import Launcher, Launchers


def findings(launchers: Launchers, launcher: Launcher) -> Findings:
    """What the statements of a launcher say of its parameters."""
    walk = _Walk(launchers, launcher)
    scope: Scope = {name: Tensor(name) for name in walk.found.evidence}
    if launcher.packed and launcher.function.args.vararg is not None:
        scope[launcher.function.args.vararg.arg] = Packed(tuple(a.arg for a in launcher.packed))
    if launcher.options and launcher.function.args.kwarg is not None:
        scope[launcher.function.args.kwarg.arg] = Options(frozenset(launcher.options))
    walk.block(launcher.function.body, scope)
    return walk.found


class _Walk:
    """The statements of a launcher, in their order."""

    def __init__(self, launchers: Launchers, launcher: Launcher) -> None:
        self.module = launchers.module
        self.found = Findings(launchers.module, launcher)
        self.values = Values(launchers, launcher, self.found, self.block)

    def block(self, body: list[ast.stmt], scope: Scope) -> None:
        for statement in body:
            self.statement(statement, scope)

    def statement(self, node: ast.stmt, scope: Scope) -> None:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            return
        if isinstance(node, ast.If):
            self.values.of(node.test, scope)
        known = checked(self.module, node)
        if known is not None:
            for part, holds in conjuncts(*known):
                self.condition(part, holds, scope)
            if isinstance(node, ast.If):
                # What it compares before it raises may have returned.
                self.block(node.body[:-1], dict(scope))
                self.block(node.orelse, scope)
        elif isinstance(node, ast.If):
            self.branches(node, scope)
        elif isinstance(node, ast.For):
            self.values.bind(node.target, node.iter, scope)
            self.block(node.body, scope)
        elif isinstance(node, ast.While):
            self.values.of(node.test, scope)
            self.block(node.body, scope)
        elif isinstance(node, ast.With):
            self.block(node.body, scope)
        elif isinstance(node, ast.Try):
            self.block([*node.body, *node.finalbody], scope)
        elif isinstance(node, ast.Match):
            self.match(node, scope)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                self.assign(target, node.value, scope)
        else:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.values.of(child, scope)

    def match(self, node: ast.Match, scope: Scope) -> None:
        subject = self.values.of(node.subject, scope)
        for case in node.cases:
            patterns = [p.value for p in ast.walk(case.pattern) if isinstance(p, ast.MatchValue)]
            self.found.told_apart(subject, patterns)
            self.block(case.body, dict(scope))

    def branches(self, node: ast.If, scope: Scope) -> None:
        """Both sides; a name that one side makes unknown keeps what the other knows of it."""
        taken, other = dict(scope), dict(scope)
        self.block(node.body, taken)
        self.block(node.orelse, other)
        if node.body and isinstance(node.body[-1], ast.Return):
            taken = {}
        for name in taken.keys() | other.keys():
            value = other.get(name)
            scope[name] = taken.get(name) if value is None else value

    def assign(self, target: ast.expr, expr: ast.expr, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            value = self.values.of(expr, scope)
            scope[target.id] = value
            if isinstance(value, Size):
                self.found.names.setdefault(value, target.id.lower())
            return
        if not isinstance(target, (ast.Tuple, ast.List)):
            self.values.of(expr, scope)
            return
        pairs = _taken_apart(target, expr)
        if pairs:
            for inner, inner_value in pairs:
                self.assign(inner, inner_value, scope)
            return
        value = self.values.of(expr, scope)
        parts: list[Value] = [None] * len(target.elts)
        if isinstance(value, Packed):
            parts = [self.values.packed(value, at) for at in range(len(value.names))][: len(parts)]
            parts += [None] * (len(target.elts) - len(parts))
        if isinstance(value, Shape):
            starred = [isinstance(e, ast.Starred) for e in target.elts]
            if value.form == "same":
                if any(starred):
                    first = starred.index(True)
                    self.found.evidence[value.name].ragged = True
                    for i in range(first):
                        parts[i] = self.found.size(value.name, i)
                    for i in range(first + 1, len(parts)):
                        parts[i] = self.found.size(value.name, i - len(parts))
                else:
                    self.found.set_rank(value.name, len(parts))
                    parts = [self.found.size(value.name, i) for i in range(len(parts))]
            elif value.form == "rows" and len(parts) == 2:
                parts[1] = self.found.size(value.name, -1)
        for element, part in zip(target.elts, parts, strict=True):
            if isinstance(element, ast.Name):
                scope[element.id] = part
                if isinstance(part, Size) and element.id.strip("_"):
                    self.found.names.setdefault(part, element.id.lower())

    # What holds from here on

    def condition(self, test: ast.expr, holds: bool, scope: Scope) -> None:
        if isinstance(test, ast.Compare):
            self.values.compare(test, scope)
            operands = [test.left, *test.comparators]
            for i, op in enumerate(test.ops):
                wanted = ast.Eq if holds else ast.NotEq
                if isinstance(op, wanted) and (holds or len(test.ops) == 1):
                    self.equate(operands[i], operands[i + 1], scope)
                elif isinstance(op, ast.In if holds else ast.NotIn):
                    self.dtype(operands[i], operands[i + 1], scope)
        elif isinstance(test, ast.Call):
            self.values.of(test, scope)
            called = test.func
            if holds and isinstance(called, ast.Attribute) and called.attr == "is_contiguous":
                owner = self.values.of(called.value, scope)
                if isinstance(owner, Tensor) and owner.itself:
                    self.found.evidence[owner.name].contiguous = True
        else:
            self.values.of(test, scope)

    def equate(self, left: ast.expr, right: ast.expr, scope: Scope) -> None:
        self.dtype(left, ast.Tuple([right], ast.Load()), scope)
        for one, other in ((left, right), (right, left)):
            value = self.values.of(one, scope)
            elements = elements_of(other)
            if isinstance(value, Shape) and value.form == "same" and elements is not None:
                self.found.set_rank(value.name, len(elements))
                for axis, element in enumerate(elements):
                    self.found.equations.append(
                        (self.found.size(value.name, axis), self.values.of(element, scope))
                    )
                return
        first, second = self.values.of(left, scope), self.values.of(right, scope)
        if isinstance(first, Shape) and isinstance(second, Shape):
            self.found.alike.append((first.name, second.name))
        elif isinstance(first, Rank) and isinstance(second, Number):
            self.found.set_rank(first.name, second.value)
        elif isinstance(first, Rank) and isinstance(second, Rank):
            return
        elif first is not None and second is not None:
            self.found.equations.append((first, second))

    def dtype(self, left: ast.expr, right: ast.expr, scope: Scope) -> None:
        """`x.dtype == torch.float32`, `x.dtype in (...)`."""
        if not (isinstance(left, ast.Attribute) and left.attr == "dtype"):
            return
        owner = self.values.of(left.value, scope)
        elements = elements_of(right)
        if not isinstance(owner, Tensor) or elements is None:
            return
        names = [self.module.resolve(e).rpartition(".")[2] for e in elements]
        known = tuple(LONG_NAMES[n] for n in names if n in LONG_NAMES)
        if known:
            self.found.evidence[owner.name].dtypes = known


def _taken_apart(target: ast.Tuple | ast.List, expr: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """What each name of a target gets, of `b, t, k, v = *x.shape, n` the first three together."""
    names = target.elts
    if not isinstance(expr, (ast.Tuple, ast.List)):
        return []
    starred = [at for at, e in enumerate(expr.elts) if isinstance(e, ast.Starred)]
    if not starred and len(names) == len(expr.elts):
        return [*zip(names, expr.elts, strict=True)]
    if len(starred) != 1 or any(isinstance(e, ast.Starred) for e in names):
        return []
    first, rest = starred[0], expr.elts[starred[0]]
    last = len(names) - (len(expr.elts) - 1 - first)
    if not isinstance(rest, ast.Starred) or last < first:
        return []
    several = ast.Tuple(names[first:last], ast.Store())
    return [
        *zip(names[:first], expr.elts[:first], strict=True),
        (several, rest.value),
        *zip(names[last:], expr.elts[first + 1 :], strict=True),
    ]
