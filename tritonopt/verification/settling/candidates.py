"""What a launcher might be called with, most plausible first, where its code does not say.

A guess costs nothing but a run: `trial` calls the original with it and keeps it only
if the original takes it and stays within its memory. So names and habits may lead here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os.path import commonprefix

from tritonopt.verification.signature.argument_language import (
    FLOATS,
    INTEGERS,
    Argument,
    ChoiceArgument,
    Dimension,
    SequenceArgument,
    Signature,
    SizeArgument,
    TensorArgument,
    TorchType,
)
from tritonopt.verification.signature.inference import InferredSignature, is_none, layouts
from tritonopt.verification.signature.launcher_walk import DEFAULT_DTYPES, Evidence

FRAMES: tuple[tuple[str, ...], ...] = (
    ("m", "n"),
    ("n",),
    ("b", "m", "n"),
    ("b", "c", "m", "n"),
)
"""Shapes that the operators of libraries are made for, the commonest first."""

_INTEGERS = ("i64",)
_PLAIN = ("int", "float", "bool", "str", "Number", "Scalar", "number")
_WHOLE_LIST = re.compile(
    r"(?:\w+\.)*(?:List|list|Sequence|Iterable|Tuple|tuple|Size)\b(?:\[(?:int|bool)|$)"
)
_TEXT = ("str", "Optional[str]", "typing.Optional[str]", "str | None")
_WHERE = ("device", "layout", "pin_memory", "memory_format", "generator", "stream")
"""Where a result is to lie, and what makes it: the default is what callers pass."""
_OF_A_ROW = ("weight", "bias", "gamma", "beta", "scale", "shift", "alpha")
_OWN_SIZES = "pqrstu"
_OF_A_RESULT = ("size", "out_size", "output_size", "out_shape", "output_shape")
_NUMBERS: tuple[tuple[int | float, ...], ...] = ((-0.75, 1.5, 3), (1.25, -0.5, 4), (2.5, -2.5, 5))
"""What may be passed as a number, for one parameter after the other: between two equal limits there
is one number, and 0 and 1 leave as it is what is added to them, or multiplied."""
_BEFORE_NONE = 2
"""So many forms of what may be left out are tried before that it is left out."""
_MOST = 16
"""So many candidates for one parameter; more would only crowd out the others'."""

_WHOLE_FRAMES = 2
"""So many shapes are tried for tensors of whole numbers."""
_MOST_RELATED = 2
"""So many other launchers say what parameters of theirs may be elsewhere."""


@dataclass(frozen=True)
class Choice:
    """One parameter, and what may be passed for it; None leaves it at its default."""

    name: str
    candidates: tuple[Argument | None, ...]


def choices(
    reading: InferredSignature,
    frame: tuple[str, ...],
    *,
    whole: bool = False,
    documented: bool = False,
    like: Signature | None = None,
) -> list[Choice]:
    """For every parameter what may be passed, if tensors mostly have the shape `frame`.

    What the code says comes first; a frame matters only where it says nothing. With `whole`
    tensors are of whole numbers rather than of floats. With `documented` what comments and
    docstrings say of their shapes comes before all that. What is called as in another launcher's
    signature, `like`, may be what it is there, and all else has the sizes of that.
    """
    known = {a.name: a for a in reading.known}
    said = _documented(reading) if documented else {}
    shared = _shared(reading, like)
    named = [*shared.values(), *reading.known, *(forms[0] for forms in said.values())]
    shapes = _shapes(named, frame)
    found = []
    for parameter in reading.launcher.parameters:
        name = parameter.arg
        evidence = reading.evidence[name]
        argument = known.get(name)
        candidates: Iterable[Argument | None]
        if name in said and name not in reading.launcher.defaults:
            candidates = said[name]
        elif isinstance(argument, TensorArgument):
            candidates = _around(argument, shapes, evidence, name in reading.ranked)
        elif argument is not None:
            candidates = (argument,)
        elif name in reading.unknown:
            kind = reading.kind(parameter)
            candidates = _or_none(_unknown(name, kind, evidence, shapes, frame), evidence, name)
        elif name in _WHERE:
            candidates = (None,)
        else:
            # A default of None is not always taken (`dim=None` of a reduction along `dim`).
            kind = reading.kind(parameter)
            candidates = (None, *_unknown(name, kind, evidence, shapes, frame))
        if name in shared:
            # What may be left out is, as long as that is taken.
            left_out = (None,) * (name in reading.launcher.defaults)
            candidates = (*left_out, shared[name], *candidates)
        ordered = list(dict.fromkeys(candidates))
        if whole:
            ordered.sort(key=lambda a: not (isinstance(a, TensorArgument) and _is_whole(a)))
        found.append(Choice(name, tuple(ordered[:_MOST])))
    return found


def _documented(reading: InferredSignature) -> dict[str, list[TensorArgument]]:
    """By parameter, the forms that comments and docstrings name."""
    said = {name: d for name, e in reading.evidence.items() if (d := e.documented) is not None}
    # Indices mostly lie within the first dimension of what they choose from.
    shapes = sorted((one.shape for one in said.values()), key=len, reverse=True)
    sizes = (*(s[0] for s in shapes if s), *(d for s in shapes for d in s))
    names = [d for d in dict.fromkeys(sizes) if isinstance(d, str) and d.isidentifier()]
    known = {a.name: a for a in reading.known}
    found = {}
    for name, one in said.items():
        given, evidence = known.get(name), reading.evidence[name]
        strided, rows_only = layouts(evidence, len(one.shape))
        dtypes = one.dtypes or evidence.dtypes or DEFAULT_DTYPES
        form = TensorArgument(name, dtypes, one.shape, strided=strided, rows_only=rows_only)
        if isinstance(given, TensorArgument) and given.dtypes != DEFAULT_DTYPES:
            form = replace(given, shape=one.shape)
        if given is not None and not isinstance(given, TensorArgument):
            continue
        if form.dtypes == DEFAULT_DTYPES:
            found[name] = list(_with_types([form], shapes, evidence))
            continue
        whole = form.dtypes[0] in INTEGERS and form.high is None
        within = [replace(form, high=d) for d in names if whole and d not in one.shape]
        found[name] = [*within, form]
    return found


def _or_none(
    candidates: Iterable[Argument | None], evidence: Evidence, name: str
) -> Iterator[Argument | None]:
    """None among the first, where the code asks whether there is one: a group of processes."""
    found = list(candidates)
    nothing = [ChoiceArgument(name, (None,))] if evidence.optional and evidence.tensor else []
    yield from (*found[:_BEFORE_NONE], *nothing, *found[_BEFORE_NONE:])


def tables_of(
    reading: InferredSignature, others: Iterable[tuple[str, Signature]]
) -> tuple[list[list[Choice]], set[int]]:
    """Choices for several frames, and the places of those that come first.

    `others` are what other launchers take, by their names.
    """
    like, own = related(reading, others), own_frames(reading)
    tables = [choices(reading, FRAMES[0], like=other) for other in like]
    tables += [choices(reading, frame) for frame in (*own, *FRAMES)]
    tables += [choices(reading, frame, whole=True) for frame in FRAMES[:_WHOLE_FRAMES]]
    first = set(range(len(like) + len(own) + 1))
    if any(evidence.documented is not None for evidence in reading.evidence.values()):
        first.add(len(first) if reading.documents_bind else len(tables))
        place = 0 if reading.documents_bind else len(tables)
        tables.insert(place, choices(reading, FRAMES[0], documented=True))
    return tables, first


def own_frames(reading: InferredSignature) -> list[tuple[str, ...]]:
    """Shapes of sizes that are parameters of their own, one after the other: `(x, w, N, C, HxW)`.

    By habit these have capital letters, or one letter.
    """
    runs: list[list[str]] = [[]]
    for parameter in reading.launcher.parameters:
        evidence, name = reading.evidence[parameter.arg], parameter.arg
        number = reading.kind(parameter) in ("", "int") and not (evidence.tensor or evidence.places)
        if name in reading.unknown and number and (name[0].isupper() or len(name) == 1):
            runs[-1].append(name.lower())
        else:
            runs.append([])
    longest = max(runs, key=len)
    return [tuple(longest[:count]) for count in (3, 2) if count <= len(longest)]


def _shared(reading: InferredSignature, like: Signature | None) -> dict[str, Argument]:
    """Arguments of another launcher for parameters of the same names.

    Those that have to be given, and tensors that may be left out.
    """
    found: dict[str, Argument] = {}
    for parameter in reading.launcher.parameters if like is not None else ():
        default = reading.launcher.defaults.get(parameter.arg)
        argument = None if like is None else like.get(parameter.arg)
        if isinstance(argument, TensorArgument) and (default is None or is_none(default)):
            found[parameter.arg] = replace(argument, optional=False, numbers=())
        elif default is None and argument is not None:
            found[parameter.arg] = argument
    return _with_rows_of(reading, found)


def _with_rows_of(
    reading: InferredSignature, shared: Mapping[str, Argument]
) -> dict[str, Argument]:
    """With one leading dimension where there may be any, if the code has its own name for it.

    A mean of each row is as long as `x.shape[0]`, and no other size says how many rows there are.
    """
    known = {a.name: a.shape for a in reading.known if isinstance(a, TensorArgument)}
    found = dict(shared)
    for name, argument in shared.items():
        rows = known.get(name, ())[:1]
        if not isinstance(argument, TensorArgument) or argument.shape[:1] != ("...",):
            continue
        if rows and rows[0] not in argument.shape:
            found[name] = replace(argument, shape=(*rows, *argument.shape[1:]))
    return found


def related(reading: InferredSignature, others: Iterable[tuple[str, Signature]]) -> list[Signature]:
    """Of other launchers' signatures those that tell of several parameters of the same names.

    What is called most alike comes first: `loss2d_forward` tells more of `loss2d_backward` than
    `loss_backward` does.
    """
    own = reading.launcher.name
    telling: list[tuple[int, int, int, Signature]] = []
    for name, like in others:
        shared = _shared(reading, like)
        if len(shared) > 1 and any(isinstance(a, TensorArgument) for a in shared.values()):
            telling.append((-len(commonprefix([own, name])), -len(shared), len(telling), like))
    return [like for *_, like in sorted(telling)[:_MOST_RELATED]]


def _is_whole(tensor: TensorArgument) -> bool:
    return tensor.dtypes[0] in INTEGERS


def _shapes(known: Iterable[Argument], frame: tuple[str, ...]) -> list[tuple[Dimension, ...]]:
    """The shapes that tensors are known to have, and the frame; the longest first."""
    found = [a.shape for a in known if isinstance(a, TensorArgument)]
    last = [s[-1] for s in found if s and isinstance(s[-1], str) and s[-1] != "..."]
    # Weights are as long as the rows that they belong to.
    framed = (*frame[:-1], last[0]) if last else frame
    sides = list(dict.fromkeys(last))
    # Two vectors of different sizes are the sides of a matrix.
    square = [(sides[0], sides[1])] if len(sides) == 2 and len(frame) == 2 else []
    return list(dict.fromkeys(sorted([*found, *square, framed], key=len, reverse=True)))


def _around(
    argument: TensorArgument,
    shapes: Sequence[tuple[Dimension, ...]],
    evidence: Evidence,
    ranked: bool,
) -> Iterator[Argument]:
    """What the code says, then other types and sizes that it leaves room for."""
    yield argument
    own = argument.shape
    n, m, c = [name for name in ("n", "m", "c", "b", "k", "l", "d") if name not in own][:3]
    more = [(*own, n), (m, *own), (*own, c, n), (c, m, *own), (*own, c, m, n)]
    others = list(_alternatives(argument, shapes))
    if not ranked and "..." not in own:
        # Of more dimensions than the code shows: those of another tensor, most likely.
        others = [s for s in shapes if len(s) > len(own) and "..." not in s] + others
        others += [shape for shape in more if len(shape) <= 4]
    floats = [argument, *(replace(argument, shape=shape) for shape in others)]
    typed = argument.dtypes != DEFAULT_DTYPES
    yield from floats if typed else _with_types(floats, shapes, evidence)


def _with_types(
    floats: Sequence[TensorArgument],
    shapes: Sequence[tuple[Dimension, ...]],
    evidence: Evidence,
) -> Iterator[TensorArgument]:
    """Every shape as it is, and of other types, where the code does not name the type."""
    words = ("ind", "idx", "ids", "target", "label", "mask")
    others = [typed for argument in floats[:4] for typed in _typed(argument, shapes)]
    if evidence.whole or any(word in floats[0].name.lower() for word in words):
        yield from others
        yield from floats
    else:
        yield from floats
        yield from others


def _typed(
    argument: TensorArgument, shapes: Sequence[tuple[Dimension, ...]]
) -> Iterator[TensorArgument]:
    """The same tensor as an index into some dimension, as flags."""
    size = next((d for s in shapes for d in reversed(s) if d != "..."), None)
    found = [replace(argument, dtypes=("bool",), low=0, high=None)]
    if size is not None:
        found.append(replace(argument, dtypes=_INTEGERS, low=0, high=size))
    yield from found if "mask" in argument.name.lower() else reversed(found)


def _alternatives(
    argument: TensorArgument, shapes: Sequence[tuple[Dimension, ...]]
) -> Iterator[tuple[Dimension, ...]]:
    """Shapes of the same rank in which a size of its own is one of the others' instead."""
    own = argument.shape
    others = [s for s in shapes if s != own]
    if own and own[0] == "...":
        # What has as many leading dimensions comes first, then all that is known to have a shape.
        yield from sorted((s for s in others if s), key=lambda s: s[0] != "...")
        # One for each row of another, or as long as its rows.
        parts = [part for s in others if len(s) > 1 for part in (s[:-1], s[-1:])]
        yield from (part for part in parts if "..." not in part)
        for frame in FRAMES:
            yield (*frame[:-1], *own[1:]) if len(own) == 2 else frame
        yield from (part for part in parts if "..." in part)
        return
    yield from (s for s in others if len(s) == len(own) and "..." not in s)
    yield from (s[: len(own)] for s in others if len(s) > len(own) and "..." not in s)
    yield from (s[len(s) - len(own) :] for s in others if len(s) > len(own) and own)
    sizes = dict.fromkeys(d for s in others for d in s if isinstance(d, str) and d != "...")
    elsewhere = {d for s in others for d in s}
    for axis, size in enumerate(own):
        if size not in elsewhere:
            # A square would hide which of its sides is meant.
            yield from ((*own[:axis], d, *own[axis + 1 :]) for d in sizes if d not in own)


def _unknown(
    name: str,
    kind: str,
    evidence: Evidence,
    shapes: Sequence[tuple[Dimension, ...]],
    frame: tuple[str, ...],
) -> Iterator[Argument]:
    kind = re.sub(r"^(?:typing\.)?Optional\[(.*)\]$|\s*\|\s*None$", r"\1", kind)
    if evidence.several or kind == "List[Tensor]":
        yield from _lists(name, evidence, shapes)
        return
    if evidence.places > 1 and not evidence.tensor and kind in ("", "bool"):
        # Which of several results are wanted.
        yield ChoiceArgument(name, ((True,) * evidence.places,))
    tensors = list(_tensors(name, evidence, shapes))
    scalars = list(_scalars(name, kind, evidence, shapes, frame))
    if _WHOLE_LIST.match(kind):
        yield from _whole_lists(name, kind, shapes)
        yield from tensors if evidence.tensor else ()
    elif evidence.tensor or "Tensor" in kind:
        yield from tensors
    elif kind.rpartition(".")[2] in _PLAIN:
        yield from scalars
    elif name.lower().startswith(("dim", "axis", "size", "shape", "normalized", "n_", "num")):
        yield from scalars
        yield from tensors
    else:
        for one, other in zip(tensors, scalars, strict=False):
            yield one
            yield other
        yield from tensors[len(scalars) :]
        yield from scalars[len(tensors) :]


def _tensors(
    name: str, evidence: Evidence, shapes: Sequence[tuple[Dimension, ...]]
) -> Iterator[TensorArgument]:
    dtypes = evidence.dtypes or DEFAULT_DTYPES
    whole = [tuple(d for d in s if d != "...") or ("n",) for s in shapes]
    main = whole[0]
    forms: list[tuple[Dimension, ...]] = [
        *shapes[:1],
        main[-1:],
        main[:1],
        *whole[1:],
        main[:-1],
        (1,),
        (),
    ]
    if evidence.whole or any(word in name.lower() for word in _OF_A_ROW):
        forms = [main[-1:], main[1:2], *forms]
    if evidence.bound is not None:
        forms = [(evidence.bound,), *forms]
    floats = []
    for form in dict.fromkeys(forms):
        strided, rows_only = layouts(evidence, len(form))
        floats.append(TensorArgument(name, dtypes, form, strided=strided, rows_only=rows_only))
    typed = evidence.dtypes is not None
    yield from floats if typed else _with_types(floats, shapes, evidence)


def _lists(
    name: str, evidence: Evidence, shapes: Sequence[tuple[Dimension, ...]]
) -> Iterator[SequenceArgument]:
    """Lists whose tensors differ in one size, which says the most, then of one form, then pairs."""

    def of(*forms: TensorArgument, more: bool = True) -> SequenceArgument:
        return SequenceArgument.of(name, forms, more=more, as_tuple=evidence.as_tuple)

    for form in _tensors(name, evidence, shapes):
        for axis in range(len(form.shape)):
            longer = replace(form, shape=(*form.shape[:axis], "k", *form.shape[axis + 1 :]))
            yield of(form, longer)
        yield of(form, form)
        yield of(form, form, more=False)


def _scalars(
    name: str,
    kind: str,
    evidence: Evidence,
    shapes: Sequence[tuple[Dimension, ...]],
    frame: tuple[str, ...],
) -> Iterator[Argument]:
    named = [d for s in (*shapes, FRAMES[-1]) for d in s]
    sizes = list(dict.fromkeys(d for d in named if isinstance(d, str) and d != "..."))
    alike = [d for d in sizes if d in (name.lower(), name.lower()[:1])]
    lower = name.lower()
    main = tuple(d for d in shapes[0] if d != "...") or frame
    if "dtype" in lower:
        yield ChoiceArgument(name, (TorchType("f32"),))
        return
    if evidence.compared:
        yield ChoiceArgument(name, tuple(dict.fromkeys(evidence.compared)))
    if kind in ("float", "number"):
        yield ChoiceArgument(name, (0.5, 1.0, 2.0, 0.1))
    elif kind == "bool":
        yield ChoiceArgument(name, (False, True))
    elif lower.startswith(("dim", "axis")):
        yield from (ChoiceArgument(name, (value,)) for value in (-1, 0, 1, (-1,), (0, 1)))
    elif lower in ("size", "shape", "out_size", "output_size"):
        yield SizeArgument(name, main, as_tuple=True)
    elif lower.startswith("normalized"):
        yield SizeArgument(name, main[-1:], as_tuple=True)
    yield from (SizeArgument(name, (d,)) for d in alike)
    if kind in ("", "int", "number"):
        yield ChoiceArgument(name, (1,))
        yield from (SizeArgument(name, (d,)) for d in sizes if d not in alike)
        yield from (ChoiceArgument(name, (value,)) for value in (2, 4, 0, -1, 16))
    if kind == "":
        yield from (ChoiceArgument(name, (value,)) for value in (0.5, True, None))
        yield SizeArgument(name, main, as_tuple=True)


def _whole_lists(
    name: str, kind: str, shapes: Sequence[tuple[Dimension, ...]]
) -> Iterator[Argument]:
    """A few whole numbers: the sizes of something, or steps and margins along some dimensions."""
    count = len(re.findall(r"\b(?:int|bool)\b", kind)) if "..." not in kind else 0
    if "bool" in kind:
        yield ChoiceArgument(name, ((True,) * max(count, 1),))
        return
    # `Tuple[int]` is written for any number of them.
    fixed = "uple[" in kind and count > 1
    whole = [w for s in shapes if (w := tuple(d for d in s if d != "..."))] or [FRAMES[0]]
    main = whole[0]
    numbers = [
        ChoiceArgument(name, ((value,) * length,))
        for length in ((count,) if fixed else (2, 1, 3))
        for value in (1, 0, 2)
    ]
    parts = [main[len(main) - count :]] if fixed and count <= len(main) else []
    alike = [s for s in whole if not fixed or len(s) == count] + parts
    alike = [main[-1:], *alike] if name.lower().startswith("normalized") else alike
    sizes = [SizeArgument(name, s, as_tuple=True) for s in dict.fromkeys(alike) if s]
    if name.lower().startswith(("dim", "axis")):
        several: tuple[tuple[int, ...], ...] = ((-1,), (0,), (0, 1), (1, 0), (2, 0, 1))
        yield from (ChoiceArgument(name, (value,)) for value in several)
    elif "size" in name.lower() or "shape" in name.lower():
        if name.lower() in _OF_A_RESULT:
            # Sizes of their own first: those of a tensor would hide that something is scaled.
            taken = {d for s in shapes for d in s}
            own = [letter for letter in _OWN_SIZES if letter not in taken]
            for length in (count,) if fixed else (2, 1, 3):
                yield SizeArgument(name, tuple(own[:length]), as_tuple=True)
        yield from sizes
        yield from numbers
    else:
        yield from numbers
        yield from sizes


def variations(
    reading: InferredSignature, signature: Signature
) -> Iterator[tuple[str, tuple[Argument, ...]]]:
    """More for parameters with defaults, or of which nothing is known: forms to try one by one.

    Branches that the plainest call does not reach are where a rewrite goes wrong unseen.
    """
    known = {a.name for a in reading.known}
    shapes = [a.shape for a in signature.tensors]
    shapes = list(dict.fromkeys(sorted(shapes, key=len, reverse=True))) or [FRAMES[0]]
    for at, parameter in enumerate(reading.launcher.parameters):
        name = parameter.arg
        default = reading.launcher.defaults.get(name)
        evidence = reading.evidence[name]
        given = signature.get(name)
        none = default is not None and is_none(default)
        if isinstance(given, TensorArgument) and (none or (default is None and evidence.optional)):
            yield name, (replace(given, optional=True),)
        if (default is None and name in known) or name in _WHERE:
            continue
        without = given == ChoiceArgument(name, (None,))
        if (none and given is None) or (without and (none or evidence.optional)):
            kind, numbers = reading.kind(parameter), _numbers(at)
            yield name, tuple(_for_nothing(name, kind, evidence, shapes, numbers))[:_MOST]
        elif none and isinstance(given, ChoiceArgument) and None not in given.values:
            alone = len(given.values) == 1
            others = _other_values(name, given.values[0], evidence) if alone else []
            found = (ChoiceArgument(name, (*given.values, other)) for other in (*others, None))
            yield name, tuple(found)
        elif default is not None and given is None and reading.kind(parameter) in ("", "int"):
            # `reduction=Reduction.MEAN.value`: which of a few, and what they are stands elsewhere.
            yield name, tuple(ChoiceArgument(name, (value,)) for value in (0, 1, 2))
        elif isinstance(given, ChoiceArgument) and len(given.values) > 1:
            if default is None and evidence.optional and None not in given.values:
                yield name, (ChoiceArgument(name, (*given.values, None)),)
        elif isinstance(given, ChoiceArgument) and len(given.values) == 1:
            value = given.values[0]
            others = _other_values(name, value, evidence)
            if default is None and evidence.optional:
                others.append(None)
            yield name, tuple(ChoiceArgument(name, (value, other)) for other in others)


def either_form(
    reading: InferredSignature, signature: Signature
) -> Iterator[tuple[str, tuple[TensorArgument, ...]]]:
    """For parameters that the code asks whether they are tensors or numbers, both: forms to try."""
    shapes = list(dict.fromkeys(sorted(signature.shapes, key=len, reverse=True)))
    for at, parameter in enumerate(reading.launcher.parameters):
        name = parameter.arg
        given, evidence = signature.get(name), reading.evidence[name]
        if not evidence.told_from_number:
            continue
        if isinstance(given, TensorArgument):
            yield name, (replace(given, numbers=_numbers(at)),)
        elif isinstance(given, ChoiceArgument) and shapes:
            numbers = tuple(v for v in given.values if type(v) in (int, float))
            optional = None in given.values
            forms = [
                replace(form, optional=optional, numbers=numbers)  # type: ignore[arg-type]  # as just asked
                for form in _tensors(name, evidence, shapes)
            ]
            if numbers:
                yield name, tuple(forms[:_MOST])


def free_numbers(reading: InferredSignature, signature: Signature) -> Iterator[ChoiceArgument]:
    """For what was guessed to be a size, or 1, and may be any number: several that are none.

    Two limits that are the same size hide all that lies between them.
    """
    known = {a.name for a in reading.known}
    for at, parameter in enumerate(reading.launcher.parameters):
        name = parameter.arg
        given, default = signature.get(name), reading.launcher.defaults.get(name)
        none = default is None or is_none(default)
        optional = none and (default is not None or reading.evidence[name].optional)
        guessed = isinstance(given, SizeArgument) and optional and not given.as_tuple
        guessed |= given == ChoiceArgument(name, (1,)) and (default is None or optional)
        if guessed and name not in known and reading.kind(parameter) in ("", "number", "float"):
            yield ChoiceArgument(name, _numbers(at))


def _numbers(at: int) -> tuple[int | float, ...]:
    """What to pass as a number for the parameter in that place."""
    return _NUMBERS[at % len(_NUMBERS)]


def _for_nothing(
    name: str,
    kind: str,
    evidence: Evidence,
    shapes: Sequence[tuple[Dimension, ...]],
    numbers: Sequence[int | float],
) -> Iterator[Argument]:
    """What may be passed, at times, for a parameter that is None by default."""
    if evidence.tensor or ("Tensor" in kind and "List" not in kind):
        found = list(_tensors(name, evidence, shapes))
        # As many dimensions as the kernel's accesses show.
        found.sort(key=lambda t: evidence.rank is not None and len(t.shape) != evidence.rank)
        yield from (replace(t, optional=True) for t in found)
    elif name.lower().startswith(("dim", "axis")):
        # Of all dimensions, of one, of several: mostly other kernels. An operator that takes a
        # list may have a launcher that takes one number.
        one = ChoiceArgument(name, (None, -1, 0, 1))
        several = ChoiceArgument(name, (None, (-1,), (0,), (0, 1)))
        yield from (several, one) if "List" in kind else (one, several)
    elif "dtype" in name.lower() and not evidence.compared:
        yield ChoiceArgument(name, (None, TorchType("f16"), TorchType("f32")))
    elif kind in _TEXT and not evidence.compared:
        # Asked for is only whether there is one.
        yield ChoiceArgument(name, (None, "any"))
    else:
        if evidence.compared:
            yield ChoiceArgument(name, (None, *dict.fromkeys(evidence.compared)))
        # What a number is compared with may be what is refused: a divisor of 0.
        if all(type(value) in (int, float) for value in evidence.compared):
            yield from _used_for_nothing(name, kind, evidence, shapes, numbers)


def _used_for_nothing(
    name: str,
    kind: str,
    evidence: Evidence,
    shapes: Sequence[tuple[Dimension, ...]],
    numbers: Sequence[int | float],
) -> Iterator[Argument]:
    """Numbers and tensors for a parameter that is None by default, and of which more is asked."""
    if evidence.used:
        usual = (("float", numbers[:2]), ("number", numbers[:2]), ("int", (2,)), ("bool", (True,)))
        typed = [value for word, values in usual if word in kind for value in values]
        plain = (*numbers[:2], 2, True) if not kind else ()
        yield ChoiceArgument(name, (None, *(typed or plain)))
        if not kind or "float" in kind or "number" in kind:
            # Some have to lie between 0 and a half.
            yield ChoiceArgument(name, (None, 0.25, 0.1))
        if not kind:
            forms = list(dict.fromkeys(t.shape for t in _tensors(name, evidence, shapes)))
            yield from (TensorArgument(name, DEFAULT_DTYPES, s, optional=True) for s in forms[:3])


def _other_values(name: str, value: object, evidence: Evidence) -> list[object]:
    kinds = (int, float) if type(value) in (int, float) else (type(value),)
    same = [v for v in evidence.compared if type(v) in kinds and v != value]
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, int):
        same += [v for v in (0, 1, -1, 2) if v != value]
    elif isinstance(value, float):
        same += [v for v in (0.1, 0.5, 2.0) if v != value]
        # What is small is mostly there to keep a root or a quotient away from 0.
        same += [-value] if abs(value) >= 0.1 else []
    elif isinstance(value, TorchType) and value.name in FLOATS:
        same += [v for v in map(TorchType, ("f16", "f32", "bf16")) if v != value]
    elif isinstance(value, tuple) and all(type(v) is bool for v in value):
        places = range(len(value))
        same += [tuple(at == 0 for at in places)]
        same += [tuple(at != out for at in places) for out in places]
    elif isinstance(value, tuple) and all(type(v) is int for v in value):
        alike = ((v,) * len(value) for v in (0, 1, 2))
        same += [v for v in (*alike, tuple(range(1, len(value) + 1))) if v != value]
        if name.lower().startswith(("dim", "axis")):
            same += [(0, 1), (0, -1)]
    return list(dict.fromkeys(same))
