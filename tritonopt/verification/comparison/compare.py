"""Whether two outcomes are the same answer.

Two questions are kept apart. What must agree in any case (what was written,
shapes, whole numbers, where values are finite) is decided for each example.
How large rounding errors are is measured for each example, and judged over all
of them: a single lucky draw of the original must not accuse the rewrite.

Errors are taken against the oracle, the original widened to float64, and
scaled by the largest value of the row. From each error the *sensitivity* is
taken off first: how far the oracle itself moves when its inputs move by about
one unit in the last place of float32. An error of that size is the inputs',
not the kernel's: every order of summation shows it. Where the terms of a sum
cancel, numbers moved at random cancel as well: before a version is accused the
inputs are also moved all away from 0, which shows how large the terms are, in
the result and after everything that was made of it. What remains is the fault
of the way that was computed, and the rewritten version may show at most
`FACTOR` times what the original shows, plus some units of the output's type.

Values that are not finite: where the oracle is not finite either, the original
and the rewritten version must agree on which elements are finite. Not on which
of inf and NaN they are: a shifted or reassociated sum turns inf into inf - inf.
Where the oracle is finite and the original is not (it overflowed), the
rewritten version may be either. Where both the oracle and the original are
finite, the rewritten version must be. A number never becomes NaN. NaN that the
original makes itself, of inputs without any (empty rows, 0 / 0, rows that are
masked altogether), may become a number: that is counted and said, not accused.

Sums in no fixed order. Atomic additions, and additions under a lock, come in
whatever order the programs do, so a version may differ from itself. That is
rounding only up to a bound (`rounding_only`); more is a race, or memory that
nothing wrote. What is rounding is judged as every other error is: both of a
version's runs count, so the original's own spread is part of what the
rewritten version may show, and besides that L sqrt(n) u of the row (see below),
for a sum in many additions is as good as one in few. Whole numbers have no such
excuse.

The bound. Adding n values in any order errs by at most about n u sum|x|, with
u half a unit in the last place; with errors that do not conspire, by
L sqrt(n) u sum|x| for a small L (Higham and Mary, A new approach to
probabilistic rounding error analysis, 2019: the chance of more falls as
exp(-L^2/2)). That sum of magnitudes is not seen in the result where values
cancel, so it is bounded twice, and both bounds are granted: by the largest
value of the row, where nothing cancels; and by the sensitivity s, where things
do. Nudging every x by a random relative amount up to 2u moves the sum by about
s = 2u sqrt(sum x^2 / 3), and sum|x| <= sqrt(n sum x^2), so that
L sqrt(n) u sum|x| <= 0.87 L n s. For n stands the number of elements of the
largest tensor: no sum has more terms. One contribution that is lost is far
above this in the small examples, of which there are always some.

A GPU's atomic additions of float32 take subnormal numbers for 0 (PTX, `atom`),
and an addition in registers does not; so n times the smallest normal number is
granted as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tritonopt.verification.process.messages import (
    REFERENCE,
    Outcome,
    Output,
    Reals,
    same_bits,
)

FACTOR = 4.0
UNITS = {"f64": 2.0**-44, "f32": 16 * 2.0**-23, "f16": 2 * 2.0**-10, "bf16": 2 * 2.0**-7}
"""What the rewritten version may differ by at least, in units of the output's type.
(float64 is compared with a float64 oracle: room for the order of a sum.)"""
TOLERANCE = {"f64": 1e-10, "f32": 1e-4, "f16": 4e-3, "bf16": 3e-2}
"""Without an oracle: how far from the original the rewritten version may be."""
_HALF_UNIT = {"f64": 2.0**-53, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
_LUCK = 6.0
"""L above: one sum in 10^7 comes out further away."""
_TINY = {"f64": 2.0**-1022, "f32": 2.0**-126, "f16": 2.0**-14, "bf16": 2.0**-126}

NUMBER_FOR_NAN = "the original gives NaN, the rewritten version a number"

Mask = npt.NDArray[np.bool_]


NOT_COMPILED = "the original does not compile, according to the interpreter"
NOT_WRITTEN = "not written"
"""What a `Difference` says for an element that a version leaves alone."""


@dataclass(frozen=True)
class Difference:
    """What is wrong, and where it is seen first."""

    message: str
    label: str = ""
    position: str = ""
    original: str = ""
    rewritten: str = ""
    truth: str = ""
    """What the oracle gives there, where there is one."""
    at: int = 0
    """The same place in the flat output, where somebody asks for it."""
    is_of_values: bool = False
    """Whether both versions ran, and wrote the same elements."""

    @property
    def values(self) -> str:
        """The two values, in one line; empty where more is wrong than a value."""
        if not self.is_of_values:
            return ""
        place = f"{self.label}{self.position}"
        return f"{place} is {self.original} in the original and {self.rewritten} as rewritten"

    def __str__(self) -> str:
        lines = [self.message]
        if self.label:
            lines.append(f"output: {self.label}")
        if self.position:
            lines.append(f"first differing index: {self.position}")
        if self.original:
            lines += [f"original:  {self.original}", f"rewritten: {self.rewritten}"]
        if self.truth:
            lines.append(f"float64:   {self.truth}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Measure:
    """The errors of one output on one example.

    An error is a share of the largest true value of its row. Where that value
    is 0 (or below the normal numbers) no share says anything: `error_of_zero` is
    the largest of such rows, as it is.
    """

    label: str
    dtype: str
    error: float
    original_error: float
    error_of_zero: float
    original_error_of_zero: float
    residual: float
    """The rewritten version's largest error beyond the sensitivity."""
    original_residual: float
    difference: Difference
    numbers_for_nan: int = 0
    """So many elements are NaN in the original, and numbers in the rewritten version."""
    allowance: float = 0.0
    """What a sum in no fixed order may err by besides; nothing where none is made."""


@dataclass(frozen=True)
class Pair:
    """One version, run twice on memory filled with two different patterns."""

    first: Outcome
    second: Outcome

    def unwritten(self, output: Output) -> Mask:
        """Which elements still hold the pattern, in both runs."""
        other = self.second.output(output.label)
        if output.poisoned is None or other is None or other.poisoned is None:
            return np.zeros(output.bits.shape, dtype=bool)
        if output.bits.shape != other.bits.shape:
            return np.zeros(output.bits.shape, dtype=bool)
        one, two = output.poisoned
        return np.asarray((output.bits == one) & (other.bits == two))


FAULTS = {
    "out_of_bounds_stores": "writes outside of its memory",
    "out_of_bounds_loads": "reads outside of its memory",
    "races": "has a race",
    "retyped": "does not compile",
    "not_compiled": "does not compile",
    "false_hints": "gives the compiler a false hint",
    "unordered": "has a race",
}
"""What a version may do wrong, by the field of an outcome that tells it."""


def told(pair: Pair, name: str) -> tuple[str, ...]:
    """What a version does wrong in one way; most of it counts in the plain run alone."""
    runs = [pair.first, pair.second][: 1 + (name in ("out_of_bounds_stores", "unordered"))]
    return tuple(found for outcome in runs for found in getattr(outcome, name))


def fault(ours: Pair, theirs: Pair, excused: str = "") -> str:
    """What the rewritten version does wrong and the original does not, whatever it computes."""
    for name, does in FAULTS.items():
        if name != excused and not told(ours, name):
            for found in told(theirs, name):
                return f"the rewritten version {does}: {found}"
    return ""


def unstable(pair: Pair) -> Difference | None:
    """Where a version differs from itself."""
    if pair.first.plain != pair.second.plain:
        return Difference("a returned value differs between two runs")
    for output in pair.first.outputs:
        other = pair.second.output(output.label)
        if other is None or (other.dtype, other.shape) != (output.dtype, output.shape):
            return Difference("an output changes its form between two runs", output.label)
        wrong = ~(same_bits(output, other) | pair.unwritten(output))
        if wrong.any():
            at = int(wrong.argmax())
            return Difference(
                "an output differs between two runs",
                output.label,
                output.position(at),
                output.value(at),
                other.value(at),
            )
    return None


def rounding_only(
    one: Outcome,
    other: Outcome,
    oracle: Outcome | None,
    perturbed: Outcome | None,
    absolute: Outcome | None = None,
) -> bool:
    """Whether two runs of one version differ by no more than sums in another order do.

    `absolute` is a run on inputs without signs: as large as sums are where nothing cancels.
    """
    if one.plain != other.plain or len(one.outputs) != len(other.outputs):
        return False
    pairs = list(shared(one, other))
    if len(pairs) != len(one.outputs):
        return False
    differing = [(a, b) for a, b in pairs if not same_bits(a, b).all()]
    if not all(a.is_float for a, _ in differing):
        return False
    terms = _terms(one)
    # A sum may be kept in a narrower type than that of the output which shows it.
    unit = max((_HALF_UNIT[a.dtype] for a, _ in differing), default=0.0)
    return all(
        _within_rounding(
            a, b, unit, terms, _row_sensitivity(a, oracle, perturbed), _uncancelled(a, absolute)
        )
        for a, b in differing
    )


def _within_rounding(
    one: Output, other: Output, unit: float, terms: int, moved: Reals, uncancelled: Reals
) -> bool:
    left, right = one.reals(), other.reals()
    finite = np.isfinite(left) & np.isfinite(right)
    same = same_bits(one, other)
    if not (finite | same).all():
        return False
    size = np.maximum(_row_scale(left, finite, _columns(one)), uncancelled)
    allowed = 2 * _LUCK * (np.sqrt(terms) * unit * size + 0.87 * terms * moved)
    allowed += 2 * terms * _flushed(one.dtype)
    return bool((same | (np.abs(_minus(left, right, finite)) <= allowed)).all())


def _uncancelled(output: Output, absolute: Outcome | None) -> Reals:
    """How large the terms of each row are together; 0 where that is not known."""
    found = None if absolute is None else absolute.output(output.label)
    if found is None or found.bits.shape != output.bits.shape:
        return np.zeros(output.bits.shape)
    values = found.reals()
    return _row_scale(values, np.isfinite(values), _columns(output))


def furthest(exact: Outcome, one: Outcome, other: Outcome) -> Outcome:
    """Of two runs, element by element, what lies further from the exact one."""
    found = []
    for output in one.outputs:
        truth, second = exact.output(output.label), other.output(output.label)
        shapes = {o.bits.shape for o in (truth, second) if o is not None}
        if output.is_float and truth and second and shapes == {output.bits.shape}:
            output = _further(truth, output, second)
        found.append(output)
    return replace(one, outputs=tuple(found))


def _further(truth: Output, one: Output, other: Output) -> Output:
    here, away, there = truth.reals(), one.reals(), other.reals()
    finite = np.isfinite(here) & np.isfinite(there)
    closer = np.abs(_minus(away, here, np.isfinite(away) & finite))
    return replace(
        one,
        bits=np.where(
            finite & (np.abs(_minus(there, here, finite)) > closer), other.bits, one.bits
        ),
    )


def _row_sensitivity(output: Output, oracle: Outcome | None, perturbed: Outcome | None) -> Reals:
    """How far each row moves when the inputs move by about one unit of float32."""
    exact = None if oracle is None else oracle.output(output.label)
    moved = None if perturbed is None else perturbed.output(output.label)
    if exact is None or moved is None or exact.bits.shape != moved.bits.shape:
        return np.zeros(output.bits.shape)
    here, there = exact.reals(), moved.reals()
    finite = np.isfinite(here) & np.isfinite(there)
    return _row_maximum(np.abs(_minus(there, here, finite)), _columns(output))


def _columns(output: Output) -> int:
    return output.shape[-1] if len(output.shape) > 1 else max(output.bits.size, 1)


def _internal(label: str) -> bool:
    """Memory that only kernels were given, and the launcher's caller never sees."""
    return label.startswith("argument ") and " of " in label


def forms_differ(original: Outcome, rewritten: Outcome) -> Difference | None:
    """Whether different things come back at all."""
    if original.plain != rewritten.plain:
        return Difference(
            "the returned values other than tensors, or their containers, differ",
            original=", ".join(original.plain) or "tensors alone",
            rewritten=", ".join(rewritten.plain) or "tensors alone",
        )
    ours = {o.label: o for o in original.outputs if not _internal(o.label)}
    theirs = {o.label: o for o in rewritten.outputs if not _internal(o.label)}
    for label in ours.keys() ^ theirs.keys():
        side = "original" if label in ours else "rewritten version"
        return Difference(f"only the {side} has this output", label)
    for label, output in ours.items():
        other = theirs[label]
        if (output.dtype, output.shape) != (other.dtype, other.shape):
            return Difference(
                "an output has another type or shape",
                label,
                original=f"{output.dtype}{list(output.shape)}",
                rewritten=f"{other.dtype}{list(other.shape)}",
            )
        if original.launches == (REFERENCE,):
            # Who asks for its values does not ask where they lie.
            output = replace(output, strides=other.strides)
            output = output if other.shares else replace(output, shares="")
        if output.shares != other.shares:
            return Difference(
                "a returned tensor has other memory",
                label,
                original=output.shares or "memory of its own",
                rewritten=other.shares or "memory of its own",
            )
        if _steps(output) != _steps(other):
            return Difference(
                "a returned tensor has other strides",
                label,
                original=str(output.strides),
                rewritten=str(other.strides),
            )
    return None


def _steps(output: Output) -> list[int]:
    """The strides that matter: along a single element, or in nothing, any will do."""
    if not output.bits.size:
        return []
    return [s for s, n in zip(output.strides, output.shape, strict=False) if n > 1]


def shared(original: Outcome, rewritten: Outcome) -> Iterable[tuple[Output, Output]]:
    """Outputs that both have, in one form.

    What the caller does not see counts only where the launches of one version are those of
    the other; a rewrite may well go about it with other launches, and other memory for them.
    """
    same_launches = original.launches == rewritten.launches
    for output in original.outputs:
        if _internal(output.label) and not same_launches:
            continue
        other = rewritten.output(output.label)
        if other is not None and (other.dtype, other.shape) == (output.dtype, output.shape):
            yield output, other


def residues_differ(ours: Outcome, theirs: Outcome) -> tuple[Difference | None, int]:
    """The first element that is another function of the inputs, and how many were compared.

    They are where both versions give a number. Whole numbers are compared by their values.
    """
    compared = 0
    for output, other in shared(ours, theirs):
        if output.residues is None or other.residues is None:
            compared += int((output.bits == other.bits).sum()) if not output.is_float else 0
            continue
        finite = np.isfinite(output.reals()) & np.isfinite(other.reals())
        wrong = (output.residues != other.residues) & finite
        compared += int(finite.sum())
        if wrong.any():
            at = int(wrong.argmax())
            share = f"{int(wrong.sum())} of {wrong.size} elements"
            found = Difference(
                f"another function of the inputs: {share}",
                output.label,
                output.position(at),
                output.value(at),
                other.value(at),
                at=at,
            )
            return found, compared
    return None, compared


def elements_compared(original: Pair, rewritten: Pair) -> int:
    """How many elements both have, and the original has written or was given."""
    return sum(
        int((~original.unwritten(output)).sum())
        for output, _ in shared(original.first, rewritten.first)
    )


def writes_differ(original: Pair, rewritten: Pair) -> Difference | None:
    """Whether one version writes elements that the other leaves alone."""
    for output, other in shared(original.first, rewritten.first):
        ours, theirs = original.unwritten(output), rewritten.unwritten(other)
        if (ours == theirs).all():
            continue
        at = int((ours != theirs).argmax())
        left = NOT_WRITTEN if ours[at] else output.value(at)
        right = NOT_WRITTEN if theirs[at] else other.value(at)
        who = "only the rewritten version" if ours[at] else "only the original"
        return Difference(
            f"{who} writes an element", output.label, output.position(at), left, right
        )
    return None


def bits_differ(
    original: Pair, rewritten: Pair, among: Callable[[Output], bool] = lambda output: True
) -> Difference | None:
    """The first element that is not the same bit for bit (NaN is NaN), in some of the outputs."""
    for output, other in shared(original.first, rewritten.first):
        if not among(output):
            continue
        wrong = ~same_bits(output, other) & ~original.unwritten(output)
        if wrong.any():
            return _at("the outputs differ", output, other, wrong)
    return None


def exact_parts_differ(original: Pair, rewritten: Pair) -> Difference | None:
    """Whole numbers and booleans: there is no rounding that would excuse them."""
    return bits_differ(original, rewritten, lambda o: not (o.is_float or o.is_bitwise))


def not_judged(original: Pair, rewritten: Pair) -> str:
    """Which output differs in a type of which only equal bits say something; empty without one."""
    found = bits_differ(original, rewritten, lambda output: output.is_bitwise)
    return "" if found is None else f"{found.label} is of floats of 8 bits, and differs"


def _at(message: str, output: Output, other: Output, wrong: Mask) -> Difference:
    at = int(wrong.argmax())
    is_of_values = True
    if output.is_float:
        nan = [bool(np.isnan(o.reals()[at])) for o in (output, other)]
        if nan == [True, False]:
            message = NUMBER_FOR_NAN
        elif nan == [False, True]:
            message = "the rewritten version gives NaN where the original gives a number"
            is_of_values = False
    values = output.value(at), other.value(at)
    place = output.label, output.position(at)
    return Difference(message, *place, *values, is_of_values=is_of_values)


def measure(
    original: Pair,
    rewritten: Pair,
    oracle: Outcome | None,
    perturbed: Outcome | None,
    absolute: Outcome | None = None,
    *,
    nan_given: bool = True,
) -> tuple[Difference | None, list[Measure]]:
    """Differences in what is finite, and the errors of every floating-point output.

    Without an oracle the original's first run takes its place: its own error is its
    spread, which is nothing where it does not differ from itself. `absolute` is as in
    `rounding_only`, for sums in no fixed order. `nan_given` says that inputs hold NaN: then
    a number in the place of one is a difference as any other.
    """
    measures: list[Measure] = []
    for output, other in shared(original.first, rewritten.first):
        ours, theirs = original.second.output(output.label), rewritten.second.output(output.label)
        if not output.is_float or output.bits.size == 0 or ours is None or theirs is None:
            continue
        truth = (oracle or original.first).output(output.label) or output
        atomics = original.first.atomics or rewritten.first.atomics
        lost = np.zeros(output.bits.shape)
        if atomics:
            share = _allowance(original.first, output.dtype)
            lost = share * _uncancelled(output, absolute)
            lost += _terms(original.first) * _flushed(output.dtype)
        moved = None if perturbed is None else perturbed.output(output.label)
        unwritten = original.unwritten(output)
        difference, found = _measure(output, other, truth, moved, unwritten, lost, nan_given)
        if difference is not None:
            return difference, measures
        if not (same_bits(output, ours).all() and same_bits(other, theirs).all()):
            difference, second = _measure(ours, theirs, truth, moved, unwritten, lost, nan_given)
            if difference is not None:
                return difference, measures
            found = _worse(found, second)
        if atomics:
            found = replace(found, allowance=_allowance(original.first, output.dtype))
        measures.append(found)
    return None, measures


def beyond_rounding(
    original: Pair,
    rewritten: Pair,
    moved: Sequence[tuple[Outcome, Outcome]],
    exact: Outcome | None = None,
) -> Difference | None:
    """Where the versions differ, and neither does when what it rounds is rounded otherwise.

    `moved` are such runs of the one and of the other: as far as a row moves in any of them the
    versions may differ, and by what they may differ by in any case. Where the rewritten version
    gives what the oracle does, the original is the one that rounds.
    """
    pairs = [(original.first, original.second), (rewritten.first, rewritten.second)]
    pairs += [(original.first, ours) for ours, _ in moved]
    pairs += [(rewritten.first, theirs) for _, theirs in moved]
    for output, other in shared(original.first, rewritten.first):
        if not output.is_float or not output.bits.size:
            continue
        ours, theirs, columns = output.reals(), other.reals(), _columns(output)
        usable = np.isfinite(ours) & np.isfinite(theirs) & ~original.unwritten(output)
        row = np.maximum(_row_scale(ours, usable, columns), _row_scale(theirs, usable, columns))
        row = np.maximum(row, _TINY[output.dtype])
        least = UNITS[output.dtype] * row
        by = np.zeros(ours.shape)
        for plain, changed in pairs:
            by = np.maximum(by, _row_maximum(_moves(plain, changed, output.label, usable), columns))
        gap = np.abs(_minus(theirs, ours, usable))
        wrong = gap > FACTOR * by + least
        truth = None if exact is None else exact.output(output.label)
        if truth is not None and truth.bits.shape == output.bits.shape:
            right = truth.reals()
            usable &= np.isfinite(right)
            wrong &= ~usable | (np.abs(_minus(theirs, right, usable)) > least)
        if wrong.any():
            share = gap / row
            at = int(np.where(wrong, share, 0.0).argmax())
            return _at(
                f"the rewritten version's error is too large: {share[at]:.3g} of the largest value "
                "of the row, and rounding in either version does not explain it",
                output,
                other,
                np.arange(wrong.size) == at,
            )
    return None


def _moves(plain: Outcome, changed: Outcome, label: str, usable: Mask) -> Reals:
    """How far each element is from where it is in the plain run; where that is not known, any."""
    one, other = plain.output(label), changed.output(label)
    if changed.failure is not None or other is None or one is None or one.shape != other.shape:
        return np.full(usable.shape, np.inf)
    here, there = one.reals(), other.reals()
    far = np.abs(_minus(there, here, usable & np.isfinite(there)))
    return np.where(usable & ~np.isfinite(there), np.inf, far)


def _terms(outcome: Outcome) -> int:
    """More than any sum has."""
    return max((o.bits.size for o in outcome.outputs), default=1)


def _flushed(dtype: str) -> float:
    """What one atomic addition may lose of a number that is subnormal in the type of the sum."""
    return min(_TINY[dtype], _TINY["f32"])


def _allowance(outcome: Outcome, dtype: str) -> float:
    """L sqrt(n) u, as a share of the row; of float32 also where less is kept of the result."""
    return float(_LUCK * np.sqrt(_terms(outcome)) * min(_HALF_UNIT[dtype], _HALF_UNIT["f32"]))


def _worse(first: Measure, second: Measure) -> Measure:
    """The largest errors of two runs, shown where the rewritten version's is largest."""
    shown = first if first.residual >= second.residual else second
    return replace(
        shown,
        error=max(first.error, second.error),
        original_error=max(first.original_error, second.original_error),
        error_of_zero=max(first.error_of_zero, second.error_of_zero),
        original_error_of_zero=max(first.original_error_of_zero, second.original_error_of_zero),
        numbers_for_nan=max(first.numbers_for_nan, second.numbers_for_nan),
        residual=max(first.residual, second.residual),
        original_residual=max(first.original_residual, second.original_residual),
    )


def _measure(
    output: Output,
    other: Output,
    truth: Output,
    moved: Output | None,
    unwritten: Mask,
    lost: Reals,
    nan_given: bool,
) -> tuple[Difference | None, Measure]:
    ours, theirs, exact = output.reals(), other.reals(), truth.reals()
    finite = np.isfinite(ours)
    agreed = finite == np.isfinite(theirs)
    made = np.isnan(ours) & np.isnan(exact) & np.isfinite(theirs) & ~unwritten & (not nan_given)
    # A number that becomes NaN has no excuse.
    excused = ((np.isfinite(exact) != finite) & ~(finite & np.isnan(theirs))) | unwritten | made
    # One infinity for the other is no matter of rounding, where the oracle has the original's.
    signs = np.isinf(ours) & np.isinf(theirs) & (ours != theirs) & (ours == exact)
    wrong = (~agreed & ~excused) | (signs & ~unwritten)
    columns = _columns(output)
    usable = finite & np.isfinite(theirs) & np.isfinite(exact) & ~unwritten
    tiny = _TINY[output.dtype]
    largest = _row_scale(exact, usable, columns)
    scale = np.maximum(largest, tiny)
    distance, own_distance = (np.abs(_minus(v, exact, usable)) for v in (theirs, ours))
    error, own = (np.maximum(d - lost, 0.0) / scale for d in (distance, own_distance))
    zero = largest <= tiny
    sensitivity = _sensitivity(output, exact, moved, usable, scale, zero)
    beyond = np.maximum(error - FACTOR * sensitivity, 0.0)
    own_beyond = np.maximum(own - FACTOR * sensitivity, 0.0)
    at = int(beyond.argmax())
    found = Measure(
        output.label,
        output.dtype,
        float(error.max(where=~zero, initial=0.0)),
        float(own.max(where=~zero, initial=0.0)),
        float(distance.max(where=zero, initial=0.0)),
        float(own_distance.max(where=zero, initial=0.0)),
        float(beyond.max()),
        float(own_beyond.max()),
        Difference(
            "the rewritten version's error is too large: "
            + _said(distance[at], own_distance[at], largest[at], tiny),
            output.label,
            output.position(at),
            output.value(at),
            other.value(at),
            truth.value(at) if truth is not output else "",
            is_of_values=True,
        ),
        int(made.sum()),
    )
    if wrong.any():
        message = "one version is finite where the other is not"
        if not (wrong & ~agreed).any():
            message = "one version is inf where the other is -inf"
        return _at(message, output, other, wrong), found
    return None, found


def _sensitivity(
    output: Output, exact: Reals, moved: Output | None, usable: Mask, scale: Reals, zero: Mask
) -> Reals:
    """How far each row moves, as a share of its largest value, when the inputs are perturbed."""
    if moved is None or moved.bits.shape != output.bits.shape:
        return np.zeros_like(exact)
    away = moved.reals()
    comparable = usable & np.isfinite(away)
    found = np.where(comparable, np.abs(_minus(away, exact, comparable)) / scale, 0.0)
    # A single row may hardly have moved by chance, half of them will not.
    found = _row_maximum(found, _columns(output))
    if not zero.all():
        found = np.maximum(found, np.quantile(found[~zero], 0.5, method="lower"))
    return found


def _said(distance: float, own: float, row: float, tiny: float) -> str:
    """One error in words, beside the original's in the same place."""
    if row <= tiny:
        return f"{distance:.3g}, where the original's is {own:.3g}, in a row that is {row:.3g}"
    return (
        f"{distance / row:.3g} of the largest value of the row, where the original's is "
        f"{own / row:.3g}"
    )


def _minus(left: Reals, right: Reals, where: Mask) -> Reals:
    """The difference, without inf - inf where it is not asked for."""
    return np.where(where, left, 0.0) - np.where(where, right, 0.0)


def _row_scale(values: Reals, usable: Mask, columns: int) -> Reals:
    return _row_maximum(np.where(usable, np.abs(values), 0.0), columns)


def _row_maximum(values: Reals, columns: int) -> Reals:
    rows = values.reshape(-1, max(columns, 1))
    largest = rows.max(axis=1, keepdims=True)
    return np.asarray(np.broadcast_to(largest, rows.shape).reshape(-1))
