"""Along which lanes and loops a form varies.

Lanes are numbered from the last axis, so that broadcasting changes nothing: `cols` and
`cols[None, :]` have one form.
"""

from __future__ import annotations

from tritonopt.facts.algebra.polynomial import Atom, Polynomial
from tritonopt.facts.effects import Loop

WITH_AXES = frozenset({"tile", "undefined"})
"""Atoms that name the axes they lie along."""


def trip_atom(loop: int) -> Atom:
    return Atom("trip", (loop,))


def _is_carried_by(leaf: Atom, loop: Loop) -> bool:
    own = leaf.arguments[0] if leaf.tag == "tile" else None
    return isinstance(own, tuple) and own[:2] == ("carried", loop.identity)


def varies_itself(leaf: Atom, loop: Loop) -> bool:
    return leaf == trip_atom(loop.identity) or _is_carried_by(leaf, loop)


def varies_with(atom: Atom, loop: Loop) -> bool:
    """Whether an atom may differ between iterations of a loop."""
    return any(varies_itself(leaf, loop) for leaf in atom.leaves())


def varies_along(atom: Atom, axis: int) -> bool:
    """Whether an atom may differ between lanes along an axis, counted from the right."""
    for leaf in atom.leaves():
        if leaf.tag == "lane" and leaf.arguments[1] == axis:
            return True
        if leaf.tag in WITH_AXES:
            axes = leaf.arguments[1]
            if axes == "unknown" or (isinstance(axes, tuple) and axis in axes):
                return True
        if leaf.tag == "call":
            return True
    return False


def has_unknown_axes(form: Polynomial) -> bool:
    """Whether it is not known along which axes the form varies: nobody can move or sum them."""
    return any(
        leaf.tag == "call" or (leaf.tag in WITH_AXES and leaf.arguments[1] == "unknown")
        for leaf in form.leaves()
    )


def move_axes(form: Polynomial, moved: dict[int, int]) -> Polynomial:
    """The form with lanes along axis `a` now along `moved.get(a, a)`."""
    if all(a == b for a, b in moved.items()):
        return form

    def change(atom: Atom) -> Atom | None:
        if atom.tag == "lane":
            extent, axis = atom.arguments
            assert isinstance(axis, int)
            return Atom("lane", (extent, moved.get(axis, axis)))
        if atom.tag in WITH_AXES and isinstance(atom.arguments[1], tuple):
            own, axes, depends = atom.arguments
            assert isinstance(axes, tuple)
            elsewhere = tuple(moved.get(a, a) if isinstance(a, int) else a for a in axes)
            return Atom(atom.tag, (own, elsewhere, depends))
        return None

    return form.map(change)


def hide_lanes(form: Polynomial) -> Polynomial:
    """Lanes that are no longer the result's own axes."""
    return form.map(lambda a: Atom("bound", ("inner", *a.arguments)) if a.tag == "lane" else None)
