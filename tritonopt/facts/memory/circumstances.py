"""What decides beside the sizes whether a launch comes to an access: flags and defaults."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
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
)
from tritonopt.facts.algebra.divisibility import stated_tests
from tritonopt.facts.algebra.polynomial import Atom, Polynomial
from tritonopt.source import Launch
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts


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


def switches_in(forms: Iterable[Polynomial]) -> list[Atom]:
    """What is true or false whatever the sizes are: `bias is not None`, a type."""
    found: dict[Atom, None] = {}
    for form in forms:
        for leaf in form.leaves():
            asks = isinstance(leaf, Compared) and leaf.order == "is"
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


def stated_by_kernel(facts: KernelFacts) -> Iterator[Polynomial]:
    """What the kernel itself says of what it is given, for good or while it is debugged."""
    for test, _ in stated_tests(facts, debugging=True):
        value = facts.values.get(test)
        if value is not None:
            yield facts.forms.condition(value)


def is_per_lane(form: Polynomial) -> bool:
    return any(isinstance(leaf, (Lane, ProgramId, Iteration, Loaded)) for leaf in form.leaves())


def says_sizes(launch: Launch) -> bool:
    """Whether annotations of the launcher give numbers for sizes: `Float[Tensor, "m 128"]`."""
    assert launch.launcher is not None
    arguments = launch.launcher.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    noted = (a.annotation for a in every if a.annotation is not None)
    texts = (n.value for a in noted for n in walk(a) if isinstance(n, ast.Constant))
    return any(isinstance(t, str) and re.search(r"\b\d+\b", t) for t in texts)
