"""The kernel that goes through a part of a row, and the one that combines what was found."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts import Value
from tritonopt.facts.operations import Op
from tritonopt.launches.pruning import in_tuner_keys
from tritonopt.source import (
    AddParameter,
    Change,
    InsertAfter,
    InsertBefore,
    Replace,
    ReplaceExpression,
)
from tritonopt.source.editing.width import line_width
from tritonopt.source.kernels import Parameter
from tritonopt.source.trees import walk
from tritonopt.transforms.code_edits import in_parentheses, new_function_name, on_lines
from tritonopt.transforms.splitting.atomic_store import AtomicStore
from tritonopt.transforms.splitting.parts_together import PartsTogether
from tritonopt.transforms.splitting.second_sweep import SecondSweep
from tritonopt.transforms.splitting.split_launches import NewNames
from tritonopt.transforms.splitting.split_sums import SplitLoop
from tritonopt.transforms.writing import NotExpressible, Writer, comments_in, names_bound

_BEFORE_A_SUM = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
"""Operators of what may stand before a `+` without parentheses."""


@dataclass(frozen=True)
class SplitKernel:
    """What becomes of the kernel. Its properties raise NotExpressible."""

    split: SplitLoop
    axis: int
    """Of the grid: the one along which there is a program for each part."""
    writer: Writer
    atomic: AtomicStore | None = None
    """What is behind the loop, where an atomic puts the results together."""

    @cached_property
    def names(self) -> NewNames:
        fresh = self.writer.fresh
        accumulators = self.split.accumulators
        if self.atomic is not None:
            return NewNames(fresh("SPLITS"), (), "")
        many = len(accumulators) > 1
        partials = [f"partial_{a.name.strip('_')}" if many else "partials" for a in accumulators]
        plain = tuple(p.name for p in self._parameters if not p.default)
        optional = tuple(p.name for p in self._parameters if p.default)
        kernel = self.split.facts.kernel
        final = new_function_name(kernel.module, f"{kernel.name}_final")
        return NewNames(fresh("SPLITS"), tuple(map(fresh, partials)), final, plain, optional)

    @cached_property
    def _width(self) -> int:
        return line_width(self.split.facts.kernel.module)

    @cached_property
    def _number(self) -> str:
        """The name of the number of the part that a program has."""
        return self.writer.fresh("split")

    def changes(self) -> list[Change]:
        """Of the kernel, and the new one behind it."""
        kernel, loop = self.split.facts.kernel, self.split.loop
        if kernel.node not in kernel.module.tree.body:
            raise NotExpressible(f"{kernel.name} is no function of the file's own block")
        own_lines = all(kernel.module.has_own_lines(s) for s in kernel.node.body)
        if not own_lines:
            raise NotExpressible("several statements of the kernel share a line")
        names, constexpr = self.names, self.writer.language("constexpr")
        changes: list[Change] = [
            AddParameter(kernel, f"{partial}=None") for partial in names.partials
        ]
        changes.append(AddParameter(kernel, f"{names.size}: {constexpr} = 1"))
        changes += in_tuner_keys(self.split.facts, names.size)
        program = f"{self.writer.language('program_id')}({self.axis})"
        mine = f"{self._number} = {program} if {names.size} > 1 else 0"
        changes.append(InsertBefore(loop.node, mine))
        for moved in self.split.moved:
            changes += moved.changes(self.split.facts, loop, self._number, names.size)
        changes += self._header()
        if self.atomic is not None:
            return [*changes, Replace(self.split.behind[-1], self._added(self.atomic))]
        changes.append(InsertAfter(loop.node, self._stored()))
        changes.append(InsertAfter(kernel.node, self._final()))
        return changes

    def _added(self, atomic: AtomicStore) -> str:
        """The store of a program that is alone, or one of several that share a row."""
        store = self._text(atomic.node)
        if "\n" in store or comments_in(store):
            raise NotExpressible(f"the store in line {atomic.node.lineno} has several lines")
        arguments = ", ".join(map(self._text, atomic.node.args))
        added = f"{self.writer.language(atomic.function)}({arguments})"
        return f"if {self.names.size} > 1:\n    {added}\nelse:\n    {store}"

    def _header(self) -> Iterator[Change]:
        """A program has every so many turns, from the one on that has its number."""
        header = self.split.header
        if len(header.args) == 3:
            start, _, step = header.args
            size = in_parentheses(self._text(step))
            yield ReplaceExpression(start, self._from(start, f"{self._number} * {size}"))
            yield ReplaceExpression(step, f"{self.names.size} * {size}")
            return
        yield ReplaceExpression(header, self._divided(header))

    def _divided(self, header: ast.Call) -> str:
        """Code for the header of a loop of which a program has its part."""
        arguments, text, size = header.args, self._text, self.names.size
        if comments_in(text(header)):
            raise NotExpressible(f"a comment is in the header of line {header.lineno}")
        mine, stop = self._number, text(arguments[min(1, len(arguments) - 1)])
        if len(arguments) == 3:
            step = in_parentheses(text(arguments[2]))
            mine, size = f"{mine} * {step}", f"{size} * {step}"
        start = self._from(arguments[0], mine) if len(arguments) > 1 else mine
        named = [f"{k.arg}={text(k.value)}" for k in header.keywords]
        return f"{text(header.func)}({', '.join([start, stop, size, *named])})"

    def _from(self, start: ast.expr, mine: str) -> str:
        value = self.split.facts.values[start]
        zero = value.op is Op.CONST and value.constant == 0
        if zero:
            return mine
        text = self._text(start)
        arithmetic = isinstance(start, ast.BinOp) and isinstance(start.op, _BEFORE_A_SUM)
        return f"{text if arithmetic else in_parentheses(text)} + {mine}"

    def _text(self, node: ast.expr) -> str:
        return self.split.facts.kernel.module.text_of(node)

    # What a program leaves

    def _stored(self) -> str:
        """What a program does that has a part of a row: it stores what it has found, and ends."""
        store, part = self.writer.language("store"), self.writer.fresh("part")
        tile, *named = self._tile
        lines = [f"if {self.names.size} > 1:", *(f"    {line}" for line in named)]
        lines.append(f"    {part} = {tile} * {self.names.size} + {self._number}")
        for accumulator, partial in zip(self.split.accumulators, self.names.partials, strict=True):
            found = accumulator.name
            if accumulator.reduction is not None:
                found = self.writer.text(accumulator.reduction)
            place = f"{partial} + {part}"
            if accumulator.left:
                extent = self._extent(accumulator.left[0])
                place += f" * {extent} + {self.writer.language('arange')}(0, {extent})"
            stored = on_lines(f"{store}({place}, {found})", self._width - 8)
            lines.append(textwrap.indent(stored, "    "))
        return "\n".join([*lines, "    return"])

    @cached_property
    def _row(self) -> str:
        """A name that the kernel has for its program id, before the loop and in it; "" if none."""
        loop = self.split.loop.node
        bound = names_bound(loop)
        for name, value in self.split.facts.before[loop].items():
            is_row = value.op is Op.PROGRAM_ID and value.axis.constant == 0
            if is_row and value.dtype == "int32" and name not in bound:
                return name
        return ""

    @cached_property
    def _tile(self) -> tuple[str, ...]:
        """Code for the number of the program that the row had, and a statement that names it."""
        program, programs = map(self.writer.language, ("program_id", "num_programs"))
        if self.axis == 1:
            return (self._row or f"{program}(0)",)
        name = self.writer.fresh("tile", "tile_number")
        return name, f"{name} = {program}(0) * {programs}(1) + {program}(1)"

    def _extent(self, extent: Value) -> str:
        """Code for the extent of a tile: a number, or a constexpr of the kernel."""
        if extent.op is Op.CONST:
            return str(extent.constant)
        if extent.op is not Op.CONSTEXPR or extent.name in names_bound(
            self.split.facts.kernel.node
        ):
            raise NotExpressible("the extent of an accumulator is no parameter")
        return extent.name

    # The second kernel

    @cached_property
    def _kept(self) -> list[ast.stmt]:
        """The statements before the loop that give a name to what is read behind it."""
        needed = set().union(*map(_names_read, self.split.behind))
        needed -= {a.name for a in self.split.accumulators}
        needed |= {self._row} if self.axis == 1 else set()
        kept = []
        for statement in reversed(self.split.before):
            if names_bound(statement) & needed:
                kept.append(statement)
                needed |= _names_read(statement)
        return list(reversed(kept))

    @cached_property
    def _parameters(self) -> list[Parameter]:
        """The parameters of the kernel that the new one takes as well, in their order."""
        read = set().union(*map(_names_read, [*self._kept, *self.split.behind]))
        for accumulator in self.split.accumulators:
            read |= {self._extent(extent) for extent in accumulator.left}
        return [p for p in self.split.facts.kernel.parameters if p.name in read]

    def _final(self) -> str:
        """The kernel that combines the results of all programs that had a part of a row."""
        kernel = self.split.facts.kernel
        jit = kernel.node.decorator_list[kernel.decorators.index(kernel.jit)]
        jit = jit.func if isinstance(jit, ast.Call) else jit
        declared = {p.name: self._declared(p) for p in self._parameters}
        declared[self.names.size] = f"{self.names.size}: {self.writer.language('constexpr')}"
        parameters = [declared.get(name, name) for name in self.names.order]
        head = f"def {self.names.final}({', '.join(parameters)}):"
        if len(head) > self._width:
            inside = "".join(f"    {parameter},\n" for parameter in parameters)
            head = f"def {self.names.final}(\n{inside}):"
        text = f"# Second stage: combine the partial results of {kernel.name}."
        second = self.split.second
        rest = [self._rest()] if second is None else [*self._in_parts(second)]
        body = [text, *map(self._moved, self._kept), *self._together(), *rest]
        inside = textwrap.indent("\n".join(body), "    ")
        return f"\n\n@{self._text(jit)}\n{head}\n{inside}\n"

    def _together(self) -> Iterator[str]:
        """What each accumulator is once all parts of the row are taken together."""
        tile, *named = self._tile
        yield from named
        together = PartsTogether(self.writer, tile, self.names, self._extent, self._width - 4)
        yield from together.statements(self.split.accumulators)

    def _declared(self, parameter: Parameter) -> str:
        code = parameter.name
        if parameter.annotation is not None:
            code += f": {self._text(parameter.annotation)}"
        if parameter.default is not None:
            code += (
                f" = {self._text(parameter.default)}"
                if ":" in code
                else (f"={self._text(parameter.default)}")
            )
        return code

    def _moved(self, statement: ast.stmt) -> str:
        first, last = statement.lineno, statement.end_lineno
        assert last is not None
        return self._lines(first, last)

    def _rest(self) -> str:
        """All that the kernel does behind the loop, with its comments."""
        first, last = self.split.loop.node.end_lineno, self.split.facts.kernel.node.end_lineno
        assert first is not None
        assert last is not None
        return self._lines(first + 1, last)

    def _in_parts(self, second: SecondSweep) -> Iterator[str]:
        """The same where the row is gone through once more: each program has a part of it."""
        program = f"{self.writer.language('program_id')}({self.axis})"
        yield f"{self._number} = {program}"
        first, header = second.first.node.end_lineno, second.header
        assert first is not None
        for alone, statements in second.runs():
            last = statements[-1].end_lineno
            assert last is not None
            code = self._lines(first + 1, last)
            if alone:
                code = f"if {self._number} == 0:\n{textwrap.indent(code, '    ')}"
            if second.loop.node in statements:
                was = f" in {self._text(header)}:"
                if header.lineno != header.end_lineno or code.count(was) != 1:
                    raise NotExpressible(f"the header of line {header.lineno} is no plain line")
                code = code.replace(was, f" in {self._divided(header)}:")
            blank = "" if first == second.first.node.end_lineno else self._blank_behind(first)
            yield blank + code
            first = last

    def _blank_behind(self, line: int) -> str:
        """The empty line that stands behind a line of the kernel, if there is one."""
        text = self.split.facts.kernel.module.lines.texts[line]
        return "" if text.strip() else "\n"

    def _lines(self, first: int, last: int) -> str:
        """Lines of the kernel, unindented."""
        for node in walk(self.split.facts.kernel.node):
            if isinstance(node, ast.Constant) and first <= node.lineno < (node.end_lineno or 0):
                raise NotExpressible(f"a string of several lines begins in line {node.lineno}")
        lines = self.split.facts.kernel.module.lines.texts
        return textwrap.dedent("\n".join(_of_one_block(lines[first - 1 : last]))).strip("\n")


def _of_one_block(lines: list[str]) -> list[str]:
    """The same without the comments that end a block before the first statement."""
    code = (line for line in lines if line.strip() and not line.lstrip().startswith("#"))
    margin = _margin(next(code, ""))
    ends = (i for i, line in enumerate(lines) if line.strip() and _margin(line) <= margin)
    return lines[next(ends, 0) :]


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def _names_read(statement: ast.AST) -> set[str]:
    return {n.id for n in walk(statement) if isinstance(n, ast.Name)}
