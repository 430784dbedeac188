"""The kernel that goes through a part of a row, the one that combines the parts, their launches."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonopt.emit.code_edits import in_parentheses, new_function_name
from tritonopt.emit.writing import (
    NotExpressible,
    Writer,
    comments_in,
    names_bound,
    names_read,
)
from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.partials import TYPES, Partial
from tritonopt.launches.known_launches import check_builtin, in_tuner_keys, number_at_launch
from tritonopt.launches.launch_grids import Extent, new_name
from tritonopt.launches.plan import Limit, NewAxis, PlannedLaunch
from tritonopt.passes.split_reduce.split_loop import SplitLoop, header_of
from tritonopt.source import (
    AddArgument,
    AddParameter,
    Change,
    InsertAfter,
    InsertBefore,
    Module,
    ReplaceExpression,
)
from tritonopt.source.editing.width import line_width, on_lines
from tritonopt.source.kernels import Parameter

_BEFORE_A_SUM = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
"""Operators of what may stand before a `+` without parentheses."""
_MOST = 4096
"""So many programs to a row at most, and ..."""
_LARGEST = 16384
"""... elements of the tile in which what they found is combined."""
_COMMENT = "# Programs per row, a power of two: 1 where rows are many or short."


class TwoKernels:
    """All that changes. What it gives may raise Declined."""

    def __init__(self, split: SplitLoop, axis: NewAxis, programs: str, iterations: int) -> None:
        self.split, self.axis = split, axis
        self.programs, self.iterations = programs, iterations
        self.facts, self.kernel, self.loop = split.facts, split.facts.kernel, split.loop
        self.text, self.width = self.kernel.module.text_of, line_width(self.kernel.module)
        self.writer = Writer(self.facts)
        self.tl = self.writer.language
        self.size = self.writer.fresh("SPLITS")
        one = len(split.partials) == 1
        names = ["partials" if one else f"partial_{p.name.strip('_')}" for p in split.partials]
        self.buffers = dict(zip(map(self.writer.fresh, names), split.partials, strict=True))
        self.number = self.writer.fresh("split")

    def changes(self) -> list[Change]:
        kernel, loop, size = self.kernel, self.loop, self.size
        if kernel.node not in kernel.module.tree.body:
            raise NotExpressible(f"{kernel.name} is not a top-level function of the file")
        if not all(kernel.module.has_own_lines(s) for s in kernel.node.body):
            raise NotExpressible("several statements of the kernel share a line")
        changes: list[Change] = [AddParameter(kernel, f"{buffer}=None") for buffer in self.buffers]
        changes.append(AddParameter(kernel, f"{size}: {self.tl('constexpr')} = 1"))
        changes += in_tuner_keys(self.facts, size)
        program = f"{self.tl('program_id')}({self.axis.number})"
        changes.append(InsertBefore(loop.node, f"{self.number} = {program} if {size} > 1 else 0"))
        for name, step in self.split.moved.items():
            code = in_parentheses(self.text(step))
            changes.append(InsertBefore(loop.node, f"{name} += {self.number} * {code}"))
            changes.append(ReplaceExpression(step, f"{size} * {code}"))
        changes += self._divided_loop()
        changes.append(InsertAfter(loop.node, self._stored()))
        said = f"Second stage: combine the partial results of {kernel.name}."
        final = self.new.code(said, [*self._row[1:], *self._combined(), *self._rest()])
        changes.append(InsertAfter(kernel.node, f"\n\n{final}\n"))
        for extents in self.axis.extents:
            changes += _Launch(self, extents).changes()
        return changes

    # A program has every so many iterations, from the one on that has its number

    def _divided_loop(self) -> Iterator[Change]:
        header = header_of(self.loop)
        if len(header.args) == 3:
            start, _, step = header.args
            by = in_parentheses(self.text(step))
            yield ReplaceExpression(start, self._from(start, f"{self.number} * {by}"))
            yield ReplaceExpression(step, f"{self.size} * {by}")
            return
        yield ReplaceExpression(header, self._divided(header))

    def _divided(self, header: ast.Call) -> str:
        """Code for the header of a loop of which a program has its part."""
        arguments, text = header.args, self.text
        if comments_in(text(header)):
            raise NotExpressible(f"there is a comment in the header of line {header.lineno}")
        mine, by, stop = self.number, self.size, text(arguments[min(1, len(arguments) - 1)])
        if len(arguments) == 3:
            step = in_parentheses(text(arguments[2]))
            mine, by = f"{mine} * {step}", f"{by} * {step}"
        start = self._from(arguments[0], mine) if len(arguments) > 1 else mine
        named = [f"{k.arg}={text(k.value)}" for k in header.keywords]
        return f"{text(header.func)}({', '.join([start, stop, by, *named])})"

    def _from(self, start: ast.expr, mine: str) -> str:
        value, text = self.facts.values[start], self.text(start)
        if value.op is Op.CONST and value.constant == 0:
            return mine
        arithmetic = isinstance(start, ast.BinOp) and isinstance(start.op, _BEFORE_A_SUM)
        return f"{text if arithmetic else in_parentheses(text)} + {mine}"

    # What a program leaves

    def _stored(self) -> str:
        """What a program does that has a part of a row: it stores what it has found, and ends."""
        part = self.writer.fresh("part")
        row, *lines = self._row
        lines.append(f"{part} = {row} * {self.size} + {self.number}")
        for buffer, partial in self.buffers.items():
            found, place = partial.name, f"{buffer} + {part}"
            if partial.reduction is not None:
                found = self.writer.text(partial.reduction)
            for extent in map(self._extent, partial.shape):
                place += f" * {extent} + {self.tl('arange')}(0, {extent})"
            lines.append(on_lines(f"{self.tl('store')}({place}, {found})", self.width - 8))
        inside = textwrap.indent("\n".join([*lines, "return"]), "    ")
        return f"if {self.size} > 1:\n{inside}"

    @cached_property
    def _own_row(self) -> str:
        """A name that the kernel has for its program id, before the loop and in it; "" if none."""
        bound = names_bound(self.loop.node)
        for name, value in self.facts.before[self.loop.node].items():
            is_row = value.op is Op.PROGRAM_ID and value.axis.constant == 0
            if is_row and value.dtype == "int32" and name not in bound:
                return name
        return ""

    @cached_property
    def _row(self) -> tuple[str, ...]:
        """Code for the number of the program that the row had, and a statement that names it."""
        program, programs = self.tl("program_id"), self.tl("num_programs")
        if self.axis.number == 1:
            return (self._own_row or f"{program}(0)",)
        name = self.writer.fresh("tile", "tile_number")
        return name, f"{name} = {program}(0) * {programs}(1) + {program}(1)"

    def _extent(self, extent: Value) -> str:
        """Code for the extent of a tile: a number, or a constexpr of the kernel."""
        if extent.op is Op.CONST:
            return str(extent.constant)
        if extent.op is not Op.CONSTEXPR or extent.name in names_bound(self.kernel.node):
            raise NotExpressible("the extent of an accumulator is not a parameter")
        return extent.name

    # The second kernel

    @cached_property
    def new(self) -> NewKernel:
        """The kernel that combines the results of all programs that had a part of a row."""
        partials = self.split.partials
        also = {self._extent(extent) for partial in partials for extent in partial.shape}
        also |= {self._own_row} if self.axis.number == 1 else set()
        name = new_function_name(self.kernel.module, f"{self.kernel.name}_final")
        given, annotation = {partial.name for partial in partials}, self.tl("constexpr")
        first = list(self.buffers)
        loop = self.loop.node
        return NewKernel(self.facts, name, loop, given, also, first, self.size, annotation)

    def _combined(self) -> Iterator[str]:
        """What each name is once all parts of the row are taken together."""
        parts, arange = self.writer.fresh("parts"), self.tl("arange")
        yield f"{parts} = {self._row[0]} * {self.size} + {arange}(0, {self.size})"
        for buffer, partial in self.buffers.items():
            place = f"{buffer} + {parts}"
            for extent in map(self._extent, partial.shape):
                of_parts, of_lanes = ("[None, :]", "[:, None]")[:: 1 if partial.axis == 1 else -1]
                place += f"{of_parts} * {extent} + {arange}(0, {extent}){of_lanes}"
            yield on_lines(f"{partial.name} = {self.tl('load')}({place})", self.width - 4)
        extremes = [p for p in self.split.partials if p.recurrence.extreme is not None]
        for partial in extremes:
            yield from self._below_its_extreme(partial)
        for partial in self.split.partials:
            if partial.reduction is None and partial not in extremes:
                function = self.tl(partial.recurrence.kind.reduction)
                yield f"{partial.name} = {function}({partial.name}, axis=0)"

    def _below_its_extreme(self, partial: Partial) -> Iterator[str]:
        """What an index, or a sum of exponentials, is by what the extremes of all parts are."""
        of, name = partial.recurrence.extreme, partial.name
        assert of is not None
        extreme = f"{self.tl(of.kind.reduction)}({of.name}, axis=0)"
        if of.guarded:
            shift = self.writer.fresh("shift")
            yield f"{shift} = {extreme}"
            yield "# Where all is -inf there is nothing to subtract: -inf - -inf is NaN."
            yield f'{shift} = {self.tl("where")}({shift} == -float("inf"), 0.0, {shift})'
            extreme = shift
        extreme += "[None, :]" if partial.shape else ""
        if of.exponential:
            power = f"{self.tl(of.exponential)}({of.name} - {extreme})"
            yield f"{name} = {self.tl('sum')}({name} * {power}, axis=0)"
            return
        last = "2**31 - 1" if partial.dtype == "int32" else "2**63 - 1"
        yield "# Of equal elements, the first."
        best = f"{self.tl('where')}({of.name} == {extreme}, {name}, {last})"
        yield f"{name} = {self.tl('min')}({best}, axis=0)"

    def _rest(self) -> Iterator[str]:
        """All that the kernel does after the loop, of which each program has a part where the row
        is gone through once more."""
        second, end = self.split.second, self.loop.node.end_lineno or 0
        if second is None:
            yield lines_of(self.facts, end + 1, self.kernel.node.end_lineno or end)
            return
        yield f"{self.number} = {self.tl('program_id')}({self.axis.number})"
        header, first = header_of(second.loop), end
        for alone, statements in second.runs():
            last = statements[-1].end_lineno or first
            code = lines_of(self.facts, first + 1, last)
            if alone:
                code = f"if {self.number} == 0:\n{textwrap.indent(code, '    ')}"
            if second.loop.node in statements:
                was = f" in {self.text(header)}:"
                if header.lineno != header.end_lineno or code.count(was) != 1:
                    raise NotExpressible(f"the header of line {header.lineno} is not on one line")
                code = code.replace(was, f" in {self._divided(header)}:")
            is_apart = first != end and not self.kernel.module.lines.texts[first].strip()
            yield "\n" * is_apart + code
            first = last


@dataclass(frozen=True)
class _Launch:
    """One launch, which starts several programs for each row, and the second kernel after them."""

    kernels: TwoKernels
    extents: tuple[Extent, ...]

    @property
    def _at(self) -> PlannedLaunch:
        return PlannedLaunch(self.extents[0].launch)

    def changes(self) -> list[Change]:
        at, launch, kernels = self._at, self._at.launch, self.kernels
        for name in ("max", "min", "triton", "torch"):
            check_builtin(launch, name)
        wanted = ("num_tiles", "num_columns")
        numbers = [number_at_launch(*pair) for pair in zip(self.extents, wanted, strict=False)]
        most, limit = Limit(kernels.programs).at(launch)
        changes = [*(change for number in numbers for change in number.changes), *limit]
        splits = new_name("splits", launch)
        rows = " * ".join(in_parentheses(number.code) for number in numbers)
        buffers = {name: new_name(name, launch) for name in kernels.buffers}
        if len({*buffers.values()}) < len(buffers):
            raise NotExpressible(f"line {launch.call.lineno} has names like those of the buffers")
        sizes = [part for part in (rows, splits) if part != "1"]
        allocated = {buffers[name]: self._buffer(p, sizes) for name, p in kernels.buffers.items()}
        before = self._number_of_splits(splits, rows, most)
        before += f"\n{at.allocated(allocated, f'{splits} > 1')}"
        changes.append(InsertBefore(at.statement, before))
        codes = [number.code for number in numbers]
        changes.append(ReplaceExpression(launch.grid, self._grid(*codes, splits)))
        changes += [AddArgument(launch.call, f"{name}={code}") for name, code in buffers.items()]
        changes.append(AddArgument(launch.call, f"{kernels.size}={splits}"))
        last, grid = [f"{kernels.size}={splits}"], self._grid(*codes)
        if kernels.split.second is not None:
            # It has the same loop.
            last += at.options("num_warps", "num_stages")
            grid = self._grid(*codes, splits)
        code = at.another(kernels.new.name, grid, kernels.new.parameters, buffers, last)
        return [*changes, at.then(code, f"{splits} > 1")]

    def _number_of_splits(self, name: str, rows: str, most: str) -> str:
        """The statement that computes how many programs a row has."""
        loop, iterations = self.kernels.loop, self.kernels.iterations
        assert loop.start is not None and loop.stop is not None and loop.step is not None
        start, stop, step = map(self._at.number, (loop.start, loop.stop, loop.step))
        length = stop if start == "0" else f"{in_parentheses(stop)} - {in_parentheses(start)}"
        each = in_parentheses(length) if step == "1" else f"triton.cdiv({length}, {step})"
        each += f" // {iterations}" if iterations > 1 else ""
        rows = rows if rows.isdigit() else f"max(1, {rows})"
        share = most if rows == "1" else f"{in_parentheses(most)} // {rows}"
        # What they find fits one tile.
        sizes = {" * ".join(self._shape(p)) for p in self.kernels.split.partials if p.shape}
        fits = [f"{_LARGEST} // {s if s.isdigit() else in_parentheses(s)}" for s in sizes]
        least = f"min({', '.join([str(_MOST), *sorted(fits), share, each])})"
        code = f"{name} = max(1, triton.next_power_of_2({least} + 1) // 2)"
        if len(code) > self._at.width:
            code = on_lines(f"{name} = {least}", self._at.width)
            code += f"\n{name} = max(1, triton.next_power_of_2({name} + 1) // 2)"
        return f"{_COMMENT}\n{code}"

    def _shape(self, partial: Partial) -> list[str]:
        return [in_parentheses(self._at.number(extent)) for extent in partial.shape]

    def _buffer(self, partial: Partial, sizes: list[str]) -> str:
        """The call that allocates what the programs find for a name."""
        facts = self.kernels.facts
        sure = [facts.bases(e) or () for e in facts.effects if not e.guards and not e.inlined]
        device = self._at.device_of(bases for found in sure if len(found) == 1 for bases in found)
        shape, dtype = ", ".join([*sizes, *self._shape(partial)]), TYPES[partial.dtype]
        return f"torch.empty({shape}, dtype=torch.{dtype}, device={device})"

    def _grid(self, *codes: str) -> str:
        """Code for a grid of so many programs along each axis, in the words of the one there is."""
        extent = self.extents[0]
        if extent.name and not extent.meta:
            more = codes[len(self.extents) :]
            return f"(*{extent.name}, {', '.join(more)})" if more else extent.name
        return f"({', '.join(codes)}{',' if len(codes) == 1 else ''})"


# The text of the second kernel, which keeps some statements of the first


def declared(module: Module, parameter: Parameter) -> str:
    """Code that declares a parameter as the kernel does."""
    code = parameter.name
    if parameter.annotation is not None:
        code += f": {module.text_of(parameter.annotation)}"
    if parameter.default is not None:
        equals = " = " if parameter.annotation is not None else "="
        code += f"{equals}{module.text_of(parameter.default)}"
    return code


def _head(module: Module, name: str, parameters: Sequence[str]) -> list[str]:
    """From `def` to the colon, on as many lines as it takes."""
    width = line_width(module)
    head, inside = f"def {name}({', '.join(parameters)}):", f"    {', '.join(parameters)}"
    if len(head) <= width:
        return [head]
    parts = [inside] if len(inside) <= width else [f"    {code}," for code in parameters]
    return [f"def {name}(", *parts, "):"]


def lines_of(facts: KernelFacts, first: int, last: int) -> str:
    """Lines of the kernel from the first statement on, unindented. Raises NotExpressible."""
    for node in facts.kernel.nodes:
        if isinstance(node, ast.Constant) and first <= node.lineno < (node.end_lineno or 0):
            raise NotExpressible(f"a string of several lines begins in line {node.lineno}")
    lines = facts.kernel.module.lines.texts[first - 1 : last]
    code = (line for line in lines if line.strip() and not line.lstrip().startswith("#"))
    margin = _margin(next(code, ""))
    # Comments that end the block before are not of this one.
    ends = (i for i, line in enumerate(lines) if line.strip() and _margin(line) <= margin)
    return textwrap.dedent("\n".join(lines[next(ends, 0) :])).strip("\n")


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


@dataclass(frozen=True)
class NewKernel:
    """A kernel beside another one, which goes on from one of its statements in its own way."""

    facts: KernelFacts
    name: str
    after: ast.stmt
    """The statement of the other one that it goes on from."""
    given: Collection[str]
    """Names that it binds itself; those that it needs else it binds as the other one does."""
    also: Collection[str]
    """Names that it needs in any case."""
    first: Sequence[str]
    """Its own parameters, before those that it has of the other one, ..."""
    constexpr: str
    """... and one more after them."""
    annotation: str

    @cached_property
    def kept(self) -> list[ast.stmt]:
        """The statements before that give names what they are needed for."""
        body = self.facts.kernel.node.body
        place = body.index(self.after)
        needed = {*set().union(*map(_names, body[place + 1 :])).difference(self.given), *self.also}
        kept = list[ast.stmt]()
        for statement in reversed(body[:place]):
            if names_bound(statement) & needed:
                kept.insert(0, statement)
                needed |= _names(statement)
        return kept

    @cached_property
    def passed(self) -> list[Parameter]:
        """The parameters of the other kernel that it takes as well, in their order."""
        body = self.facts.kernel.node.body
        statements = [*self.kept, *body[body.index(self.after) + 1 :]]
        read = set().union(self.also, *map(_names, statements))
        return [p for p in self.facts.kernel.parameters if p.name in read]

    @property
    def parameters(self) -> dict[str, bool]:
        """All of its parameters, and whether each has a default."""
        plain = [p.name for p in self.passed if not p.default]
        optional = [p.name for p in self.passed if p.default]
        needed = [*self.first, *plain, self.constexpr]
        return {**dict.fromkeys(needed, False), **dict.fromkeys(optional, True)}

    def code(self, said: str, body: Iterable[str]) -> str:
        """With the decorator of the other one, but for what that is called with."""
        kernel, module = self.facts.kernel, self.facts.kernel.module
        jit = kernel.node.decorator_list[kernel.decorators.index(kernel.jit)]
        jit = jit.func if isinstance(jit, ast.Call) else jit
        code = {p.name: declared(module, p) for p in self.passed}
        code[self.constexpr] = f"{self.constexpr}: {self.annotation}"
        head = _head(module, self.name, [code.get(name, name) for name in self.parameters])
        kept = [lines_of(self.facts, s.lineno, s.end_lineno or s.lineno) for s in self.kept]
        inside = textwrap.indent("\n".join([f"# {said}", *kept, *body]), "    ")
        return "\n".join([f"@{module.text_of(jit)}", *head, inside])


def _names(statement: ast.stmt) -> set[str]:
    return names_read(statement) | names_bound(statement)
