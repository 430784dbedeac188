"""What a tuner does with one more argument of a launch: it may prune by it, or choose by it.

Triton calls `early_config_prune(configs, named_arguments, **keywords_of_the_launch)`, and
`perf_model(**arguments)` with all that the kernel takes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tritonopt.checks.condition import unknown
from tritonopt.facts import KernelFacts
from tritonopt.facts.host.tuner_choices import bound
from tritonopt.source import AddArgument, Change, Module, ReplaceExpression
from tritonopt.source.project.meanings import Defined
from tritonopt.source.trees import walk

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
                start, end = module.lines.span(names)
                behind = module.lines.span(last)[1]
                quote = module.text[behind - 1]
                before, after = module.text[start:behind], module.text[behind:end]
                yield ReplaceExpression(names, f"{before}, {quote}{name}{quote}{after}")
            case [ast.List(elts=[]) as empty]:
                yield ReplaceExpression(empty, f'["{name}"]')
            case _:
                detail = f"the key of the tuner in line {call.lineno} is not a list literal"
                way = f"to which {name} could be added: write it there"
                raise unknown(_CLAIM, "unknown-decorator", f"{detail}, {way}")


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


def _is_text(node: ast.expr) -> bool:
    """Whether it is a name in plain quotes."""
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
