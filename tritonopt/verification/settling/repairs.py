"""What a failed call teaches: which sizes should be equal, which tensor has too few dimensions.

The sizes of a trial differ from each other, so a number in a message, or in a condition that did
not hold, tells which size it is. What is learned is only a guess more: `trying` calls the original
with it, and keeps what the original takes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, permutations, product

from tritonopt.verification.process.messages import Attempt, Blame, Literal
from tritonopt.verification.settling.wider_forms import each_once, with_complex
from tritonopt.verification.signature.argument_language import (
    DTYPES,
    FLOATS,
    INTEGERS,
    MADE_OF_VALUES,
    Argument,
    ChoiceArgument,
    Dimension,
    Signature,
    SizeArgument,
    TensorArgument,
    ValuesArgument,
    short_name,
)
from tritonopt.verification.signature.size_facts import Fact


@dataclass(frozen=True, eq=False)
class Repair:
    """One change of what is passed."""

    change: Callable[[Signature], Signature]
    about: str = ""
    """The argument that it gives another form, if it is about one alone."""

    def __call__(self, signature: Signature) -> Signature:
        return self.change(signature)


_MOST = 12
"""So many guesses from one failure."""
_TIMES = (2, 3, 4, 8, 16)
_PARTS = (2, 3, 4)
_MOST_RANK = 5
_MOST_LISTED = 8
_FREE = "bcmnkldhpqrstuvw"
_RANK = (
    re.compile(r"not enough values to unpack \(expected (?:at least )?(?P<rank>\d+), got \d+\)"),
    re.compile(r"too many values to unpack \(expected (?P<rank>\d+)"),
    re.compile(r"Dimension out of range \(expected to be in range of .*, but got (?P<axis>-?\d+)"),
    re.compile(r"at least (?P<word>one|two|three|four) dimension"),
    re.compile(r"(?:[Ee]xpect\w*|must be|should be|needs?)\b.{0,20}?\b(?P<rank>\d)-?[Dd]\b"),
    re.compile(r"must have (?:exactly )?(?P<rank>\d) dim"),
)
_OF_CONVOLUTION = re.compile(r"a list of (?P<fewer>\d+) values? .* got \w+=\[(?P<steps>[\d, ]+)\]")
"""A filter with so many dimensions that its steps are too many."""
_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4}
_ONE_MORE = re.compile(r"(tuple|list) index out of range|too many indices|IndexError: index \d+ is")
_NO_VIEW = re.compile(r"shape '\[(?P<view>.*)\]' is invalid for input of size (?P<count>\d+)")
_WHOLE = re.compile(
    r"expected (tensor for argument|scalar type).*(Long|Int)|must be (an? )?(long|int)|"
    r"tensors used as indices|to be (int64|int32|long)|int32/int64|not (an )?integer|"
    r"integer (tensor|type|dtype)|'(fp16|fp32|fp64|bf16)'|unsupported operand type.*float|"
    r"operands of type (pointer<\w+>|[\w.]*float\w*) and .*(float|fp|bf)"
)
_SAME_TYPE = re.compile(r"same dtype\W+[Gg]ot (\w+) and (\w+)")
_TOO_WIDE = re.compile(r"Unsupported \w+ dtype int(64|32|16)\b")
_FLAGS = re.compile(r"\bbool\b|boolean")
_NO_LIST = re.compile(
    r"'?(int|float|NoneType|bool)'? object is not (subscriptable|iterable)|"
    r"object of type '(int|float|NoneType|bool)' has no len|argument after \* must be an iterable|"
    r"cannot unpack non-iterable|must be tuple of ints|must be (a )?(tuple|list|sequence)"
)
_UNPACKED = re.compile(r"\(expected (?:at least )?(\d+), got \d+\)")


def repairs(signature: Signature, sizes: Mapping[str, int], attempt: Attempt) -> list[Repair]:
    """What to change next, the surest first; nothing for a call that came through."""
    found: dict[Signature, Repair] = {}
    for repair in _all(signature, sizes, attempt):
        changed = repair(signature)
        if changed != signature:
            found.setdefault(changed, repair)
        if len(found) == _MOST:
            break
    return list(found.values())


def _all(signature: Signature, sizes: Mapping[str, int], attempt: Attempt) -> Iterator[Repair]:
    trouble = re.sub(r" \([\w.]+\.py:\d+\)$", "", attempt.trouble)
    blamed = [t for n in attempt.blame.names for t in signature.tensors if t.name == n]
    # What the message itself names comes first.
    blamed.sort(key=lambda t: not re.search(rf"\b{re.escape(t.name)}\b", trouble))
    yield from _of_comparisons(signature, sizes, attempt)
    yield from _of_ranks(signature, blamed, dict(attempt.blame.ranks), trouble)
    if view := _NO_VIEW.search(trouble):
        wanted = [int(n) for n in re.findall(r"-?\d+", view["view"])]
        count = int(view["count"])
        yield from (r for t in blamed for r in _viewable(t, sizes, wanted, count))
        yield from _divided(signature, sizes, wanted, count)
        most = max((len(t.shape) for t in blamed), default=0)
        longest = (t for t in blamed if len(t.shape) == most)
        yield from (r for t in longest for r in _with_one_more(signature, t))
    if steps := _OF_CONVOLUTION.search(trouble):
        seen, wanted_steps = int(steps["fewer"]), steps["steps"].count(",") + 1
        filters = [t for t in blamed if len(t.shape) == seen + 2]
        for tensor in filters[::-1]:
            yield from (_with(t) for t in _of_rank(signature, tensor, wanted_steps + 2))
    if _WHOLE.search(trouble):
        yield from (r for t in blamed for r in _as_index(signature, t))
    yield from (_with(t) for b in blamed for t in _of_other_types(b, trouble))
    if _FLAGS.search(trouble):
        yield from (_with(replace(t, dtypes=("bool",), high=None)) for t in blamed)
    if _NO_LIST.search(trouble) or _UNPACKED.search(trouble):
        yield from _lists(signature, attempt.blame)
    if any(not isinstance(signature.get(n), TensorArgument) for n in attempt.blame.names):
        yield from _of_lengths(signature, attempt.blame)
    yield from _equal_in_message(signature, sizes, trouble)
    if attempt.level == Attempt.NO_LAUNCH:
        # Another value of what has several may lead to a kernel.
        several = (a for a in signature.arguments if isinstance(a, ChoiceArgument))
        for argument in several:
            first, *others = argument.values
            yield from (_with(replace(argument, values=(*others, first))) for _ in others[:1])
        yield Repair(partial(with_complex, beside=False))  # `if not x.is_complex(): return x`
    if attempt.level == Attempt.RACING:
        blamed = list(signature.tensors)
        # Programs that store where a tensor says store apart where it says nothing twice.
        yield from (_with(t) for b in blamed for t in each_once(b))
    if attempt.level == Attempt.OUTSIDE:
        yield from _of_values(signature)
    if attempt.level in (Attempt.OUTSIDE, Attempt.RACING):
        yield from (_with(t) for b in blamed for t in _of_other_shapes(signature, b))


# Conditions


def _of_comparisons(
    signature: Signature, sizes: Mapping[str, int], attempt: Attempt
) -> Iterator[Repair]:
    """What would make a condition hold that did not."""
    for operator, left, right in attempt.blame.compared:
        if isinstance(left, int) and isinstance(right, int):
            if operator == "%":
                yield from _divisible(signature, sizes, left, right)
            elif operator == "&" and left - right == 1:
                # `half & (half - 1)`: of half a size as well.
                powers = [*_named(sizes, left), *_named(sizes, 2 * left)]
                yield from (_knowing(f"{name} == next_power_of_2({name})") for name in powers)
            elif operator in ("==", "!="):
                yield from _equated(signature, sizes, left, right)
                yield from _counted(signature, sizes, left, right)
            else:
                yield from _ordered(sizes, left, right)
        elif isinstance(left, int) and isinstance(right, tuple) and operator == "in":
            yield from (_knowing(_one_of(name, right)) for name in _named(sizes, left))
        elif isinstance(left, tuple) and isinstance(right, tuple):
            if len(left) == len(right):
                pairs = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
                yield _all_of([r for a, b in pairs for r in _equated(signature, sizes, a, b)][:4])
            yield from _reshaped(signature, sizes, left, right)
        elif left in DTYPES and isinstance(right, str):
            tensors = [t for t in signature.tensors if t.name in attempt.blame.names]
            yield from (_with(_typed(t, right)) for t in tensors if left in t.dtypes[:1])
            yield from (_with(_typed(t, left)) for t in tensors if right in t.dtypes[:1])


def _divisible(
    signature: Signature, sizes: Mapping[str, int], size: int, by: int
) -> Iterator[Repair]:
    """A size that has to be a multiple; so has that of which it is some times as large."""
    if by < 2:
        return
    for name in _named(sizes, size):
        free = next(n for n in _FREE if n not in signature.size_names)
        divisors = [] if isinstance(by, Literal) else _named(sizes, by)
        yield from (_renamed(name, f"{d} * {free}") for d in divisors if d != name)
        yield _knowing(f"{name} % {by} == 0")
    for times, name in product(_TIMES, sizes):
        made = f"{times} * {name}"
        stands = any(made in tensor.shape for tensor in signature.tensors)
        if stands and times * sizes[name] == size:
            yield _knowing(f"{name} % {by // math.gcd(by, times)} == 0")


def _equated(
    signature: Signature, sizes: Mapping[str, int], left: int, right: int
) -> Iterator[Repair]:
    for one, other in ((left, right), (right, left)):
        for name in _named(sizes, one):
            yield from (_renamed(name, size) for size in _named(sizes, other))
            if sizes.get("...") == other:
                yield _renamed("...", name)
            if not _named(sizes, other) and other > 0:
                yield from _multiples(signature, sizes, name, other)
                yield _renamed(name, other)
        for argument in signature.arguments:
            number = argument.values[0] if isinstance(argument, ChoiceArgument) else None
            if type(number) is int and number == one:
                yield from (_with(SizeArgument(argument.name, (d,))) for d in _named(sizes, other))


def _counted(
    signature: Signature, sizes: Mapping[str, int], left: int, right: int
) -> Iterator[Repair]:
    """Numbers of elements that ought to be the same: of a view and of what it shows, of a row."""
    for one, other in ((left, right), (right, left)):
        for tensor in signature.tensors:
            if _count(tensor.shape, sizes) != one:
                continue
            whole = _without_leading(signature, tensor)
            views = (a for a in signature.arguments if isinstance(a, SizeArgument) and a.as_tuple)
            for view in views:
                if _count(view.sizes, sizes) == other:
                    yield _all_of([_with(whole), _with(replace(view, sizes=whole.shape))])
            if tensor.shape[:1] == ("...",):
                yield from (_with(replace(tensor, shape=(n,))) for n in _named(sizes, other))


def _count(shape: Iterable[Dimension], sizes: Mapping[str, int]) -> int:
    """The number of elements of a shape."""
    return math.prod(sizes.get(d, 0) if isinstance(d, str) else d for d in shape)


def _without_leading(signature: Signature, tensor: TensorArgument) -> TensorArgument:
    """The tensor with a dimension of its own in place of leading ones."""
    free = next(name for name in _FREE if name not in signature.size_names)
    return replace(tensor, shape=tuple(free if d == "..." else d for d in tensor.shape))


def _multiples(
    signature: Signature, sizes: Mapping[str, int], name: str, wanted: int
) -> Iterator[Repair]:
    """A size that has to be some times another: packed numbers, a gate beside its values."""
    others = [n for n in signature.size_names if n != name and sizes.get(n, 0) > 1]
    times = [(wanted // sizes[n], n) for n in others if wanted % sizes[n] == 0]
    yield from (_renamed(name, f"{t} * {n}") for t, n in sorted(times) if t in _TIMES)


def _ordered(sizes: Mapping[str, int], left: int, right: int) -> Iterator[Repair]:
    """A bound that a size did not keep: what was asked, and what holds if that is a refusal."""
    for one, other in ((left, right), (right, left)):
        for name in [] if isinstance(one, Literal) else _named(sizes, one):
            named = [] if isinstance(other, Literal) else _named(sizes, other)
            bounds: Sequence[Dimension] = named or [other] * (other > 0)
            yield from (_knowing(f"{name} {'>=' if other > one else '<='} {b}") for b in bounds)


def _one_of(name: str, numbers: Sequence[object]) -> str:
    """That a size is one of the numbers that were asked for."""
    return " or ".join(f"{name} == {number}" for number in numbers[:_MOST_LISTED])


def _reshaped(
    signature: Signature,
    sizes: Mapping[str, int],
    left: tuple[int, ...],
    right: tuple[int, ...],
) -> Iterator[Repair]:
    """Tensors of one of two shapes get the other."""
    for own, wanted in ((left, right), (right, left)):
        names = tuple(next(iter(_named(sizes, size)), size) for size in wanted)
        for tensor in signature.tensors:
            if tuple(sizes.get(str(d), d) for d in tensor.shape) == own:
                yield _with(replace(tensor, shape=names))


# Dimensions


def _of_ranks(
    signature: Signature,
    blamed: Iterable[TensorArgument],
    ranks: Mapping[str, int],
    trouble: str,
) -> Iterator[Repair]:
    said = next((m for pattern in _RANK if (m := pattern.search(trouble))), None)
    more = _ONE_MORE.search(trouble)
    if said is None and more is None:
        return
    for tensor in blamed:
        # A view has other dimensions than its tensor: the difference counts.
        seen = ranks.get(tensor.name, len(tensor.shape))
        wanted = seen + 1
        if said is not None and "rank" in said.groupdict():
            wanted = int(said["rank"])
        elif said is not None and "word" in said.groupdict():
            wanted = max(_WORDS[said["word"]], seen)
        elif said is not None:
            axis = int(said["axis"])
            wanted = axis + 1 if axis >= 0 else -axis
        rank = len(tensor.shape) + wanted - seen
        if rank != len(tensor.shape) and 0 <= rank <= _MOST_RANK:
            yield from (_with(t) for t in _of_rank(signature, tensor, rank))


def _of_rank(signature: Signature, tensor: TensorArgument, rank: int) -> Iterator[TensorArgument]:
    """The tensor with so many dimensions: another's shape, or its own with more or fewer."""
    others = [t.shape for t in signature.tensors if t.name != tensor.name]
    yield from (replace(tensor, shape=s) for s in others if len(s) == rank and "..." not in s)
    own = tuple(d for d in tensor.shape if d != "...")
    if rank <= len(own):
        yield replace(tensor, shape=own[len(own) - rank :])
        return
    taken = set(signature.size_names)
    free = [name for name in _FREE if name not in taken][: rank - len(own)]
    yield replace(tensor, shape=(*free, *own))
    longer = [s for s in others if len(s) == rank + 1 and "..." not in s]
    for shape in longer:
        yield from (replace(tensor, shape=part) for part in combinations(shape, rank))


def _viewable(
    tensor: TensorArgument, sizes: Mapping[str, int], wanted: Sequence[int], count: int
) -> Iterator[Repair]:
    """One size in place of another, so that as many elements are there as a view asks for."""
    own = list(dict.fromkeys(d for d in tensor.shape if isinstance(d, str) and d in sizes))
    for one, other in permutations((d for d in own if d != "..."), 2):
        changed = count // sizes[one] ** tensor.shape.count(one)
        changed *= sizes[other] ** tensor.shape.count(one)
        if changed == math.prod(wanted):
            yield _renamed(one, other)


def _divided(
    signature: Signature, sizes: Mapping[str, int], wanted: Sequence[int], count: int
) -> Iterator[Repair]:
    """What has its last dimension in equal parts: it is even, or another's is that much longer."""
    last = {t.shape[-1] for t in signature.tensors if t.shape}
    for name, parts in product((d for d in sizes if d in last), _PARTS):
        size, part = sizes[name], sizes[name] // parts
        if part in wanted and count % size == 0 and count // size * part == math.prod(wanted):
            for tensor in signature.tensors:
                if tensor.shape[-1:] == (name,):
                    longer = (*tensor.shape[:-1], f"{parts} * {name}")
                    yield _with(replace(tensor, shape=longer))
        if parts == 2 and size % 2 and {part, size - 1} & set(wanted):
            yield _knowing(f"{name} % 2 == 0")


def _with_one_more(signature: Signature, tensor: TensorArgument) -> Iterator[Repair]:
    """With a dimension more at the end, or at the beginning, that no other tensor has."""
    own = tuple(d for d in tensor.shape if d != "...")
    free = next(name for name in _FREE if name not in signature.size_names)
    if 0 < len(own) < _MOST_RANK:
        yield _with(replace(tensor, shape=(*own, free)))
        yield _with(replace(tensor, shape=(free, *own)))


def _of_other_shapes(signature: Signature, tensor: TensorArgument) -> Iterator[TensorArgument]:
    """Shapes that others have, whole or without some dimensions, the longest first."""
    others = {t.shape: None for t in signature.tensors if t.name != tensor.name}
    for shape in sorted(others, key=len, reverse=True):
        for rank in range(len(shape), max(len(tensor.shape) - 1, 0), -1):
            for part in combinations(shape, rank):
                yield replace(tensor, shape=part)


# Types, lists and numbers


def _of_values(signature: Signature) -> Iterator[Repair]:
    """What lengths come to together, for a number: how much is allocated may be that."""
    lengths = [t for t in signature.tensors if t.dtypes[0] in INTEGERS and len(t.shape) == 1]
    for argument, how in product(signature.arguments, MADE_OF_VALUES):
        size = isinstance(argument, SizeArgument) and not argument.as_tuple
        if size or (isinstance(argument, ChoiceArgument) and type(argument.values[0]) is int):
            yield from (_with(ValuesArgument(argument.name, how, t.name)) for t in lengths)


def _as_index(signature: Signature, tensor: TensorArgument) -> Iterator[Repair]:
    if tensor.dtypes[0] not in FLOATS:
        return
    elsewhere = [d for t in signature.tensors if t.name != tensor.name for d in reversed(t.shape)]
    for size in dict.fromkeys(d for d in elsewhere if isinstance(d, str) and d != "..."):
        yield _with(replace(tensor, dtypes=("i64",), low=0, high=size))
    yield _with(replace(tensor, dtypes=("i64",), high=None))


def _of_other_types(tensor: TensorArgument, trouble: str) -> Iterator[TensorArgument]:
    """The type of the other operand, or the narrowest, where the message says as much."""
    if said := _SAME_TYPE.search(trouble):
        one, other = map(short_name, said.groups())
        for own, wanted in ((one, other), (other, one)):
            if tensor.dtypes[0] == own and wanted in DTYPES:
                yield replace(_typed(tensor, wanted), high=None)
    if _TOO_WIDE.search(trouble) and tensor.dtypes[0] in ("i64", "i32", "i16"):
        yield replace(tensor, dtypes=("i8",), high=None)


def _lists(signature: Signature, blame: Blame) -> Iterator[Repair]:
    """A few whole numbers where one was passed."""
    for argument in map(signature.get, blame.names):
        if isinstance(argument, (ChoiceArgument, SizeArgument)):
            for value in ((1, 1), (2, 2), (1,), (1, 1, 1), (4, 4)):
                yield _with(ChoiceArgument(argument.name, (value,)))


def _of_lengths(signature: Signature, blame: Blame) -> Iterator[Repair]:
    """Lists of as many numbers as a condition asked for."""
    plain = [a for n in blame.names if isinstance(a := signature.get(n), ChoiceArgument)]
    wanted = [
        (left, right)
        for operator, left, right in blame.compared
        if operator in ("==", "!=") and isinstance(right, int) and 0 < right <= _MOST_LISTED
    ]
    for argument in plain:
        value = argument.values[0]
        for left, right in wanted:
            if isinstance(value, tuple) and left == len(value) > 0:
                if argument.name.lower().startswith(("dim", "axis", "axes", "perm")):
                    # Each dimension once.
                    yield _with(ChoiceArgument(argument.name, (tuple(range(right))[::-1],)))
                longer = (*value, *value[-1:] * _MOST_LISTED)
                yield _with(ChoiceArgument(argument.name, (longer[:right],)))


def _equal_in_message(
    signature: Signature, sizes: Mapping[str, int], trouble: str
) -> Iterator[Repair]:
    """Two sizes that a message names are to be equal, most likely."""
    numbers = list(dict.fromkeys(int(n) for n in re.findall(r"(?<![\w.])\d+(?![\w.])", trouble)))
    for one, other in combinations([n for n in numbers if n > 1], 2):
        yield from (_renamed(a, b) for a in _named(sizes, one) for b in _named(sizes, other))
        for leading, size in ((one, other), (other, one)):
            if sizes.get("...") == leading:
                yield from (_renamed("...", name) for name in _named(sizes, size))
    for argument in signature.arguments:
        if isinstance(argument, ChoiceArgument) and argument.values[0] in numbers:
            named = [name for n in numbers for name in _named(sizes, n)]
            if type(argument.values[0]) is int:
                yield from (_with(SizeArgument(argument.name, (name,))) for name in named)


def _named(sizes: Mapping[str, int], number: int) -> list[str]:
    """The sizes that have this value; not the leading ones, which are no single size."""
    return [name for name, size in sizes.items() if size == number and name != "..."]


def _typed(tensor: TensorArgument, dtype: str) -> TensorArgument:
    return replace(tensor, dtypes=(dtype,), high=None if dtype in FLOATS else tensor.high)


# Changes


def _with(argument: Argument) -> Repair:
    def change(signature: Signature) -> Signature:
        found = (argument if a.name == argument.name else a for a in signature.arguments)
        return replace(signature, arguments=tuple(found))

    return Repair(change, argument.name)


def _knowing(text: str) -> Repair:
    def change(signature: Signature) -> Signature:
        return replace(signature, facts=tuple(dict.fromkeys((*signature.facts, Fact(text)))))

    return Repair(change)


def _all_of(changes: Iterable[Repair]) -> Repair:
    changes = list(changes)

    def change(signature: Signature) -> Signature:
        for one in changes:
            signature = one(signature)
        return signature

    return Repair(change)


def _renamed(name: str, size: Dimension) -> Repair:
    """One size in place of another, wherever it is named."""

    def new(dimension: Dimension) -> Dimension:
        return size if dimension == name else dimension

    def changed(argument: Argument) -> Argument:
        if isinstance(argument, TensorArgument):
            high = None if argument.high is None else new(argument.high)
            return replace(argument, shape=tuple(map(new, argument.shape)), high=high)
        if isinstance(argument, SizeArgument):
            return replace(argument, sizes=tuple(map(new, argument.sizes)))
        return argument

    def change(signature: Signature) -> Signature:
        facts = tuple(f for f in signature.facts if name not in f.names)
        return replace(signature, arguments=tuple(map(changed, signature.arguments)), facts=facts)

    return Repair(change)
