"""What decides, beyond the launcher itself, which sizes of a tensor come to a launch."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, product

from tritonopt.facts.algebra.polynomial import Atom
from tritonopt.facts.host import torch_api
from tritonopt.facts.host.few_values import values_of
from tritonopt.facts.host.local_names import Function, LocalNames, leaves, names_of, saved_for
from tritonopt.facts.host.tensor_expressions import integer, shape_of, viewed
from tritonopt.facts.host.truths import checked, conjuncts, unknown
from tritonopt.source import Launch, Module
from tritonopt.source.kernels import parameters_of
from tritonopt.source.project.meanings import Defined
from tritonopt.source.trees import walk

HARMLESS = frozenset(
    ["staticmethod", "classmethod", "torch.no_grad", "torch.inference_mode", "torch.jit.ignore"]
)
"""Decorators that pass arguments on as they are."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@lru_cache(maxsize=32)
def passes_any_size(launch: Launch) -> bool:
    """Whether nothing around the launcher is seen to choose the tensors that it is given.

    A decorator may; so may a function of the file that calls the launcher with a tensor of its
    own making, or that checks its arguments.
    """
    launcher = launch.launcher
    if launcher is None:
        return False
    for decorator in launcher.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = launch.module.resolve(called) or (called.id if isinstance(called, ast.Name) else "")
        if name not in HARMLESS:
            return False
    return all(_hands_on(caller, call) for caller, call in calls_of(launch.module, launcher))


def calls_of(module: Module, called: _Function) -> Iterator[tuple[_Function, ast.Call | None]]:
    """The functions of the file that call one; without a call, where one is around it."""
    kernels = {kernel.node for kernel in module.kernels}
    for function, _ in module.names.functions:
        if not isinstance(function, _Function) or function is called:
            continue
        if function in kernels:
            continue  # what is called there is a function of the language
        for node in walk(function):
            if node is called:
                yield function, None
            elif isinstance(node, ast.Call) and _is_named(module, node.func, called.name):
                yield function, node


Origin = tuple[_Function, str]
"""A function, and its name for a tensor."""


@lru_cache(maxsize=256)
def origins_of(module: Module, function: _Function, name: str, steps: int = 3) -> frozenset[Origin]:
    """The names of one tensor in a function, in those given that pass it on to that, and in the
    `forward` that saves it; none where a name stands for more than one."""
    names, saved = names_of(function), saved_for(module, function).get(name)
    lines = len(names.lines.get(name, ())) + (name in names.parameters)
    moved = [value for value in names.assigned.get(name, ()) if _is_moved(value, name)]
    if name in names.hidden or lines - len(moved) != 1:
        return frozenset()
    found = {(function, name)}
    if saved is not None and isinstance(saved[2], ast.Name):
        found |= origins_of(module, saved[0], saved[2].id, steps)
    steps = steps if name in names.parameters else 0
    for home, caller, call in _calls(module, function) if steps else ():
        passed = _name_moved(_argument(function, name, call))
        found |= origins_of(home, caller, passed, steps - 1) if passed and caller else set()
    return frozenset(found)


def origins_at(launch: Launch, parameter: str) -> frozenset[Origin]:
    """Those of what a launch passes for a parameter of the kernel."""
    name = _name_moved(launch.arguments.get(parameter))
    return origins_of(launch.module, launch.launcher, name) if launch.launcher else frozenset()


def _name_moved(argument: ast.expr | None) -> str:
    """The name of a tensor that an expression is, whole, in another place or another shape."""
    while argument is not None and (inside := viewed(argument, _MOVED)) is not None:
        argument = inside
    return argument.id if isinstance(argument, ast.Name) else ""


def _is_named(module: Module, called: ast.expr, name: str) -> bool:
    match called:
        case ast.Name(id=written):
            return written == name
        case ast.Attribute(attr=written):
            # `torch.cumsum` is not the launcher `cumsum`.
            library = (module.resolve(called) or "").split(".")[0]
            return written == name and library not in ("torch", "triton")
    return False


def _hands_on(caller: _Function, call: ast.Call | None) -> bool:
    """Whether a function passes on what it was given, whatever that is."""
    if call is None:
        return False
    own = {argument.arg for argument in (*caller.args.posonlyargs, *caller.args.args)}
    for node in walk(caller):
        match node:
            case ast.Assert() | ast.Raise() | ast.If() | ast.IfExp() | ast.For() | ast.While():
                return False
            case ast.Name(ctx=ast.Store(), id=name):
                own.discard(name)
    return all(
        isinstance(argument, ast.Constant)
        or (isinstance(argument, ast.Name) and argument.id in own)
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
    )


def rank_of(launch: Launch, parameter: str) -> int | None:
    """How many dimensions a parameter of the launcher has; None where nothing says it."""
    if launch.launcher is None:
        return None
    ranks = {
        rank
        for node in walk(launch.launcher)
        if (rank := _said(launch.module, node, parameter)) is not None
    }
    return ranks.pop() if len(ranks) == 1 else None


def _said(module: Module, node: ast.AST, tensor: str) -> int | None:
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=value) if _is_shape(value, tensor):
            return None if any(isinstance(name, ast.Starred) for name in names) else len(names)
    known = checked(module, node) if isinstance(node, ast.stmt) else None
    for part in conjuncts(*known) if known is not None else ():
        match part:
            case (ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]), True) | (
                ast.Compare(left=left, ops=[ast.NotEq()], comparators=[right]),
                False,
            ):
                number = _number_of_dimensions(left, right, tensor)
                if number is not None:
                    return number
    return None


def _is_shape(value: ast.expr, tensor: str) -> bool:
    asked = shape_of(value)
    return isinstance(asked, ast.Name) and asked.id == tensor


def _number_of_dimensions(left: ast.expr, right: ast.expr, tensor: str) -> int | None:
    match left, right:
        case (
            (
                ast.Attribute(value=ast.Name(id=name), attr="ndim")
                | ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="dim"))
            ),
            ast.Constant(value=int() as number),
        ):
            return number if name == tensor else None
        case shape, ast.Tuple(elts=sizes) | ast.List(elts=sizes) if _is_shape(shape, tensor):
            return None if any(isinstance(size, ast.Starred) for size in sizes) else len(sizes)
        case ast.Call(func=ast.Name(id="len"), args=[shape]), ast.Constant(value=int() as number):
            return number if _is_shape(shape, tensor) else None
    return None


_OF_NO_SIZE = frozenset(
    {"is_contiguous", "is_complex", "is_floating_point", "is_cuda", "get_device", "dim"}
)
_LOOKING = frozenset(
    {"isinstance", "len", "torch.is_floating_point", "torch.is_complex", "torch.is_tensor"}
)
_MOVED = torch_api.VIEWS | torch_api.SAME_SHAPE | {"contiguous"}


def saved_tensors(launch: Launch) -> dict[Atom | None, str]:
    """The names of tensors that the launcher takes from its `forward`, by what they are there."""
    if launch.launcher is None:
        return {}
    saved = saved_for(launch.module, launch.launcher)
    return {unknown(s[-1], f"{name} after").sole_atom: name for name, s in saved.items()}


@lru_cache(maxsize=64)
def may_be_large(launch: Launch, tensor: str) -> bool:
    """Whether a parameter of the launcher may be a tensor of any size, where the launch runs.

    Or what its `forward` saved, if that was a parameter there, and no test is about sizes.
    """
    launcher = launch.launcher
    if launcher is None or names_of(launcher).reshapes:
        return False
    reader = _Reader(launch.module, launcher)
    if tensor not in names_of(launcher).parameters:
        function, call, saved, _ = saved_for(launch.module, launcher)[tensor]
        forward = _Reader(launch.module, function)
        if any(forward._asks_for_sizes(test) for test, _ in forward._tests(call)):
            return False
        is_given = _is_given(launch.module, function, _name_moved(saved))
        return is_given and reader.reads_all_tests(launch.call)
    if not reader.reads_all_tests(launch.call) or not _is_handed_on(launch, launcher, tensor):
        return False
    return not reader.tests_for_rank(launch.call, tensor)


class _Reader:
    """What the tests of one function say of sizes."""

    def __init__(self, module: Module, function: Function) -> None:
        self._module = module
        self._names: LocalNames = names_of(function)

    def reads_all_tests(self, call: ast.AST) -> bool:
        """Whether each test on the way to a call is about no size, or is arithmetic."""
        return all(self._is_read(test, holds) for test, holds in self._tests(call))

    def tests_for_rank(self, call: ast.AST, tensor: str) -> bool:
        """Whether a name says how many dimensions come to a call: `dim = x.dim()`, `if dim == 1:`.

        Where a test asks the tensor itself, that is known.
        """
        names = (
            n.id for test, _ in self._tests(call) for n in walk(test) if isinstance(n, ast.Name)
        )
        given = (value for name in set(names) for value in self._names.assigned.get(name, []))
        return any(
            isinstance(part, ast.Attribute)
            and part.attr in ("dim", "ndim")
            and isinstance(part.value, ast.Name)
            and part.value.id == tensor
            for value in given
            for part in walk(value)
        )

    def _tests(self, call: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
        place = self._names.statement_of(self._module, call)
        for around, block, before in self._names.way_to(place):
            for statement in before:
                known = checked(self._module, statement)
                if known is not None:
                    yield known
                elif isinstance(statement, ast.If) and leaves(statement.body):
                    yield statement.test, False
            if isinstance(around, ast.If):
                yield around.test, block is around.body

    def _is_read(self, test: ast.expr, holds: bool) -> bool:
        if not self._asks_for_sizes(test):
            return True
        parts = list(conjuncts(test, holds))
        return bool(parts) and all(
            isinstance(part, ast.Compare) or not self._asks_for_sizes(part) for part, _ in parts
        )

    def _asks_for_sizes(self, node: ast.AST, depth: int = 0) -> bool:
        match node:
            case ast.Attribute(attr=attribute) if attribute in torch_api.SIZES - {"ndim"}:
                return True
            case ast.Name(id=name) if name in self._names.lines:
                given = self._names.assigned.get(name, [])
                hidden = name in self._names.bound_otherwise or depth > 5
                return hidden or any(self._asks_for_sizes(each, depth + 1) for each in given)
            case ast.Call(func=ast.Attribute(value=owner, attr=method), args=[], keywords=[]) if (
                method in _OF_NO_SIZE
            ):
                return not isinstance(owner, ast.Name) and self._asks_for_sizes(owner, depth)
            case ast.Call(func=called):
                name = self._module.resolve(called) or self._module.builtin(called)
                own = self._names.parameters | self._names.lines.keys()
                given_away = any(isinstance(n, ast.Name) and n.id in own for n in walk(node))
                return name not in _LOOKING and given_away
        return any(self._asks_for_sizes(child, depth) for child in ast.iter_child_nodes(node))


# Who calls the launcher


def _is_handed_on(launch: Launch, launcher: Function, tensor: str) -> bool:
    """Whether nobody in the file calls the launcher, or somebody who passes on what he is given."""
    calls = list(calls_of(launch.module, launcher))
    return not calls or any(
        call is not None and _passes_on(launch.module, launcher, tensor, caller, call)
        for caller, call in calls
    )


def _passes_on(
    module: Module, launcher: Function, tensor: str, caller: Function, call: ast.Call
) -> bool:
    name = _name_moved(_argument(launcher, tensor, call))
    return _Reader(module, caller).reads_all_tests(call) and _is_given(module, caller, name)


def _is_given(module: Module, caller: Function, name: str) -> bool:
    """Whether a name of a function is what that was given, whole."""
    names = names_of(caller)
    if name not in names.lines:
        return name in names.parameters
    if name in names.bound_otherwise:
        return name in saved_for(module, caller)
    return all(_is_moved(value, name) for value in names.assigned[name])


def _argument(launcher: Function, tensor: str, call: ast.Call) -> ast.expr | None:
    """What a call passes for a parameter."""
    for keyword in call.keywords:
        if keyword.arg == tensor:
            return keyword.value
    if any(isinstance(given, ast.Starred) for given in call.args):
        return None
    names = [a.arg for a in (*launcher.args.posonlyargs, *launcher.args.args)]
    return dict(zip(names, call.args, strict=False)).get(tensor)


def _is_moved(value: ast.expr, name: str) -> bool:
    """Whether it is the tensor itself, whole, in another place or another shape."""
    return _name_moved(value) == name


# Which numbers the launcher is called with

_Numbers = Mapping[str, int]
"""By parameter; what is not in there is not known."""
_STEPS = 4
"""So many functions one after the other hand a number on."""
_MOST_CALLS = 64
_MOST_FILES = 40


def numbers_at_calls(launch: Launch) -> tuple[_Numbers, ...]:
    """The numbers that the launcher's parameters have at each call that the given files show.

    What a function hands on is what its own callers pass. What nobody calls, or somebody with
    what is not known, has its defaults too.
    """
    return _numbers(launch.module, launch.launcher, _STEPS) if launch.launcher else ({},)


@lru_cache(maxsize=64)
def _numbers(module: Module, function: Function, steps: int) -> tuple[_Numbers, ...]:
    parameters = list(parameters_of(function.args))
    if parameters and parameters[0].name in ("self", "cls", "ctx"):
        del parameters[0]
    defaults = {p.name: d for p in parameters if integer(d := p.default) is not None and d}
    by_place = [p.name for p in parameters if p.kind.startswith("positional")]
    calls = list(_calls(module, function))
    found: dict[frozenset[tuple[str, int]], _Numbers] = {}
    for home, caller, call in calls:
        passed = _passed(call, by_place)
        if not steps or passed is None or len(found) > _MOST_CALLS:
            return ({},)
        for numbers in _numbers_at(home, caller, {**defaults, **passed}, steps):
            found.setdefault(frozenset(numbers.items()), numbers)
    if not calls or any(defaults.keys() - numbers.keys() for numbers in found.values()):
        # The author's own choice, beside calls of which it is not known.
        numbers = {p: n for p, default in defaults.items() if (n := integer(default)) is not None}
        found.setdefault(frozenset(numbers.items()), numbers)
    return tuple(found.values())


def _passed(call: ast.Call, names: Sequence[str]) -> dict[str, ast.expr] | None:
    """What a call passes by parameter; None where it hides that behind * or **."""
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    passed = dict(zip(names, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg is None:
            return None
        passed[keyword.arg] = keyword.value
    return passed


def _numbers_at(
    home: Module, caller: Function | None, passed: Mapping[str, ast.expr], steps: int
) -> Iterator[_Numbers]:
    """The numbers at one call, for every call of the function that it stands in."""
    handed_on: dict[str, str] = {}
    values: dict[str, list[int]] = {}
    for name, given in passed.items():
        if isinstance(given, ast.Name) and caller is not None and _is_as_passed(caller, given):
            handed_on[name] = given.id
            continue
        few = {integer(given)} if caller is None else values_of(home, caller, given) or {None}
        whole = [value for value in few if type(value) is int]
        if len(whole) == len(few):
            values[name] = whole
    above = _numbers(home, caller, steps - 1) if handed_on and caller is not None else ({},)
    choices = list(islice(product(*values.values()), _MOST_CALLS + 1))
    for outer in above if len(choices) <= _MOST_CALLS else ():
        handed = {name: outer[own] for name, own in handed_on.items() if own in outer}
        yield from ({**dict(zip(values, numbers, strict=True)), **handed} for numbers in choices)
    if len(choices) > _MOST_CALLS:
        yield {}


def _is_as_passed(function: Function, name: ast.Name) -> bool:
    """Whether a name is a parameter of a function that nothing in it binds anew."""
    names = names_of(function)
    return name.id in names.parameters - names.hidden and name.id not in names.lines


_Call = tuple[Module, Function | None, ast.Call]


def _calls(module: Module, function: Function) -> Iterator[_Call]:
    """The calls of a function in all given files, and the functions that they stand in."""
    owner = next((s.node for f, s in module.names.functions if f is function), None)
    applied = isinstance(owner, ast.ClassDef) and function.name == "forward"
    name = owner.name if isinstance(owner, ast.ClassDef) and applied else function.name
    own = (r for r in module.names.parents if isinstance(r, (ast.Name, ast.Attribute)))
    for reference in own:
        if _is_named(module, reference, name):
            yield from _call_by(module, reference, applied=applied)
    program = module.program
    if program is None:
        return
    target = Defined(module.real_path, name)
    files = {*program.mentions.imported(name), *program.mentions.attribute(name)}
    for path in sorted(files - {module.real_path})[:_MOST_FILES]:
        home = program.module(path)
        for local in sorted({name, *home.imported_as(name)}) if home is not None else ():
            assert home is not None
            for reference in home.mentioning(local):
                if target in program.meaning(reference, home).targets:
                    yield from _call_by(home, reference, applied=applied)


def _call_by(module: Module, reference: ast.expr, *, applied: bool) -> Iterator[_Call]:
    """The call `name(...)`, or `Name.apply(...)` of what a gradient is computed for."""
    parents = module.names.parents
    around = parents.get(reference)
    if applied and isinstance(around, ast.Attribute) and around.attr == "apply":
        reference, around = around, parents.get(around)
    elif applied:
        return
    if not isinstance(around, ast.Call) or around.func is not reference:
        return
    while isinstance(reference, ast.Attribute):
        reference = reference.value
    scope = module.names.scope_of.get(reference) if isinstance(reference, ast.Name) else None
    caller = scope.function if scope is not None else None
    if all(kernel.node is not caller for kernel in module.kernels):
        yield module, caller, around
