"""What more a launcher takes than the plainest call that works: dimensions, types, values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, compress, islice, product

from tritonopt.verification.settling.candidates import either_form, free_numbers, variations
from tritonopt.verification.signature.argument_language import (
    COMPLEX,
    FLOATS,
    INTEGERS,
    Argument,
    ChoiceArgument,
    Dimension,
    SequenceArgument,
    Signature,
    SizeArgument,
    TensorArgument,
    names_of,
)
from tritonopt.verification.signature.inference import InferredSignature
from tritonopt.verification.signature.launcher_walk import Evidence

_DEEP = 3
"""A tensor with so many dimensions has some behind the first ones already."""


def raised(
    signature: Signature,
    evidence: Mapping[str, Evidence],
    taken: Callable[[Signature], int],
    stable: Callable[[Signature], bool],
) -> Signature:
    """With any leading dimensions where the code counts dimensions from the last one alone.

    All tensors of one shape alike, or these alone: if the original takes as many sizes (`taken`) as
    without, and its result does not depend on what memory held before (`stable`).
    """
    asked = ((t, evidence.get(t.name)) for t in signature.tensors)
    last = {
        t.name: t.shape
        for t, e in asked
        if e is not None and e.least_rank and not (e.from_start or e.rank or e.annotated)
    }
    for shape in dict.fromkeys(s for s in last.values() if "..." not in s):
        alike = {t.name for t in signature.tensors if t.shape == shape}
        for names in (alike, {n for n, s in last.items() if s == shape}):
            wider = _leading_before(signature, names)
            if taken(wider) >= taken(signature) > 0 and stable(wider):
                signature = wider
                break
    return signature


def deepened(
    signature: Signature,
    evidence: Mapping[str, Evidence],
    taken: Callable[[Signature], int],
    stable: Callable[[Signature], bool],
) -> Signature:
    """With one dimension more behind the others, where the code views what is there as one.

    A launcher that takes pictures takes what has no pixels as well, but then nothing is long.
    """
    for tensor in signature.tensors:
        said = evidence.get(tensor.name)
        if said is None or not said.merged or said.rank is not None or said.annotated is not None:
            continue
        if not 0 < len(tensor.shape) < _DEEP or "..." in tensor.shape:
            continue
        free = next(n for n in "nkldpqrs" if n not in signature.size_names)
        deeper = replace(tensor, shape=(*tensor.shape, free))
        arguments = (deeper if a is tensor else a for a in signature.arguments)
        wider = replace(signature, arguments=tuple(arguments))
        if taken(wider) >= taken(signature) > 0 and stable(wider):
            signature = wider
    return signature


def with_rows(
    signature: Signature,
    taken: Callable[[Signature], int],
    stable: Callable[[Signature], bool],
) -> Signature:
    """With several rows where one was found: a vector, and beside it a tensor of one element.

    How many rows there are is then the size of what had one element for the vector.
    """
    single = {t.name for t in signature.tensors if t.shape == (1,)}
    vectors = [t for t in signature.tensors if len(t.shape) == 1 and _is_name(t.shape[0])]
    free = next((n for n in "mnblkcdpqrs" if n not in signature.size_names), None)
    if not single or free is None or any(len(shape) > 1 for shape in signature.shapes):
        return signature
    for vector in vectors:
        for high in (vector.shape[0], None):

            def changed(
                tensor: TensorArgument,
                vector: TensorArgument = vector,
                high: Dimension | None = high,
            ) -> TensorArgument:
                if tensor.name in single:
                    bound = tensor.high if high is None or tensor.high is None else high
                    return replace(tensor, shape=(free,), high=bound)
                return replace(tensor, shape=(free, *tensor.shape)) if tensor is vector else tensor

            wider = with_tensors(signature, changed)
            if taken(wider) >= taken(signature) > 0 and stable(wider):
                return wider
    return signature


def numbered_once(
    signature: Signature,
    whole: Callable[[Signature], bool],
    racing: Callable[[Signature, str], bool],
) -> Signature:
    """With each number once in what programs store by, where two of the same are a race.

    If the original takes that on `whole` the sizes there are. `racing` says of a signature whether
    programs overwrite each other where the tensor of that name holds one number everywhere.
    """
    for tensor in signature.tensors:
        if tensor.dtypes[0] in INTEGERS and not tensor.kind and racing(signature, tensor.name):
            for form in each_once(tensor):
                distinct = _with(signature, form)
                if whole(distinct):
                    signature = distinct
                    break
    return signature


def each_once(tensor: TensorArgument) -> Iterator[TensorArgument]:
    """The tensor with every number once in it; of several dimensions the first one may be meant."""
    if tensor.dtypes[0] in INTEGERS and not tensor.kind and tensor.shape:
        numbered = replace(tensor, low=0, high=None, kind="permutation")
        yield numbered
        if len(tensor.shape) > 1 and tensor.shape[0] != "...":
            yield replace(numbered, shape=tensor.shape[:1])


def _is_name(dimension: Dimension) -> bool:
    return isinstance(dimension, str) and dimension.isidentifier()


def _leading_before(signature: Signature, names: Collection[str]) -> Signature:
    """With any dimensions before those that these tensors have."""
    return with_tensors(
        signature, lambda t: replace(t, shape=("...", *t.shape)) if t.name in names else t
    )


def with_complex(signature: Signature, *, beside: bool) -> Signature:
    """With complex numbers in all tensors of floats, alone or `beside` their other types."""

    def changed(tensor: TensorArgument) -> TensorArgument:
        if tensor.dtypes[0] not in FLOATS:
            return tensor
        return replace(tensor, dtypes=(*(tensor.dtypes if beside else ()), COMPLEX))

    return with_tensors(signature, changed)


def with_tensors(
    signature: Signature, changed: Callable[[TensorArgument], TensorArgument]
) -> Signature:
    """With other forms for the tensors, those in lists included."""

    def of(argument: Argument) -> Argument:
        if isinstance(argument, SequenceArgument):
            return argument.with_parts(changed)
        return changed(argument) if isinstance(argument, TensorArgument) else argument

    return replace(signature, arguments=tuple(map(of, signature.arguments)))


def with_leading(signature: Signature, names: Sequence[str]) -> Signature:
    """With these dimensions in place of `...`."""

    def changed(tensor: TensorArgument) -> TensorArgument:
        shape = (s for d in tensor.shape for s in (names if d == "..." else (d,)))
        return replace(tensor, shape=tuple(shape))

    return with_tensors(signature, changed)


# Other values than those that a search came upon: numbers, tensors, what is left out.

_MOST_SHAPES = 3


@dataclass(frozen=True)
class OtherValues:
    """What else a launcher takes, one parameter after the other."""

    reading: InferredSignature
    good: Callable[[Signature], bool]
    """Whether the original takes it."""
    put: Callable[[Signature, Argument], Signature]
    """The signature with one argument more, or another one in its place."""
    spent: Callable[[], bool]
    """Whether enough was tried."""

    def beside(self, signature: Signature) -> Signature:
        """The signature with all of them."""
        return self.in_either_form(self.varied(self.with_numbers(signature)))

    def with_numbers(self, signature: Signature) -> Signature:
        """With numbers that are no sizes, where they are taken as well."""
        for numbers in free_numbers(self.reading, signature):
            # One after the other: what two are together may matter.
            if all(self._takes(signature, numbers.name, value) for value in numbers.values):
                signature = self.put(signature, numbers)
        return signature

    def varied(self, signature: Signature) -> Signature:
        """With values for what has defaults, as far as the original takes them."""
        for name, forms in variations(self.reading, signature):
            values: list[object] = []
            for form in forms:
                if self.spent():
                    return signature
                if isinstance(form, TensorArgument):
                    if any(value is not None for value in values):
                        break
                    if self._takes_both(signature, form):
                        signature = self.put(signature, form)
                        break
                elif isinstance(form, ChoiceArgument):
                    for value in [v for v in form.values if v not in values]:
                        if self._takes(signature, name, value):
                            values.append(value)
                        elif (
                            wider := self._fitting(signature, name, (*values, value))
                        ) is not None:
                            signature = wider
                            values.append(value)
            if len(values) > 1:
                signature = self.put(signature, ChoiceArgument(name, tuple(values)))
        return signature

    def in_either_form(self, signature: Signature) -> Signature:
        """With numbers beside tensors, and tensors beside numbers, where both are taken."""
        for name, forms in either_form(self.reading, signature):
            for form in forms:
                if self.spent():
                    return signature
                wider = form
                if isinstance(signature.get(name), TensorArgument):
                    taken = (n for n in form.numbers if self._takes(signature, name, n))
                    wider = replace(form, numbers=tuple(taken))
                elif not self.good(self.put(signature, replace(form, numbers=()))):
                    continue
                signature = self.put(signature, wider)
                break
        return signature

    def _fitting(
        self, signature: Signature, name: str, values: Sequence[object]
    ) -> Signature | None:
        """With more or fewer dimensions for some tensor of floats, where that goes with all values.

        Of a mean the gradient is one number, and of what is not reduced one for each row. What says
        which dimension is meant asks for no others.
        """
        ranked = self.reading.ranked
        floats = [t for t in signature.tensors if t.dtypes[0] in FLOATS and t.name not in ranked]
        plain = len(values) > 1 and not name.lower().startswith(("dim", "axis"))
        for tensor in floats if plain else ():
            others = {s: None for s in signature.shapes if s and len(s) != len(tensor.shape)}
            for shape in list(others)[:_MOST_SHAPES]:
                if self.spent():
                    return None
                wider = self.put(signature, replace(tensor, shape=shape))
                if all(self._takes(wider, name, value) for value in reversed(values)):
                    return wider
        return None

    def _takes_both(self, signature: Signature, form: TensorArgument) -> bool:
        """A tensor, and None: that of the two which the signature does not have so far."""
        if isinstance(signature.get(form.name), TensorArgument):
            return self._takes(signature, form.name, None)
        return self.good(self.put(signature, replace(form, optional=False)))

    def _takes(self, signature: Signature, name: str, value: object) -> bool:
        """A value, with any leading dimensions or with one that has the sizes of all others."""
        wanted = self.put(signature, ChoiceArgument(name, (value,)))
        names = {size for shape in wanted.shapes for size in shape}
        one = [n for n in "mblkcdpqrs" if n not in names][:1]
        if self.good(wanted) or ("..." in names and self.good(with_leading(wanted, one))):
            return True
        # Of several that may be left out one is asked for.
        filled = _with_others_given(signature)
        return value is None and filled != signature and self._takes(filled, name, None)


def _with_others_given(signature: Signature) -> Signature:
    """With another value in the place of each None that comes first."""

    def given(argument: Argument) -> Argument:
        values = argument.values if isinstance(argument, ChoiceArgument) else ()
        several = len(values) > 1 and values[0] is None
        return ChoiceArgument(argument.name, (*values[1:], None)) if several else argument

    return replace(signature, arguments=tuple(map(given, signature.arguments)))


# Ties that a search has guessed, undone: sizes told apart, where the original takes that as well.
#
# A guess that two sizes are one hides all that a rewrite does to one of them alone. So every tie is
# tried without: what the original then takes on all patterns of sizes, larger and smaller than what
# it was tied to, without leaving its memory, was a guess. What it does not take was none.

_FREE, _GROUP = "mnkblcdepqrstuvwg", "g"
_MOST_PLACES = 6
"""Of a size that stands in more places, single ones and those of one tensor are told apart."""
_MOST_PAIRS = 10
_MOST_FORMS = 6
_SEVERAL = 8
_FAR = 2**20
"""An index so large is outside of every tensor."""

Place = tuple[str, int]
"""An argument, and a dimension; or one of the two below."""
_HIGH, _NUMBER = -1, -2
"""The bound of whole numbers, and a number that is a size."""


@dataclass(frozen=True)
class Ties:
    """What is tied together in what a launcher takes."""

    whole: Callable[[Signature], bool]
    """Whether the original takes it on every pattern of sizes."""
    good: Callable[[Signature], bool]
    """Whether it takes it on some of them."""
    stable: Callable[[Signature], bool]
    """Whether a result does not depend on what memory held before."""
    spent: Callable[[], bool]
    like: Sequence[tuple[str, Signature]] = ()
    """What other launchers were found to take, whose tensors of the same form stay as they are."""
    at: Callable[[Signature, Mapping[str, int]], bool] = lambda form, sizes: True
    """Whether it takes it with some sizes as large as that."""
    divisors: Sequence[int] = ()
    """Numbers that the file divides something by."""

    def undone(self, signature: Signature, typed: set[str]) -> Signature:
        """Without the ties that the original does not need; `typed` are tensors of known types."""
        if not self._takes(signature):
            return signature
        steps = (self._as_indices(typed), self._quotients, self._apart, self._multiples)
        for step in (*steps, self._apart):
            signature = _widest(signature, step, lambda f: not self.spent() and self._takes(f))
        return replace(signature, forms=tuple(self._with_less(signature)))

    def _takes(self, form: Signature) -> bool:
        named = {name for tensor in form.tensors for name in names_of(tensor.high or 0)}
        if not named <= {*form.size_names} or not self.whole(form):
            return False
        several = (a for a in form.arguments if isinstance(a, ChoiceArgument))
        others = (_chosen(form, a.name, value) for a in several for value in a.values[1:])
        return all(map(self.good, others)) and self.stable(form)

    def _apart(self, signature: Signature) -> Iterator[Signature]:
        """A size of its own for some of the places that have the same one."""
        for name in dict.fromkeys(d for _, d in _places(signature)):
            places = [place for place, d in _places(signature) if d == name]
            like = {(t.name, t.shape) for _, other in self.like for t in other.tensors}
            known = {t.name for t in signature.tensors if (t.name, t.shape) in like}
            # What is one number everywhere may be any size in each place.
            for moved in _parts([("", 0), *places] if isinstance(name, int) else places):
                if not any(of in known for of, _ in moved):
                    yield _moved(signature, moved, _free(signature))

    def _multiples(self, signature: Signature) -> Iterator[Signature]:
        """Several of what was found once: groups of what is as long as all there is, pairs.

        `K // group_size` is 1 where the group is all of K, and `D // 2` where D is 2.
        """
        ones = [place for place, d in _places(signature) if d == 1]
        free = _free(signature)
        for some in _parts([("", 0), *ones]) if ones else ():
            single = _moved(signature, some, free)
            for argument in signature.arguments:
                if isinstance(argument, SizeArgument) and not argument.as_tuple:
                    yield from _in_groups(single, argument, free)
            constants = {d for _, d in _places(signature) if isinstance(d, int) and d > 1}
            for number in sorted(constants):
                places = [place for place, d in _places(signature) if d == number]
                yield _moved(single, places, f"{number} * {free}")
                # Some are powers of two, of which no name is one in every call.
                larger = _moved(signature, some, _SEVERAL)
                yield _moved(larger, places, number * _SEVERAL)

    def _quotients(self, signature: Signature) -> Iterator[Signature]:
        """So many parts of a size for what was found once, where that is not taken of long ones.

        A scale for each 32 elements is one scale in every small call.
        """
        ones = [place for place, d in _places(signature) if d == 1]
        for name, number in product(signature.size_names if ones else (), self.divisors):
            longer = {name: 2 * number + 3}
            if not self.at(signature, longer):
                for some in dict.fromkeys((tuple(ones), *((place,) for place in ones))):
                    form = _moved(signature, some, f"cdiv({name}, {number})")
                    if self.at(form, longer):
                        yield form

    def _as_indices(self, typed: set[str]) -> Callable[[Signature], Iterator[Signature]]:
        """Whole numbers below a size for what was found to be flags, where they lead somewhere."""

        def forms(signature: Signature) -> Iterator[Signature]:
            for tensor in signature.tensors:
                if tensor.dtypes != ("bool",) or tensor.name in typed:
                    continue
                near, far = (
                    replace(tensor, dtypes=("i64",), low=low, high=low + 1) for low in (0, _FAR)
                )
                if self.whole(_with(signature, far)) or not self.whole(_with(signature, near)):
                    continue
                sizes = [d for s in signature.shapes for d in reversed(s) if isinstance(d, str)]
                shapes = [tensor.shape, *(tensor.shape[:n] for n in range(1, len(tensor.shape)))]
                for shape in reversed(shapes):
                    for size in dict.fromkeys(d for d in sizes if d != "..."):
                        form = replace(tensor, dtypes=("i64",), low=0, high=size, shape=shape)
                        yield _with(signature, form)

        return forms

    def _with_less(self, signature: Signature) -> Iterator[Signature]:
        """Forms that are taken beside: one row or one column of a tensor for many, or no rows."""
        tied = [t for t in signature.tensors if t.shape and "..." not in t.shape]
        count = 0
        for tensor in tied if len(tied) > 1 else ():
            others = [t.shape for t in tied if t is not tensor]
            for form in _smaller(tensor, others):
                smaller = _with(signature, form)
                if count < _MOST_FORMS and not self.spent() and self._takes(smaller):
                    count += 1
                    yield smaller


def _smaller(
    tensor: TensorArgument, others: Sequence[tuple[Dimension, ...]]
) -> Iterator[TensorArgument]:
    sizes = {d for shape in others for d in shape}
    for axis, size in enumerate(tensor.shape):
        if isinstance(size, str) and size in sizes:
            yield replace(tensor, shape=(*tensor.shape[:axis], 1, *tensor.shape[axis + 1 :]))
    # What alone has so many dimensions is what the others are spread over.
    if len(tensor.shape) > 1 and any(len(shape) >= len(tensor.shape) for shape in others):
        yield replace(tensor, shape=tensor.shape[1:])


def _places(signature: Signature) -> list[tuple[Place, Dimension]]:
    """Where sizes stand: dimensions, bounds of whole numbers, numbers."""
    found: list[tuple[Place, Dimension]] = []
    for tensor in (t for t in signature.tensors if not t.optional):
        found += [((tensor.name, at), d) for at, d in enumerate(tensor.shape) if d != "..."]
        if tensor.dtypes[0] in INTEGERS and isinstance(tensor.high, str):
            found.append(((tensor.name, _HIGH), tensor.high))
    for argument in signature.arguments:
        if not isinstance(argument, SizeArgument) or argument.as_tuple:
            continue
        # A number that is called like a size is that size.
        if argument.name.lower() != argument.sizes[0]:
            found.append(((argument.name, _NUMBER), argument.sizes[0]))
    return found


def _parts(places: Sequence[Place]) -> Iterator[Sequence[Place]]:
    """Some of the places, the first of which stays: fewer first."""
    rest = places[1:]
    if len(places) <= _MOST_PLACES:
        for count in range(1, len(places)):
            yield from combinations(rest, count)
        return
    yield from ((place,) for place in rest)
    for name in dict.fromkeys(name for name, _ in rest):
        yield [place for place in rest if place[0] == name]


def _moved(signature: Signature, places: Sequence[Place], size: Dimension) -> Signature:
    """With another size in these places."""

    def tensor(form: TensorArgument) -> TensorArgument:
        shape = (size if (form.name, at) in places else d for at, d in enumerate(form.shape))
        high = size if (form.name, _HIGH) in places else form.high
        return replace(form, shape=tuple(shape), high=high)

    def number(argument: Argument) -> Argument:
        if isinstance(argument, SizeArgument) and (argument.name, _NUMBER) in places:
            return replace(argument, sizes=(size,))
        return argument

    wider = with_tensors(signature, tensor)
    return replace(wider, arguments=tuple(map(number, wider.arguments)))


def _in_groups(signature: Signature, number: SizeArgument, free: str) -> Iterator[Signature]:
    """So many times what a number is, in all tensors that have a size of it."""
    for name in names_of(number.sizes[0]):

        def several(form: TensorArgument, name: str = name) -> TensorArgument:
            shape = (f"{d} * {free}" if name in names_of(d) else d for d in form.shape)
            return replace(form, shape=tuple(shape))

        yield with_tensors(signature, several)


def _with(signature: Signature, form: TensorArgument) -> Signature:
    return with_tensors(signature, lambda t: form if t.name == form.name else t)


def _chosen(signature: Signature, name: str, value: object) -> Signature:
    one = ChoiceArgument(name, (value,))
    arguments = (one if a.name == name else a for a in signature.arguments)
    return replace(signature, arguments=tuple(arguments))


def _free(signature: Signature, first: str = "") -> str:
    """A name that no size has."""
    return next(n for n in first + _FREE if n not in signature.size_names)


# Before other values are looked for: what is found later takes its shape from what is there.


def told_apart(
    signature: Signature,
    taken: Callable[[Signature], int],
    stable: Callable[[Signature], bool],
) -> Signature:
    """With two sizes where one stands twice in a shape, if the original takes that as well.

    A square hides which of its sides is meant, and one of them may never be long alone.
    """

    def forms(signature: Signature) -> Iterator[Signature]:
        for tensor in signature.tensors:
            for size in filter(_is_name, dict.fromkeys(tensor.shape)):
                places = _dimensions(signature, size)
                own = [place for place in places if place[0] == tensor.name]
                rest = [place for place in places if place[0] != tensor.name]
                if len(own) == 2 and len(places) <= _MOST_PLACES:
                    for chosen in product((False, True), repeat=len(rest)):
                        others = [own[1], *compress(rest, chosen)]
                        yield _moved(signature, others, _free(signature))

    least = taken(signature)
    return _widest(signature, forms, lambda form: taken(form) >= least > 0 and stable(form))


def with_longer(signature: Signature, whole: Callable[[Signature], bool]) -> Signature:
    """With sizes of their own for those that were found to be 1, where `whole` says it is taken.

    In all tensors of that many dimensions alike, or in two of them, or in one. What the code asks
    to be 1 stays so: nothing else is taken.
    """

    def forms(signature: Signature) -> Iterator[Signature]:
        ranks = {tensor.name: len(tensor.shape) for tensor in signature.tensors}
        single = [(ranks[name], at, name) for name, at in _dimensions(signature, 1)]
        for rank, at in sorted({(rank, at) for rank, at, _ in single if rank > 1}):
            places = [(name, at) for r, a, name in single if (r, a) == (rank, at)]
            pairs = islice(combinations(places, 2), _MOST_PAIRS)
            for some in dict.fromkeys((tuple(places), *pairs, *((place,) for place in places))):
                yield _moved(signature, some, _free(signature))

    return _widest(signature, forms, whole)


def with_groups(
    signature: Signature,
    function: ast.AST,
    whole: Callable[[Signature], bool],
    stable: Callable[[Signature], bool],
) -> Signature:
    """With several times as many in some tensors, where the code divides one size by another.

    `group = n_heads // n_kv_heads` is 1 in every call where both are one size. One or two tensors
    have the size then, and all others of that many a multiple; or the other way around.
    """
    divided = {name for node in ast.walk(function) for name in _divided(node)}
    sizes = dict.fromkeys(d for shape in signature.shapes for d in shape if d in divided)
    for size in filter(_is_name, sizes):
        places = _dimensions(signature, size)
        fewer = islice((*((p,) for p in places), *combinations(places, 2)), _MOST_PAIRS)
        for some in fewer if 1 < len(places) <= _MOST_PLACES else ():
            for longer in ([p for p in places if p not in some], some):
                wider = _moved(signature, longer, f"{size} * {_free(signature, _GROUP)}")
                if 0 < len(longer) < len(places) and whole(wider) and stable(wider):
                    return wider
    return signature


def _divided(node: ast.AST) -> tuple[str, ...]:
    """The names in `n % m` and `n // m`, as sizes are called."""
    match node:
        case ast.BinOp(
            left=ast.Name(id=one), op=ast.Mod() | ast.FloorDiv(), right=ast.Name(id=other)
        ):
            return one.lower(), other.lower()
    return ()


def _dimensions(signature: Signature, size: Dimension) -> list[Place]:
    return [(t.name, at) for t in signature.tensors for at, d in enumerate(t.shape) if d == size]


def _widest(
    signature: Signature,
    forms: Callable[[Signature], Iterator[Signature]],
    taken: Callable[[Signature], bool],
) -> Signature:
    """The first form that is taken, of that again the first, until none is."""
    found: Signature | None = signature
    while found is not None:
        signature, found = found, next(filter(taken, forms(found)), None)
    return signature
