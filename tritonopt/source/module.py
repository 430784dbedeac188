"""A Python file as the rewriter sees it: its kernels, who launches them, what its names mean."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from tritonopt.source.errors import SourceError
from tritonopt.source.kernels import Kernel, find_kernels
from tritonopt.source.launches import Launch, Uses, find_uses
from tritonopt.source.lines import Lines
from tritonopt.source.names import Names
from tritonopt.source.trees import walk


def has_kernels(text: str) -> bool:
    """Whether a file is worth parsing: may say yes wrongly, never no."""
    return "jit" in text and "triton" in text


def read(text: str, path: str = "<string>") -> Module:
    """Parses a file; `path` is only for messages. Raises SourceError where it does not parse."""
    try:
        with warnings.catch_warnings():
            # Invalid escapes and the like are the file's own affair.
            warnings.simplefilter("ignore")
            tree = ast.parse(text, filename=path)
    except SyntaxError as error:
        line, column = error.lineno or 0, error.offset or 0
        message = error.msg
        if (error.text or "").startswith(("<<<<<<< ", ">>>>>>> ", "=======")):
            message = "a merge conflict is left here; resolve it first"
        raise SourceError(path, line, max(column, 1), message) from error
    except ValueError as error:  # a null byte, before Python 3.12
        raise SourceError(path, 0, 0, str(error)) from error
    except (RecursionError, MemoryError) as error:
        raise SourceError(path, 0, 0, "too deeply nested to be parsed") from error
    return Module(path, text, tree)


@dataclass(frozen=True, eq=False)
class Module:
    """One parsed file. What is found in it is found when it is first asked for."""

    path: str
    text: str = field(repr=False)
    tree: ast.Module = field(repr=False)

    @cached_property
    def names(self) -> Names:
        return Names(self.tree)

    @cached_property
    def lines(self) -> Lines:
        return Lines(self.text)

    @cached_property
    def kernels(self) -> tuple[Kernel, ...]:
        """Every jit function, helpers and nested ones included, in source order."""
        return find_kernels(self) if has_kernels(self.text) else ()

    @property
    def launches(self) -> tuple[Launch, ...]:
        """Every launch of a kernel of this file, in source order."""
        return self._uses.launches

    @property
    def escapes(self) -> Mapping[str, tuple[ast.expr, ...]]:
        """By qualname, uses of a kernel that may lead to launches nobody sees here."""
        return self._uses.escapes

    @cached_property
    def _uses(self) -> Uses:
        return find_uses(self)

    def resolve(self, expression: ast.expr) -> str:
        """The dotted name of `a.b.c` through the file's imports, "" where it has none.

        What a local variable, a parameter or a definition of the file shadows has none. Names
        from relative imports keep their dots: "..utils.helper".
        """
        return self.names.resolve(expression)

    def builtin(self, expression: ast.expr) -> str:
        """The name of the Python builtin that the expression reads, "" where it reads none."""
        return self.names.builtin(expression)

    def kernel(self, name: str) -> Kernel | None:
        """The kernel of that qualname, else the first of that name."""
        for kernel in self.kernels:
            if kernel.qualname == name:
                return kernel
        return next((kernel for kernel in self.kernels if kernel.name == name), None)

    def text_of(self, node: ast.AST) -> str:
        """The exact text of a statement or expression; that of a `def` leaves out decorators."""
        if not isinstance(node, (ast.stmt, ast.expr, ast.arg, ast.keyword, ast.alias)):
            raise TypeError(f"{type(node).__name__} has no place in the text")
        start, end = self.lines.span(node)
        return self.text[start:end]

    def text_with(self, node: ast.expr, replaced: Mapping[ast.expr, str]) -> str:
        """The text of an expression with other code in the place of some that are in it."""
        pieces: list[str] = []
        place, end = self.lines.span(node)
        inside = set(walk(node))
        # Of two that begin together, the outer one first.
        parts = sorted(
            (self.lines.span(part)[0], -self.lines.span(part)[1], code)
            for part, code in replaced.items()
            if part in inside
        )
        for start, behind, code in parts:
            if start >= place:  # else it is inside of one that is replaced
                pieces += [self.text[place:start], code]
                place = -behind
        return "".join([*pieces, self.text[place:end]])

    def has_own_lines(self, statement: ast.stmt) -> bool:
        """Whether no other statement begins or ends in its lines."""
        start, end = self.lines.span(statement)
        above = self.text[self.lines.start(statement.lineno) : start]
        behind = self.text[end : self.lines.start((statement.end_lineno or statement.lineno) + 1)]
        return not above.strip() and (not behind.strip() or behind.strip().startswith("#"))

    def comments(self, first: int, behind: int) -> list[str]:
        """The comments in some lines, the last of which is not one of them."""
        if "#" not in self.text[self.lines.start(first) : self.lines.start(behind)]:
            return []
        return [self._comments[line] for line in range(first, behind) if line in self._comments]

    @cached_property
    def _comments(self) -> dict[int, str]:
        tokens = tokenize.generate_tokens(io.StringIO(self.text, newline="").readline)
        return {t.start[0]: t.string for t in tokens if t.type == tokenize.COMMENT}
