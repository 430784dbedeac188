"""Where a kernel asks which program it is, and of how many, itself or through a helper."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from tritonopt.facts.language import function
from tritonopt.source import Kernel
from tritonopt.source.module import own_jit_function
from tritonopt.source.names import Scope
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class _Question:
    """What a call of a helper asks that is nothing but `return tl.program_id(axis).to(dtype)`."""

    helper: str
    name: str
    """program_id or num_programs."""
    axis: int
    dtype: str
    """What it is cast to, or ""."""


@dataclass
class ProgramIds:
    """What a kernel and its helpers ask, along one axis of the grid."""

    axis: int
    calls: list[ast.Call] = field(default_factory=list)
    """`tl.program_id(axis)` in the kernel's own text, or of a helper that returns just that."""
    conversions: dict[ast.Call, str] = field(default_factory=dict)
    """The type that such a helper casts it to, where it does."""
    in_helper: str = ""
    counts: list[ast.Call] = field(default_factory=list)
    """`tl.num_programs(axis)` in the kernel's own text."""
    counted_in_helper: str = ""
    """A helper that asks for it."""
    unknown: ast.Call | None = None
    """One of an axis that is not a number."""
    starts: set[ast.expr] = field(default_factory=set)
    """What stands first in a `range(..., ..., tl.num_programs(axis))`."""

    @classmethod
    def of(cls, kernel: Kernel, axis: int) -> ProgramIds:
        found = cls(axis)
        todo, seen = [kernel], {kernel}
        while todo:
            searched = todo.pop()
            answered: set[ast.expr] = set()
            known = _known(searched)
            for node in searched.nodes:
                question = _through_helper(searched, node) if isinstance(node, ast.Call) else None
                if isinstance(node, ast.Call) and question is not None:
                    # Its helper has nothing more to say.
                    answered.add(node.func)
                    found._note_question(node, question, searched, searched is kernel)
                elif isinstance(node, ast.For):
                    found._note_loop(node, searched)
                elif isinstance(node, ast.Call):
                    found._note(node, searched, searched is kernel)
                elif node in answered:
                    continue
                elif isinstance(node, (ast.Name, ast.Attribute)):
                    name = _as_named(searched, node)
                    if name not in known:
                        known[name] = _kernels_named(searched, node)
                    named = known[name]
                    hidden = (k.name for k in named if not k.is_called_as_written)
                    found.in_helper = next(hidden, found.in_helper)  # it may
                    todo += [k for k in named if k not in seen]
                    seen.update(todo)
        return found

    @property
    def are_strided(self) -> bool:
        """Whether the id only ever starts a loop that goes on by the number of programs."""
        return bool(self.calls) and set(self.calls) == self.starts

    def _note_loop(self, loop: ast.For, kernel: Kernel) -> None:
        match loop.iter:
            case ast.Call(args=[start, _, ast.Call() as step]):
                name = function(kernel.module.resolve(step.func))
                if name == "num_programs" and _axis(step) == self.axis:
                    match start:
                        case ast.Call(func=ast.Attribute(value=ast.Call() as inner, attr="to")):
                            start = inner  # in 64 bits
                    self.starts.add(start)

    def _note_question(
        self, call: ast.Call, question: _Question, kernel: Kernel, own: bool
    ) -> None:
        if question.axis != self.axis:
            return
        if question.name == "num_programs":
            self.counted_in_helper = question.helper
        elif own:
            self.calls.append(call)
            if question.dtype:
                self.conversions[call] = question.dtype
        else:
            self.in_helper = kernel.name

    def _note(self, call: ast.Call, kernel: Kernel, own: bool) -> None:
        name = function(kernel.module.resolve(call.func))
        if name not in ("program_id", "num_programs"):
            return
        axis = _axis(call)
        if axis is None:
            self.unknown = call
        if axis == self.axis and name == "num_programs":
            if own:
                self.counts.append(call)
            else:
                self.counted_in_helper = kernel.name
        elif axis == self.axis or (own and self.unknown is call):
            if own and axis is None and _is_handed_over(call, kernel):
                return  # who calls it says which, and it is no kernel itself
            if own:
                self.calls.append(call)
            else:
                self.in_helper = kernel.name


def _axis(call: ast.Call) -> int | None:
    """The axis of `tl.program_id(axis)` and its kin, where it is a number."""
    match [*call.args, *(keyword.value for keyword in call.keywords)]:
        case [ast.Constant(value=int() as axis)]:
            return axis
    return None


def _through_helper(kernel: Kernel, call: ast.Call) -> _Question | None:
    helper = _surely(kernel, call.func)
    if helper is None or not helper.is_called_as_written:
        return None
    body = helper.node.body[1:] if ast.get_docstring(helper.node) else helper.node.body
    match body:
        case [ast.Return(value=ast.Call() as returned)]:
            pass
        case _:
            return None
    dtype = ""
    match returned:
        case ast.Call(
            func=ast.Attribute(value=ast.Call() as converted, attr="to"), args=[to], keywords=[]
        ):
            returned, dtype = converted, function(helper.module.resolve(to))
            if dtype not in _INTEGERS:
                return None
    name = function(helper.module.resolve(returned.func))
    # As Triton's own, so that one call can be written like the other.
    match helper.parameters, [*returned.args, *(k.value for k in returned.keywords)]:
        case [parameter], [ast.Name(id=asked)] if asked == parameter.name == "axis":
            axis = _axis(call)
        case _:
            return None
    if name not in ("program_id", "num_programs") or axis is None:
        return None
    return _Question(helper.name, name, axis, dtype)


_INTEGERS = ("int32", "int64")


def _surely(kernel: Kernel, name: ast.expr) -> Kernel | None:
    """The one jit function that a name in a kernel stands for."""
    module = kernel.module
    if isinstance(name, ast.Name):
        scope = module.names.scope_of.get(name)
        home = scope.find(name.id) if scope is not None else None
        own = own_jit_function(module, name.id) if home is module.names.module else None
        if own is not None:
            return own
    return module.jit_function_elsewhere(name)


def _is_handed_over(call: ast.Call, kernel: Kernel) -> bool:
    """Whether the axis is a parameter at run time, which no launch can pass."""
    taken = {p.name for p in kernel.parameters if not p.constexpr}
    asked = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(isinstance(axis, ast.Name) and axis.id in taken for axis in asked)


def sure_callee(kernel: Kernel, call: ast.Call) -> Kernel | None:
    """The one jit function that a call is surely of."""
    return _surely(kernel, call.func)


def callees(kernel: Kernel, call: ast.Call) -> list[Kernel]:
    """The jit functions that a call may be of."""
    return _kernels_named(kernel, call.func)


@lru_cache(maxsize=8)
def _known(kernel: Kernel) -> dict[tuple[Scope | None, str], list[Kernel]]:
    """What names in it were found to stand for: several passes ask, of every axis."""
    return {}


def _as_named(kernel: Kernel, name: ast.Name | ast.Attribute) -> tuple[Scope | None, str]:
    """What tells `a.b` in a kernel from all that stands for something else; by its text alone."""
    parts: list[str] = []
    node: ast.expr = name
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None, ""  # of a call, or of an element: no name
    scope = kernel.module.names.scope_of.get(node)
    home = scope.find(node.id) if scope is not None else None
    return home, ".".join([node.id, *reversed(parts)])


def _kernels_named(kernel: Kernel, name: ast.expr) -> list[Kernel]:
    """The jit functions that a name in a kernel may stand for, in its file or in another."""
    module = kernel.module
    found: list[Kernel] = []
    if isinstance(name, ast.Name):
        scope = module.names.scope_of.get(name)
        home = scope.find(name.id) if scope is not None else None
        bindings = home.bindings[name.id] if home is not None else []
        found = [k for k in module.kernels if k.node in bindings]
        own = own_jit_function(module, name.id) if home is module.names.module else None
        found = found or [k for k in (own,) if k is not None]
    elsewhere = module.jit_function_elsewhere(name)
    found += [] if elsewhere is None else [elsewhere]
    others, bound = module.alternatives(name) or (module, ())
    return found + [k for k in others.kernels if k.node in bound and k not in found]


def returning_early(kernel: Kernel, statements: Iterable[ast.stmt]) -> ast.Call | None:
    """A call in some statements of a kernel that reaches such a helper, directly or not."""
    for statement in statements:
        for node in walk(statement):
            if isinstance(node, ast.Call):
                for helper in reached_by(kernel, node):
                    if any(map(_is_left_early, _decisions(helper))):
                        return node
    return None


def reached_by(kernel: Kernel, call: ast.Call) -> Iterator[Kernel]:
    """The jit functions that a call may be of, and those that these call."""
    reached = callees(kernel, call)
    for helper in reached:  # it grows meanwhile
        yield helper
        calls = (n for n in helper.nodes if isinstance(n, ast.Call))
        named = (inner for call in calls for inner in callees(helper, call))
        reached += [inner for inner in named if inner not in reached]


def _decisions(helper: Kernel) -> list[ast.If]:
    """The conditions in a helper that the compiler does not decide, as far as names show it."""
    taken = {p.name for p in helper.parameters if not p.constexpr}
    bound = {n.id for n in helper.nodes if isinstance(n, ast.Name) and _is_bound(n)}
    return [
        node
        for node in helper.nodes
        if isinstance(node, ast.If) and not _asks_for_none(node.test)
        if any(isinstance(n, ast.Name) and n.id in taken | bound for n in walk(node.test))
        or any(isinstance(n, ast.Call) for n in walk(node.test))
    ]


def _is_bound(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Load)


def _asks_for_none(test: ast.expr) -> bool:
    """`x is None`, which is known of every argument."""
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.IsNot))


def _is_left_early(decision: ast.If) -> bool:
    return any(isinstance(node, ast.Return) for node in walk(decision))
