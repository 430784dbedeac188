"""Launches that change with their kernel: whether each is seen, and may start other programs.

For any rewrite that starts other programs than before, and tells the kernel so by one more
argument.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tritonopt.checks.condition import NotExpressible, refuted, unknown
from tritonopt.facts import KernelFacts
from tritonopt.facts.host.tuner_choices import bound
from tritonopt.launches.launch_grids import (
    Extent,
    GridNotReadable,
    is_short,
    new_name,
    read_extent,
    scope_at,
    statement_of,
)
from tritonopt.source import (
    AddArgument,
    AddParameter,
    Change,
    InsertBefore,
    Kernel,
    Launch,
    Module,
    ReplaceExpression,
)
from tritonopt.source.decorators import AUTOTUNE, CACHING_BY_VALUE, HEURISTICS, JIT
from tritonopt.source.kernels import Parameter
from tritonopt.source.parsing import parsed
from tritonopt.source.project.meanings import Defined
from tritonopt.source.trees import walk
from tritonopt.source.tuner_functions import counting_use


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
    def added(self) -> Iterator[Change]:
        """The changes of the kernel. A number is listed where its numbers are not specialized."""
        code = f"{self.name}: {self.annotation}" if self.annotation else self.name
        if self.default:
            code += f" = {self.default}" if self.annotation else f"={self.default}"
        yield AddParameter(self.kernel, code, self.before)
        jit = self.kernel.node.decorator_list[self.kernel.decorators.index(self.kernel.jit)]
        for keyword in jit.keywords if isinstance(jit, ast.Call) and not self.annotation else ():
            listed = keyword.value if keyword.arg == "do_not_specialize" else None
            if isinstance(listed, ast.List | ast.Tuple) and listed.elts:
                yield _named_too(self.kernel.module, listed, self.name)

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


def new_parameter(facts: KernelFacts, name: str, annotation: str = "") -> NewParameter:
    """A constexpr after the other ones, or a number of the launch after the other numbers."""
    parameters = facts.kernel.parameters
    alike = [place for place, p in enumerate(parameters) if p.constexpr == bool(annotation)]
    place = alike[-1] + 1 if alike else len(parameters) if annotation else 0
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


# What a tuner does with one more argument of a launch: it may prune by it, or choose by it

_CLAIM = "parameter-can-be-added"
_PRUNING = "prune_configs_by"
_ABOUT_TUNING = frozenset(
    {"key", "reset_to_zero", "restore_value", "warmup", "rep", "use_cuda_graph", "do_bench"}
    | {"cache_results"}
)
"""Arguments of `triton.autotune` that see no arguments of a launch but those they name."""
_WITHOUT_ARGUMENTS = "top_k"
_PLACE = 3
"""Of `prune_configs_by` among the arguments of `triton.autotune`."""
_ALL_NAMES = ("locals", "vars", "eval", "exec")


def with_buffers(
    module: Module, decorator: ast.Call, keyword: str, buffers: Sequence[str]
) -> list[Change] | None:
    """Has a tuner put some more buffers right, as `restore_value=["X"]` does; None where its list
    of them is none that is seen on one line."""
    given = next((k.value for k in decorator.keywords if k.arg == keyword), None)
    quoted = [f'"{name}"' for name in buffers]
    if not quoted:
        return []
    if given is None:
        return [AddArgument(decorator, f"{keyword}=[{', '.join(quoted)}]")]
    if not isinstance(given, ast.List) or "\n" in module.text_of(given):
        return None
    names = dict.fromkeys([*map(module.text_of, given.elts), *quoted])
    return [ReplaceExpression(given, f"[{', '.join(names)}]")]


def check_pruning(module: Module, decorator: ast.expr) -> None:
    """Raises Declined where one more argument of a launch may be seen by such a function."""
    for home, value in _pruning(module, decorator):
        functions = bound(home, value)
        known = not isinstance(value, ast.Name) or _is_only_given(home, value.id, _PRUNING)
        if not known or not isinstance(functions, ast.Dict):
            detail = "what prunes the configurations is not known: write it as a dict in its place"
            raise unknown(_CLAIM, "parameter-cannot-be-added", detail)
        for key, function in zip(functions.keys, functions.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == _WITHOUT_ARGUMENTS:
                continue
            if not _takes_any_name(home, function):
                detail = f"what prunes the configurations in line {function.lineno}"
                raise unknown(
                    _CLAIM,
                    "parameter-cannot-be-added",
                    f"{detail} may not take, or may look at, every argument of a launch: "
                    "let it take **kwargs, and read of them what it names",
                )


def in_tuner_keys(facts: KernelFacts, name: str) -> Iterator[Change]:
    """Has tuners choose anew for each value of a new parameter. Raises Declined."""
    kernel, launches = facts.kernel, facts.launches.launches
    tuners = [(kernel.module, decorator) for decorator in kernel.node.decorator_list]
    for launch in launches:
        if launch.chosen_by is not None:
            tuners.append((launch.module, launch.chosen_by.func))
    for module, call in dict.fromkeys(tuners):
        if not isinstance(call, ast.Call) or module.resolve(call.func) != "triton.autotune":
            continue
        given = [k.value for k in call.keywords if k.arg == "key"] or call.args[1:2]
        match given:
            case [ast.List(elts=[*_, last]) | ast.Tuple(elts=[*_, last]) as names] if _is_text(
                last
            ):
                yield _named_too(module, names, name)
            case [ast.List(elts=[]) as empty]:
                yield ReplaceExpression(empty, f'["{name}"]')
            case _:
                detail = f"the key of the tuner in line {call.lineno} is not a list literal"
                way = f"to which {name} could be added: write it there"
                raise unknown(_CLAIM, "unknown-decorator", f"{detail}, {way}")


def _named_too(module: Module, names: ast.List | ast.Tuple, name: str) -> ReplaceExpression:
    """A list of names with one more."""
    last, (start, end) = names.elts[-1], module.lines.span(names)
    behind = module.lines.span(last)[1]
    quote = module.text[behind - 1] if _is_text(last) else '"'
    before, after = module.text[start:behind], module.text[behind:end]
    return ReplaceExpression(names, f"{before}, {quote}{name}{quote}{after}")


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _pruning(module: Module, decorator: ast.expr) -> Iterator[tuple[Module, ast.expr]]:
    """What a decorator is given to prune by, also through a dict, and the file that says so."""
    if not isinstance(decorator, ast.Call):
        return
    if any(isinstance(argument, ast.Starred) for argument in decorator.args[:_PLACE]):
        detail = f"line {decorator.lineno} gives it arguments that are not known"
        raise unknown(_CLAIM, "unknown-decorator", f"{detail}: they may prune configurations")
    yield from ((module, argument) for argument in decorator.args[_PLACE - 1 : _PLACE])
    for keyword in decorator.keywords:
        if keyword.arg == _PRUNING:
            yield module, keyword.value
        if keyword.arg is None:
            for home, name, value in _items(module, keyword.value):
                if name == _PRUNING:
                    yield home, value
                elif name not in _ABOUT_TUNING:
                    detail = f"the dict in line {keyword.value.lineno} gives it {name}"
                    way = "write that as an argument of its own"
                    raise unknown(_CLAIM, "unknown-decorator", f"{detail}: {way}")


def _items(module: Module, given: ast.expr) -> list[tuple[Module, str, ast.expr]]:
    """The items of a dict, or of one of two, that nothing changes. Raises Declined."""
    home, table = _table(module, given)
    match table:
        case ast.IfExp(body=body, orelse=orelse):
            return [item for side in (body, orelse) for item in _items(home, side)]
        case ast.Dict(keys=keys, values=values):
            named = [
                (home, key.value, value)
                for key, value in zip(keys, values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
            ]
            if len(named) == len(keys):
                return named
    detail = f"line {given.lineno} gives it arguments that are not known"
    origin = module.resolve(given) if table is given else ""
    seen = module.program.meaning(given, module).targets if module.program is not None else ()
    if origin and not any(isinstance(target, Defined) for target in seen):
        detail += f": give the file too that binds {origin}, to a dict that nothing changes"
    elif origin:
        detail += f": {origin} may be another than that dict, for a file uses its module as a value"
        detail += " or does more with it than to pass it with **"
    else:
        detail += ": they may prune configurations; write them as a dict that nothing changes"
    raise unknown(_CLAIM, "unknown-decorator", detail)


def _table(module: Module, given: ast.expr) -> tuple[Module, ast.expr]:
    """What an expression stands for, and the file that says so; itself where that is not known."""
    if not isinstance(given, ast.Name):
        return module, given
    elsewhere = module.bound_elsewhere(given)
    if elsewhere is None:
        alone = _is_only_given(module, given.id, None)
        return module, (bound(module, given) or given) if alone else given
    home, table = elsewhere
    names = home.names.module.bindings
    name = next(name for name, bindings in names.items() if table in bindings)
    # Nobody may change it, in whichever file.
    assert module.program is not None
    mentions = module.program.mentions
    handed_on = {path for path in mentions.handed_on(name) if path != home.real_path}
    if mentions.names_of(name) != [name] or handed_on or not _is_only_given(home, name, None):
        return module, given
    return (home, table) if isinstance(table, ast.expr) else (module, given)


def _is_only_given(module: Module, name: str, keyword: str | None) -> bool:
    """Whether a name is bound once, and is only ever given as a keyword, or as `**name`."""
    uses = [n for n in walk(module.tree) if isinstance(n, ast.Name) and n.id == name]
    read = [use for use in uses if isinstance(use.ctx, ast.Load)]
    around = [module.names.parents.get(use) for use in read]
    alone = all(isinstance(node, ast.keyword) and node.arg == keyword for node in around)
    return alone and len(uses) == len(read) + 1


def _takes_any_name(module: Module, function: ast.expr) -> bool:
    """Whether it takes every keyword, and reads nothing but what it names of its arguments."""
    definition: object = function
    if isinstance(function, ast.Name):
        bindings = module.names.module.bindings.get(function.id, [])
        definition = bindings[0] if len(bindings) == 1 else function
    if not isinstance(definition, ast.FunctionDef | ast.Lambda):
        return False
    if isinstance(definition, ast.FunctionDef) and definition.decorator_list:
        return False
    arguments = definition.args
    if arguments.kwarg is None:
        return False
    watched = {arguments.kwarg.arg, *_ALL_NAMES}
    names = [n for n in walk(definition) if isinstance(n, ast.Name) and n.id in watched]
    return all(_is_looked_up(module, name) for name in names)


def _is_looked_up(module: Module, name: ast.Name) -> bool:
    """Whether it is `arguments["N"]`, `arguments.get("N", ...)` or `"N" in arguments`."""
    around = module.names.parents.get(name)
    match around:
        case ast.Subscript(value=value, slice=ast.Constant(), ctx=ast.Load()):
            return value is name
        case ast.Attribute(value=value, attr="get"):
            match module.names.parents.get(around):
                case ast.Call(func=called, args=[ast.Constant(), *_]):
                    return called is around and value is name
        case ast.Compare(ops=[ast.In() | ast.NotIn()], left=ast.Constant(), comparators=[right]):
            return right is name
    return False


_UNDERSTOOD_DECORATORS = CACHING_BY_VALUE | {JIT, AUTOTUNE, HEURISTICS}


def extents_of(facts: KernelFacts, axis: int) -> tuple[Extent, ...]:
    """How many programs each launch starts along an axis. Raises Declined."""
    return tuple(_extent(launch, axis) for launch in facts.launches.launches)


def _extent(launch: Launch, axis: int) -> Extent:
    try:
        return read_extent(launch, axis)
    except GridNotReadable as why:
        detail = f"the launch in {launch.where}: {why}"
        raise unknown("grid-is-known", "grid-is-not-readable", detail) from why


def check_numbers(extents: Sequence[Extent]) -> None:
    """Whether each launch can compute its number of programs once more. Raises Declined."""
    for extent in extents:
        if extent.at_launch() is None:
            line = extent.launch.call.lineno
            detail = f"the launch in line {line} leaves its grid to a tuner or a heuristic"
            raise unknown("grid-is-known", "grid-depends-on-the-configuration", detail)
        pure = extent.expression is None or extent.evaluation.is_pure(extent.expression)
        if extent.meta and not (pure and extent.is_plain):
            line = extent.launch.call.lineno
            detail = f"what the grid in line {line} calls may do more than compute a number"
            raise unknown("grid-is-known", "grid-is-not-readable", detail)


def check_parameter(facts: KernelFacts) -> None:
    """Whether the kernel can take one more parameter, which each launch passes. Raises Declined."""
    kernel = facts.kernel
    for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
        check_pruning(kernel.module, decorator)
        if name not in _UNDERSTOOD_DECORATORS:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            what = ast.unparse(called)
            detail = f"what {what} does with one more parameter is not known"
            raise unknown("parameter-can-be-added", "unknown-decorator", detail)
    use = counting_use(kernel)
    if use is not None and use.is_seen:
        line = use.node.lineno
        detail = f"a heuristic or a hook takes all arguments of a launch in line {line}"
        raise refuted("parameter-can-be-added", "parameter-cannot-be-added", detail)
    if use is not None:
        text = kernel.module.text_of(use.node).partition("\n")[0]
        detail = (
            f"what {text} in line {use.node.lineno} does with one more argument is not seen; "
            "give its file too, or see --context"
        )
        raise unknown("parameter-can-be-added", "parameter-cannot-be-added", detail)
    if any(p.kind.startswith("var") for p in kernel.parameters):
        detail = "the kernel takes any number of arguments"
        raise refuted("parameter-can-be-added", "parameter-cannot-be-added", detail)
    if any(p.kind == "keyword_only" for p in kernel.parameters):
        detail = "the kernel has parameters after a `*`, which Triton does not hand on"
        raise refuted("parameter-can-be-added", "parameter-cannot-be-added", detail)


@dataclass(frozen=True)
class NumberAtLaunch:
    """The number of programs of a launch as code that may stand there several times."""

    code: str
    bound_to: str
    """The same where the grid may say it that way too; "" where the grid stays as it is."""
    changes: tuple[Change, ...]
    """What must stand before the launch."""


def number_at_launch(extent: Extent, wanted: str) -> NumberAtLaunch:
    """The number of programs that a launch starts today. Raises NotExpressible.

    `wanted` is what it is called where it needs a name.
    """
    launch = extent.launch
    statement, code = statement_of(launch), extent.at_launch()
    assert statement is not None
    assert code is not None
    tuple_at_launch = not extent.name and not extent.meta
    changes: tuple[Change, ...] = ()
    if not extent.is_plain:
        # A number of numpy's or a tensor starts programs, but is no argument of a kernel.
        check_builtin(launch, "int")
        code = f"int({code})"
    short = is_short(extent.expression)
    if tuple_at_launch and not (extent.is_plain and short and extent.is_repeatable):
        if not extent.comes_first:
            line = launch.call.lineno
            raise NotExpressible(f"line {line} evaluates something else before its grid")
        name = new_name(wanted, launch)
        changes = (InsertBefore(statement, f"{name} = {code}"),)
        code = name
    return NumberAtLaunch(code, code if tuple_at_launch else "", changes)


def check_builtin(launch: Launch, name: str) -> None:
    """Raises NotExpressible where a launcher calls something else by the name, or nothing."""
    scope = scope_at(launch)
    names = launch.module.names
    if name in ("torch", "triton"):
        # A part of a file reads the name without importing it.
        read = (n for n, home in names.scope_of.items() if home.find(name) is None)
        is_there = scope.find(name) is not None or any(node.id == name for node in read)
        known = is_there and names.resolve_name(name, scope) == name
    else:
        known = scope.find(name) is None and not names.stars
    if not known:
        raise NotExpressible(f"line {launch.call.lineno} has no {name} to call")


def check_binding(launch: Launch, code: str, parameters: Mapping[str, bool]) -> None:
    """Whether code that launches a new kernel passes each of its parameters, and that once.

    Of the parameters it is said which have a default. What the launch of the old kernel leaves to
    a tuner or a heuristic, this one does too. Raises NotExpressible.
    """
    calls = [node for node in walk(parsed(code)) if isinstance(node, ast.Call)]
    call = next(node for node in calls if isinstance(node.func, ast.Subscript))
    left = {p.name for p in launch.kernel.parameters} - set(launch.arguments)
    named = [k.arg for k in call.keywords if k.arg is not None and k.arg not in launch.options]
    passed = [*[*parameters][: len(call.args)], *named]
    needed = {name for name, has_default in parameters.items() if not has_default} - left
    fits = len(call.args) <= len(parameters) and len(set(passed)) == len(passed)
    if not fits or not needed <= set(passed) <= set(parameters):
        line = launch.call.lineno
        raise NotExpressible(f"line {line} would not pass what the new kernel takes, each once")
