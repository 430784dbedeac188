"""Writing a loop over tiles: the loop, what stands before it, and what comes after it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from textwrap import indent

from tritonopt.emit.code_edits import arguments_code
from tritonopt.emit.writing import NotExpressible, Writer
from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.language import HINTS, LOOP_CALLS, MATRIX, function
from tritonopt.facts.operations import ARITHMETIC, BITS, COMPARISONS, Op
from tritonopt.facts.program_ids import ProgramIds
from tritonopt.facts.values import Value, is_integer
from tritonopt.passes.grid_stride.tile_body import PLAIN_OPERATORS, Exit, TileBody, names_in_both
from tritonopt.passes.grid_stride.tile_legality import TileSum, Tiling
from tritonopt.source import (
    Change,
    Enclose,
    InsertAfter,
    InsertBefore,
    Module,
    Remove,
    Replace,
    ReplaceExpression,
)
from tritonopt.source.editing.changes import ELSE
from tritonopt.source.editing.excerpts import moved_code, said_of
from tritonopt.source.trees import CONTRARY, walk

_TIGHT = (ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp)
"""What needs no parentheses beside a comparison."""


@dataclass(frozen=True)
class WrittenBranches:
    """What is left of a tile after each exit."""

    changes: tuple[Change, ...]
    begins: tuple[tuple[str, ...], ...]
    """What the tile begins with, and what the rest after each exit begins with."""
    gone: frozenset[ast.AST]
    """What is written anew, or not at all."""


@dataclass(frozen=True)
class _Left:
    """How the code leaves a tile at an exit."""

    head: str
    """Of the branch for the rest."""
    change: Change
    more: tuple[Change, ...] = ()
    gone: ast.AST | None = None
    flag: str = ""
    """A name that tells the rest whether the tile was left, and must be bound before."""


@dataclass(frozen=True)
class _Branches:
    """The edits of all exits. Raises NotExpressible."""

    _body: TileBody
    _writer: Writer
    _text: Callable[[ast.expr], str]
    """An expression as it will be, in parentheses where it takes several lines."""

    @property
    def _module(self) -> Module:
        return self._body.kernel.module

    def written(self, copies: Sequence[tuple[str, ...]]) -> WrittenBranches:
        """`copies` is what the tile and the rest after each exit begin with besides."""
        # A rest begins with the flags of the exits in it, so all exits come before all rests.
        found = [(leaving, self._left(leaving)) for leaving in self._body.exits]
        begins = list(copies)
        for place, (_, left) in enumerate(found):
            if left.flag:
                begins[place] = (*begins[place], f"{left.flag} = False")
        changes: list[Change] = []
        for place, (leaving, left) in enumerate(found):
            changes += [left.change, *left.more]
            rest = self._rest(leaving)
            if rest:
                inside = "".join(f"    {line}\n" for line in begins[place + 1])
                changes.append(Enclose(rest[0], rest[-1], f"{left.head}\n{inside}    ..."))
        gone = frozenset(left.gone for _, left in found if left.gone is not None)
        return WrittenBranches(tuple(changes), tuple(begins), gone)

    def _rest(self, found: Exit) -> Sequence[ast.stmt]:
        looped = self._body.looped
        return looped[looped.index(found.statement) + 1 :]

    def _left(self, found: Exit) -> _Left:
        rest = self._rest(found)
        if found.is_switched:
            return self._switched(found, rest)
        if found.done:
            return _Left(ELSE, self._without(found.end))
        return self._guard(found, rest)

    def _guard(self, found: Exit, rest: Sequence[ast.stmt]) -> _Left:
        remove = Remove(found.statement)
        if not rest:
            if not self._body.facts.effect_nodes.isdisjoint(walk(found.test)):
                raise NotExpressible(f"the condition in line {found.test.lineno} does something")
            return _Left("", remove, gone=found.statement)
        said = said_of(self._module, found.statement) + self._comments(found.statement)
        comments = "".join(f"{comment}\n" for comment in said)
        return _Left(f"{comments}if {self._negated(found.test)}:", remove, gone=found.statement)

    def _switched(self, found: Exit, rest: Sequence[ast.stmt]) -> _Left:
        """A name tells the rest whether the tile was left, below a condition of the compiler's."""
        if not rest and found.done:
            return _Left("", self._without(found.end))
        if not self._is_truth(found.test):
            raise NotExpressible(f"the condition in line {found.test.lineno} may be a number")
        flag = self._writer.fresh("is_done")
        head, test = f"if not {flag}:", f"{flag} = {self._text(found.test)}"
        if found.done:
            more = (ReplaceExpression(found.test, flag), self._without(found.end))
            return _Left(head, InsertBefore(found.branch, test), more, found.test, flag)
        comments = "".join(f"{comment}\n" for comment in self._comments(found.branch))
        change = Replace(found.branch, f"{comments}{test}")
        return _Left(head, change, gone=found.branch, flag=flag)

    def _without(self, end: ast.Return) -> Change:
        """A comment behind a `return` stays."""
        return Replace(end, "pass") if self._comments(end) else Remove(end)

    def _comments(self, statement: ast.stmt) -> list[str]:
        return self._module.comments(statement.lineno, (statement.end_lineno or 0) + 1)

    def _negated(self, test: ast.expr) -> str:
        values, forms = self._body.facts.values, self._body.facts.forms
        match test:
            case ast.Compare(left=ast.Name() as left, ops=[ast.Is()], comparators=[right]):
                return f"{self._text(left)} is not {self._text(right)}"
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in CONTRARY:
                # Of numbers that may be NaN, neither `a < b` nor `a >= b` holds.
                sides = [values[left], values[right]]
                whole = all(is_integer(v.dtype) or v.dtype in ("int", "bool") for v in sides)
                whole = whole or forms.is_integer(forms.of(sides[0]) - forms.of(sides[1]))
                if isinstance(left, _TIGHT) and isinstance(right, _TIGHT) and whole:
                    return f"{self._text(left)} {CONTRARY[type(op)]} {self._text(right)}"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._text(operand)
        if self._is_truth(test):
            text = self._text(test)
            is_whole = isinstance(test, _TIGHT) or "\n" in text
            return f"not {text}" if is_whole else f"not ({text})"
        if isinstance(test, _TIGHT) and is_integer(values[test].dtype):
            return f"{self._text(test)} == 0"
        raise NotExpressible(f"the condition in line {test.lineno} may be a number, or None")

    def _is_truth(self, test: ast.expr) -> bool:
        """Whether it is true or false, and no number: Triton has no `not` of numbers."""
        match test:
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return True
            case ast.BoolOp(values=values):
                return all(map(self._is_truth, values))
            case ast.Name(id=name) if any(
                p.constexpr for p in self._body.kernel.parameters if p.name == name
            ):
                return True
        return self._body.facts.values[test].dtype == "bool"


# Whether a program id can become a loop variable as it is

_ARITHMETIC = (ARITHMETIC - {Op.DIV, Op.POW, Op.CAST}) | BITS | COMPARISONS | {Op.BOTH, Op.EITHER}
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
_DIVISIONS = (ast.FloorDiv, ast.Mod)
_TAKES_NUMBERS = frozenset({"cast", "minimum", "maximum"}) | HINTS


class _Numbers:
    def __init__(self, facts: KernelFacts, ids: ProgramIds) -> None:
        self._facts = facts
        self._module = facts.kernel.module
        # What a helper casts is a tensor.
        plain = [call for call in ids.calls if call not in ids.conversions]
        self._sources = {facts.values[call].serial for call in plain if call in facts.values}
        self._known: dict[int, bool | None] = {}
        self._bounds = Bounds(facts)

    def ask_for_tensor(self, body: Sequence[ast.stmt]) -> bool:
        """Whether a use of the program id in `body` needs more than a Python number."""
        if any(map(self._is_number, self._merged())):
            return True
        for node in chain.from_iterable(map(walk, body)):
            if isinstance(node, ast.JoinedStr) and any(isinstance(n, ast.Name) for n in walk(node)):
                return True  # what it asks of a name is not looked into
            value = self._facts.values.get(node) if isinstance(node, ast.expr) else None
            if value is None or isinstance(getattr(node, "ctx", None), ast.Store):
                continue
            assert isinstance(node, ast.expr)
            if self._is_number(value) and not self._serves(node):
                return True
        return False

    def _merged(self) -> Iterator[Value]:
        """What a branch or a loop makes one name of, which must be of one kind."""
        for value in self._facts.interpretation.computed:
            if value.op is Op.PHI:
                yield from (value.then, value.other)
        for loop in self._facts.loops:
            yield from loop.initial.values()
            yield from loop.following.values()

    def _is_number(self, value: Value) -> bool:
        """Whether it is computed from the program id and constants alone."""
        return self._kind(value) is True

    def _kind(self, value: Value) -> bool | None:
        """True for a number that comes from the id, None for a constant, False for a tensor."""
        if value.serial not in self._known:
            self._known[value.serial] = self._found_kind(value)
        return self._known[value.serial]

    def _found_kind(self, value: Value) -> bool | None:
        if value.serial in self._sources:
            return True
        if value.op is Op.CONSTEXPR:
            return None
        if value.op is Op.CONST:
            return None if isinstance(value.constant, int) else False
        if value.op not in _ARITHMETIC:
            return False
        kinds = [self._kind(operand) for operand in value.operands]
        if False in kinds:
            return False
        return True if True in kinds else None

    def _serves(self, node: ast.expr) -> bool:
        """Whether a number does where this one is used."""
        around = self._module.names.parents.get(node)
        if isinstance(around, ast.keyword):
            around = self._module.names.parents.get(around)
        match around:
            case ast.Assign(targets=[ast.Name()]) | ast.Expr() | ast.If() | ast.While():
                return True
            case ast.BinOp(left=left, op=op, right=right):
                other = right if node is left else left
                return self._meets(node, op, other, is_divisor=node is right)
            case ast.AugAssign(target=target, op=op):
                return self._meets(node, op, target, is_divisor=True)
            case ast.Compare() | ast.UnaryOp() | ast.BoolOp():
                return True
            case ast.Call(func=called):
                name = self._module.resolve(called) or self._module.builtin(called)
                return name in LOOP_CALLS or function(name) in _TAKES_NUMBERS
            case ast.IfExp(test=test):
                return node is test
            case ast.Attribute(attr="to", value=ast.Name() | ast.Call() as of):
                # Written as a cast of the loop variable.
                return self._facts.values[of].serial in self._sources
        return False

    def _meets(
        self, node: ast.expr, op: ast.operator, other: ast.expr, *, is_divisor: bool
    ) -> bool:
        """Whether `node op other` is the same for a number as for a tensor of 32 bits."""
        value = self._facts.values.get(other)
        if value is None:
            return False
        if isinstance(value.constant, float) or any(part.op is Op.LOAD for part in value.walk()):
            return False  # of a type that a number would take on
        if isinstance(op, _OPERATORS):
            return True
        if not isinstance(op, _DIVISIONS) or is_divisor:
            return False
        if self._kind(value) is False:
            return True
        # Tensors are divided toward zero.
        least = self._bounds.lower_bound(self._facts.forms.of(self._facts.values[node]))
        return least is not None and least.number >= 0


# Writing a loop over tiles: what the names and expressions of the kernel become in it


@dataclass(frozen=True)
class Updated:
    """`X += row * stride` of a parameter, which becomes `X_tile = X + row * stride`."""

    statement: ast.AugAssign
    name: str
    parameter: str
    value: ast.expr

    @property
    def operator(self) -> str:
        return PLAIN_OPERATORS[type(self.statement.op)]


def language_call(body: TileBody, writer: Writer, name: str) -> str:
    """`tl.num_programs(axis=0)`, with the axis as the kernel writes it."""
    return f"{writer.language(name)}({arguments_code(body.kernel.module, body.ids.calls[0])})"


class TileNames:
    """What the names and expressions of the kernel become in the loop."""

    def __init__(self, tiling: Tiling, writer: Writer) -> None:
        self.body, self.launches, self.writer = tiling.body, tiling.launches, writer
        self.kernel = tiling.body.kernel
        self.module = tiling.body.kernel.module
        self.replaced: dict[ast.expr, str] = {}
        """New code for expressions of the kernel, all that there is."""
        self.variable, self.statement = self._induction()
        """The loop variable, which is in a tile what the program id was, and the statement that
        bound that name before, which goes."""
        self.updated, self.copies = self._parameters()
        """Of the parameters that the body binds again, and would go on from tile to tile, and the
        statements that the tile, and the rest after each of its exits, must begin with."""
        self._rename_in_branches()
        self.count, self.before = self._count()
        """Code for the number of tiles, also in the place of the number of programs, and the
        statements that must stand before the loop."""

    # The loop variable in the place of the program id

    def _induction(self) -> tuple[str, ast.Assign | None]:
        ids = self.body.ids
        is_cast = _Numbers(self.body.facts, ids).ask_for_tensor(self.body.looped)
        statement = None if is_cast else self._program_id_statement()
        if statement is None:
            variable = self.writer.fresh("tile")
            for call in ids.calls:
                self.replaced.update(self._replaced_id(call, variable, is_cast=is_cast))
            return variable, None
        assert isinstance(statement.targets[0], ast.Name)
        variable = statement.targets[0].id
        for node in walk(self.kernel.node):
            if isinstance(node, ast.Name) and node.id == variable:
                self.replaced.update(self._conversion(node, variable))
        return variable, statement

    def _program_id_statement(self) -> ast.Assign | None:
        """`pid = tl.program_id(0)` where that is the only thing that pid ever is."""
        if len(self.body.ids.calls) != 1 or self.body.ids.conversions:
            return None
        for statement in self.body.looped:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    scope = self.module.names.scopes[self.kernel.node]
                    alone = len(scope.bindings[name]) == 1
                    if value is self.body.ids.calls[0] and alone:
                        return statement
        return None

    def _replaced_id(self, call: ast.Call, variable: str, *, is_cast: bool) -> dict[ast.expr, str]:
        cast = self.writer.language("cast")
        converted = self.body.ids.conversions.get(call)
        if converted is not None:
            return {call: f"{cast}({variable}, {self.writer.language(converted)})"}
        conversion = self._conversion(call, variable)
        if conversion:
            return conversion
        around = self.module.names.parents.get(call)
        if is_cast or isinstance(around, (ast.Assign, ast.AnnAssign)):
            return {call: f"{cast}({variable}, {self.writer.language('int32')})"}
        return {call: variable}

    def _conversion(self, node: ast.expr, variable: str) -> dict[ast.expr, str]:
        """`pid.to(tl.int64)` becomes a cast of the loop variable."""
        parents = self.module.names.parents
        around = parents.get(node)
        if not isinstance(around, ast.Attribute) or around.attr != "to":
            return {}
        call = parents.get(around)
        if not isinstance(call, ast.Call):
            return {}
        arguments = arguments_code(self.module, call)
        return {call: f"{self.writer.language('cast')}({variable}, {arguments})"}

    # Names that are bound for each tile

    def _parameters(self) -> tuple[tuple[Updated, ...], tuple[tuple[str, ...], ...]]:
        updated: list[Updated] = []
        copies: list[tuple[str, ...]] = [()] * (len(self.body.exits) + 1)
        for parameter in self.body.rebound:
            new = self.writer.fresh(f"{parameter}_tile")
            kept: set[ast.AST] = set()
            first, begins = self.body.beginning(parameter)
            if begins is None:
                region = self.body.region_of(parameter)
                copies[region] = (*copies[region], f"{new} = {parameter}")
            else:
                kept = set(walk(begins))
            for statement in self.body.looped:
                for node in walk(statement):
                    if isinstance(node, ast.Name) and node.id == parameter and node not in kept:
                        self.replaced[node] = new
            if isinstance(first, ast.AugAssign) and begins is not None:
                updated.append(Updated(first, new, parameter, begins))
        return tuple(updated), tuple(copies)

    def _rename_in_branches(self) -> None:
        """New names in branches that leave for what the rest binds too, of another type maybe."""
        for leaving in self.body.exits:
            for name in names_in_both(self.body, leaving):
                new = self.writer.fresh(name)
                for node in (node for statement in leaving.done for node in walk(statement)):
                    if isinstance(node, ast.Name) and node.id == name:
                        self.replaced[node] = new

    def _count(self) -> tuple[str, tuple[str, ...]]:
        launches, counts = self.launches, self.body.ids.counts
        tiles = launches.bound or launches.parameter
        if not counts:
            return tiles, ()
        name = self.writer.fresh("num_tiles")
        # A tensor as the number of programs was, whatever the launch passes.
        cast, type_ = self.writer.language("cast"), self.writer.language("int32")
        tiles = f"{cast}({tiles}, {type_})"
        self.replaced.update(dict.fromkeys(counts, name))
        return name, (f"{name} = {tiles}",)


@dataclass(frozen=True)
class TileCode:
    """The code of expressions as it will be in a tile."""

    module: Module
    replaced: Mapping[ast.expr, str]
    """New code for expressions of the kernel."""

    def text(self, node: ast.expr, replaced: Mapping[ast.expr, str] | None = None) -> str:
        """As if its statement were not indented."""
        given = self.replaced if replaced is None else replaced
        first, *rest = self.module.text_with(node, given).split("\n")
        statement = self.module.names.statement_of(node)
        start, _ = self.module.lines.span(statement)
        margin = self.module.text[self.module.lines.start(statement.lineno) : start]
        return "\n".join([first, *(line.removeprefix(margin) for line in rest)])


def tile_loop(tiling: Tiling, writer: Writer) -> list[Change]:
    """The edits of the kernel. Raises NotExpressible."""
    body, module = tiling.body, tiling.body.kernel.module
    if not body.looped:
        raise NotExpressible("nothing in the kernel depends on the tile")
    scopes = module.names
    if scopes.scopes[body.kernel.node].find("range") is not None or scopes.stars:
        raise NotExpressible("range may be a name of the file's own")
    names = TileNames(tiling, writer)
    code = TileCode(module, names.replaced)
    branches = _Branches(body, writer, code.text).written(names.copies)
    return _TileLoop(tiling, writer, names, code, branches).changes()


@dataclass(frozen=True)
class _TileLoop:
    """The loop, what stands before it, and what comes after it."""

    tiling: Tiling
    writer: Writer
    names: TileNames
    code: TileCode
    branches: WrittenBranches

    @property
    def body(self) -> TileBody:
        return self.tiling.body

    @property
    def module(self) -> Module:
        return self.tiling.body.kernel.module

    @property
    def _gone(self) -> set[ast.AST]:
        statement = self.names.statement
        updated = {one.statement for one in self.names.updated}
        return {*updated, *([statement] if statement is not None else [])}

    def changes(self) -> list[Change]:
        body = self.body
        self._check()
        first, last = body.looped[0], body.looped[-1]
        block = body.kernel.node.body
        moved = [s for s in body.hoisted if block.index(s) > block.index(first)]
        before = [moved_code(self.module, s) for s in moved]
        before += [*self._beginnings(), *self.names.before]
        changes: list[Change] = [Remove(self.names.statement)] if self.names.statement else []
        changes += map(self._update, self.names.updated)
        changes += [Remove(s, moved=True) for s in moved]
        launches = self.tiling.launches
        if launches.added is not None:
            changes += launches.added.added
        changes += [InsertBefore(first, code) for code in before]
        top = "".join(f"    {line}\n" for line in self.branches.begins[0])
        changes.append(Enclose(first, last, f"{self._head()}{top}    ..."))
        changes += [*self.branches.changes, *self._sums(last)]
        if body.last_return is not None:
            changes.append(Remove(body.last_return))
        return [*changes, *self._replacements()]

    def _check(self) -> None:
        body = self.body
        guards = {found.statement for found in body.exits if found.is_guard}
        if all(s in guards or s in self._gone for s in body.looped):
            raise NotExpressible("a tile has no effect")
        for end in (body.looped[0], body.looped[-1]):
            if not self.module.has_own_lines(end):
                raise NotExpressible(f"the statement in line {end.lineno} shares its line")
        for node in walk(body.kernel.node):
            if isinstance(node, ast.JoinedStr) and not self.code.replaced.keys().isdisjoint(
                walk(node)
            ):
                raise NotExpressible(f"a string in line {node.lineno} holds what changes")

    def _head(self) -> str:
        """`for tile in range(...):`, with the comments above and behind the program id."""
        statement = self.names.statement
        comments: list[str] = []
        above = ""
        if statement is not None:
            above = "".join(f"{comment}\n" for comment in said_of(self.module, statement))
            comments = self.module.comments(statement.lineno, (statement.end_lineno or 0) + 1)
        behind = "".join(f"  {comment}" for comment in comments[-1:])
        return f"{above}for {self.names.variable} in {self._range()}:{behind}\n"

    def _range(self) -> str:
        """What the loop runs over; not pipelined, as a loop with a product in it would be.

        The stages that the launch asks for are those of the loops that were there.
        """
        ends = [language_call(self.body, self.writer, n) for n in ("program_id", "num_programs")]
        steps = f"{ends[0]}, {self.names.count}, {ends[1]}"
        multiplies = any(
            value.op is Op.RESHAPED and value.function in MATRIX
            for value in self.body.facts.interpretation.computed
        )
        if multiplies:
            return f"{self.writer.language('range')}({steps}, num_stages=1)"
        return f"range({steps})"

    def _update(self, updated: Updated) -> Change:
        value, begins = self.code.text(updated.value), updated.value
        plain = isinstance(begins, (ast.Name, ast.Call, ast.Constant)) or (
            isinstance(begins, ast.BinOp) and isinstance(begins.op, ast.Mult)
        )
        value = value if plain else f"({value})"
        code = f"{updated.name} = {updated.parameter} {updated.operator} {value}"
        return Replace(updated.statement, code)

    def _replacements(self) -> list[Change]:
        """Of expressions in what is not written anew as a whole."""
        sums = {found.statement for found in self.tiling.sums.sums}
        gone = {*self._gone, *self.branches.gone, *sums}
        inside = {node for statement in gone for node in walk(statement)}
        return [
            ReplaceExpression(node, code)
            for node, code in self.code.replaced.items()
            if node not in inside
        ]

    # What moves out of the loop

    def _beginnings(self) -> list[str]:
        """What stands before the loop, for sums under a condition below that condition."""
        return self._by_condition(
            [(s.under, f"{s.name} = {s.begins}") for s in self.tiling.sums.sums]
        )

    def _sums(self, last: ast.stmt) -> list[Change]:
        changes: list[Change] = []
        atomics = []
        for found in self.tiling.sums.sums:
            changes.append(Replace(found.statement, f"{found.name} += {self._added(found)}"))
            atomics.append((found.under, self.code.text(found.call, {found.added: found.name})))
        return [*changes, *(InsertAfter(last, code) for code in self._by_condition(atomics))]

    def _by_condition(self, codes: Sequence[tuple[ast.If | None, str]]) -> list[str]:
        """The codes in order, those of one `if` together below it."""
        found: dict[ast.If | str, str] = {}
        for under, code in codes:
            if under is None:
                found[code] = code
            else:
                head = found.get(under, f"if {self.code.text(under.test)}:")
                found[under] = f"{head}\n{indent(code, '    ')}"
        return list(found.values())

    def _added(self, found: TileSum) -> str:
        code = self.code.text(found.added)
        if not found.cast:
            return code
        if found.may_be_number:
            return f"{self.writer.language('cast')}({code}, {found.cast})"
        is_primary = isinstance(found.added, ast.Name | ast.Call | ast.Subscript | ast.Attribute)
        plain = code if is_primary and "\n" not in code else f"({code})"
        return f"{plain}.to({found.cast})"
