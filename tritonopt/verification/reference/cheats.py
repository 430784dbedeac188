"""What computes the same, and is not the work that was asked for: found by name.

Most of it is asked of the rewritten version in a few more runs of calls that were compared before:
what its kernels wrote is changed after each launch, and the same call is made again and again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tritonopt import source
from tritonopt.verification.comparison.checker import Checker
from tritonopt.verification.comparison.compare import shared
from tritonopt.verification.inputs.examples import Example, TensorRecipe
from tritonopt.verification.process.messages import (
    DURING,
    Outcome,
    Output,
    RunOptions,
    same_bits,
)
from tritonopt.verification.signature.launchers import Launchers, definitions_of, method
from tritonopt.verification.verdict import Cheat, Verdict

_MOST_ASKED = 3
_CALLS = 4
_OUTSIDE = (
    "atexit", "concurrent", "ctypes", "datetime", "gc", "inspect", "multiprocessing", "os",
    "platform", "random", "secrets", "signal", "socket", "subprocess", "sys", "tempfile",
    "threading", "time", "traceback", "uuid", "weakref",
)  # fmt: skip
"""Modules that tell a call of what it is not given."""
_OF_CODE = (
    "compile", "delattr", "eval", "exec", "globals", "locals", "setattr", "vars", "__import__",
)  # fmt: skip
_INSIDES = ("__closure__", "__code__", "__defaults__", "__globals__", "import_module")
_THROUGH = ("builtins", "gc", "inspect", "os", "sys", "threading", "time", "weakref")
"""Those that other modules import: `torch.os`."""
_MOVING = (
    "cat", "stack", "constant_pad", "im2col", "index", "gather", "flip", "roll", "repeat",
    "embedding", "take", "scatter", "put", "where", "masked", "tril", "triu", "tile",
)  # fmt: skip
"""What only moves numbers: the work of a reference that does nothing else."""
_NEAR = {"f64": 1e-9, "f32": 1e-4, "f16": 1e-2, "bf16": 5e-2}
"""Shares of the largest value: above what rounding is granted, below what work leaves."""
_HIDDEN = {
    "asks-elsewhere": ": the result may depend on when, where or for whom it is computed",
    "code-hidden": ": other code may run than the text shows",
}
_NAMED = {
    "what an earlier call returned": ("buffer-reused", "a result lies where an earlier one did"),
    "changes what verifies it": ("tool-changed", "the file changes what verifies it"),
    "speaks for what runs it": ("tool-changed", "the file answers in place of what runs it"),
    "depends on uninitialized memory": (
        "memory-left-over",
        "the result depends on uninitialized memory",
    ),
}
"""What is said of differences that are cheats as well."""


def in_text(
    old: source.Module, new: source.Module, paths: tuple[Path, Path], reached: Iterable[str]
) -> Iterator[Cheat]:
    """What the text of the rewritten version shows; `reached` are the functions that run."""
    stem = paths[0].stem
    imports = (n for n in ast.walk(new.tree) if isinstance(n, ast.Import | ast.ImportFrom))
    for node in imports:
        modules = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            modules = [node.module]
        if any(name.rpartition(".")[2] == stem for name in modules):
            yield Cheat("reference-imported", f"line {node.lineno}: `{ast.unparse(node)}`")
    names = set(reached)
    definitions = {n: d for n, d in definitions_of(new).items() if n.partition("#")[0] in names}
    yield from _fallbacks(old, new, definitions)
    if not old.kernels:
        yield from _copies(old, definitions)
        yield from _hidden_from_the_text(new, definitions)


def _fallbacks(
    old: source.Module,
    new: source.Module,
    definitions: dict[str, ast.FunctionDef | ast.ClassDef],
) -> Iterator[Cheat]:
    """A launch whose failure is caught, and something else done in its place."""
    launchers = Launchers.of(new)
    launches = {launch.call for launch in new.launches}
    known = {ast.dump(n) for n in ast.walk(old.tree) if isinstance(n, ast.Try)}
    for definition in definitions.values():
        for node in (n for n in ast.walk(definition) if isinstance(n, ast.Try)):
            inside = [n for statement in node.body for n in ast.walk(statement)]
            called = {n.func.id for n in inside if isinstance(n, ast.Call)
                      and isinstance(n.func, ast.Name)}  # fmt: skip
            reaching = {n for n in called & {*launchers.definitions}
                        if launchers.reached(n) & launchers.launching}  # fmt: skip
            caught = (h for h in node.handlers if not any(
                isinstance(n, ast.Raise) for s in h.body for n in ast.walk(s)))  # fmt: skip
            if (
                ast.dump(node) not in known
                and (reaching or launches & {*inside})
                and (handler := next(caught, None))
            ):
                text = f"line {handler.lineno}: where a launch fails, something else is done"
                yield Cheat("fallback", text)


def _hidden_from_the_text(
    new: source.Module, definitions: dict[str, ast.FunctionDef | ast.ClassDef]
) -> Iterator[Cheat]:
    """What a call may depend on beside its arguments, and code that the text does not show."""
    modules: dict[str, str] = {}
    for node in ast.walk(new.tree):
        if isinstance(node, ast.Import):
            modules |= {a.asname or a.name.partition(".")[0]: a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    parts = (*filter(_runs_on_import, new.tree.body), *definitions.values())
    for node in (n for part in parts for n in ast.walk(part)):
        text, what = "", ""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            root = modules.get(node.id, "").partition(".")[0]
            text = node.id if root in _OUTSIDE or node.id in _OF_CODE else ""
            what = "asks-elsewhere" if root in _OUTSIDE else "code-hidden"
        elif isinstance(node, ast.Attribute) and node.attr in (*_INSIDES, *_THROUGH):
            own = node.attr in _INSIDES or ast.unparse(node.value).partition(".")[0] in modules
            text = ast.unparse(node) if own else ""
            what = "code-hidden" if node.attr in _INSIDES else "asks-elsewhere"
        if text:
            yield Cheat(what, f"line {getattr(node, 'lineno', 0)}: `{text}`{_HIDDEN[what]}")


def _runs_on_import(statement: ast.stmt) -> bool:
    """Whether a statement of the module may matter: not one that only sets the environment."""
    if isinstance(statement, ast.If):
        return "__name__" not in ast.unparse(statement.test)
    if isinstance(statement, ast.Assign | ast.Expr):
        return not ast.unparse(statement).startswith(("os.environ[", "os.environ.setdefault("))
    return not isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom)


def _copies(
    old: source.Module, definitions: dict[str, ast.FunctionDef | ast.ClassDef]
) -> Iterator[Cheat]:
    """Functions of the rewritten version that do what one of the reference does, word by word."""
    own = {}
    for name, definition in definitions_of(old).items():
        function: ast.AST | None = definition
        if isinstance(definition, ast.ClassDef):
            function = method(definition, "forward")
        if isinstance(function, ast.FunctionDef) and any(
            isinstance(n, ast.Call) for n in ast.walk(function)
        ):
            own["".join(map(ast.dump, function.body))] = name
    for definition in definitions.values():
        for node in ast.walk(definition):
            if isinstance(node, ast.FunctionDef):
                known = own.get("".join(map(ast.dump, node.body)))
                if known and not node.name.startswith(("run_", "_make_run_", "get_")):
                    text = f"line {node.lineno}: `{node.name}` is `{known}` of the reference"
                    yield Cheat("reference-executed", text)


def in_runs(checker: Checker) -> Iterator[Cheat]:
    """What the rewritten version does in calls that were accepted."""
    accepted = [e for e, x in checker.examinations.items() if x.accepted and x.compared]
    accepted = [e for e in accepted if all(0 not in r.shape for r in e.tensors.values())]
    seen = {e: checker.examinations[e].coverage for e in accepted}
    if not checker.versions.has_reference:
        # Where the original launches nothing, there is nothing to launch.
        accepted = [e for e in accepted if seen[e][0].grids]
    silent = [e for e in accepted if not seen[e][1].grids]
    if accepted and len(silent) == len(accepted):
        yield Cheat("no-kernel", "no call launches a kernel")
        return
    forms = {_form(e): e for e in accepted if e not in silent}
    for example in silent[:1]:
        same = [e for e in silent if _form(e) in forms]
        if same:
            kinds = ", ".join(sorted({r.values for r in same[0].tensors.values() if r.is_float}))
            yield Cheat("values-skipped", f"no kernel is launched for {kinds or 'some'} values")
        else:
            shapes = ", ".join(f"{n}: {list(r.shape)}" for n, r in example.tensors.items())
            yield Cheat("no-kernel", f"no kernel is launched for {shapes}")
    launching = sorted((e for e in accepted if e not in silent), key=lambda e: -e.main_size)
    light = [e for e in launching if not checker.observed.is_heavy(e)]
    for example in light[:_MOST_ASKED]:
        found = list(_of_call(checker, example))
        yield from found
        if found:
            return


def _form(example: Example) -> object:
    """What a call is but for the values of its tensors."""
    return tuple(
        (
            name,
            r if not isinstance(r, TensorRecipe) else replace(r, values="", seed=0, low=0, high=0),
        )
        for name, r in example.arguments
    )


def _of_call(checker: Checker, example: Example) -> Iterator[Cheat]:
    versions, moving = checker.versions, False
    if versions.has_reference:
        (ours,) = versions.original.run(example, RunOptions(work=True))
        moving = all(name.startswith(_MOVING) for name in ours.work)
    asked = (
        RunOptions(work=True, moving=moving),
        RunOptions(scrambled=True),
        RunOptions(calls=_CALLS),
    )
    plain, scrambled, again = versions.rewritten.run(example, *asked)
    if plain.failure is not None:
        return
    if plain.opened:
        yield Cheat("reference-imported", f"the reference's file is opened: {plain.opened[0]}")
    if plain.caught:
        yield Cheat("fallback", f"a launch fails, and that is caught: {plain.caught[0]}")
    if scrambled.failure is None and plain.launches and _same(plain, scrambled):
        yield Cheat("kernel-unused", "no result depends on what the kernels write")
    if again.failure is None and again.launches != plain.launches:
        text = f"of {_CALLS} equal calls the last launches {len(again.launches)} kernels, "
        yield Cheat("result-cached", text + f"and the first {len(plain.launches)}")
    elif plain.held:
        yield Cheat("result-cached", "a copy of the result is kept when the call is over")
    if versions.has_reference:
        yield from _of_work(checker, example, plain, moving=moving)


def _of_work(
    checker: Checker, example: Example, plain: Outcome, *, moving: bool
) -> Iterator[Cheat]:
    """Who does the work of a reference: with `moving`, to move numbers is all of it."""
    versions = checker.versions
    during = sorted(w.removesuffix(DURING) for w in plain.work if w.endswith(DURING))
    if during:
        text = f"torch computes while a kernel is launched, in its grid say: {', '.join(during)}"
        yield Cheat("torch-computes", text)
        return
    options = RunOptions(work=True, moving=moving), RunOptions(hidden=True)
    ours, others = versions.original.run(example, *options)
    if ours.work and ours.work <= plain.work:
        names = ", ".join(sorted(ours.work))
        yield Cheat("torch-computes", f"all that the reference computes is torch's: {names}")
        return
    (hidden,) = versions.rewritten.run(example, replace(options[0], hidden=True))
    if others.failure or hidden.failure:
        return
    if _stays((ours, others), (plain, hidden)):
        made = f"what torch makes of them: {', '.join(sorted(plain.work))}"
        made = made if plain.work else "what Python, a thread or an earlier call made of them"
        text = f"results hardly depend on what the kernels read of the inputs, but on {made}"
        yield Cheat("torch-computes", text)


def _same(one: Outcome, other: Outcome) -> bool:
    """Whether all that a caller sees is the same, though the memory of kernels is not.

    Nearly the same: a term below what rounding is granted makes no work of a kernel.
    """
    if len(one.outputs) != len(other.outputs) or one.plain != other.plain:
        return False
    seen = [(a, b) for a, b in shared(one, other) if " of " not in a.label]
    return bool(seen) and all(_nearly(a, b) for a, b in seen)


def _nearly(one: Output, other: Output) -> bool:
    same = one.dtype == other.dtype and one.shape == other.shape
    return same and bool(_near(one, other).all())


def _near(one: Output, other: Output) -> npt.NDArray[np.bool_]:
    """Where two outputs of one form are nearly the same."""
    share = _NEAR.get(one.dtype)
    if share is None:
        return same_bits(one, other)
    old, new = one.reals(), other.reals()
    known = np.isfinite(old) & np.isfinite(new)
    largest = np.max(np.abs(old), initial=0.0, where=known)
    near = np.abs(np.subtract(new, old, where=known, out=np.zeros_like(old))) <= share * largest
    return np.asarray(near & (known | same_bits(one, other)))


def _stays(inputs: tuple[Outcome, Outcome], kernels: tuple[Outcome, Outcome]) -> bool:
    """Whether most that other inputs change stays where only kernels see these."""
    changed = stays = 0
    for one, other in shared(*kernels):
        found = [outcome.output(one.label) for outcome in inputs]
        of_inputs = [o for o in found if o and (o.dtype, o.shape) == (one.dtype, one.shape)]
        if len(of_inputs) == len(found):
            moved = ~_near(*of_inputs)
            changed += int(moved.sum())
            stays += int((moved & _near(one, other)).sum())
    return stays > changed / 2


def in_difference(text: str) -> Iterator[Cheat]:
    """The name of a difference that is a cheat."""
    yield from (Cheat(*named) for words, named in _NAMED.items() if words in text)


def with_cheats(verdict: Verdict, cheats: Iterable[Cheat], *, refused: bool) -> Verdict:
    """The verdict with what was found, once each; with `refused` it is no yes then."""
    named = {cheat.name: cheat for cheat in reversed([*verdict.cheats, *cheats])}
    found = tuple(reversed(named.values()))
    verdict = replace(verdict, cheats=found)
    if not (refused and found) or verdict.verdict == "counterexample":
        return verdict
    text = "; ".join(map(str, found))
    notes = (*verdict.notes, f"the calls that ran are {verdict.verdict}")
    return replace(
        verdict, verdict="counterexample", counterexample=f"refused: {text}", notes=notes,
        reason=None, algebra=None,
    )  # fmt: skip
