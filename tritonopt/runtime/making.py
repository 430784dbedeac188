"""A kernel function made from text, of the same kind and with the same surroundings as another.

The text stands in a file of its own, in a directory named after its contents, under the name
of the file that it came from, and on the same lines. So every tool that goes from a compiled
kernel back to its source finds it: Nsight Compute opens the file that the line table of the
binary names, a debugger and IPython's `%debug` show its lines, a traceback or a compile error
says `.../softmax.py:12`, and the lines of what was not rewritten agree with the original. A made-up
name such as `<tritonopt softmax>` would read well in a traceback and be found by none of the
others. `linecache` gets the text too, so that all of it works where nothing can be written (the
name is made up then), and so that nobody who changes the file changes what is compiled. Triton's
own cache knows a kernel by its text and line, not by its file.
"""

from __future__ import annotations
import __future__

import ast
import copy
import hashlib
import inspect
import linecache
import os
import re
import tempfile
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from triton.compiler import CompiledKernel
from triton.runtime import Autotuner, JITFunction

from tritonopt.cache_directory import cache_directory
from tritonopt.runtime.live import Live, parse
from tritonopt.source.parsing import parsed

_OPTIONS = (
    "version",
    "do_not_specialize",
    "do_not_specialize_on_alignment",
    "debug",
    "noinline",
    "launch_metadata",
)


def function_from(live: Live, definition: str) -> FunctionType:
    """The function that `definition` defines, with the globals and cells of the original's."""
    old = live.function
    path = _publish(live, definition)
    tree = parse("\n" * (live.line - 1) + definition, path)
    (node,) = tree.body
    assert isinstance(node, ast.FunctionDef)
    added = _take_over(node, old)
    code = _code(tree, node, old, path)
    cells = dict(zip(old.__code__.co_freevars, old.__closure__ or (), strict=True))
    closure = tuple(cells[name] for name in code.co_freevars)
    defaults = (*(old.__defaults__ or ()), *(p.default for p in added if not p.by_keyword))
    new = FunctionType(code, old.__globals__, old.__name__, defaults or None, closure or None)
    new.__qualname__, new.__module__, new.__doc__ = old.__qualname__, old.__module__, old.__doc__
    by_keyword = {p.name: p.default for p in added if p.by_keyword}
    new.__kwdefaults__ = {**(old.__kwdefaults__ or {}), **by_keyword} or None
    annotations = {p.name: p.annotation for p in added if p.annotation is not None}
    new.__annotations__ = {**old.__annotations__, **annotations}
    new.__dict__.update(old.__dict__)
    return new


@dataclass(frozen=True)
class _Added:
    """A parameter that the original does not have."""

    name: str
    annotation: str | None
    default: Any
    by_keyword: bool


def _take_over(node: ast.FunctionDef, old: FunctionType) -> list[_Added]:
    """Take out of a definition what the original function has as values, and say what it has not.

    Defaults and annotations were evaluated where the original was defined, which may have been
    in a function that is gone.
    """
    arguments, code = node.args, old.__code__
    positional = [*arguments.posonlyargs, *arguments.args][code.co_argcount :]
    values = arguments.defaults[len(arguments.defaults) - len(positional) :]
    named = arguments.kwonlyargs[code.co_kwonlyargcount :]
    added = [
        _Added(
            parameter.arg,
            ast.unparse(parameter.annotation) if parameter.annotation else None,
            ast.literal_eval(value),
            parameter in named,
        )
        for parameter, value in (
            *zip(positional, values, strict=True),
            *zip(named, arguments.kw_defaults[code.co_kwonlyargcount :], strict=True),
        )
        if value is not None
    ]
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    for parameter in filter(None, (*every, arguments.vararg, arguments.kwarg)):
        parameter.annotation = None
    node.returns = None
    arguments.defaults, arguments.kw_defaults = [], [None for _ in arguments.kwonlyargs]
    return added


def _code(tree: ast.Module, node: ast.FunctionDef, old: FunctionType, path: str) -> CodeType:
    captured = [ast.arg(name) for name in old.__code__.co_freevars]
    if captured:
        around = parsed("def around(): ...").body[0]
        assert isinstance(around, ast.FunctionDef)
        around.args.args, around.body = captured, [node]
        tree.body = [around]
        ast.fix_missing_locations(tree)
    flags = old.__code__.co_flags & __future__.annotations.compiler_flag
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as in `parse`
        code = compile(tree, path, "exec", flags, dont_inherit=True)
    return _inner(_inner(code)) if captured else _inner(code)


def _inner(code: CodeType) -> CodeType:
    """Of the one function that it defines."""
    return next(constant for constant in code.co_consts if isinstance(constant, CodeType))


def _publish(live: Live, definition: str) -> str:
    """Put the text where tools look for it, and return the name of the file."""
    function = live.function
    lines = [""] * (live.line - 1)
    if lines:
        lines[0] = f"# tritonopt made this from {function.__qualname__} of {live.path!r}"
    text = "\n".join([*lines, definition])
    name = re.sub(r"[^\w.-]+", "_", Path(live.path).name).strip("_") or "kernel.py"
    digest = hashlib.sha256(f"{live.path!r}\n{text}".encode()).hexdigest()[:16]
    try:
        path = cache_directory() / digest / name
        if not path.is_file() or path.read_bytes() != text.encode():
            _write(path, text)
        where = str(path)
    except (OSError, RuntimeError):  # RuntimeError: nobody knows where the user's home is
        where = f"<tritonopt {name}:{live.line} {function.__qualname__} {digest}>"
    kept = [f"{line}\n" for line in text.split("\n")[:-1]]
    linecache.cache[where] = (len(text), None, kept, where)
    return where


def _write(path: Path, text: str) -> None:
    """As a whole or not at all: other processes make the same file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise


# Kernels around functions


def kernel_like(original: Any, function: FunctionType, check: Callable[[], None] | None) -> Any:
    """A JITFunction or InterpretedFunction with the options of another.

    `check` runs before it is compiled, or each time it is interpreted.
    """
    kind = type(original)
    # What an optimized kernel rests on, one that is made from it rests on too.
    checks = (*getattr(kind, "_tritonopt_checks", ()), *([check] if check else []))
    kind = getattr(kind, "_tritonopt_unchecked", kind)
    if checks:
        kind = _checked(kind, checks)
    if not isinstance(original, JITFunction):
        return kind(function, **original.rewriter.kwargs)
    own = inspect.signature(kind.__init__).parameters
    hands_on = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in own.values())
    taken = inspect.signature(JITFunction.__init__).parameters if hands_on else own
    options = {o: getattr(original, o) for o in _OPTIONS if o in taken and hasattr(original, o)}
    # Of a kind that is not Triton's own: what it was made with, where it kept that.
    options |= {name: value for name, value in vars(original).items() if name in own}
    options.pop("fn", None)
    # Up to 3.2 a method without the option, or a function made of it, stands under its own name.
    options["repr"] = vars(original).get("_repr", vars(original).get("repr"))
    made = _unregistered(lambda: kind(function, **options), function)
    made.pre_run_hooks = list(original.pre_run_hooks)
    return made


def _checked(kind: type, checks: Sequence[Callable[[], None]]) -> type:
    """The class with checks in the two places that come before any use of the text.

    Not in `run`: a launch costs what it did. The class has the same name, for Triton looks at it
    where it writes down arguments that are functions.
    """

    def check_all() -> None:
        for check in checks:
            check()

    def cache_key(self: Any) -> str:
        if self.hash is None:
            check_all()
        key: str = super(made, self).cache_key
        return key

    def rewrite(self: Any) -> Any:
        check_all()
        return super(made, self).rewrite()

    def __repr__(self: Any) -> str:
        # Up to 3.5, kernels that take a function as an argument are told apart by this alone.
        digest = hashlib.sha256(self.src.encode()).hexdigest()[:16]
        return f"{super(made, self).__repr__()[:-1]}, tritonopt {digest})"

    body: dict[str, Any] = {
        "_tritonopt_unchecked": kind,
        "_tritonopt_checks": checks,
        "__module__": kind.__module__,
    }
    if issubclass(kind, JITFunction):
        body |= {"cache_key": property(cache_key), "__repr__": __repr__}
    else:
        body["rewrite"] = rewrite
    made: Any = type(kind.__name__, (kind,), body)
    return made  # type: ignore[no-any-return]


_REGISTERING = threading.Lock()


def _unregistered(make: Callable[[], Any], function: FunctionType) -> Any:
    """Made without taking the place where Triton (3.7 and later) finds the original by name."""
    from triton.runtime import jit

    registry = getattr(jit, "_triton_jit_function_registry", {})
    key = f"{function.__module__}:{function.__qualname__}"
    with _REGISTERING:
        before = registry.get(key)
        made = make()
        if before is None:
            registry.pop(key, None)
        else:
            registry[key] = before
    return made


def chain_like(chain: Sequence[Any], kernel: Any) -> Any:
    """The wrappers of a chain, made again around another kernel. Raises TypeError."""
    made = {id(chain[-1]): kernel, id(chain[-1].fn): kernel.fn}
    made[id(chain[-1].arg_names)] = kernel.arg_names
    for wrapper, inner in reversed(list(zip(chain, chain[1:], strict=False))):
        new = made[id(wrapper)] = _wrapper_like(wrapper, inner, made)
        if new is wrapper or new.fn is not made[id(inner)]:
            raise _not_seen(wrapper, "where it keeps its kernel")
    return made[id(chain[0])]


def _wrapper_like(wrapper: Any, inner: Any, made: Mapping[int, Any]) -> Any:
    kind = type(wrapper)
    if isinstance(wrapper, _NOT_COPIED) or not hasattr(wrapper, "__dict__"):
        raise _not_seen(wrapper, "how")
    if kind is not Autotuner and issubclass(kind, Autotuner):
        # May keep results under a name that it made of the kernel, on disk too.
        return kind(**_tuner_arguments(wrapper, made))
    from_one = list(inspect.signature(kind).parameters) == ["fn"]
    new = kind(made[id(inner)]) if from_one else copy.copy(wrapper)
    kept = vars(new)
    done = set(kept) if from_one else set()
    for name, value in vars(wrapper).items():
        if name in done:
            continue
        if _is_compiled(value):
            raise TypeError(
                f"optimize cannot make a second {kind.__name__}, for its {name} was compiled for "
                "the original; optimize it before its first launch"
            )
        if isinstance(getattr(kind, name, None), cached_property):
            kept.pop(name, None)
        else:
            kept[name] = _made_again(value, {**made, id(wrapper): new})
    if kind is Autotuner:
        new.cache = {}
        for name in _FOUND_BY_TUNING:
            kept.pop(name, None)
    return new


_NOT_COPIED = (type, FunctionType, ModuleType)
_FOUND_BY_TUNING = ("best_config", "bench_time", "configs_timings")


def _not_seen(wrapper: Any, what: str) -> TypeError:
    return TypeError(
        f"optimize cannot make a second {type(wrapper).__name__}, for it is not seen {what}; "
        "put @tritonopt.optimize between it and @triton.jit"
    )


_TUNER_ATTRIBUTES = {
    "key": "keys",
    "warmup": "num_warmups",
    "rep": "num_reps",
    "do_bench": "_do_bench",
}
"""Of Triton's autotuner: where it keeps what it was made with, if not under the same name."""


def _tuner_arguments(tuner: Any, made: Mapping[int, Any]) -> dict[str, Any]:
    """What a tuner derived from Triton's was made with."""
    known = vars(tuner)
    arguments: dict[str, Any] = {}
    for parameter in _parameters(type(tuner)):
        name = parameter.name
        attribute = _TUNER_ATTRIBUTES.get(name, name)
        if name in ("pre_hook", "post_hook"):
            arguments[name] = known[name] if known.get(f"user_defined_{name}") else None
        elif name == "prune_configs_by":
            pruning = {"perf_model": tuner.perf_model, "top_k": tuner.configs_top_k}
            arguments[name] = {**pruning, "early_config_prune": tuner.early_config_prune}
        elif attribute in known:
            value = known[attribute]
            arguments[name] = made.get(id(value), value)
        elif parameter.default is inspect.Parameter.empty:
            raise _not_seen(tuner, f"what its {name} was")
    return arguments


def _parameters(kind: type) -> list[inspect.Parameter]:
    """Of the constructor, the one that it hands all of its arguments on to if it does."""
    for home in kind.__mro__:
        if "__init__" in vars(home):
            own = list(inspect.signature(vars(home)["__init__"]).parameters.values())[1:]
            if not all(parameter.kind in _VARIADIC for parameter in own):
                return own
    return []


_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _made_again(value: Any, made: Mapping[int, Any]) -> Any:
    """What a wrapper holds, as another one holds it: nothing of the original's is shared.

    Containers are of the same things, but for kernels that were compiled for the original.
    What launches the original, be it a method or a function that remembers it, is made to launch
    the other one.
    """
    if id(value) in made:
        return made[id(value)]
    if isinstance(value, MethodType) and id(value.__self__) in made:
        return MethodType(value.__func__, made[id(value.__self__)])
    if type(value) is partial:
        function, *positional = (_made_again(item, made) for item in (value.func, *value.args))
        return partial(function, *positional, **_made_again(value.keywords, made))
    if isinstance(value, FunctionType):
        return _remembering(value, made)
    if isinstance(value, dict):
        new = copy.copy(value)
        for key, item in value.items():
            inner = _made_again(item, made)
            if _is_compiled(item):
                del new[key]
            elif inner is not item:
                new[key] = inner
        return new
    if isinstance(value, list):
        new_list = copy.copy(value)
        new_list[:] = [_made_again(item, made) for item in value]
        return new_list
    if type(value) is tuple:
        return tuple(_made_again(item, made) for item in value)
    if type(value) is set:
        return {_made_again(item, made) for item in value}
    return copy.copy(value) if isinstance(value, set) else value


def _remembering(function: FunctionType, made: Mapping[int, Any]) -> FunctionType:
    """The function, with what was made in the place of what it was made for in its closure."""
    old = function.__closure__ or ()
    cells = tuple(_cell(cell, made) for cell in old)
    if all(cell is before for cell, before in zip(cells, old, strict=True)):
        return function
    code, defaults = function.__code__, function.__defaults__
    new = FunctionType(code, function.__globals__, function.__name__, defaults, cells)
    new.__kwdefaults__, new.__qualname__ = function.__kwdefaults__, function.__qualname__
    new.__dict__.update(function.__dict__)
    return new


def _cell(cell: CellType, made: Mapping[int, Any]) -> CellType:
    try:
        content = cell.cell_contents
    except ValueError:  # bound later
        return cell
    if id(content) in made:
        return CellType(made[id(content)])
    # Not any deeper: a function may remember itself.
    if isinstance(content, MethodType) and id(content.__self__) in made:
        return CellType(_made_again(content, made))
    return cell


def _is_compiled(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_is_compiled, value))
    return isinstance(value, CompiledKernel)
