"""unknown-names: a name or a program axis that `triton.language` does not have."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from tritonopt.checks.condition import NotExpressible
from tritonopt.emit.writing import Writer, statements_around
from tritonopt.facts import KernelFacts, language
from tritonopt.facts.language import LANGUAGE, function
from tritonopt.facts.operations import Op
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.protocol import Lint
from tritonopt.source import ReplaceExpression
from tritonopt.source.trees import walk

_TABLE = Path(language.__file__).with_name("triton_names.json")
_AXES = 3
_INSTEAD: Mapping[str, str] = {
    "clip": "tl.clamp(x, low, high)",
    "mean": "tl.sum(x, axis) / n",
    "var": "tl.sum of the squared deviations / n",
    "relu": "tl.maximum(x, 0.0)",
    "square": "x * x",
    "concatenate": "tl.cat or tl.join",
    "transpose": "tl.trans",
    "power": "libdevice.pow of triton.language.extra",
    "ones": "tl.full(shape, 1, dtype)",
    "ones_like": "tl.full(x.shape, 1, x.dtype)",
    "outer": "x[:, None] * y[None, :]",
    "matmul": "tl.dot",
    "inf": 'float("inf")',
    "libdevice": "libdevice of triton.language.extra",
}
"""Names of other libraries, and what Triton has in their place."""

_DTYPES = {
    "float": "tl.float32",
    "double": "tl.float64",
    "half": "tl.float16",
    "long": "tl.int64",
    "int": "tl.int32",
    "bool": "tl.int1",
    "short": "tl.int16",
}
"""Types of torch and C, which Triton calls otherwise."""

_METHODS: Mapping[str, str] = {
    **{name: f".to({dtype})" for name, dtype in _DTYPES.items()},
    "bfloat16": ".to(tl.bfloat16)",
    "clamp": "tl.clamp",
    "pow": "x * x or libdevice.pow",
    "mean": "tl.sum(x, axis) / n",
}
"""Methods of torch's tensors that those of Triton do not have."""

_RAISING: Mapping[str, str] = {"make_block_ptr": "3.9.0"}
"""Functions that only raise from a version on."""

_OF_LIBDEVICE = frozenset(
    ["acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cosh", "erfc", "erfinv"]
    + ["exp10", "expm1", "fmod", "hypot", "isfinited", "isinf", "isnan", "ldexp", "lgamma"]
    + ["log10", "log1p", "nearbyint", "pow", "rint", "round", "sinh", "tan", "tanh", "tgamma"]
    + ["trunc", "ffs", "clz", "popc", "nextafter", "copysign", "float_as_int", "int_as_float"]
)


@dataclass(frozen=True)
class UnknownNames(Lint):
    """Find names that `triton.language` does not have, and program axes beyond the third.

    ## What it does

    `tl.tanh`, `tl.clip`, `tl.math.pow` and `tl.program_id(3)` do not compile. The pass reports such
    names, and the name that Triton has instead. It replaces `tl.clip` with three arguments by
    `tl.clamp`.

    ## Why

    Such a kernel fails at the first launch that compiles this branch, perhaps in the middle of a
    training run. Kernels written by language models often have such names.

    ## Conditions

    No Triton version in our table has the name (`tritonopt/facts/triton_names.json`, made by
    `docs/triton_names.py`), and the name is one of libdevice, NumPy or torch, or similar to an
    existing one; other names may come from a fork of Triton. Not reported: names in submodules such
    as `tl.extra`, names that the file binds, and code under an `if` that is evaluated at compile
    time or at import, because it may test the version. An axis of `tl.program_id` or
    `tl.num_programs` is reported if it is a constant other than 0, 1 and 2.

    A name that only some versions have is reported if the installed Triton does not have it, or the
    version in `unknown-names{triton=3.9.0}` does not, for example `tl.make_block_ptr`.

    ## Numerics

    The original does not compile, so there is no result to compare with.

    ## Example

    ```python
    x = tl.load(X + tl.arange(0, BLOCK))
    var = tl.clip(x, 0.0, 6.0)
    ```

    becomes

    ```python
    x = tl.load(X + tl.arange(0, BLOCK))
    var = tl.clamp(x, 0.0, 6.0)
    ```

    ## Measured

    Nothing to measure: it is about correctness.
    """

    triton: str = ""

    name: ClassVar[str] = "unknown-names"
    fixes: ClassVar[bool] = True
    summary: ClassVar[str] = "find names and program axes that triton.language does not have"
    harm: ClassVar[str] = "the kernel does not compile"

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        resolve = facts.kernel.module.resolve
        for node in facts.kernel.nodes:
            if isinstance(node, ast.Call) and function(resolve(node.func)) in _ASKING_AXES:
                yield from _axis(facts, node)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                dotted = resolve(node)
                if dotted.startswith(LANGUAGE):
                    yield from self._name(facts, node, dotted.removeprefix(LANGUAGE))
                elif node.attr in _METHODS and _is_tile(facts, node.value):
                    told = f"a tensor of Triton has no {node.attr}; use {_METHODS[node.attr]}"
                    yield Site.of_mistake(node, _UNDERSTOOD, "no-such-name", told)

    def _name(self, facts: KernelFacts, node: ast.Attribute, path: str) -> Iterator[Site]:
        yield from _name(facts, node, path)
        spelled = ast.unparse(node)
        lacking = [v for v in _table() if not _has(v, path)]
        if len(lacking) == len(_table()) or not lacking or _is_decided(facts, node):
            return
        asked = self.triton or _installed()
        for version in lacking:
            if asked and version.startswith(asked.rpartition(".")[0] or asked):
                told = f"Triton {version} has no {spelled}"
                yield Site.of_mistake(node, _UNDERSTOOD, "no-such-name", told)


_UNDERSTOOD = "arguments-are-understood"


def _has(version: str, path: str) -> bool:
    """Whether a version has a name; all have what is in a module that the table does not list."""
    module, _, name = path.rpartition(".")
    names = _table()[version].get(module)
    gone = not module and name in _RAISING and version >= _RAISING[name]
    return names is None or (name in names and not gone)


@lru_cache(maxsize=1)
def _installed() -> str:
    """The version of the Triton that is installed; "" for none."""
    from importlib import metadata

    try:
        return metadata.version("triton")
    except metadata.PackageNotFoundError:
        return ""


def _is_tile(facts: KernelFacts, node: ast.expr) -> bool:
    """Whether an expression is surely a tensor of the language."""
    value = facts.values.get(node)
    return value is not None and (value.op is Op.LOAD or bool(value.shape))


_ASKING_AXES = ("program_id", "num_programs")


def _axis(facts: KernelFacts, call: ast.Call) -> Iterator[Site]:
    given = [*call.args, *(k.value for k in call.keywords if k.arg == "axis")]
    value = facts.values.get(given[0]) if given else None
    number = None if value is None else value.constant
    if type(number) is int and number not in range(_AXES) and not _is_decided(facts, call):
        called = ast.unparse(call.func)
        told = f"{called} has the axes 0, 1 and 2, not {number}"
        claim, reason = "arguments-are-understood", "no-such-axis"
        yield Site.of_mistake(call, claim, reason, f"{told}: compute it from one of them")


def _name(facts: KernelFacts, node: ast.Attribute, path: str) -> Iterator[Site]:
    module, _, name = path.rpartition(".")
    known = _names().get(module)
    if known is None or name in known or _is_decided(facts, node):
        return
    close = get_close_matches(name, known, n=1, cutoff=0.85)
    if name in _OF_LIBDEVICE:
        instead = f"libdevice.{name} of triton.language.extra"
    else:
        instead = _INSTEAD.get(name) or _DTYPES.get(name) or (close[0] if close else "")
    if not instead:
        return
    spelled = ast.unparse(node)
    told = f"Triton {_versions()} has no {spelled}; use {instead}"
    site = Site.of_mistake(node, "arguments-are-understood", "no-such-name", told)
    call = facts.kernel.module.names.parents.get(node)
    if name == "clip" and isinstance(call, ast.Call) and call.func is node:
        plain = len(call.args) == _AXES and not call.keywords
        if plain and not any(isinstance(argument, ast.Starred) for argument in call.args):
            try:
                clamp = Writer(facts).language("clamp")
            except NotExpressible:
                clamp = ""
            if clamp:
                done = f"Triton {_versions()} has no {spelled}: wrote {clamp}"
                change = ReplaceExpression(node, clamp)
                site = replace(site, message=done, advice=told, changes=(change,))
    yield site


def _is_decided(facts: KernelFacts, node: ast.AST) -> bool:
    """Whether the compiler may leave the place out, or the file the kernel: by a version."""
    kernel = facts.kernel
    for around in walk(kernel.module.tree):
        if isinstance(around, (ast.If, ast.Try)) and kernel.node in walk(around):
            return True
    parents = facts.kernel.module.names.parents
    tests = [
        around.test for _, _, around in statements_around(facts, node) if isinstance(around, ast.If)
    ]
    place: ast.AST | None = node
    while place is not None:
        tests += [place.test] if isinstance(place, ast.IfExp) else []
        place = parents.get(place)
    values = [facts.values.get(test) for test in tests]
    return any(v is None or not any(p.op in _RUNNING for p in v.walk()) for v in values)


_RUNNING = (Op.PARAM, Op.LOAD, Op.PROGRAM_ID, Op.NUM_PROGRAMS, Op.ITERATION, Op.REDUCE)
"""What is known when the kernel runs, and not before."""


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Mapping[str, list[str]]]:
    found: Mapping[str, Mapping[str, list[str]]] = json.loads(_TABLE.read_text("utf-8"))
    return found


@lru_cache(maxsize=1)
def _names() -> Mapping[str, frozenset[str]]:
    """By module below `triton.language`, the names that some version has."""
    modules = {module for names in _table().values() for module in names}
    return {
        module: frozenset(n for names in _table().values() for n in names.get(module, ()))
        for module in modules
    }


def _versions() -> str:
    versions = list(_table())
    return f"{versions[0]} to {versions[-1]}"
