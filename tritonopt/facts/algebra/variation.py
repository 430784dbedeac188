"""Along which lanes and loops a form varies.

Lanes are numbered from the last axis, so that broadcasting changes nothing: `cols` and
`cols[None, :]` have one form.
"""

from __future__ import annotations

from dataclasses import replace

from tritonopt.facts.algebra.atoms import Call, HiddenLane, Iteration, Lane, Opaque, Placed
from tritonopt.facts.algebra.polynomial import Atom, Polynomial
from tritonopt.facts.effects import Loop


def _is_carried_by(leaf: Atom, loop: Loop) -> bool:
    own = leaf.identity if isinstance(leaf, Opaque) else None
    return isinstance(own, tuple) and own[:2] == ("carried", loop.identity)


def varies_itself(leaf: Atom, loop: Loop) -> bool:
    return leaf == Iteration(loop.identity) or _is_carried_by(leaf, loop)


def varies_with(atom: Atom, loop: Loop) -> bool:
    """Whether an atom may differ between iterations of a loop."""
    return any(varies_itself(leaf, loop) for leaf in atom.leaves())


def varies_along(atom: Atom, axis: int) -> bool:
    """Whether an atom may differ between lanes along an axis, counted from the right."""
    for leaf in atom.leaves():
        if isinstance(leaf, Lane) and leaf.axis == axis:
            return True
        if isinstance(leaf, Placed) and (leaf.axes == "unknown" or axis in leaf.axes):
            return True
        if isinstance(leaf, Call):
            return True
    return False


def has_unknown_axes(form: Polynomial) -> bool:
    """Whether it is not known along which axes the form varies: nobody can move or sum them."""
    return any(
        isinstance(leaf, Call) or (isinstance(leaf, Placed) and leaf.axes == "unknown")
        for leaf in form.leaves()
    )


def move_axes(form: Polynomial, moved: dict[int, int]) -> Polynomial:
    """The form with lanes along axis `a` now along `moved.get(a, a)`."""
    if all(a == b for a, b in moved.items()):
        return form

    def change(atom: Atom) -> Atom | None:
        if isinstance(atom, Lane):
            return Lane(atom.extent, moved.get(atom.axis, atom.axis))
        if isinstance(atom, Placed) and isinstance(atom.axes, tuple):
            elsewhere = tuple(moved.get(a, a) if isinstance(a, int) else a for a in atom.axes)
            return replace(atom, axes=elsewhere)
        return None

    return form.map(change)


def hide_lanes(form: Polynomial) -> Polynomial:
    """Lanes that are no longer the result's own axes."""
    return form.map(lambda a: HiddenLane(a.extent, a.axis) if isinstance(a, Lane) else None)
