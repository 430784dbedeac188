"""The text of a new kernel: one that keeps some statements of another, or is made of its lines."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonopt.emit.writing import NotExpressible, names_bound, names_read
from tritonopt.facts import KernelFacts
from tritonopt.source import Module
from tritonopt.source.editing import parameters
from tritonopt.source.editing.width import line_width
from tritonopt.source.kernels import Parameter

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
