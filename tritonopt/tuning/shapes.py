"""Sizes in `--args`: `x: f16[m=1024..65536*4, n=1024|4096], w: f16[n]`.

Behind the name of a size stands what it is: one number, several (`1024|4096`), or a range with a
factor (`1024..65536*4` is 1024, 4096, 16384, 65536). Where the size has its numbers once, its
name alone is enough elsewhere. All combinations are timed, with each type that a tensor may have.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from string import ascii_lowercase
from typing import Any

from tritonopt.tuning.calls import Call
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.signature.argument_language import (
    Argument,
    ChoiceArgument,
    Dimension,
    SequenceArgument,
    Signature,
    SizeArgument,
    TensorArgument,
    names_of,
)
from tritonopt.verification.signature.argument_parser import parse
from tritonopt.verification.signature.size_facts import Fact, fitted, hold

MOST_CALLS = 400
"""More than that are a mistake in a range, or should be several runs."""
_USUAL, _USUAL_ALONE = (1024, 4096, 16384), (2**20, 2**23, 2**26)
"""Of the last dimension, where nothing is said of it; and where there is no other one."""
_USUAL_ROWS, _USUAL_INNER, _USUAL_BYTES = 4096, 16, 2**30
_SIZES = re.compile(
    r"(?P<name>[A-Za-z_]\w*)(?P<space>\s*)=(?!=)\s*(?P<numbers>\d[\d|.*\s]*\d|\d)", re.ASCII
)
_RANGE = re.compile(r"(\d+)\s*\.\.\s*(\d+)\s*(?:\*\s*(\d+))?")


@dataclass(frozen=True)
class Ranged:
    """A list of arguments without the numbers of its sizes, and these."""

    text: str
    sizes: Mapping[str, tuple[int, ...]]


def without_sizes(text: str) -> Ranged:
    """Take the numbers out of a list of arguments; VerificationError points at what is wrong."""
    sizes: dict[str, tuple[int, ...]] = {}

    def taken(match: re.Match[str]) -> str:
        if not _in_brackets(text, match.start()):
            return match.group()  # `y: =x` and facts have their own equals signs
        name = match["name"]
        numbers = _numbers(text, match.start("numbers"), match["numbers"])
        if sizes.setdefault(name, numbers) != numbers:
            raise _error(text, match.start(), f"`{name}` has other numbers before")
        return name

    return Ranged(_SIZES.sub(taken, text), sizes)


def _in_brackets(text: str, at: int) -> bool:
    return text.count("[", 0, at) > text.count("]", 0, at)


def _numbers(text: str, at: int, written: str) -> tuple[int, ...]:
    found: list[int] = []
    for part in written.split("|"):
        part = part.strip()
        if part.isdigit():
            found.append(int(part))
            continue
        match = _RANGE.fullmatch(part)
        if match is None:
            raise _error(text, at, f"`{part}`: write 4096, 1024|4096 or 1024..65536*4")
        low, high, factor = int(match[1]), int(match[2]), int(match[3] or 2)
        if factor < 2 or low < 1 or high < low:
            raise _error(text, at, f"`{part}`: a range goes up from 1 or more, by a factor above 1")
        while low <= high:
            found.append(low)
            low *= factor
    return tuple(dict.fromkeys(found))


def _error(text: str, at: int, message: str) -> VerificationError:
    return VerificationError(f"--args, column {at + 1}: {message}\n  {text}\n  {' ' * at}^")


def calls_of(
    signature: Signature, sizes: Mapping[str, Sequence[int]], *, alternatives: bool
) -> list[Call]:
    """The calls with all combinations of these sizes of which the facts hold.

    With `alternatives` each value and each type that was written is a call of its own, else the
    first. Raises VerificationError where a size has no number, or there are too many calls.
    """
    if missing := [name for name in signature.size_names if name not in sizes]:
        text = f"the sizes {', '.join(missing)} have no numbers. {how_to(signature)}"
        raise VerificationError(text)
    names = list(signature.size_names)
    found: list[Call] = []
    for form in _forms(signature) if alternatives else [one_form(signature)]:
        for numbers in product(*(sizes[name] for name in names)):
            chosen = dict(zip(names, numbers, strict=True))
            if not hold(form.facts, chosen):
                continue
            found.append(Call(form, chosen))
            if len(found) > MOST_CALLS:
                raise VerificationError(
                    f"these are more than {MOST_CALLS} calls: take larger factors in the ranges"
                )
    if not found:
        facts = " and ".join(f"`{fact}`" for fact in signature.facts)
        raise VerificationError(f"{facts} hold for none of these sizes")
    return found


def usual_calls(signature: Signature) -> list[Call]:
    """Calls of sizes that many have, for what shows none: long rows of tensors, in three lengths.

    What takes more than a gigabyte has fewer rows. No call at all where the facts hold of none.
    """
    form = one_form(parse(_with_rows(signature)[0]))
    last = {name for shape in form.shapes if shape for name in names_of(shape[-1])}
    rows = [name for name in form.size_names if name not in last]
    calls: dict[str, Call] = {}
    for length in _USUAL if rows or len(form.size_names) > 1 else _USUAL_ALONE:
        sizes = {n: length if n in last else _USUAL_ROWS for n in form.size_names}
        # Of several dimensions before the last one all but the first are short.
        sizes |= dict.fromkeys(rows[1:], _USUAL_INNER)
        call = Call(form, sizes).smaller(_USUAL_BYTES)
        if hold(form.facts, call.sizes):
            calls[call.label] = call
    return list(calls.values())


def check_ranks(signature: Signature) -> None:
    """VerificationError where dimensions are left open: how many rows there are decides a time."""
    if any("..." in tensor.shape for tensor in signature.tensors):
        raise VerificationError(f"`...` does not give the number of rows. {how_to(signature)}")


def how_to(signature: Signature) -> str:
    """What to write, made of the arguments as they are known."""
    text, names = _with_rows(signature)
    for at, name in enumerate(names):
        numbers = "1024..65536*4" if at == 0 else "1024..32768*2"
        text = re.sub(rf"(?<=[\[ ]){name}(?=[\],])", f"{name}={numbers}", text, count=1)
    return f"Write for example: --args {text!r}"


def _with_rows(signature: Signature) -> tuple[str, tuple[str, ...]]:
    """The arguments with a size in place of `...`, and the names of all sizes."""
    rows = next(n for n in ("m", "rows", "leading") if n not in signature.size_names)
    text = re.sub(r"(?<=\w\[)\.\.\.(?=[\],])", rows, str(signature))
    return text, ((rows,) if text != str(signature) else ()) + signature.size_names


def one_form(signature: Signature) -> Signature:
    """The signature with the first of the types and values that each argument may have."""
    return next(_forms(signature))


def _forms(signature: Signature) -> Iterator[Signature]:
    """One signature for every combination of types and of plain values."""
    # Callers seldom mix types: tensors that may have the same ones have the same one.
    dtypes = list(dict.fromkeys(tensor.dtypes for tensor in signature.tensors))
    choices = [a for a in signature.arguments if isinstance(a, ChoiceArgument)]
    for types in product(*dtypes):
        typed = dict(zip(dtypes, types, strict=True))
        for values in product(*(choice.values for choice in choices)):
            chosen = dict(zip((c.name for c in choices), values, strict=True))
            arguments = tuple(_with(a, typed, chosen) for a in signature.arguments)
            yield replace(signature, arguments=arguments)


def _with(
    argument: Argument, typed: Mapping[tuple[str, ...], str], chosen: Mapping[str, object]
) -> Argument:
    def of_type(tensor: TensorArgument) -> TensorArgument:
        return replace(tensor, dtypes=(typed[tensor.dtypes],))

    if isinstance(argument, TensorArgument):
        return of_type(argument)
    if isinstance(argument, SequenceArgument):
        return argument.with_parts(of_type)
    if isinstance(argument, ChoiceArgument):
        return replace(argument, values=(chosen[argument.name],))
    return argument


# Forms of the calls that are timed, smaller: what is drawn where a launcher takes no other sizes.

_SMALL, _LONG_ROW, _LONG_TILE = 64, 2**14, 512
"""Up to which a dimension stays as it is, and a row; and of which length rows are multiples."""


def with_numbers(signature: Signature, sizes: Mapping[str, Sequence[int]]) -> Signature:
    """The signature with the number of each last dimension that has only one, and tells no more."""
    last = {shape[-1] for shape in signature.shapes if shape}
    told = {name for fact in signature.facts for name in fact.names}
    told |= {name for shape in signature.shapes for d in shape[:-1] for name in names_of(d)}
    told |= {str(bound) for t in signature.tensors for bound in (t.low, t.high)}
    for argument in signature.arguments:
        told |= {str(d) for d in argument.sizes} if isinstance(argument, SizeArgument) else set()
    once = {n: found[0] for n, found in sizes.items() if len(found) == 1 and n in last - told}
    return _renamed(signature, once)


def scaled_forms(form: Signature, numbers: Collection[int]) -> list[str]:
    """A form of calls without dimensions as long as theirs, and the relations of sizes kept: what
    was one number is one size. First with rows of whole tiles, for these alone may be taken; then
    with rows as they are, if they are not too long.

    `numbers` are those of the file, one of which may be the length of such a tile.
    """
    inner = {d for shape in form.shapes for d in shape[:-1]}
    long = {d for shape in form.shapes for d in shape if type(d) is int and d > _SMALL}
    free = (n for n in ascii_lowercase if n not in form.size_names and form.get(n) is None)
    names: dict[int, str] = dict(zip(sorted(long), free, strict=False))
    facts: dict[int, Fact] = {}
    for d in names.keys() - inner:
        if tiles := [n for n in numbers if 8 <= n <= min(d // 2, _LONG_TILE) and d % n == 0]:
            facts[d] = Fact(f"{names[d]} % {max(tiles)} == 0")
    whole = str(_renamed(form, names, tuple(facts.values())))
    rows = {d: name for d, name in names.items() if d in inner or d > _LONG_ROW}
    as_they_are = str(_renamed(form, rows, tuple(facts[d] for d in rows if d in facts)))
    found = ([whole] if facts else []) + ([as_they_are] if rows or facts else [])
    return list(dict.fromkeys(found)) or [str(form)]


def _renamed(
    form: Signature, names: Mapping[Any, Dimension], facts: tuple[Fact, ...] = ()
) -> Signature:
    """The form with other dimensions, also where they are bounds or plain values."""

    def tensor(argument: TensorArgument) -> TensorArgument:
        high = names.get(argument.high, argument.high)
        if type(high) is int:  # an inclusive bound
            high = names.get(high + 1, high)
        shape = tuple(names.get(d, d) for d in argument.shape)
        return replace(argument, shape=shape, high=high)

    def renamed(argument: Argument) -> Argument:
        if isinstance(argument, TensorArgument):
            return tensor(argument)
        if isinstance(argument, SequenceArgument):
            return argument.with_parts(tensor)
        if isinstance(argument, ChoiceArgument) and len(argument.values) == 1:
            (value,) = argument.values
            name = names.get(value) if type(value) is int else None
            return argument if type(name) is not str else SizeArgument(argument.name, (name,))
        return argument

    arguments = tuple(map(renamed, form.arguments))
    return replace(form, arguments=arguments, facts=(*form.facts, *facts))


def odd_call(form: Signature, call: Call) -> Call | None:
    """A call of a form that is a little smaller than another one, with sizes that no tile divides
    as far as the form allows; None where the form does not tell them."""
    recipes, sizes, arguments = call.example.tensors, dict[str, int](), []
    for argument in form.arguments:
        if isinstance(argument, TensorArgument) and (recipe := recipes.get(argument.name)):
            if len(recipe.shape) != len(argument.shape) or _is_bounded(argument):
                return None
            pairs = zip(argument.shape, recipe.shape, strict=True)
            sizes |= {str(d): n for d, n in pairs if names_of(d) == (d,)}
            argument = replace(argument, dtypes=(recipe.dtype,))
        arguments.append(argument)
    odd = {d: n * 3 // 4 | 1 if n > 4 else n for d, n in sizes.items()}
    form = one_form(replace(form, arguments=tuple(arguments)))
    odd = dict(fitted(form.facts, odd, smaller=True))
    if not odd.keys() >= {*form.size_names} or odd == sizes or not hold(form.facts, odd):
        return None
    return Call(form, odd)


def _is_bounded(argument: TensorArgument) -> bool:
    """Whether its values may be beyond a dimension that is made smaller."""
    return type(argument.high) is int and argument.high > _SMALL
