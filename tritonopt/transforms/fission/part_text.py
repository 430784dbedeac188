"""The text of a kernel that keeps some of its statements and parameters, as it stands elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts import KernelFacts
from tritonopt.source.editing.width import line_width
from tritonopt.source.kernels import Parameter
from tritonopt.source.trees import blocks_of, is_text, walk
from tritonopt.transforms.code_edits import new_function_name
from tritonopt.transforms.writing import NotExpressible


@dataclass(frozen=True)
class PartText:
    """A part of a kernel."""

    facts: KernelFacts
    kept: Collection[ast.stmt]
    needed: Collection[str]
    """Parameters that stay whatever the statements read."""
    is_new: bool
    """Whether it is the second part, which gets a name of its own."""

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
        for statement in self.kept:
            if not list(blocks_of(statement)):
                words |= {n.id for n in walk(statement) if isinstance(n, ast.Name)}
            elif isinstance(statement, ast.For):
                words |= {n.id for n in walk(statement.iter) if isinstance(n, ast.Name)}
            elif isinstance(statement, ast.If):
                words |= {n.id for n in walk(statement.test) if isinstance(n, ast.Name)}
        return tuple(p for p in self.facts.kernel.parameters if p.name in words)

    @property
    def code(self) -> str:
        """Raises NotExpressible."""
        kernel = self.facts.kernel
        decorators = self._lines(kernel.first_line, kernel.node.lineno - 1)
        return "\n".join([*decorators, *self._header(), *self._body()])

    def _lines(self, first: int, last: int) -> list[str]:
        return self.facts.kernel.module.text.splitlines()[first - 1 : last]

    def _header(self) -> list[str]:
        """From `def` to the colon."""
        kernel, module = self.facts.kernel, self.facts.kernel.module
        node = kernel.node
        lines = self._lines(node.lineno, self._first_line - 1)
        while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
            lines.pop()  # what stands above the first statement
        lines[0] = lines[0].replace(f"def {kernel.name}", f"def {self.name}", 1)
        if len(self.parameters) == len(kernel.parameters):
            return lines
        gone = [a for a in node.args.args if a.arg not in {p.name for p in self.parameters}]
        if node.args.posonlyargs or node.args.kwonlyargs or node.args.vararg or node.args.kwarg:
            raise NotExpressible(f"line {node.lineno} has parameters of several kinds")
        rows = [a.lineno for a in node.args.args]
        alone = len(set(rows)) == len(rows) and node.lineno not in rows
        if alone and lines[-1].lstrip().startswith(")"):
            dropped = {a.lineno - node.lineno for a in gone}
            return [line for number, line in enumerate(lines) if number not in dropped]
        if any("#" in line for line in lines):
            raise NotExpressible(f"a comment stands among the parameters in line {node.lineno}")
        texts = [self._declared(p) for p in self.parameters]
        head = f"def {self.name}({', '.join(texts)}):"
        if len(head) <= line_width(module):
            return [head]
        inside = f"    {', '.join(texts)}"
        parts = [inside] if len(inside) <= line_width(module) else [f"    {t}," for t in texts]
        return [f"def {self.name}(", *parts, "):"]

    def _declared(self, parameter: Parameter) -> str:
        text = self.facts.kernel.module.text_of
        code = parameter.name
        if parameter.annotation is not None:
            code += f": {text(parameter.annotation)}"
        if parameter.default is not None:
            equals = " = " if parameter.annotation is not None else "="
            code += f"{equals}{text(parameter.default)}"
        return code

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
        text = self.facts.kernel.module.text.splitlines()
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
