"""What the rewriter is shown of a live kernel: its text, among what its names stand for now.

The text of the module alone would not do. Names are bound again at run time, by a notebook, a
test or the module itself, and a kernel may stand in a factory, a class or a string. So a page
is made that says what holds for the function at hand: the kernel, the helpers that it calls
and the jit functions that call it stand on their own lines of the file, so that remarks point
to the right ones; launchers of the file stand on theirs, for what they can refute; and every
name that is read gets one binding that was read off the live object. What cannot be described
is bound to `...`, of which nothing follows.
"""

from __future__ import annotations

import ast
import builtins
import dis
import linecache
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from keyword import iskeyword
from types import FunctionType, ModuleType
from typing import Any

import triton
import triton.language as tl

from tritonopt import source
from tritonopt.runtime.live import (
    ORIGINAL,
    Live,
    Namespace,
    SourceUnavailable,
    is_jit_function,
    jit_functions,
    parse,
    read_live,
)

_OWN = "_tritonopt_"
"""What the names begin with that no kernel has."""
_NOTHING_KNOWN = "..."
_JIT = f"@{_OWN}triton.jit"
_MISSING = object()


@dataclass(frozen=True)
class Surroundings:
    """A page for the rewriter, and what is on it."""

    text: str
    before: int
    """How many lines stand before the kernel's `def`."""
    after: int
    """How many lines stand behind the kernel."""
    understood_decorators: bool
    """Whether all decorators of the kernel are on the page."""
    evidence: Mapping[str, tuple[str, Any]]
    """What the kernel's and its helpers' names were taken to be, as `describe` puts it; the value
    too, for jit functions are told apart by which one it is."""

    def definition_in(self, text: str) -> str | None:
        """The kernel on a rewritten page; None if anything else on it was changed."""
        old, new = self.text.split("\n"), text.split("\n")
        end = len(new) - self.after
        if old[: self.before] != new[: self.before] or old[len(old) - self.after :] != new[end:]:
            return None
        return "\n".join(new[self.before : end]) + "\n"


def surroundings_of(live: Live, is_ours: Callable[[Any], bool]) -> Surroundings:
    """The page for a kernel. Decorators that `is_ours` knows are not to be seen on it."""
    page = _Page(live, Namespace(live.function))
    understood = page.put_kernel(is_ours)
    page.put_helpers()
    evidence = page.evidence()
    page.put_callers()
    page.put_launchers()
    lines = page.lines()
    return Surroundings("\n".join(lines.text), lines.before, lines.after, understood, evidence)


def changed_names(live: Live, evidence: Mapping[str, tuple[str, Any]]) -> list[str]:
    """The names that stand for something else than they did.

    A helper that was optimized meanwhile still does what it did.
    """
    namespace = Namespace(live.function)
    changed = []
    for name, (description, value) in evidence.items():
        now = namespace.get(name, _MISSING)
        while now is not value and is_jit_function(now) and hasattr(now, ORIGINAL):
            now = getattr(now, ORIGINAL)
        same = describe(namespace, name) == description and not is_jit_function(value)
        if now is not value and not same:
            changed.append(name)
    return changed


def new_names(live: Live, rewritten: FunctionType) -> dict[str, tuple[str, Any]]:
    """The globals that a rewritten function reads and the original does not, as evidence."""
    known = live.function.__code__.co_names
    read = (i.argval for i in dis.get_instructions(rewritten) if i.opname == "LOAD_GLOBAL")
    namespace = Namespace(rewritten)
    return {
        name: (describe(namespace, name), namespace.get(name, _MISSING))
        for name in read
        if name not in known
    }


def unbound(names: Mapping[str, tuple[str, Any]]) -> list[str]:
    """Those of the names that nothing is bound to, here or by Python."""
    return [name for name, (said, value) in names.items() if value is _MISSING and said]


@dataclass(frozen=True)
class _Lines:
    text: list[str]
    before: int
    after: int


@dataclass
class _Page:
    live: Live
    namespace: Namespace
    placed: dict[int, str] = field(default_factory=dict)
    """Lines of the file, by number."""
    behind: list[str] = field(default_factory=list)
    """What has no place of its own in the file."""
    names: frozenset[str] = frozenset()
    defined: set[str] = field(default_factory=set)
    shift: int = 0

    def put_kernel(self, is_ours: Callable[[Any], bool]) -> bool:
        live = self.live
        lines = dict(enumerate(live.lines, live.first))
        known = False
        for decorator in live.node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            value = self.namespace.value_of(called)
            known = known or value is triton.jit
            if is_ours(value):
                for line in range(decorator.lineno, (decorator.end_lineno or 0) + 1):
                    lines[live.first + line - 1] = ""
        if not known:
            # Made a kernel in a way of its own; how does not matter to what it computes.
            lines = {line: text for line, text in lines.items() if line >= live.line}
            self.shift = int(live.line == 1)
            lines[live.line - 1] = _JIT
        self.placed |= lines
        self.names |= live.free_names
        self.defined.add(live.node.name)
        return known

    def put_helpers(self) -> None:
        """The jit functions that the kernel calls, and those that they call."""
        todo = sorted(self.names)
        while todo:
            name = todo.pop()
            value = self.namespace.get(name)
            if name in self.defined or not self._is_described_by_text(name, value):
                continue
            helper = _read(value)
            if helper is not None:
                self._put(helper)
                todo += sorted(helper.free_names)
                self.names |= helper.free_names

    def evidence(self) -> dict[str, tuple[str, Any]]:
        """What the names so far stand for, of those of which that says anything."""
        found = {}
        for name in sorted(self.names):
            value = self.namespace.get(name, _MISSING)
            description = describe(self.namespace, name)
            if name in self.defined or not description.endswith(_NOTHING_KNOWN):
                found[name] = (description, value)
        return found

    def put_callers(self) -> None:
        """Jit functions that call the kernel: they may pass it tiles."""
        name = self.live.node.name
        for caller in jit_functions(iter(list(self.namespace.globals.values()))):
            code = caller.fn.__code__
            own = caller.fn.__globals__ is self.namespace.globals
            if own and name in code.co_names and code.co_name not in self.defined:
                found = _read(caller)
                if found is not None and not found.function.__closure__:
                    self._put(found)

    def put_launchers(self) -> None:
        """The functions and classes of the file that launch the kernel."""
        live = self.live
        lines = [line.rstrip("\n") for line in linecache.getlines(live.path)]
        if live.indentation or lines[live.line - 1 : live.line] != [
            live.lines[live.node.lineno - 1]
        ]:
            return
        try:
            module = source.read("\n".join(lines), live.path)
        except source.SourceError:
            return
        kernels = [kernel for kernel in module.kernels if kernel.node.lineno == live.line]
        launches = [launch for launch in module.launches if launch.kernel in kernels]
        for statement in module.tree.body:
            if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                continue
            inside = {node for node in ast.walk(statement) if isinstance(node, ast.Call)}
            if not any(launch.call in inside for launch in launches):
                continue
            first = min(node.lineno for node in (statement, *statement.decorator_list))
            span = range(first, (statement.end_lineno or 0) + 1)
            if module.has_own_lines(statement) and not any(line in self.placed for line in span):
                self.placed |= {line: lines[line - 1] for line in span}
                self.defined.add(statement.name)

    def _is_described_by_text(self, name: str, value: Any) -> bool:
        """Whether a name stands for a jit function whose names mean what the kernel's mean."""
        if not is_jit_function(value) or _home(value) is not None:
            return False
        function = value.fn
        return (
            function.__globals__ is self.namespace.globals
            and function.__name__ == name
            and not function.__closure__
            and not self.namespace.captured & set(function.__code__.co_names)
        )

    def _put(self, helper: Live) -> None:
        self.defined.add(helper.node.name)
        below = helper.lines[helper.node.lineno - 1 :]
        lines = dict(enumerate((_JIT, *below), helper.line - 1))
        own = helper.path == self.live.path and helper.line > 1
        if own and not any(line in self.placed for line in lines):
            self.placed |= lines
        else:
            self.behind += [_JIT, *below]

    def lines(self) -> _Lines:
        live = self.live
        last = max(self.placed)
        text = [self.placed.get(line, "") for line in range(1 - self.shift, last + 1)]
        text += self.behind
        end = live.first + len(live.lines) - 1 + self.shift
        text += self._bindings("\n".join(text))
        text.append("")
        return _Lines(text, live.line - 1 + self.shift, len(text) - end)

    def _bindings(self, text: str) -> Iterator[str]:
        yield f"import triton as {_OWN}triton"
        nodes = ast.walk(parse(text))
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        # What new code may say: the language by another name, and Python's own words, unless
        # the module has given them another meaning.
        names |= {
            name
            for name, value in self.namespace.globals.items()
            if value is tl or (hasattr(builtins, name) and not name.startswith("_"))
        }
        for name in sorted(names - self.defined):
            bound = self.namespace.get(name, _MISSING) is not _MISSING
            if (bound or name in self.names) and not name.startswith(_OWN):
                yield from filter(None, [describe(self.namespace, name)])


def _read(kernel: Any) -> Live | None:
    try:
        return read_live(kernel)
    except SourceUnavailable:
        return None


# Live objects, in the words of a module


def describe(namespace: Namespace, name: str) -> str:
    """A statement that binds a name to what it stands for; "" for a name of Python's own."""
    value = namespace.get(name, _MISSING)
    if value is _MISSING and hasattr(builtins, name):
        return ""
    if isinstance(value, ModuleType):
        if _is_importable(value.__name__) and sys.modules.get(value.__name__) is value:
            return f"import {value.__name__} as {name}"
        return f"{name} = {_NOTHING_KNOWN}"
    home = _home(value)
    if home is not None:
        module, _, attribute = home.rpartition(".")
        alias = _OWN + module.replace(".", "_")
        return f"import {module} as {alias}; {name} = {alias}.{attribute}"
    literal = _literal(value)
    if literal is not None and "float" in literal and namespace.get("float") is not None:
        literal = None
    return f"{name} = {literal or _NOTHING_KNOWN}"


def _is_importable(module: str) -> bool:
    return all(part.isidentifier() and not iskeyword(part) for part in module.split("."))


def _home(value: Any) -> str | None:
    """The dotted name under which a function, a class or a type of Triton is found."""
    if isinstance(value, tl.dtype):
        # Not of triton.language itself: its name on the page is not one to write code with.
        names = [name for name, found in vars(tl.core).items() if found is value]
        return f"{tl.core.__name__}.{names[0]}" if names else None
    inner = value.fn if is_jit_function(value) else value
    if not callable(inner):
        return None
    module, name = getattr(inner, "__module__", None), getattr(inner, "__name__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return None
    if inner is not value and module.partition(".")[0] != "triton":
        return None  # a jit function of somebody's own: its text says what it does
    if module == builtins.__name__ or not _is_importable(f"{module}.{name}"):
        return None
    found = vars(sys.modules[module]).get(name) if module in sys.modules else None
    return f"{module}.{name}" if found is value else None


def _literal(value: Any) -> str | None:
    """Code for a number, a truth value or a string, as a constexpr or by itself."""
    while isinstance(value, tl.constexpr):
        value = value.value
    if type(value) is float and not math.isfinite(value):
        return f'-float("{-value}")' if value < 0 else f'float("{value}")'
    return repr(value) if type(value) in (bool, int, float, str) else None
