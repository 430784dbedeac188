"""Changes to the text of a file, in terms of its syntax tree.

A pass says what is to happen to which statement or expression; `apply` makes
the new text. Expressions are replaced in the text itself, by their places.
Statements go through libcst, and only the text of the function that changes:
what no change names stays byte for byte what it was, comments included.
"""

from __future__ import annotations

import ast
import re
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tritonopt.source.editing.changes import (
    AddArgument,
    AddDecorator,
    AddParameter,
    Change,
    Enclose,
    InsertAfter,
    InsertBefore,
    Replace,
    ReplaceArgument,
    ReplaceExpression,
    ReplaceParameter,
    StatementPlan,
)
from tritonopt.source.editing.expressions import Path, parse, spelling
from tritonopt.source.editing.keyword_spacing import spaced_as_in
from tritonopt.source.editing.parameters import Places, broken, exchanged, insertions
from tritonopt.source.editing.width import line_width
from tritonopt.source.errors import EditConflict, SourceError
from tritonopt.source.module import Module, read
from tritonopt.source.trees import children, walk

_WITH_A_CALL = (ast.Expr, ast.Assign, ast.Return)
_Splice = tuple[int, int, str]
"""Offsets from the start of a region, and what comes between them."""


@dataclass(frozen=True)
class Rewritten:
    """A part of a text, from one offset to another, and what takes its place."""

    start: int
    end: int
    text: str
    gone: frozenset[int] = frozenset()
    """The lines of the part, counted from 0, of statements that are removed or replaced."""


def apply(module: Module, changes: Sequence[Change]) -> str:
    """The text of the whole file with the changes made.

    Raises EditConflict where changes exclude each other, where a block would
    become empty, and where the result would not parse.
    """
    return applied(module, changes).text


def applied(module: Module, changes: Sequence[Change]) -> Module:
    """The file with the changes made, read again. Raises as `apply`."""
    return replaced(module, rewritten(module, changes)) if changes else module


def rewritten(module: Module, changes: Sequence[Change]) -> list[Rewritten]:
    """The functions that change, or the whole file, and their new texts, from top to bottom.

    Raises EditConflict where changes exclude each other and where a block would become empty.
    """
    regions = sorted(_regions(module, changes), key=lambda r: r.start)
    return [Rewritten(r.start, r.end, r.rewritten(), r.gone) for r in regions]


def replaced(module: Module, parts: Sequence[Rewritten]) -> Module:
    """The file with parts replaced, in their order; EditConflict where that does not parse."""
    text = _spliced(module.text, [(part.start, part.end, part.text) for part in parts])
    try:
        return read(text, module.path, module.program, module.whole)
    except SourceError as error:
        raise EditConflict(f"the result does not parse: {error}") from error


class _Region:
    """A part of the file that is rewritten in one go: a function, or the whole file."""

    def __init__(self, module: Module, node: ast.FunctionDef | ast.Module) -> None:
        self._module = module
        self._node = node
        self.start, self.end = _extent(module, node)
        self._plans: dict[ast.stmt, StatementPlan] = {}
        self._parameters: dict[ast.FunctionDef, list[AddParameter]] = {}
        self._decorators: list[AddDecorator] = []
        self._arguments: dict[ast.Call, list[AddArgument]] = {}
        self._expressions: list[ReplaceExpression] = []
        self._exchanges: list[ReplaceParameter | ReplaceArgument] = []

    @cached_property
    def _nodes(self) -> frozenset[ast.AST]:
        return frozenset(walk(self._node))

    @cached_property
    def _parents(self) -> dict[ast.AST, ast.AST]:
        return {child: parent for parent in self._nodes for child in children(parent)}

    def holds(self, change: Change) -> bool:
        """Whether the place of the change lies in this region."""
        if isinstance(change, (AddParameter, AddDecorator, ReplaceParameter)):
            return change.kernel.node in self._nodes
        start, end = self._module.lines.span(change.anchor)
        if not self.start <= start < end <= self.end:
            return False  # spares walking what cannot hold it
        # A function as a statement stands in the block around it.
        return change.anchor is not self._node and change.anchor in self._nodes

    def add(self, change: Change) -> None:
        if isinstance(change, ReplaceExpression):
            self._expressions.append(change)
            return
        if isinstance(change, AddParameter):
            self._parameters.setdefault(change.kernel.node, []).append(change)
            return
        if isinstance(change, (ReplaceParameter, ReplaceArgument)):
            self._exchanges.append(change)
            return
        if isinstance(change, AddDecorator):
            self._decorators.append(change)
            return
        if isinstance(change, AddArgument):
            self._arguments.setdefault(change.anchor, []).append(change)
            return
        plan = self._plans.setdefault(change.anchor, StatementPlan())
        if isinstance(change, Enclose):
            plan.opened.append(change)
            self._plans.setdefault(change.last, StatementPlan()).closed += 1
            return
        if isinstance(change, InsertBefore):
            plan.before.append(change.code)
            return
        if isinstance(change, InsertAfter):
            plan.after.append(change.code)
            return
        if plan.gone:
            raise EditConflict(f"two changes want the statement in {_where(change.anchor)}")
        if isinstance(change, Replace):
            plan.replacement = change.code
        else:
            plan.removal = change

    def rewritten(self) -> str:
        self._refuse_changes_inside_what_goes()
        text = self._module.text[self.start : self.end]
        expressions = list(self._expression_splices(text))
        splices = [
            *expressions,
            *self._parameter_splices(),
            *self._decorator_splices(),
            *self._argument_splices(expressions),
            *self._exchange_splices(),
        ]
        text = _spliced(text, sorted(splices, key=lambda splice: splice[:2]))
        if not self._plans:
            return text
        # libcst is slow to import, and most runs change nothing.
        from tritonopt.source.editing import blocks

        return blocks.rewrite(
            text, self._node, plans=self._plans, parents=self._parents, indent=self._indent
        )

    @property
    def gone(self) -> frozenset[int]:
        """The lines of statements that go, counted from the first one of the region."""
        first = self._module.lines.line(self.start)
        spans = (
            range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
            for statement, plan in self._plans.items()
            if plan.gone
        )
        return frozenset(line - first for span in spans for line in span)

    def _path(self, node: ast.AST) -> Path:
        """From the node of the region to one inside it."""
        path: list[tuple[str, int | None]] = []
        while node is not self._node:
            parent = self._parents[node]
            path.append(_step(parent, node))
            node = parent
        return tuple(reversed(path))

    @cached_property
    def _indent(self) -> str:
        return indent_unit(self._module, self._node)

    def _refuse_changes_inside_what_goes(self) -> None:
        gone = {stmt for stmt, plan in self._plans.items() if plan.gone}
        if not gone:
            return
        changed: list[ast.AST] = [*self._plans, *self._parameters, *self._arguments]
        for node in changed:
            self._refuse_inside(self._parents.get(node), gone)
        for change in self._expressions:
            self._refuse_inside(change.anchor, gone)
        for exchange in self._exchanges:
            if isinstance(exchange, ReplaceArgument):
                self._refuse_inside(exchange.anchor, gone)

    def _refuse_inside(self, node: ast.AST | None, gone: set[ast.stmt]) -> None:
        while node is not None:
            if node in gone and isinstance(node, ast.stmt):
                raise EditConflict(f"a change inside the statement in {_where(node)}, which goes")
            node = self._parents.get(node)

    # Parameters

    def _parameter_splices(self) -> Iterator[_Splice]:
        for function, added in self._parameters.items():
            names = [parameter.arg for parameter in _parameters(function.args)]
            taken = list(names)
            for change in added:
                taken.append(_parameter_name(change.code))
                if taken.count(taken[-1]) > 1:
                    raise EditConflict(f"the parameter {taken[-1]} exists already")
            start = self._module.lines.offset(function.lineno, function.col_offset)
            new = ((c.code.strip(), names.index(c.before) if c.before else None) for c in added)
            yield from self._longer(start, _by_place(new), [])

    def _longer(
        self, start: int, new: Places, others: Sequence[_Splice] | None
    ) -> Iterator[_Splice]:
        """More in the parentheses behind an offset; with `others` a long line is broken."""

        def grows(first: int, end: int) -> int:
            inside = [s for s in others or () if first <= s[0] + self.start < end]
            return sum(len(code) - (to - since) for since, to, code in inside)

        text = self._module.text
        if others is not None:
            anew = broken(text, start, new, self._indent, self._width, grows)
            if anew:
                yield from ((at - self.start, to - self.start, code) for at, to, code in anew)
                return
        for offset, code in insertions(text, start, new, self._indent):
            yield offset - self.start, offset - self.start, code

    @cached_property
    def _width(self) -> int:
        return line_width(self._module)

    def _decorator_splices(self) -> Iterator[_Splice]:
        for change in self._decorators:
            kernel = change.kernel
            below = kernel.node.decorator_list[kernel.decorators.index(kernel.jit)]
            offset = self._module.lines.offset(below.lineno, below.col_offset)
            start = self._module.text.rindex("@", 0, offset)
            line = max(self._module.text.rfind(end, 0, start) for end in "\n\r\f") + 1
            newline = "\r\n" if "\r\n" in self._module.text else "\n"
            margin = newline + self._module.text[line:start]
            code = change.code.replace("\n    ", "\n" + self._indent).replace("\n", margin)
            yield start - self.start, start - self.start, code + margin

    def _argument_splices(self, expressions: Sequence[_Splice]) -> Iterator[_Splice]:
        for call, added in self._arguments.items():
            given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
            given.sort(key=self._module.lines.span)
            taken = [keyword.arg for keyword in call.keywords]
            for change in added:
                taken.append(_argument_name(change.code, by_place=_is_by_place(given, change)))
                if taken[-1] is not None and taken.count(taken[-1]) > 1:
                    raise EditConflict(f"{_where(call)}: {taken[-1]} is passed already")
            # `(kernel[grid])(x)` has a parenthesis in between.
            start = self._module.text.index("(", self._module.lines.span(call.func)[1])
            new = (
                (
                    spaced_as_in(self._module, call, change.code.strip()),
                    None if change.before is None else given.index(change.before),
                )
                for change in added
            )
            others = expressions if self._is_whole(call) else None
            yield from self._longer(start, _by_place(new), others)

    def _is_whole(self, call: ast.Call) -> bool:
        """Whether a statement is a call, or one and a method of its result: `load(...).to(...)`.

        Around a call inside of another expression a formatter breaks that one first.
        """
        around = self._parents.get(call)
        if isinstance(around, ast.Attribute):
            method = self._parents.get(around)
            around = self._parents.get(method) if isinstance(method, ast.Call) else None
        return isinstance(around, _WITH_A_CALL)

    def _exchange_splices(self) -> Iterator[_Splice]:
        """Those of each function and call together: what is in one line may have to be broken."""
        lines, inner = self._module.lines, set[int]()
        places: dict[int, dict[int, tuple[str, ...]]] = {}
        for change in self._exchanges:
            if isinstance(change, ReplaceParameter):
                node = change.kernel.node
                start = lines.offset(node.lineno, node.col_offset)
                names = [parameter.arg for parameter in _parameters(node.args)]
                place = names.index(change.name)
            else:
                # `(kernel[grid])(x)` has a parenthesis in between.
                start = self._module.text.index("(", lines.span(change.anchor.func)[1])
                given = [*change.anchor.args, *change.anchor.keywords]
                place = given.index(change.argument)
                if not self._is_whole(change.anchor):
                    inner.add(start)
            if place in places.setdefault(start, {}):
                raise EditConflict(f"two changes want one place in line {lines.line(start)}")
            places[start][place] = change.codes
        for start, codes in places.items():
            width = self._width if start not in inner else sys.maxsize
            for since, to, code in exchanged(self._module.text, start, codes, width):
                yield since - self.start, to - self.start, code

    # Expressions

    def _expression_splices(self, text: str) -> Iterator[_Splice]:
        places: list[tuple[int, int]] = []
        for change in self._expressions:
            start, end = (offset - self.start for offset in self._module.lines.span(change.anchor))
            if any(start < other_end and other < end for other, other_end in places):
                raise EditConflict(f"two changes overlap in {_where(change.anchor)}")
            places.append((start, end))
            yield self._spelling(text, start, end, change)

    def _spelling(self, text: str, start: int, end: int, change: ReplaceExpression) -> _Splice:
        if change.code == self._module.text_of(change.anchor):
            return start, end, text[start:end]
        node: ast.AST | None = change.anchor
        while node is not None:
            if isinstance(node, ast.JoinedStr):
                raise EditConflict(f"an expression inside a string, in {_where(change.anchor)}")
            node = self._parents.get(node)
        try:
            path = self._path(change.anchor)
            return spelling(text, start, end, change.code, self._node, path)
        except EditConflict as error:
            raise EditConflict(f"{_where(change.anchor)}: {error}") from error


def _step(parent: ast.AST, child: ast.AST) -> tuple[str, int | None]:
    """Where a node stands in the one right around it."""
    for name, value in ast.iter_fields(parent):
        if value is child:
            return name, None
        if isinstance(value, list):
            for index, item in enumerate(value):
                if item is child:
                    return name, index
    raise ValueError("the one node is not right around the other")


def _regions(module: Module, changes: Sequence[Change]) -> list[_Region]:
    """The regions to rewrite, with their changes."""
    homes = _located(module, _outermost_kernels(module), changes)
    if None in homes:
        # Something outside of the kernels changes too, most often a function that launches.
        homes = _located(module, _outermost_functions(module), changes)
    if None in homes:
        homes = [_Region(module, module.tree)] * len(changes)
    for home, change in zip(homes, changes, strict=True):
        if home is None or not home.holds(change):
            raise EditConflict("the place of a change is not in this module")
        home.add(change)
    return list(dict.fromkeys(home for home in homes if home is not None))


def _located(
    module: Module, functions: Sequence[ast.FunctionDef], changes: Sequence[Change]
) -> list[_Region | None]:
    """Of each change the function that it is in, as a region; None where it is in none of them."""
    ends = [function.end_lineno or 0 for function in functions]
    regions: dict[ast.FunctionDef, _Region] = {}
    found: list[_Region | None] = []
    for change in changes:
        node: ast.stmt | ast.expr
        if isinstance(change, (AddParameter, AddDecorator, ReplaceParameter)):
            node = change.kernel.node
        else:
            node = change.anchor
        place = bisect_left(ends, node.lineno)
        region = None
        if place < len(functions):
            function = functions[place]
            region = regions.setdefault(function, _Region(module, function))
        found.append(region if region is not None and region.holds(change) else None)
    return found


@lru_cache(maxsize=2)
def _outermost_kernels(module: Module) -> list[ast.FunctionDef]:
    return _outermost([kernel.node for kernel in module.kernels])


@lru_cache(maxsize=2)
def _outermost_functions(module: Module) -> list[ast.FunctionDef]:
    return _outermost([n for n, _ in module.names.functions if isinstance(n, ast.FunctionDef)])


def _outermost(functions: Sequence[ast.FunctionDef]) -> list[ast.FunctionDef]:
    """Of functions in source order; one inside another belongs to the outer one's text."""
    found: list[ast.FunctionDef] = []
    for function in functions:
        if not found or function.lineno > (found[-1].end_lineno or 0):
            found.append(function)
    return found


def _spliced(text: str, splices: Sequence[_Splice]) -> str:
    parts: list[str] = []
    done = 0
    for start, end, code in splices:
        if start < done:
            raise EditConflict(f"two changes overlap in {text[start:done]!r}")
        parts += [text[done:start], code]
        done = end
    return "".join([*parts, text[done:]])


def _extent(module: Module, node: ast.FunctionDef | ast.Module) -> tuple[int, int]:
    """The lines of a function, decorators and the comment behind its last statement included."""
    if isinstance(node, ast.Module):
        return 0, len(module.text)
    lines = module.lines
    first = lines.offset(node.lineno, node.col_offset)
    if node.decorator_list:
        decorator = node.decorator_list[0]
        first = lines.offset(decorator.lineno, decorator.col_offset)
        # `@(` may be lines above what it holds.
        first = module.text.rindex("@", 0, first)
    line_start = max(module.text.rfind("\n", 0, first), module.text.rfind("\r", 0, first)) + 1
    # A form feed sets the indentation back to nothing.
    start = module.text.rfind("\f", line_start, first) + 1 or line_start
    return start, lines.start((node.end_lineno or node.lineno) + 1)


def indent_unit(module: Module, node: ast.FunctionDef | ast.Module) -> str:
    """What one more level of indentation looks like there."""
    functions = [n for n in walk(node) if isinstance(n, (ast.FunctionDef, ast.For, ast.If))]
    for function in functions:
        outer = _indent(module, function.lineno)
        inner = _indent(module, function.body[0].lineno)
        if inner != outer and inner.startswith(outer):
            return inner[len(outer) :]
    return "    "


def _indent(module: Module, line: int) -> str:
    match = re.compile(r"[ \t\f]*").match(module.text, module.lines.start(line))
    return match.group().rpartition("\f")[2] if match else ""


def _parameter_name(code: str) -> str:
    """The name of the one parameter that the code is."""
    body = parse(f"def kernel({code}\n):\n    pass\n", f"the parameter {code!r}").body
    function = body[0]
    found = _parameters(function.args) if isinstance(function, ast.FunctionDef) else []
    if len(body) != 1 or len(found) != 1:
        raise EditConflict(f"{code!r} is not one parameter")
    return found[0].arg


def _argument_name(code: str, *, by_place: bool = False) -> str | None:
    """The name of the one keyword argument that the code is; None where it has none and may."""
    body = parse(f"f({code}\n)\n", f"the argument {code!r}").body
    call = body[0].value if isinstance(body[0], ast.Expr) else None
    one = isinstance(call, ast.Call) and len(body) == 1 and len(call.args) + len(call.keywords) == 1
    if not one or not isinstance(call, ast.Call) or (call.args and not by_place):
        raise EditConflict(f"{code!r} is not one keyword argument")
    name = call.keywords[0].arg if call.keywords else None
    if name is None and not call.args:
        raise EditConflict(f"{code!r} has no name")
    return name


def _is_by_place(given: Sequence[ast.expr | ast.keyword], change: AddArgument) -> bool:
    """Whether an argument without a keyword may stand there."""
    before = len(given) if change.before is None else given.index(change.before)
    return not any(isinstance(node, (ast.keyword, ast.Starred)) for node in given[:before])


def _by_place(codes: Iterable[tuple[str, int | None]]) -> Places:
    found: dict[int | None, list[str]] = {}
    for code, number in codes:
        found.setdefault(number, []).append(code)
    return found


def _parameters(args: ast.arguments) -> list[ast.arg]:
    every = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    return [arg for arg in every if arg is not None]


def _where(node: ast.stmt | ast.expr) -> str:
    return f"line {node.lineno}"
