"""One more parameter of a kernel: where it stands, and how each launch passes it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from tritonopt.facts import KernelFacts
from tritonopt.source import AddArgument, AddParameter, Kernel, Launch
from tritonopt.source.kernels import Parameter
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class NewParameter:
    """A parameter that every launch passes."""

    kernel: Kernel
    name: str
    annotation: str = ""
    """Of a constexpr."""
    before: str = ""
    """The parameter that it stands before; "" where it is the last one."""
    is_placed: bool = True
    """Whether its place is known at each launch; else it is the last one, passed by its name."""
    default: str = ""
    """Where its place is not known, and another one has a default."""

    @property
    def added(self) -> AddParameter:
        """The change of the kernel."""
        code = f"{self.name}: {self.annotation}" if self.annotation else self.name
        if self.default:
            code += f" = {self.default}" if self.annotation else f"={self.default}"
        return AddParameter(self.kernel, code, self.before)

    def passed(self, launch: Launch, code: str) -> AddArgument:
        """The change of a launch: by its place where its neighbors are passed by theirs."""
        call, names = launch.call, [p.name for p in self.kernel.parameters]
        place = names.index(self.before) if self.before else len(names)
        given = len(call.args)
        if self._is_by_place(place, given):
            follows = call.args[place] if place < given else _first_keyword(launch)
            return AddArgument(call, code, follows)
        return AddArgument(call, f"{self.name}={code}", self._follows(launch, names[:place]))

    def _is_by_place(self, place: int, given: int) -> bool:
        if place != given or not place:
            return self.is_placed and place < given
        if not self.is_placed:
            return False
        return not self.annotation or self.kernel.parameters[place - 1].constexpr

    def _follows(self, launch: Launch, earlier: Sequence[str]) -> ast.keyword | None:
        """The keyword that it stands before: the one after that of the parameter before it."""
        order = sorted(launch.call.keywords, key=lambda keyword: launch.module.lines.span(keyword))
        beside = [place for place, k in enumerate(order) if k.arg in earlier[-1:]]
        if beside:
            return order[beside[0] + 1] if beside[0] + 1 < len(order) else None
        if self.before:
            found = next((k for k in order if k.arg == self.before), None)
            if found is not None:
                return found
        return next((k for k in order if k.arg is None or k.arg in launch.options), None)


def new_constexpr(facts: KernelFacts, name: str, annotation: str) -> NewParameter:
    """A constexpr after the others."""
    kernel = facts.kernel
    places = [number for number, p in enumerate(kernel.parameters) if p.constexpr]
    return _placed(facts, name, (places or [len(kernel.parameters) - 1])[-1] + 1, annotation)


def new_number(facts: KernelFacts, name: str) -> NewParameter:
    """A number of the launch, after the others: before the constexprs at the end."""
    numbers = [number for number, p in enumerate(facts.kernel.parameters) if not p.constexpr]
    return _placed(facts, name, (numbers or [-1])[-1] + 1, "")


def _placed(facts: KernelFacts, name: str, place: int, annotation: str) -> NewParameter:
    parameters = facts.kernel.parameters
    defaults = [number for number, p in enumerate(parameters) if p.default is not None]
    if _may_stand_inside(facts, parameters):
        place = min([place, *defaults])
        before = parameters[place].name if place < len(parameters) else ""
        return NewParameter(facts.kernel, name, annotation, before)
    default = ("1" if annotation else "None") if defaults else ""
    return NewParameter(facts.kernel, name, annotation, is_placed=False, default=default)


def _may_stand_inside(facts: KernelFacts, parameters: Sequence[Parameter]) -> bool:
    """Whether a parameter may stand before others, which are numbered anew then.

    `do_not_specialize=[3]` counts them, and `*args` may hide any of them.
    """
    kernel = facts.kernel
    if any(not p.kind.startswith("positional") or p.kind == "positional_only" for p in parameters):
        return False
    for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
        if name == kernel.jit and isinstance(decorator, ast.Call) and _counts(decorator):
            return False
    return all(
        launch.complete and not any(isinstance(a, ast.Starred) for a in launch.call.args)
        for launch in facts.launches.launches
    )


def _counts(decorator: ast.Call) -> bool:
    """Whether a decorator may number the parameters: it is given more than names and flags."""
    for node in (*decorator.args, *(keyword.value for keyword in decorator.keywords)):
        for part in walk(node):
            match part:
                case ast.Constant(value=bool() | str() | None) | ast.List() | ast.Tuple():
                    continue
                case ast.expr_context():
                    continue
            return True
    return False


def _first_keyword(launch: Launch) -> ast.keyword | None:
    keywords = sorted(launch.call.keywords, key=lambda keyword: launch.module.lines.span(keyword))
    return keywords[0] if keywords else None
