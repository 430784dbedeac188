"""A Python file as the rewriter sees it: its kernels, who launches them, what its names mean."""

from __future__ import annotations

import ast
import io
import os
import tokenize
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from tritonopt.source.errors import SourceError
from tritonopt.source.files import BYTE_ORDER_MARK
from tritonopt.source.kernels import Kernel, find_kernels, find_replaced
from tritonopt.source.launches import Elsewhere, Launch, Reference, Uses, find_uses
from tritonopt.source.lines import Lines
from tritonopt.source.mutation import find_changed_names, find_replaced_names
from tritonopt.source.names import Binding, Names
from tritonopt.source.parsing import parsed
from tritonopt.source.reflection import find_hidden_names
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.source.project.program import Program


_NEVER_GIVEN = ("triton.", "torch.")
"""What the names of a program do not lead away from."""
_LANGUAGE = "triton."
_BUILTINS = "builtins."
_LIBRARIES = ("triton.", "torch.", "math.")
"""What is no longer what it was where a file of the program replaces it, ..."""
_TUNERS = frozenset({"triton.autotune", "triton.heuristics", "triton.Config"})
"""... but for these, which launch as given."""


def has_kernels(text: str) -> bool:
    """Whether a file is worth parsing: may say yes wrongly, never no."""
    return "jit" in text and "triton" in text


def read(
    text: str,
    path: str = "<string>",
    program: Program | None = None,
    whole: Module | None = None,
) -> Module:
    """Parses a file. Raises SourceError where it does not parse.

    `path` is only for messages, unless the file is part of a `program`. A byte order mark at the
    beginning is no part of the text of the module. `whole` is the file of which the text is an
    excerpt.
    """
    text = text.removeprefix(BYTE_ORDER_MARK)
    known = program.parsed(text, path) if program is not None else None
    if known is not None:
        return known.again(path)
    found = parse(text, path, program)
    return found if whole is None else replace(found, whole=whole)


def parse(text: str, path: str, program: Program | None = None) -> Module:
    """As `read`, whatever of the file is parsed already."""
    place = text.find("\0")
    if place >= 0:
        line, start = text.count("\n", 0, place) + 1, text.rfind("\n", 0, place)
        message = "a null byte, which Python does not read: remove it"
        raise SourceError(path, line, place - start, message)
    try:
        with warnings.catch_warnings():
            # Invalid escapes and the like are the file's own affair.
            warnings.simplefilter("ignore")
            tree = parsed(text, path)
    except SyntaxError as error:
        line, column = error.lineno or 0, error.offset or 0
        message = error.msg
        if (error.text or "").startswith(("<<<<<<< ", ">>>>>>> ", "=======")):
            message = "a merge conflict is left here; resolve it first"
        raise SourceError(path, line, max(column, 1), message) from error
    except (RecursionError, MemoryError) as error:
        message = "too deeply nested to be parsed: split its largest expression"
        raise SourceError(path, 0, 0, message) from error
    return Module(path, text, tree, program)


@dataclass(frozen=True, eq=False)
class Module:
    """One parsed file. What is found in it is found when it is first asked for."""

    path: str
    text: str = field(repr=False)
    tree: ast.Module = field(repr=False)
    program: Program | None = field(default=None, repr=False)
    """The files that were given with it; None where it stands alone."""
    whole: Module | None = field(default=None, repr=False)
    """The file of which this is an excerpt, as it was given: what only counts lines and words
    asks it too."""

    def again(self, path: str) -> Module:
        """The same file, of which nothing was asked so far; what its text alone shows is shared."""
        other = Module(path, self.text, self.tree, self.program)
        vars(other).update(names=self.names, lines=self.lines)
        return other

    @cached_property
    def real_path(self) -> str:
        """The path by which its program knows it."""
        return os.path.realpath(self.path)

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
    def replaced(self) -> Iterator[tuple[Kernel, ast.expr]]:
        """Functions below `jit` that are no kernels, and what may give them another text."""
        return find_replaced(self)

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
        name = self.names.resolve(expression)
        if not name or name in self.patched:
            return ""
        if self.program is None:
            return name
        root = expression
        while isinstance(root, ast.Attribute):
            root = root.value
        assert isinstance(root, ast.Name)
        key = (root.id, name)
        if not name.startswith(_NEVER_GIVEN) and key not in self._outside:
            outside = self.program.outside(expression, self)
            self._outside[key] = outside or name
            self._note(outside not in ("", name))
        found = self._outside.get(key, name)
        # What else a launcher may find in the place of a name is not for a kernel to know.
        if not found.startswith(_LIBRARIES):
            return found
        return "" if self._is_stored(root) or self.program.is_patched(found) else found

    @cached_property
    def _outside(self) -> dict[tuple[str, str], str]:
        """What dotted names of the file, by what they begin with, are outside of the program."""
        return {}

    @cached_property
    def patched(self) -> frozenset[str]:
        """The functions of libraries that the file replaces: `tl.exp = ...`."""
        libraries = (*_LIBRARIES, _BUILTINS)
        replaced = (name for name in find_replaced_names(self) if name.startswith(libraries))
        return frozenset(replaced) - _TUNERS

    def _is_stored(self, root: ast.Name) -> bool:
        """Whether another file replaces the name that an expression begins with."""
        assert self.program is not None
        home = self.names.scope_of.get(root, self.names.module).find(root.id)
        return home is self.names.module and self.program.is_stored(self, root.id)

    def builtin(self, expression: ast.expr) -> str:
        """The name of the Python builtin that the expression reads, "" where it reads none."""
        name = self.names.builtin(expression)
        return "" if f"{_BUILTINS}{name}" in self.patched else name

    def bound_elsewhere(self, expression: ast.expr) -> tuple[Module, Binding] | None:
        """Where another file of the program binds what is imported from it, and to what.

        Only where it is surely that.
        """
        if self.program is None:
            return None
        found = self.program.definition(expression, self)
        self._note(found is not None)
        return found

    def jit_function_elsewhere(self, expression: ast.expr) -> Kernel | None:
        """The jit function of another file of the program that an expression surely stands for."""
        found = self.bound_elsewhere(expression)
        if found is None:
            return None
        home, binding = found
        return next((kernel for kernel in home.kernels if kernel.node is binding), None)

    def alternatives(self, expression: ast.expr) -> tuple[Module, Sequence[Binding]] | None:
        """Where each branch of one statement binds what an expression surely stands for; to what.

        Which of the branches is run is not known, so it stands for none of them in particular.
        """
        if self.program is not None:
            found = self.program.alternatives(expression, self)
            self._note(found is not None and found[0] is not self)
            return found
        if not isinstance(expression, ast.Name):
            return None
        scope = self.names.scope_of.get(expression, self.names.module)
        bindings = self.names.alternatives(expression.id)
        is_global = scope.find(expression.id) is self.names.module
        return (self, bindings) if bindings and is_global else None

    def alternative_callees(self, expression: ast.expr) -> list[Kernel | str]:
        """The functions, one of which an expression surely stands for; empty where any is unknown.

        Jit functions, and dotted names of triton.
        """
        home, bindings = self.alternatives(expression) or (self, ())
        found: list[Kernel | str] = []
        for binding in bindings:
            callee: Kernel | str | None = None
            if isinstance(binding, str):
                callee = binding
            elif isinstance(binding, (ast.Name, ast.Attribute)):
                callee = home.resolve(binding)
            elif isinstance(binding, ast.FunctionDef):
                callee = next((k for k in home.kernels if k.node is binding), None)
            if callee is None or (isinstance(callee, str) and not callee.startswith(_LANGUAGE)):
                return []
            found.append(callee)
        return found

    def is_replaced(self, name: str) -> bool:
        """Whether a global may have another value than what is bound to its plain name.

        This file, or another one of the program, may give it that.
        """
        if name in self.names.before_stars or self.replaces(name):
            return True
        return self.program is not None and self.program.is_replaced(self, name)

    def is_bound_once(self, name: str) -> bool:
        """Whether a global has one meaning: in no branch, star import or text another."""
        return len(self.names.module.bindings.get(name, ())) == 1 and not self.is_replaced(name)

    def replaces(self, name: str) -> bool:
        """Whether it may have another value, as far as this file may give it that."""
        return name in self.hidden_names or name in self.changed_names

    @cached_property
    def hidden_names(self) -> frozenset[str]:
        return find_hidden_names(self)

    @cached_property
    def changed_names(self) -> frozenset[str]:
        """Names for what the file may change inside: `BLOCK` of `BLOCK.value = 64`."""
        return find_changed_names(self)

    def mentioning(self, name: str) -> Sequence[Reference]:
        """Where `name` is read, and every `....name`."""
        return self._references.get(name, ())

    def imported_as(self, name: str) -> set[str]:
        """The other names that the file gives to what it imports as `name`, in any scope."""
        return {
            local
            for scope in self.names.scopes.values()
            for local, bindings in scope.bindings.items()
            if local != name
            and any(isinstance(b, str) and b.rpartition(".")[2] == name for b in bindings)
        }

    @cached_property
    def _references(self) -> dict[str, list[Reference]]:
        found: dict[str, list[Reference]] = {}
        for name in self.names.scope_of:
            found.setdefault(name.id, []).append(name)
        for node in self.names.parents:
            if isinstance(node, ast.Attribute):
                found.setdefault(node.attr, []).append(node)
        return found

    def uses_elsewhere(self, kernel: Kernel) -> Elsewhere:
        """What the other files of the program do with a kernel of this one."""
        if self.program is None:
            return Elsewhere()
        if kernel not in self._elsewhere:
            self._elsewhere[kernel] = self.program.uses_elsewhere(kernel)
            self._note(self._elsewhere[kernel] != Elsewhere())
        return self._elsewhere[kernel]

    @property
    def has_asked_elsewhere(self) -> bool:
        """Whether another file of the program had to do with what was asked of this one so far."""
        return bool(self._notes)

    def _note(self, asked: bool) -> None:
        if asked:
            self._notes.append(asked)

    @cached_property
    def _notes(self) -> list[bool]:
        return []

    @cached_property
    def _elsewhere(self) -> dict[Kernel, Elsewhere]:
        return {}

    def kernel(self, name: str) -> Kernel | None:
        """The kernel of that qualname, else the first of that name."""
        for kernel in self.kernels:
            if kernel.qualname == name:
                return kernel
        return next((kernel for kernel in self.kernels if kernel.name == name), None)

    @property
    def texts(self) -> tuple[str, ...]:
        """Its text; of an excerpt that of the whole file too."""
        return (self.text,) if self.whole is None else (self.text, self.whole.text)

    def text_of(self, node: ast.AST) -> str:
        """The text of a statement or expression; that of a `def` leaves out decorators.

        It means the same elsewhere: an expression that goes on over lines inside of somebody
        else's brackets has parentheses of its own.
        """
        if not isinstance(node, (ast.stmt, ast.expr, ast.arg, ast.keyword, ast.alias)):
            raise TypeError(f"{type(node).__name__} has no place in the text")
        start, end = self.lines.span(node)
        text = self.text[start:end]
        return _standing_alone(text) if isinstance(node, ast.expr) else text

    def text_with(
        self, node: ast.expr, replaced: Mapping[ast.expr, str] | Mapping[ast.Name, str]
    ) -> str:
        """The text of an expression, as `text_of`, with other code in the place of some in it."""
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
        return _standing_alone("".join([*pieces, self.text[place:end]]))

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


def _standing_alone(text: str) -> str:
    """The text of an expression, in parentheses where it needs them to go on over its lines."""
    if "\n" not in text and "\r" not in text:
        return text
    return next((code for code in (text, f"({text})") if _is_expression(code)), text)


def _is_expression(code: str) -> bool:
    try:
        parsed(code, mode="eval")
    except SyntaxError:
        return False
    return True


def own_jit_function(module: Module, name: str) -> Kernel | None:
    """The jit function of this file that a global surely is, by its name or by `b = a`."""
    binding: Binding = None
    for _ in module.kernels:
        if not module.is_bound_once(name):
            return None
        (binding,) = module.names.module.bindings[name]
        if not isinstance(binding, ast.Name):
            break
        name = binding.id
    return next((kernel for kernel in module.kernels if kernel.node is binding), None)
