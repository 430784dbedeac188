"""The text of a new kernel: one that keeps some statements of another, or is made of its lines."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from tritonopt.emit.code_edits import new_function_name
from tritonopt.emit.writing import NotExpressible, comments_in, names_bound, names_read
from tritonopt.facts import KernelFacts
from tritonopt.launches.known_launches import check_binding
from tritonopt.source import Launch, Module
from tritonopt.source.editing import parameters
from tritonopt.source.editing.width import line_width
from tritonopt.source.kernels import Parameter
from tritonopt.source.trees import blocks_of, is_text, walk

_WORD = re.compile(r"\w+")
_LINE_END = re.compile(r"\r\n|\r|\n")


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


def renamed_head(lines: list[str], name: str) -> str:
    """From `def` to the colon, of a kernel's lines up to its first statement."""
    while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()  # what stands above the first statement
    return parameters.renamed("\n".join(lines), 0, name)


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


@dataclass(frozen=True)
class PartText:
    """A part of a kernel."""

    facts: KernelFacts
    kept: Collection[ast.stmt]
    needed: Collection[str]
    """Parameters that stay whatever the statements read."""
    is_new: bool = False
    """Whether it is a kernel beside the whole one, and gets a name of its own."""
    instead: Mapping[ast.expr, str] = field(default_factory=dict)
    """Code in the place of expressions, each of them and each code on one line."""

    @cached_property
    def name(self) -> str:
        kernel = self.facts.kernel
        return (
            new_function_name(kernel.module, f"{kernel.name}_sums") if self.is_new else kernel.name
        )

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those that are read, in their order."""
        words = set(self.needed)
        words |= {word for code in self.instead.values() for word in _WORD.findall(code)}
        gone = {node for expression in self.instead for node in walk(expression)}
        for statement in self.kept:
            match statement:
                case ast.For(iter=header) | ast.If(test=header):
                    parts: Iterable[ast.AST] = walk(header)
                case _:
                    parts = () if list(blocks_of(statement)) else walk(statement)
            words |= {n.id for n in parts if isinstance(n, ast.Name) and n not in gone}
        return tuple(p for p in self.facts.kernel.parameters if p.name in words)

    @property
    def code(self) -> str:
        """Raises NotExpressible."""
        kernel = self.facts.kernel
        decorators = self._lines(kernel.first_line, kernel.node.lineno - 1)
        return "\n".join([*decorators, *self._header(), *self._body()])

    @cached_property
    def _text(self) -> str:
        """That of the file, with other expressions, and as many lines."""
        module = self.facts.kernel.module
        text = module.text
        spans = sorted(((module.lines.span(n), code) for n, code in self.instead.items()))
        for (start, end), code in reversed(spans):
            if "\n" in code or "\n" in text[start:end]:
                raise NotExpressible("what changes has several lines")
            text = text[:start] + code + text[end:]
        return text

    def _lines(self, first: int, last: int) -> list[str]:
        return _LINE_END.split(self._text)[first - 1 : last]

    def _header(self) -> list[str]:
        """From `def` to the colon."""
        kernel, module = self.facts.kernel, self.facts.kernel.module
        node = kernel.node
        lines = renamed_head(self._lines(node.lineno, self._first_line - 1), self.name).split("\n")
        if len(self.parameters) == len(kernel.parameters):
            return lines
        if node.args.posonlyargs or node.args.kwonlyargs or node.args.vararg or node.args.kwarg:
            raise NotExpressible(f"line {node.lineno} has parameters of several kinds")
        rows = [a.lineno for a in node.args.args]
        alone = len(set(rows)) == len(rows) and node.lineno not in rows
        if alone or any("#" in line for line in lines):
            gone = {p.name for p in kernel.parameters} - {p.name for p in self.parameters}
            return parameters.without("\n".join(lines), 0, gone).split("\n")
        return _head(module, self.name, [declared(module, p) for p in self.parameters])

    @cached_property
    def _first_line(self) -> int:
        return self.facts.kernel.node.body[0].lineno

    def _body(self) -> list[str]:
        """The lines of the statements that stay, with the comments and blank lines among them."""
        node = self.facts.kernel.node
        assert node.end_lineno is not None
        first = self._above(self._first_line)
        gone = set(self._gone(node.body))
        lines = dict(enumerate(self._lines(first, node.end_lineno), first))
        for number, line in lines.items():
            if line.lstrip().startswith("#") and number not in gone:
                below = [*self._paragraph(lines, number)]
                if below and all(n in gone for n in below):
                    gone.add(number)
        found: list[str] = []
        for number, line in lines.items():
            if number in gone or (not line.strip() and (not found or not found[-1].strip())):
                continue
            found.append(line)
        return found

    def _above(self, line: int) -> int:
        """The first of the comment lines right above a line."""
        text = _LINE_END.split(self._text)
        while text[line - 2].lstrip().startswith("#"):
            line -= 1
        return line

    def _paragraph(self, lines: dict[int, str], number: int) -> Iterator[int]:
        """The lines of code below a comment, up to a blank line or another comment."""
        while number in lines and lines[number].lstrip().startswith("#"):
            number += 1
        while number in lines and lines[number].strip():
            if lines[number].lstrip().startswith("#"):
                return
            yield number
            number += 1

    def _gone(self, block: list[ast.stmt]) -> Iterator[int]:
        """The lines of the statements that go."""
        module = self.facts.kernel.module
        for statement in block:
            text = is_text(statement) and statement is self.facts.kernel.node.body[0]
            if statement in self.kept or (text and not self.is_new):
                for inner in blocks_of(statement):
                    yield from self._gone(inner)
                continue
            if not module.has_own_lines(statement):
                raise NotExpressible(f"several statements share line {statement.lineno}")
            assert statement.end_lineno is not None
            yield from range(statement.lineno, statement.end_lineno + 1)


def launch_text(
    launch: Launch, part: PartText, instead: Mapping[ast.expr, str] | None = None
) -> str:
    """Code for the launch of a part, laid out as the launch of the whole. Raises NotExpressible.

    `instead` has code in the place of arguments.
    """
    module, call = launch.module, launch.call
    where, text = f"the launch in line {call.lineno}", launch.module.text
    if not (isinstance(call.func, ast.Subscript) and isinstance(call.func.value, ast.Name)):
        raise NotExpressible(f"{where} does not launch the kernel by its name")
    if comments_in(module.text_of(call)) or any(isinstance(a, ast.Starred) for a in call.args):
        raise NotExpressible(f"{where} has comments inside, or hides arguments")
    dropped = {p.name for p in part.facts.kernel.parameters} - {p.name for p in part.parameters}
    gone = {id(argument) for name, argument in launch.arguments.items() if name in dropped}
    every: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    every.sort(key=lambda node: module.lines.span(node))
    values = [node.value if isinstance(node, ast.keyword) else node for node in every]
    kept = [place for place, value in enumerate(values) if id(value) not in gone]
    if not kept or any(isinstance(n, ast.keyword) and n.arg is None for n in every):
        raise NotExpressible(f"{where} hides arguments, or would have none")
    spans = [module.lines.span(node) for node in every]
    start, end = module.lines.span(call)

    def passed(place: int) -> str:
        code = text[slice(*spans[place])]
        other = (instead or {}).get(values[place])
        if other is None:
            return code
        node = every[place]
        return f"{node.arg}={other}" if isinstance(node, ast.keyword) else other

    found = text[start : spans[0][0]]
    for place, following in pairwise(kept):
        gaps = [text[spans[n][1] : spans[n + 1][0]] for n in range(place, following)]
        found += passed(place) + next((gap for gap in gaps if "\n" in gap), gaps[0])
    found += passed(kept[-1]) + text[spans[-1][1] : end]
    code = part.name + found[len(call.func.value.id) :]
    check_binding(launch, code, {p.name: p.default is not None for p in part.parameters})
    return code


def named_in_launchers(facts: KernelFacts) -> set[str]:
    """Parameters that a launcher may ask for by their names, as a grid does."""
    names = {p.name for p in facts.kernel.parameters}
    launchers = [launch.launcher for launch in facts.launches.launches if launch.launcher]
    nodes = (node for launcher in launchers for node in walk(launcher))
    return {n.value for n in nodes if isinstance(n, ast.Constant) and n.value in names}
