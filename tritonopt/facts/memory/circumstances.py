"""What decides beside the sizes whether a launch comes to an access: flags and defaults."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.atoms import (
    Compared,
    Constant,
    Flag,
    Iteration,
    Lane,
    LauncherParameter,
    Loaded,
    ProgramId,
    SameShape,
    TensorSize,
    Truth,
)
from tritonopt.facts.algebra.divisibility import replaced, stated_tests, substitute
from tritonopt.facts.algebra.polynomial import Atom, Polynomial
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.memory.offsets import number_of
from tritonopt.facts.values import Value
from tritonopt.source import Launch
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts

MOST_SWITCHES = 5
_SHAPE = re.compile(r"\[[^\]]*\]")


def inputs_of(form: Polynomial, but: Iterable[Atom] = ()) -> Iterator[Atom]:
    """What a form is computed from: sizes, lanes, programs, iterations, or anything else.

    `but` for what is inside of some atoms.
    """
    for atom in form.atoms:
        if isinstance(atom, Constant) or atom in but:
            continue
        if isinstance(atom, (TensorSize, ProgramId, Iteration, SameShape)):
            yield atom
            continue
        if isinstance(atom, Lane) or not atom.inside:
            yield atom
        for inner in atom.inside:
            yield from inputs_of(inner, but)


def switches_in(forms: Iterable[Polynomial], *, parameters: bool = False) -> list[Atom]:
    """What is true or false whatever the sizes are: `bias is not None`, a type.

    With `parameters` also what is true or false of a parameter: `causal`, `mode == "sum"`.
    """
    found: dict[Atom, None] = {}
    for form in forms:
        for leaf in form.leaves():
            asks = isinstance(leaf, Compared) and leaf.order == "is"
            asks = asks or (parameters and isinstance(leaf, (Truth, Compared)))
            given = [atom for inner in leaf.inside for atom in inputs_of(inner)]
            open_one = asks and given and all(isinstance(a, LauncherParameter) for a in given)
            if isinstance(leaf, Flag) or open_one:
                found[leaf] = None
    return list(found)


@lru_cache(maxsize=32)
def defaults_of(launch: Launch) -> dict[Atom, Polynomial]:
    """The numbers, texts and None that the launcher's parameters have as a default."""
    if launch.launcher is None:
        return {}
    arguments = launch.launcher.args
    plain = [*arguments.posonlyargs, *arguments.args]
    count = len(arguments.defaults)
    given = [*zip(plain[len(plain) - count :], arguments.defaults, strict=True)]
    given += [(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d]
    found: dict[Atom, Polynomial] = {}
    for argument, default in given:
        match default:
            case ast.Constant(value=int() as number):
                found[LauncherParameter(argument.arg)] = Polynomial.constant(int(number))
            case ast.Constant(value=str() as text):
                found[LauncherParameter(argument.arg)] = Polynomial.of(Constant(repr(text)))
    return found


@lru_cache(maxsize=32)
def numbers_given(launch: Launch) -> dict[Atom, Polynomial]:
    """The numbers that the launcher's parameters have in every call in its file: passed, or left
    to be the default. Without a call, the defaults."""
    function = launch.launcher
    if function is None:
        return {}
    parameters = [*function.args.posonlyargs, *function.args.args]
    first = 1 if parameters and parameters[0].arg in ("self", "cls", "ctx") else 0
    names = [parameter.arg for parameter in parameters][first:]
    calls = [
        node
        for node in walk(launch.module.tree)
        if isinstance(node, ast.Call) and _called(node.func) == function.name
    ]
    found: dict[Atom, Polynomial] = {}
    defaults = defaults_of(launch)
    for name in [*names, *(argument.arg for argument in function.args.kwonlyargs)]:
        atom = LauncherParameter(name)
        default = defaults.get(atom)
        given = {_number_passed(call, name, names, default) for call in calls} or {default}
        (number, *others) = given
        if number is not None and not others and number.constant_value is not None:
            found[atom] = number
    return found


def _called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _number_passed(
    call: ast.Call, name: str, names: Sequence[str], default: Polynomial | None
) -> Polynomial | None:
    """What a call passes for a parameter; None for what is no number, or cannot be told."""
    passed = {keyword.arg: keyword.value for keyword in call.keywords}
    if None in passed or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    by_place = dict(zip(names, call.args, strict=False))
    match by_place.get(name, passed.get(name)):
        case None:
            return default
        case ast.Constant(value=int() as number):
            return Polynomial.constant(number)
    return None


def arms_taken(
    facts: KernelFacts, condition: Value, *, by_default: bool = False
) -> frozenset[bool] | None:
    """The sides of an `if` that some launch takes, whatever the sizes are; None if not known.

    With `by_default` what is left to the caller of a launcher is its default.
    """
    found: set[bool] = set()
    form = facts.forms.condition(condition)
    for binding in facts.launches.bindings:
        asked = substitute(form, binding)
        if by_default:
            asked = replaced(asked, defaults_of(binding.launch))
        switches = switches_in([asked])
        if len(switches) > MOST_SWITCHES:
            return None
        for answers in product((0, 1), repeat=len(switches)):
            number = number_of(asked, dict(zip(switches, answers, strict=True)))
            if number is None:
                return None
            found.add(bool(number))
    return frozenset(found) if found else None


def is_left_out(facts: KernelFacts, node: ast.AST) -> bool:
    """Whether a piece of the kernel stands where no launch comes: `if FUSED:`, always False."""
    parents, home = facts.kernel.module.names.parents, names_of(facts.kernel.node).home
    place: ast.AST | None = node
    while place is not None and place not in home:
        place = parents.get(place)
    while isinstance(place, ast.stmt) and place in home:
        around, block, _ = home[place]
        if isinstance(around, ast.If) and around.test in facts.values:
            arms = arms_taken(facts, facts.values[around.test])
            if arms is not None and (block is around.body) not in arms:
                return True
        place = around
    return False


def stated_by_kernel(facts: KernelFacts) -> Iterator[Polynomial]:
    """What the kernel itself says of what it is given, for good or while it is debugged."""
    for test, _ in stated_tests(facts, debugging=True):
        value = facts.values.get(test)
        if value is not None:
            yield facts.forms.condition(value)


def is_per_lane(form: Polynomial) -> bool:
    return any(isinstance(leaf, (Lane, ProgramId, Iteration, Loaded)) for leaf in form.leaves())


def says_sizes(launch: Launch) -> bool:
    """Whether numbers for sizes are written at the launcher: `Float[Tensor, "m 128"]`.

    In annotations, or above it as `verify` reads them: `# tritonopt: x: f32[m, 128]`.
    """
    launcher = launch.launcher
    assert launcher is not None
    arguments = launcher.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    noted = (a.annotation for a in every if a.annotation is not None)
    texts = [n.value for a in noted for n in walk(a) if isinstance(n, ast.Constant)]
    first = min([launcher.lineno, *(d.lineno for d in launcher.decorator_list)])
    for line in reversed(launch.module.text.splitlines()[: first - 1]):
        if not line.lstrip().startswith("#"):
            break
        texts += _SHAPE.findall(line) if "tritonopt:" in line else []
    return any(isinstance(t, str) and re.search(r"\b\d+\b", t) for t in texts)
