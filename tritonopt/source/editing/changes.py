"""What can be done to the text of a file: changes to its statements, expressions, parameters.

`code` is unindented source, four spaces to a level, of one or more statements; comments may
stand above and behind them. It takes on the indentation of the place it goes to.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from tritonopt.source.kernels import Kernel

ELSE = "else:"
"""What the code of an `Enclose` begins with where the statements become an `else`."""


@dataclass(frozen=True)
class InsertBefore:
    """New statements right before a statement: above its comments, below the blank lines.

    Or comments alone, which are about that statement.
    """

    anchor: ast.stmt
    code: str


@dataclass(frozen=True)
class InsertAfter:
    """New statements right after a statement."""

    anchor: ast.stmt
    code: str


@dataclass(frozen=True)
class Replace:
    """Other statements in place of one; the comment lines above it stay."""

    anchor: ast.stmt
    code: str


@dataclass(frozen=True)
class Remove:
    """A statement less, and the comment lines that explain it (see `comments`).

    Others above it go over to the next statement, and so does what heads a group of statements.
    """

    anchor: ast.stmt
    keep_comments: bool = True
    """Without it, all comments above go: the code that was written elsewhere has them."""
    moved: bool = False
    """What explains it goes even from a group: `excerpts.moved_code` has it."""
    headings: frozenset[str] = frozenset()
    """Comments that stay in any case."""


@dataclass(frozen=True)
class Enclose:
    """The statements of a block from one to another go into a compound statement.

    `code` is that statement, a `for` or an `if`, whose body ends with `...`, in the place of
    which they go: with their comments, one level deeper. What other changes insert before the
    first or after the last of them stays outside. With `else:` for the statement, they become
    the `else` of the `if` that stands right before them.
    """

    anchor: ast.stmt
    """The first of them."""
    last: ast.stmt
    code: str


@dataclass(frozen=True)
class ReplaceExpression:
    """Another expression in place of one, in parentheses where it needs them."""

    anchor: ast.expr
    code: str


@dataclass(frozen=True)
class AddParameter:
    """One more parameter (`NAME: tl.constexpr = 4`), last but for `**kwargs`."""

    kernel: Kernel
    code: str
    before: str = ""
    """The parameter that it stands before, if it is not the last one."""


@dataclass(frozen=True)
class AddDecorator:
    """One more decorator (`@triton.heuristics(...)`), right above the one that jits a kernel."""

    kernel: Kernel
    code: str


@dataclass(frozen=True)
class AddArgument:
    """One more keyword argument (`NAME=value`) for a call, last but for `**kwargs`."""

    anchor: ast.Call
    code: str
    before: ast.expr | ast.keyword | None = None
    """The argument that it stands before, if it is not the last one: it may have no keyword."""


@dataclass(frozen=True)
class ReplaceParameter:
    """Other parameters in the place of one."""

    kernel: Kernel
    name: str
    codes: tuple[str, ...]

    @property
    def code(self) -> str:
        return ", ".join(self.codes)


@dataclass(frozen=True)
class ReplaceArgument:
    """Other arguments in the place of one: a positional one, or one with its keyword."""

    anchor: ast.Call
    argument: ast.expr | ast.keyword
    codes: tuple[str, ...]

    @property
    def code(self) -> str:
        return ", ".join(self.codes)


StatementChange = InsertBefore | InsertAfter | Replace | Remove | Enclose
Exchange = ReplaceParameter | ReplaceArgument
Change = StatementChange | ReplaceExpression | AddParameter | AddDecorator | AddArgument | Exchange


@dataclass
class StatementPlan:
    """All that happens to one statement."""

    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    replacement: str | None = None
    removal: Remove | None = None
    opened: list[Enclose] = field(default_factory=list)
    """What begins with the statement, outermost first."""
    closed: int = 0
    """How many of them end with it."""

    @property
    def gone(self) -> bool:
        return self.replacement is not None or self.removal is not None
