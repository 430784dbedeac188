"""What the launches of a kernel show of its arguments: which buffers overlap nothing else.

A tensor that the launcher allocates overlaps no other; the same name passed
twice is the same buffer. This holds only when every use of the kernel in the
files that were given is a launch that can be read: an escape (the kernel in a dict, returned,
passed on) makes all of it unknown.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from tritonopt.facts.host import torch_api
from tritonopt.facts.host.launcher_code import bindings_of, evaluated_by, evaluation_at
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.host.reach import reach_of
from tritonopt.facts.host.same_memory import (
    Bound,
    Reaching,
    bindings_in,
    may_be_one,
    may_overlap,
    surely_overlap,
)
from tritonopt.facts.host.tensor_expressions import allocation, viewed
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.source import Kernel, Launch
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class Disjointness:
    """Whether two pointer parameters overlap, with the reason in words."""

    disjoint: bool
    reason: str


class LaunchEvidence:
    """What all launches of one kernel, taken together, show.

    Those of the kernel's own file, and of the files that were given with it. `unseen` says why
    there may be others, if there may.
    """

    def __init__(self, kernel: Kernel, unseen: str = "") -> None:
        self.kernel = kernel
        self._unseen = unseen
        self._disjoint: dict[tuple[str, str], Disjointness] = {}

    @cached_property
    def launches(self) -> tuple[Launch, ...]:
        module = self.kernel.module
        own = (launch for launch in module.launches if launch.kernel is self.kernel)
        return (*own, *module.uses_elsewhere(self.kernel).launches)

    @cached_property
    def unknown(self) -> str:
        """Why the launches are no evidence; empty when they are."""
        if self._unseen:
            return self._unseen
        decorator = self.kernel.unknown_decorator
        if decorator is not None:
            what = f"what @{ast.unparse(decorator)} in line {decorator.lineno}"
            return f"{what} does with the launches of {self.kernel.name} is unknown"
        escapes = self.kernel.module.escapes.get(self.kernel.qualname, ())
        if escapes:
            return f"{self.kernel.name} is not only launched: line {escapes[0].lineno}"
        module = self.kernel.module
        places = module.uses_elsewhere(self.kernel).escapes
        if places:
            return f"{self.kernel.name} may not only be launched: see {places[0]}"
        caller = module.uses_elsewhere(self.kernel).caller
        if not self.launches and caller is None:
            given = "this file" if module.program is None else "the files that were given"
            return f"no launch of the kernel is in {given}"
        if self.caller is not None:
            return f"{self.caller.name} also calls {self.kernel.name}, with its own arguments"
        for launch in self.launches:
            if not launch.complete:
                return f"the launch in {launch.where} hides its arguments behind * or **"
            if launch.chosen_by is not None:
                tuner = f"what is called on the kernel in line {launch.chosen_by.lineno}"
                return f"{tuner} chooses arguments of the launch in {launch.where}"
            if below_lambda(launch):
                return f"the launch in {launch.where} is in a lambda"
            if launch.launcher is None:
                return f"the launch in {launch.where} is outside of any function"
        return ""

    @cached_property
    def constants(self) -> dict[str, int]:
        """Parameters for which every launch writes the same integer."""
        if self.unknown:
            return {}
        found: dict[str, int] = {}
        for name in (p.name for p in self.kernel.parameters):
            values = {_integer(launch.arguments.get(name)) for launch in self.launches}
            number = values.pop() if len(values) == 1 else None
            if number is not None:
                found[name] = number
        return found

    @cached_property
    def bindings(self) -> tuple[LaunchBinding, ...]:
        """What the launches pass, every configuration of each; empty where that is not known."""
        if self.unknown:
            return ()
        by_launch = [bindings_of(launch) for launch in self.launches]
        return tuple(chain.from_iterable(by_launch)) if all(by_launch) else ()

    @cached_property
    def caller(self) -> Kernel | None:
        """Jit code that calls the kernel: its parameters may be tiles."""
        module = self.kernel.module
        others = (k for k in module.kernels if k is not self.kernel)
        own = next((k for k in others if self.kernel.name in k.called), None)
        return own or module.uses_elsewhere(self.kernel).caller

    def equal(self, first: str, second: str) -> bool:
        """Whether every launch passes the same expression for both parameters."""
        if self.unknown:
            return False
        for launch in self.launches:
            one, other = launch.arguments.get(first), launch.arguments.get(second)
            if one is None or other is None or ast.dump(one) != ast.dump(other):
                return False
            if not _stays_the_same(one):
                return False
            if evaluation_at(launch).may_be_another(one, evaluated_by(launch)):
                return False
        return True

    def passes_one_for_both(self, first: str, second: str) -> bool:
        """Whether some launch is seen to pass one tensor for two parameters, or parts of one."""
        return bool(self.passing_one_for_both(first, second))

    def passing_one_for_both(self, first: str, second: str) -> list[Launch]:
        """The launches that are seen to do so."""
        found = []
        for launch in self.launches:
            one, other = launch.arguments.get(first), launch.arguments.get(second)
            if one is not None and other is not None and not isinstance(one, ast.Constant):
                found += [launch] if may_be_one(launch, one, other) else []
        return found

    def overlap(self, first: str, second: str) -> str:
        """Where a launch is seen to pass two parts of one tensor that may overlap; "" for none."""
        for launch in self.launches:
            one, other = launch.arguments.get(first), launch.arguments.get(second)
            if one is not None and other is not None and may_overlap(launch, one, other):
                return launch.where
        return ""

    def passing_one_tensor(self, first: str, second: str) -> str:
        """Where a launch surely passes one tensor for both parameters; "" where none is seen to."""
        for launch in self.launches:
            one, other = launch.arguments.get(first), launch.arguments.get(second)
            if one is not None and other is not None and surely_overlap(launch, one, other):
                return launch.where
        return ""

    def disjoint(self, first: str, second: str) -> Disjointness:
        """Whether, at every launch, the two parameters point to memory that does not overlap."""
        if (first, second) not in self._disjoint:
            self._disjoint[first, second] = self._shown_disjoint(first, second)
        return self._disjoint[first, second]

    def comes_from_callers(self, name: str) -> bool:
        """Whether each launch is seen to pass what its launcher was passed, not what it made."""
        if self.unknown:
            return False
        arguments = [launch.arguments.get(name) for launch in self.launches]
        pairs = zip(self._buffers, arguments, strict=True)
        return all(a is not None and buffers.comes_from_caller(a) for buffers, a in pairs)

    def starts_at_zero(self, name: str) -> bool:
        """Whether each launch gets memory that its launcher has just made of zeros."""
        if self.unknown or not self.launches:
            return False
        pairs = zip(self.launches, self._buffers, strict=True)
        given = [(launch.arguments.get(name), buffers) for launch, buffers in pairs]
        return all(argument and buffers.is_zeroed(argument) for argument, buffers in given)

    @cached_property
    def _buffers(self) -> tuple[_Buffers, ...]:
        """Of each launch."""
        return tuple(map(_Buffers, self.launches))

    def _shown_disjoint(self, first: str, second: str) -> Disjointness:
        if self.unknown:
            return Disjointness(False, self.unknown)
        reasons = []
        for launch, buffers in zip(self.launches, self._buffers, strict=True):
            shown = _disjoint_at(launch, buffers, first, second)
            if not shown.disjoint:
                return shown
            reasons.append(shown.reason)
        return Disjointness(True, "; ".join(dict.fromkeys(reasons)))


def _integer(argument: ast.expr | None) -> int | None:
    value = argument.value if isinstance(argument, ast.Constant) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _stays_the_same(expression: ast.expr) -> bool:
    """Whether an argument written twice in one call is one value: a name, or a size of a tensor."""
    match expression:
        case ast.Name() | ast.Constant():
            return True
        case ast.Subscript(value=ast.Attribute(value=ast.Name(), attr="shape")):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr="size" | "numel" | "stride")):
            return True
    return False


def below_lambda(launch: Launch) -> bool:
    """Whether names at the launch may be those of a lambda or a comprehension."""
    parents = launch.module.names.parents
    node: ast.AST | None = launch.call
    while node is not None and not isinstance(node, ast.stmt):
        if isinstance(node, (ast.Lambda, ast.comprehension, ast.ListComp, ast.GeneratorExp)):
            return True
        node = parents.get(node)
    return False


def _disjoint_at(launch: Launch, buffers: _Buffers, first: str, second: str) -> Disjointness:
    where = launch.where
    one, other = launch.arguments.get(first), launch.arguments.get(second)
    if one is None or other is None:
        return Disjointness(False, f"the launch in {where} does not pass both")
    for mine, theirs, name in ((one, other, first), (other, one, second)):
        if isinstance(mine, ast.Constant) and mine.value is None:
            return Disjointness(True, f"the launch in {where} passes None for {name}")
        if buffers.is_noalias(mine, theirs):
            return Disjointness(True, f"{name} is allocated by the launcher in {where}")
    if ast.dump(one) == ast.dump(other):
        return Disjointness(False, f"the launch in {where} passes the same tensor for both")
    if may_overlap(launch, one, other):
        return Disjointness(False, f"the launch in {where} passes parts of one tensor for both")
    unshown = f"does not show that {first} and {second} are different buffers"
    return Disjointness(False, f"the launch in {where} {unshown}")


_REPEATING = (
    *(ast.For, ast.AsyncFor, ast.While),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


class _Buffers:
    """The local names of a launcher, and which of them hold memory that it allocated itself."""

    def __init__(self, launch: Launch) -> None:
        assert launch.launcher is not None
        self._module = launch.module
        self._launch = launch
        self._reach = reach_of(self._module, launch.launcher)
        self._end = launch.call.end_lineno or launch.call.lineno
        self._tensors = {
            base.id
            for argument in launch.arguments.values()
            if (base := _base(argument)) is not None
        }
        self._local = names_of(launch.launcher)
        self._parameters = self._local.parameters | self._local.packed
        self._bindings = bindings_in(launch.launcher)

    def is_noalias(self, mine: ast.expr, theirs: ast.expr) -> bool:
        """Whether `mine` is memory of the launcher's own that `theirs` cannot be a part of."""
        own = self._own(mine)
        if own is None or self._local.replaces_memory:
            return False
        if any(self._reach.is_reached(name, self._end) for name in own.names):
            return False  # it may have other memory by now
        if isinstance(theirs, ast.Constant):
            return True
        other = self._own(theirs)
        if other is not None:
            return not own.calls & other.calls
        base = _base(theirs)
        if base is None:
            return False
        return self._is_from_parameter(base) or self._is_older(base, own.calls)

    def is_zeroed(self, expression: ast.expr) -> bool:
        """Whether it is memory of zeros, which nothing uses before the launch, in no loop."""
        own, launcher = self._own(expression), self._launch.launcher
        parents = self._module.names.parents
        if own is None or not own.calls or launcher is None:
            return False
        if any(_called(call) not in torch_api.ZEROED for call in own.calls):
            return False
        repeated = (node for node in walk(launcher) if isinstance(node, _REPEATING))
        if any(self._launch.call in walk(node) for node in repeated):
            return False
        inside = set(walk(self._launch.call))
        return not any(
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and node.id in own.names
            and node.lineno <= self._end
            and node not in inside
            and not isinstance(parents.get(node), ast.Attribute)
            for node in walk(launcher)
        )

    def comes_from_caller(self, expression: ast.expr) -> bool:
        """Whether it is a view of what the caller passed, or a copy of it."""
        base = _base(expression)
        return base is not None and self._is_from_parameter(base)

    def _own(self, expression: ast.expr) -> _Own | None:
        """The allocations that an expression is memory of; None when it may be another's."""
        calls: set[ast.Call] = set()
        names: set[str] = set()
        seen: set[Bound] = set()
        todo = [expression]
        while todo:
            value = todo.pop()
            if isinstance(value, ast.Call) and self._is_allocation(value):
                calls.add(value)
                continue
            base = _base(value)
            held = None if base is None else self._held(base)
            if base is None or held is None or held.from_start:
                return None
            names.add(base.id)
            for bound in held.bounds:
                if bound.value is None:
                    return None
                todo += [] if bound in seen else [bound.value]
                seen.add(bound)
        return _Own(frozenset(calls), frozenset(names))

    def _is_allocation(self, call: ast.Call) -> bool:
        made = allocation(self._module, call)
        if made is None or made.may_reuse:
            return False
        if made.method_of is None:
            return True
        # Of what is passed to a kernel, it is known to be a tensor's method.
        base = _base(made.method_of)
        return base is not None and base.id in self._tensors

    def _held(self, name: ast.Name) -> Reaching | None:
        """What a name of the launcher may hold where it is read; None where that is not known."""
        if name.id in self._local.hidden:
            return None
        held = self._bindings.reaching(name.id, name)
        if name.id in self._parameters:
            return held
        # A local name is bound where it is read; any other is of the module.
        is_local = held is not None and held.bounds
        return replace(held, from_start=False) if held is not None and is_local else None

    def _is_from_parameter(self, name: ast.Name) -> bool:
        """Whether a name can hold nothing but a view of what the caller passed."""
        seen: set[Bound] = set()
        todo = [name]
        while todo:
            held = self._held(todo.pop())
            if held is None:
                return False
            for bound in held.bounds:
                base = None if bound.value is None else _base(bound.value)
                if base is None:
                    return False
                todo += [] if bound in seen else [base]
                seen.add(bound)
        return True

    def _is_older(self, name: ast.Name, calls: frozenset[ast.Call]) -> bool:
        """Whether a name was bound for the last time before the memory was allocated."""
        held = self._held(name)
        return held is not None and all(
            self._bindings.is_before(bound, call) for bound in held.bounds for call in calls
        )


@dataclass(frozen=True)
class _Own:
    """Memory that a launcher allocated."""

    calls: frozenset[ast.Call] = frozenset()
    """The allocations that it may be of."""
    names: frozenset[str] = frozenset()
    """The names that held it on its way to the launch."""


def _called(call: ast.Call) -> str:
    """The bare name of what is called."""
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def _base(expression: ast.expr) -> ast.Name | None:
    """The name that an expression is a view of: `x` of `x.view(-1, n).t()`."""
    while not isinstance(expression, ast.Name):
        tensor = viewed(expression)
        if tensor is None:
            return None
        expression = tensor
    return expression
