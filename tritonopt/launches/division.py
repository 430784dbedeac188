"""Launches that start fewer programs, and say of how many one does the work.

A grid is divided where it is bound: once, however many launches of the kernel read it. Where
something else reads it too, the launch gets a grid of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tritonopt.checks.condition import NotExpressible
from tritonopt.facts.host.launcher_code import (
    evaluated_by,
    evaluation_at,
    is_the_same_number,
    locals_with_form,
)
from tritonopt.facts.host.local_names import names_of
from tritonopt.launches.known_launches import NewParameter, check_builtin
from tritonopt.launches.launch_grids import (
    Extent,
    GridNotReadable,
    between,
    is_short,
    new_name,
    read_extent,
    scope_at,
    statement_of,
    tuple_before,
)
from tritonopt.source import Change, InsertAfter, InsertBefore, Launch, Remove, ReplaceExpression
from tritonopt.source.editing import excerpts
from tritonopt.source.editing.expressions import in_parentheses
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import walk

_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Assert, ast.Yield, ast.Await)


@dataclass(frozen=True)
class Divisor:
    """The number of programs of before whose work one program does, at one launch."""

    extent: Extent
    """Of the axis that is divided."""
    template: str
    """Code with `{0}`, `{1}` for what the launch passes; a number where it has none of these."""
    reads: tuple[tuple[str, ast.expr], ...] = ()
    """The parameters that are passed it, and the arguments."""
    comment: str = ""
    """Why, where it is computed."""

    @property
    def launch(self) -> Launch:
        return self.extent.launch

    @property
    def statement(self) -> ast.stmt:
        found = statement_of(self.launch)
        assert found is not None
        return found


@dataclass(frozen=True)
class _Number:
    """A number at a launch, or at several that share their grid."""

    code: str
    """As the launch passes it."""
    made: tuple[str, ...] = ()
    """The statements that bind what is in the code."""


@dataclass
class Division:
    by: NewParameter
    count: NewParameter | None
    """The parameter that takes the number of programs of before; None where there is one."""
    divisors: Sequence[Divisor]
    _given: list[tuple[ast.AST | None, str, ast.stmt | None]] = field(default_factory=list)
    """The new names, each with its launcher, and with the launch that it is bound right before."""
    _numbers: list[tuple[str, str, Sequence[ast.stmt], int]] = field(default_factory=list)
    """New names for numbers, each with the block that binds it, and where in that."""

    def changes(self) -> Iterator[Change]:
        """Raises NotExpressible."""
        groups: dict[ast.AST, list[Divisor]] = {}
        for divisor in self.divisors:
            check_builtin(divisor.launch, "triton")
            groups.setdefault(self._binding(divisor.extent), []).append(divisor)
        for binding, group in groups.items():
            yield from self._divided(binding, group)

    def _divided(self, binding: ast.AST, group: Sequence[Divisor]) -> Iterator[Change]:
        """The launches whose grid is bound in one place, which may be the launch."""
        first, parents = group[0], group[0].launch.module.names.parents
        if not first.extent.name:
            if first.extent.meta:
                yield from self._in_a_function(first.statement, group)
            else:
                yield from self._in_a_tuple(first.statement, group)
            return
        if binding is first.launch.call:
            yield from self._of_its_own(first)
            return
        statement = binding if isinstance(binding, ast.stmt) else parents[binding]
        assert isinstance(statement, ast.stmt)
        one = len({(d.template, *(ast.dump(read) for _, read in d.reads)) for d in group}) == 1
        if first.extent.meta:
            yield from self._in_a_function(statement, group)
        elif one and all(_may_come_first(divisor, statement) for divisor in group):
            yield from self._in_a_tuple(statement, group)
        elif len(group) == 1 and _may_move(statement, first):
            yield from self._moved(statement, first)
        else:
            for divisor in group:
                yield from self._of_its_own(divisor)

    def _binding(self, extent: Extent) -> ast.AST:
        """What the name of a grid is bound to, if only launches of this kernel read it.

        Else the launch.
        """
        launch, names = extent.launch, extent.launch.module.names
        home = extent.scope.find(extent.name) if extent.name else None
        if home is None or home is not extent.scope or extent.expression is None:
            return launch.call
        grids = {divisor.launch.grid for divisor in self.divisors}
        others = {
            node
            for node, scope in names.scope_of.items()
            if node.id == extent.name and node not in grids and scope.find(node.id) is home
        }
        several = home.bindings[extent.name]
        bound = several[0] if len(several) == 1 else names.parents[extent.expression]
        if len(several) > 1:
            # Where it is one of several tuples, each read has to be known to be of one of them.
            reads = [n for n, s in names.scope_of.items() if s.find(n.id) is home]
            reads = [n for n in reads if n.id == extent.name and isinstance(n.ctx, ast.Load)]
            made = {node: tuple_before(launch, node) for node in reads}
            if None in made.values():
                return launch.call
            others = {n for n, one in made.items() if one is bound and n not in grids}
        match bound:
            case ast.FunctionDef() if not others:
                return bound
            case ast.expr():
                match names.parents[bound]:
                    case ast.Assign(targets=[ast.Name() as target]) if others <= {target}:
                        return bound
        return launch.call

    # The three ways

    def _in_a_tuple(self, place: ast.stmt, group: Sequence[Divisor]) -> Iterator[Change]:
        """Of a tuple that stands at the launch, or in a statement before it."""
        extent = group[0].extent
        number, lines, by, changes = self._at(place, group, stays=False)
        if lines:
            yield InsertBefore(place, "\n".join(lines))
        assert extent.expression is not None
        yield ReplaceExpression(extent.expression, _cdiv(_text(extent, number), by))
        yield from changes

    def _moved(self, statement: ast.stmt, divisor: Divisor) -> Iterator[Change]:
        """Of a tuple that is bound before what divides it: it goes right before the launch."""
        extent, place, module = divisor.extent, divisor.statement, divisor.launch.module
        number, lines, by, changes = self._at(place, [divisor], stays=False)
        assert extent.expression is not None
        code = [ReplaceExpression(extent.expression, _cdiv(_text(extent, number), by))]
        said = excerpts.said_of(module, statement)
        grid = excerpts.changed_code(module, statement, code)
        yield Remove(statement, moved=True)
        yield InsertBefore(place, "\n".join([*lines, *said, grid]))
        yield from changes

    def _at(
        self, place: ast.stmt, group: Sequence[Divisor], *, stays: bool
    ) -> tuple[_Number, list[str], str, list[Change]]:
        """The number, statements for it and for the divisor, that, and what the launches pass."""
        number = self._number(place, group, stays=stays)
        made, by, changes = self._bound(place, group)
        for divisor in group:
            changes += self._passed(divisor, by, number.code)
        return number, [*number.made, *made], by, changes

    def _in_a_function(self, place: ast.stmt, group: Sequence[Divisor]) -> Iterator[Change]:
        """Of a function of the arguments, which reads the new one as it reads the others."""
        extent, module = group[0].extent, group[0].launch.module
        if extent.meta == "triton":
            raise NotExpressible(f"line {place.lineno} has no triton to call")
        shared = _Number("")
        if len(group) == 1 and self.count is not None and not _word(extent):
            shared = self._number_of_a_function(place, group[0])
        if shared.made:
            yield _above(place, extent.launch, "\n".join(shared.made))
        for divisor in group:
            number = (
                shared if shared.made else self._number(divisor.statement, [divisor], stays=True)
            )
            tiles, code, changes = self._tiles(divisor.statement, [divisor])
            made = [*(() if shared.made else number.made), *tiles]
            made += [divisor.comment] if divisor.comment else []
            if made:
                yield InsertBefore(divisor.statement, "\n".join(made))
            yield from changes
            yield from self._passed(divisor, code, number.code)
        quote = "'" if module.text.count("'") > module.text.count('"') else '"'
        by = f"{extent.meta}[{quote}{self.by.name}{quote}]"
        assert extent.expression is not None
        yield ReplaceExpression(extent.expression, _cdiv(_text(extent, shared), by))

    def _of_its_own(self, divisor: Divisor) -> Iterator[Change]:
        """Of a tuple of its own, where something else reads the grid too."""
        extent, place = divisor.extent, divisor.statement
        number, lines, by, changes = self._at(place, [divisor], stays=True)
        if lines:
            yield InsertBefore(place, "\n".join(lines))
        parts = _parts(extent)
        if parts is None:
            yield from extent.wrapped(lambda text: _cdiv(number.code or text, by))
        else:
            parts[extent.axis] = _cdiv(number.code or parts[extent.axis], by)
            whole = ", ".join(parts) + ("," if len(parts) == 1 else "")
            yield ReplaceExpression(divisor.launch.grid, f"({whole})")
        yield from changes

    # The numbers

    def _number(self, place: ast.stmt, group: Sequence[Divisor], *, stays: bool) -> _Number:
        """The programs of before; bound at a place where the launcher has no name for them.

        The grid either stays, and is read again, or is divided and evaluated there.
        """
        if self.count is None:
            return _Number("")
        words = {_word(divisor.extent) for divisor in group}
        extent = group[0].extent
        word = words.pop() if len(words) == 1 else ""
        if word:
            return _Number(word)
        if stays:
            if extent.meta and not _stays(extent):
                line = extent.launch.call.lineno
                raise NotExpressible(f"what line {line} passes may change its grid")
            return self._bound_number(place, [extent], extent.at_launch() or "")
        if not (extent.comes_before_others if extent.name else extent.comes_first):
            line = extent.launch.call.lineno
            raise NotExpressible(f"line {line} evaluates another expression before its grid")
        assert extent.expression is not None
        code = extent.launch.module.text_of(extent.expression)
        return self._bound_number(place, [divisor.extent for divisor in group], code)

    def _number_of_a_function(self, place: ast.stmt, divisor: Divisor) -> _Number:
        """The same, bound before the function that reads it too, where that is possible."""
        extent, launch, expression = divisor.extent, divisor.launch, divisor.extent.expression
        assert expression is not None
        function = launch.launcher
        since = None if function is None else between(function.body, place, launch.call)
        reads_arguments = any(
            isinstance(n, ast.Name) and n.id == extent.meta for n in walk(expression)
        )
        if place is statement_of(launch) or since is None or reads_arguments:
            return _Number("")
        if not _leads_to(place, divisor):
            return _Number("")  # it may divide by 0, where there is no launch
        if not extent.evaluation.gives_the_same(expression, [*since, *evaluated_by(launch)]):
            return _Number("")
        return self._bound_number(place, [extent], launch.module.text_of(expression))

    def _bound_number(self, place: ast.stmt, extents: Sequence[Extent], code: str) -> _Number:
        """A number that is evaluated at a place, as each of the launches passes it."""
        assert self.count is not None
        extent = extents[0]
        code = excerpts.joined(code)
        if not extent.is_plain:
            # A number of numpy's or a tensor starts programs, but is no argument of a kernel.
            check_builtin(extent.launch, "int")
            code = f"int({code})"
        elif is_short(parsed(code, mode="eval").body) and all(map(_stays, extents)):
            return _Number(code)
        name = self._name(self.count.name, extent.launch, place)
        return _Number(name, (f"{name} = {in_parentheses_of_lines(code)}",))

    def _bound(
        self, place: ast.stmt, group: Sequence[Divisor]
    ) -> tuple[list[str], str, list[Change]]:
        """What binds the divisor at a place, what it is called, and what changes with that."""
        made, code, changes = self._tiles(place, group)
        first = group[0]
        if code == "1":
            return made, code, changes
        passed = [argument.id for _, argument in first.reads if isinstance(argument, ast.Name)]
        in_small = any(map(str.islower, passed)) if passed else not _has_capitals(first.launch)
        wanted = self.by.name.lower() if in_small or made else self.by.name
        own = names_of(first.launch.launcher).home if first.launch.launcher else {}
        _, block, at = own.get(place, (None, None, 0))
        for other, number, there, since in self._numbers:
            if not first.reads and number == code and there is block and since < at:
                return made, other, changes
        try:
            name = self._name(wanted, first.launch, place, "rows_per_program")
        except NotExpressible:
            if first.reads:
                raise
            return made, code, changes  # a number may stand there twice
        said = [first.comment] if first.comment else []
        if block is not None and not first.reads:
            self._numbers.append((name, code, block, at))
        return [*made, *said, f"{name} = {code}"], name, changes

    def _tiles(
        self, place: ast.stmt, group: Sequence[Divisor]
    ) -> tuple[list[str], str, list[Change]]:
        """What binds the computed parts of the divisor at a place, its code, and the changes."""
        first, made = group[0], list[str]()
        names: dict[str, str] = {}
        changes: list[Change] = []
        for divisor in group:
            for parameter, argument in divisor.reads:
                code = excerpts.joined(divisor.launch.module.text_of(argument))
                if _is_plain_read(argument) or argument in divisor.launch.apart:
                    names[code] = divisor.launch.apart.get(argument, code)
                    continue
                if code not in names:
                    word = parameter.lower() if len(parameter) > 1 else "block"
                    names[code] = self._name(word, divisor.launch, place)
                    made.append(f"{names[code]} = {in_parentheses_of_lines(code)}")
                changes.append(ReplaceExpression(argument, names[code]))
        texts = (excerpts.joined(first.launch.module.text_of(a)) for _, a in first.reads)
        return made, first.template.format(*(names[text] for text in texts)), changes

    def _name(self, wanted: str, launch: Launch, place: ast.stmt, other: str = "") -> str:
        """A new name of the launcher; what is bound right before one launch may be so again."""
        own = place if place is statement_of(launch) else None
        taken = [
            name
            for function, name, launched in self._given
            if function is launch.launcher and (None in (own, launched) or own is launched)
        ]
        name = new_name(wanted, launch, taken, place)
        if name != wanted and other:
            name = new_name(other, launch, taken, place)
        self._given.append((launch.launcher, name, own))
        return name

    def _passed(self, divisor: Divisor, by: str, number: str) -> Iterator[Change]:
        if self.count is not None:
            yield self.count.passed(divisor.launch, number)
        yield self.by.passed(divisor.launch, by)


def _above(place: ast.stmt, launch: Launch, code: str) -> Change:
    """Statements before another one; those before a function go above the blank line."""
    assert launch.launcher is not None
    _, block, number = names_of(launch.launcher).home[place]
    if isinstance(place, ast.FunctionDef) and number:
        return InsertAfter(block[number - 1], code)
    return InsertBefore(place, code)


def words_of(extent: Extent) -> list[str]:
    """The launcher's names for the number of programs, and a size that it is; the best one first.

    Each is the same number where the launch passes it.
    """
    expression, launch = extent.expression, extent.launch
    if expression is None or not extent.is_plain:
        return []
    own = ""
    if _stays(extent) and (extent.meta or is_short(expression)):
        code = extent.at_launch() if extent.meta else launch.module.text_of(expression)
        own = code if code and is_short(parsed(code, mode="eval").body) else ""
    found = [own] if own.isidentifier() else []
    if _is_readable(extent):
        evaluation, passed = evaluation_at(launch), evaluated_by(launch)
        found += [
            name
            for name in locals_with_form(
                launch, expression, statement_of(launch) if extent.meta else None
            )
            if evaluation.gives_the_same(ast.Name(name, ast.Load()), passed)
        ]
    return list(dict.fromkeys([*found, own] if own else found))


def is_passed(extent: Extent, argument: ast.expr) -> bool:
    """Whether an argument of the launch is the number of programs, whatever it is written as."""
    expression, launch = extent.expression, extent.launch
    if expression is None or not extent.is_plain or not _is_readable(extent):
        return False
    place = statement_of(launch) if extent.meta else None
    stays = evaluation_at(launch).gives_the_same(argument, evaluated_by(launch))
    return stays and is_the_same_number(launch, argument, expression, place)


def _is_readable(extent: Extent) -> bool:
    """Whether what stands in the grid is computed from what has the same value at the launch."""
    if not extent.meta:
        return extent.comes_before_others
    assert extent.expression is not None
    return extent.reads_names_of_the_launch(extent.expression) and _stays(extent)


def _word(extent: Extent) -> str:
    return next(iter(words_of(extent)), "")


def _stays(extent: Extent) -> bool:
    """Whether what stands in the grid comes to the same where the launch is."""
    expression, until = extent.expression, extent.until_passed
    if expression is None or until is None:
        return False
    return extent.evaluation.gives_the_same(expression, until)


def _text(extent: Extent, number: _Number) -> str:
    """The number of programs in the grid: by a new name, if it got one, else as it stands there."""
    if number.made:
        return number.code
    assert extent.expression is not None
    return excerpts.joined(extent.launch.module.text_of(extent.expression))


def _cdiv(number: str, by: str) -> str:
    return number if by == "1" else f"triton.cdiv({number}, {by})"


def _has_capitals(launch: Launch) -> bool:
    """Whether a launcher binds a name in capitals."""
    bound = scope_at(launch).bindings
    return any(name.isupper() and len(name) > 1 for name in bound)


def _is_plain_read(argument: ast.expr) -> bool:
    """Whether it is written as it is where it is needed twice."""
    while isinstance(argument, ast.Attribute):
        argument = argument.value
    return isinstance(argument, ast.Name)


def _may_come_first(divisor: Divisor, statement: ast.stmt) -> bool:
    """Whether the divisor can be computed where the grid is: a tile of 0 elements divides nothing.

    So the launch must follow from there, unless a number is all that divides.
    """
    until, evaluation = divisor.extent.until_passed, divisor.extent.evaluation
    if divisor.reads and not _leads_to(statement, divisor):
        return False
    if any(argument in divisor.launch.apart for _, argument in divisor.reads):
        return False
    return until is not None and all(
        evaluation.gives_the_same(argument, until) for _, argument in divisor.reads
    )


def _leads_to(statement: ast.stmt, divisor: Divisor) -> bool:
    """Whether a launch in the block of a statement is all that may come after it."""
    launcher = divisor.launch.launcher
    if launcher is None:
        return False
    home = names_of(launcher).home
    _, block, start = home[statement]
    _, of_launch, end = home[divisor.statement]
    between_them = block[start + 1 : end] if block is of_launch else [ast.Raise()]
    return not any(isinstance(n, _LEAVING) for s in between_them for n in walk(s))


def _may_move(statement: ast.stmt, divisor: Divisor) -> bool:
    """Whether a grid may be bound right before the launch."""
    extent, launch = divisor.extent, divisor.launch
    until = extent.until_passed
    if launch.launcher is None or until is None or not isinstance(statement, ast.Assign):
        return False
    _, block, _ = names_of(launch.launcher).home[statement]
    return (
        any(divisor.statement in walk(other) for other in block)
        and launch.module.has_own_lines(statement)
        and extent.evaluation.gives_the_same(statement.value, until)
    )


def _parts(extent: Extent) -> list[str] | None:
    """The number of programs along each axis, where it is launched; None where one is not known."""
    found: list[str] = []
    for axis in range(extent.axes):
        try:
            one = read_extent(extent.launch, axis)
        except GridNotReadable:
            return None
        code = one.at_launch()
        if code is None or (one.meta and not (_stays(one) and one.is_plain)):
            return None
        if not one.meta and _stays(one) and one.expression is not None:
            code = excerpts.joined(extent.launch.module.text_of(one.expression))
        found.append(code)
    return found or None


def in_parentheses_of_lines(code: str) -> str:
    """The code of an expression as the right side of a statement."""
    return in_parentheses(code) if "\n" in code else code
