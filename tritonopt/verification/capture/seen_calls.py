"""The calls of a file's launchers that a command makes: what each is given, as numbers.

The part that runs inside of the command watches which functions are entered, and changes nothing.
"""

from __future__ import annotations

import functools
import json
import os
import re
import sys
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import chain, combinations, permutations, product
from math import prod
from pathlib import Path
from string import ascii_lowercase
from types import CodeType, FrameType
from typing import Any

from tritonopt import source
from tritonopt.verification.capture.command import Watched, watched
from tritonopt.verification.capture.generalize import NotGeneral, generalize
from tritonopt.verification.capture.recording import described
from tritonopt.verification.signature.argument_language import (
    Argument,
    ChoiceArgument,
    FormulaArgument,
    Signature,
    SizeArgument,
    TensorArgument,
    short_name,
)
from tritonopt.verification.signature.argument_parser import parse
from tritonopt.verification.signature.launchers import Launcher
from tritonopt.verification.signature.size_facts import Fact, names_in

VARIABLE = "TRITONOPT_SEEN_CALLS"
"""The environment variable that names a file with a `_Plan` as JSON."""
_MOST = 100
"""Different calls of one launcher that are taken down."""
_OF_AUTOGRAD = ("forward", "backward", "setup_context")


@dataclass(frozen=True)
class _Plan:
    path: str
    places: Mapping[str, str]
    """The launchers, by `NAME:LINE` of the function that runs."""
    inner: Sequence[str]
    """Those of them whose calls count only where nothing of the file made them."""
    reports: str = ""


def seen_calls(
    module: source.Module,
    command: Sequence[str],
    launchers: Sequence[Launcher],
    inner: Sequence[Launcher] = (),
) -> tuple[Watched, dict[str, list[Mapping[str, Any]]]]:
    """Run the command; how it ended, and the different calls of each of these launchers, and of
    `inner` ones where no launcher or autograd function of the file made them.

    A call has its `arguments` as those of a launch, see `generalize`; tuples and lists of whole
    numbers are `numbers`, and types of torch are a `type`. Raises VerificationError where the
    command cannot be started.
    """
    places = {_place(x): x.name for x in (*launchers, *inner)}
    plan = _Plan(os.path.realpath(module.path), places, tuple(x.name for x in inner))
    ended, reports = watched(command, __name__, asdict(plan), VARIABLE)
    found: dict[str, list[Mapping[str, Any]]] = {}
    for call in chain.from_iterable(reports):
        found.setdefault(call["launcher"], []).append(call)
    return ended, found


def _place(launcher: Launcher) -> str:
    """Where the code of a launcher begins, as its code object says."""
    node = launcher.function
    return f"{node.name}:{min([node.lineno, *(d.lineno for d in node.decorator_list)])}"


@functools.cache
def install() -> None:
    """Watch the launchers of the plan, in this process and its threads."""
    path = os.environ.get(VARIABLE)
    if not path:
        return
    watch = _Watch(_Plan(**json.loads(Path(path).read_text(encoding="utf-8"))))
    monitoring: Any = getattr(sys, "monitoring", None)
    if monitoring is not None:
        watch.monitor(monitoring)
    else:  # before Python 3.12
        threading.setprofile(watch.profile)
        sys.setprofile(watch.profile)


def _described(value: Any) -> dict[str, Any]:
    """As for a launch; what only functions of Python take is a value as well."""
    if isinstance(value, (list, tuple)) and value and all(type(part) is int for part in value):
        return {"numbers": list(value)}
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.dtype):
        return {"type": str(value)}
    return described(value)


class _Watch:
    """What is called whenever a function is entered."""

    def __init__(self, plan: _Plan) -> None:
        self.plan = plan
        self.launchers: dict[CodeType, str] = {}
        self.seen: dict[str, set[str]] = {}
        self.is_backward_watched = False
        self.thread = threading.local()
        """Where `busy` is set, a launcher that is entered is one of those that we called."""

    def monitor(self, monitoring: Any) -> None:
        """See what is entered in any thread; of all but launchers only once, so that what is
        watched runs as fast as ever."""

        def entered(code: CodeType, offset: int) -> Any:
            if not self._launcher(code):
                return monitoring.DISABLE
            self._entered(sys._getframe(1))
            return None

        free = (n for n in range(6) if monitoring.get_tool(n) is None)
        # Those of debuggers, of coverage and of profilers are the first ones.
        tool = max(free)
        monitoring.use_tool_id(tool, "tritonopt")
        monitoring.register_callback(tool, monitoring.events.PY_START, entered)
        monitoring.set_events(tool, monitoring.events.PY_START)

    def profile(self, frame: FrameType, event: str, argument: object) -> None:
        """The same, as a profiler of this thread."""
        if event != "call":
            return
        code = frame.f_code
        name = self.launchers.get(code)
        if name is None:
            name = self.launchers[code] = self._launcher(code)
        if name:
            self._watch_backward()
            self._entered(frame)

    def _entered(self, frame: FrameType) -> None:
        name = self._launcher(frame.f_code)
        if getattr(self.thread, "busy", False):
            return
        if name in self.plan.inner and self._is_within(frame):
            return
        self.thread.busy = True
        try:
            self._take_down(name, frame)
        finally:
            self.thread.busy = False

    def _is_within(self, frame: FrameType) -> bool:
        """Whether a launcher or an autograd function of the file made the call."""
        above = frame.f_back
        while above is not None:
            code = above.f_code
            if os.path.realpath(code.co_filename) == self.plan.path and (
                code.co_name in _OF_AUTOGRAD or self._launcher(code)
            ):
                return True
            above = above.f_back
        return False

    def _watch_backward(self) -> None:
        """Watch threads of autograd as well, which Python did not start."""
        autograd = sys.modules.get("torch.autograd.function")
        if self.is_backward_watched or autograd is None:
            return
        self.is_backward_watched = True
        kind: Any = autograd.BackwardCFunction
        usual = kind.apply

        def apply(node: Any, *gradients: Any) -> Any:
            if sys.getprofile() is None:
                sys.setprofile(self.profile)
            return usual(node, *gradients)

        kind.apply = apply

    def _launcher(self, code: CodeType) -> str:
        name = self.plan.places.get(f"{code.co_name}:{code.co_firstlineno}", "")
        return name if name and os.path.realpath(code.co_filename) == self.plan.path else ""

    def _take_down(self, launcher: str, frame: FrameType) -> None:
        code = frame.f_code
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        call = {n: _described(frame.f_locals[n]) for n in names}
        places: dict[str, int] = {}
        for value in call.values():
            if "memory" in value:
                # Which of them share their memory counts, not where that is.
                value["memory"] = places.setdefault(str(value["memory"]), len(places))
        text = json.dumps({"launcher": launcher, "arguments": call, "grid": []})
        known = self.seen.setdefault(launcher, set())
        if text in known or len(known) >= _MOST:
            return
        known.add(text)
        report = Path(self.plan.reports) / f"{os.getpid()}.jsonl"
        with report.open("a", encoding="utf-8") as file:
            file.write(text + "\n")


# Calls of a launcher that were seen, as `--args` writes them: each one, and all together.

_MOST_VALUES = 4
"""Of an argument that is no tensor and no size, so many are drawn."""


@dataclass(frozen=True)
class SeenForm:
    """Calls with tensors of the same ranks; sizes that are the same in each have one name."""

    calls: Sequence[Mapping[str, Any]]
    """The arguments of each, as `seen_calls` has them."""
    named: Mapping[str, Argument]
    """Tensors, and whole numbers that are told by the sizes or never changed."""

    @staticmethod
    def of(calls: Sequence[Mapping[str, Any]], *, all_sizes: bool = False) -> SeenForm:
        """Raises NotGeneral where something is passed that cannot be written.

        With `all_sizes` what never changed in a shape has a name as well.
        """
        for name, value in ((n, v) for call in calls for n, v in call.items()):
            if "other" in value:
                raise NotGeneral(f"`{name}` is a {value['other']}")
        told = [{n: v for n, v in call.items() if _is_told(n, calls)} for call in calls]
        form = generalize([{"arguments": x, "grid": []} for x in told], all_sizes=all_sizes)
        # What a kernel is told of strides a launcher is not: 1 is a dimension there, or a flag.
        arguments = [a for a in parse(form.args).arguments if not isinstance(a, FormulaArgument)]
        return SeenForm(calls, {argument.name: argument for argument in arguments})

    def each(self) -> Iterator[str]:
        """Every call by itself: one type for each tensor, and the values that were passed."""
        for call in self.calls:
            parts = []
            for name, value in call.items():
                argument = self.named.get(name)
                if isinstance(argument, TensorArgument):
                    dtype = short_name(value["dtype"])
                    parts.append(str(replace(argument, dtypes=(dtype,))))
                elif argument is not None and "shape" in value:
                    parts.append(str(argument))
                else:
                    parts.append(f"{name}: {_value(value)}")
            yield ", ".join(parts)

    def all_together(self) -> str:
        """What others like them are drawn from: every type that a tensor had, every value."""
        return ", ".join(map(self._drawn, self.calls[0]))

    def _drawn(self, name: str) -> str:
        if name in self.named:
            return str(self.named[name])
        column = [call[name] for call in self.calls]
        if all("numbers" in value for value in column):
            places = zip(*(value["numbers"] for value in column), strict=False)
            return f"{name}: ({', '.join(map(self._size, places))},)"
        return f"{name}: {'|'.join(list(dict.fromkeys(map(_value, column)))[:_MOST_VALUES])}"

    def _size(self, numbers: Sequence[int]) -> str:
        """The name of the size that these were, call by call; else the number."""
        for tensor in self.named.values():
            if isinstance(tensor, TensorArgument):
                shapes = [call[tensor.name]["shape"] for call in self.calls]
                for size, column in zip(tensor.shape, zip(*shapes, strict=True), strict=True):
                    if list(column) == list(numbers):
                        return str(size)
        if len(set(numbers)) > 1:
            raise NotGeneral(f"numbers in a tuple were {', '.join(map(str, numbers))}")
        return str(numbers[0])


def drawn_forms(calls: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What others like these calls are drawn from: first with every size as free as it may be,
    which the launcher may not take; then as they were.

    A benchmark has one hidden size, or squares: with these alone the tail of a row, and which side
    is which, would not be seen.
    """
    if any(_is_computed(name, calls) for name in calls[0]):
        return ()
    found = []
    with suppress(NotGeneral):
        found.append(_widest(calls))
    with suppress(NotGeneral):
        found.append(SeenForm.of(calls).all_together())
    return tuple(dict.fromkeys(found))


def related_forms(
    calls: Sequence[Mapping[str, Any]], tiles: Collection[str] = ()
) -> tuple[str, ...]:
    """The first of these, where sizes are as free as facts let them that held in every call: the
    launcher may need such. With few facts first, with all last; none where there are no facts.

    `tiles` are arguments that may be the length of a tile.
    """
    with suppress(NotGeneral):
        computed = [name for name in calls[0] if _is_computed(name, calls)]
        found = with_facts(parse(_widest(calls)), calls, tiles)
        return tuple(
            str(form)
            for form in found
            if all(isinstance(form.get(name), SizeArgument) for name in computed)
        )
    return ()


def _widest(calls: Sequence[Mapping[str, Any]]) -> str:
    return _with_sides(SeenForm.of(calls, all_sizes=True).all_together())


def _is_computed(name: str, calls: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a whole number was the product of several sizes: to be drawn it had to be one again,
    and no name stands for that."""
    values = [call[name].get("value") for call in calls]
    if len(set(map(str, values))) < 2 or not all(type(value) is int for value in values):
        return False
    products: dict[int, list[list[int]]] = {1: [], 2: []}
    for other in calls[0]:
        shapes = [call[other].get("shape", ()) for call in calls]
        if len({len(shape) for shape in shapes}) == 1:
            for start, end in combinations(range(len(shapes[0]) + 1), 2):
                found = [prod(shape[start:end]) for shape in shapes]
                products[min(end - start, 2)].append(found)
    return values in products[2] and values not in products[1]


def _with_sides(text: str) -> str:
    """With a name for each side of squares: sides that are as far from the last one are the same.

    Where something else is told by such a size, it stays one.
    """
    arguments = parse(text).arguments
    tensors = [a for a in arguments if isinstance(a, TensorArgument)]
    twice = {d for t in tensors for d in t.shape if type(d) is str and t.shape.count(d) > 1}
    others = [str(a) for a in arguments if not isinstance(a, TensorArgument)]
    told = set(re.findall(r"\w+", " ".join(others))) | {str(t.high) for t in tensors}
    names = {d for t in tensors for d in t.shape} | {a.name for a in arguments}
    free = (n for n in ascii_lowercase if n not in names)
    sides: dict[tuple[object, int], str] = {}
    for tensor in tensors:
        for place, size in enumerate(reversed(tensor.shape)):
            if place and size in twice - told and (size, place) not in sides:
                sides[size, place] = next(free, str(size))
    parts = []
    for argument in arguments:
        if isinstance(argument, TensorArgument):
            last = len(argument.shape) - 1
            shape = tuple(sides.get((d, last - at), d) for at, d in enumerate(argument.shape))
            argument = replace(argument, shape=shape)
        parts.append(str(argument))
    return ", ".join(parts)


def _is_told(name: str, calls: Sequence[Mapping[str, Any]]) -> bool:
    """Whether it is a tensor in every call, or a whole number in every call."""
    column = [call[name] for call in calls]
    return all("shape" in v or type(v.get("value")) is int for v in column)


def _value(value: Mapping[str, Any]) -> str:
    if "numbers" in value:
        return f"({', '.join(map(str, value['numbers']))},)"
    return str(value["type"]) if "type" in value else repr(value["value"])


# What held between the sizes of every call that was seen, and may be more than chance.
#
# A launcher may need `c % groups == 0` or `b == 2 * d`: where every size is free, it fails on
# most calls, and nothing is shown. With facts it is called as it wants to be, and sizes stay
# free. That makes calls fewer, never others: each call that was seen is one of them, so what they
# show is worth more than what the same sizes again would. What must not be lost is where the last
# tile of a row is not full, for there a rewrite may drop a mask. So these alone are taken:
#
# - `c % g == 0`, where g is drawn as well, of two sizes or of a size and a number. When g is 1, c
#   is any size. A number of which a kernel's constant is made may be a tile's length: it is none
#   of these (`tile_parameters`), for then all tiles would be full.
# - `b == 2 * d`, `b == 3 * d`, `b == d + 1`, `b == d * e`, where all but b are drawn: of multiples
#   of two or three the tiles are full as seldom as of all sizes, but for tiles of two or three. A
#   larger factor may be a tile's length, as of sums over 128 elements each: it is not taken, nor
#   what is twice the double of another one.
# - Nothing of two sizes that one tensor has: rows and columns are as many as a benchmark likes.
# - Where a size did change, only what would not hold of sizes of different calls: powers of two
#   divide each other, and any number of rows 8 or 128.
# - Where it never did, only what its place speaks for: that a number divides it, that queries and
#   keys differ in it alone, that both are the last dimension, or that a product is one of
#   neighbors.
#
# Which of them the launcher needs is not known. One that it does not need hides what it does where
# that does not hold: with the last group of a row, which is shorter. So forms with fewer facts come
# first, and with all of them the last.

_Numbers = tuple[int, ...]
"""One for each call."""

_FACTORS = (2, 3)
_FEW = 3
"""Of so many facts every set is asked; of more only those in which one is missing, and all."""


def with_facts(
    form: Signature, calls: Sequence[Mapping[str, Any]], tiles: Collection[str]
) -> Iterator[Signature]:
    """The form with what held of its sizes in these calls: with few of the facts first, with all
    of them last; none where there are no facts.

    `tiles` are arguments that may be the length of a tile.
    """
    seen = _Seen(form, calls, tiles)
    facts = tuple(dict.fromkeys(seen.facts()))
    least = 1 if len(facts) <= _FEW else len(facts) - 1
    counts = range(least, len(facts) + 1) if facts else ()
    for chosen in chain.from_iterable(combinations(facts, count) for count in counts):
        yield _with(form, chosen, seen.whole)


def _with(form: Signature, facts: tuple[Fact, ...], whole: Collection[str]) -> Signature:
    """The form with these facts; what is a whole number in one of them is free."""
    compared = {name for fact in facts for name in fact.names}

    def freed(argument: Argument) -> Argument:
        free = argument.name in compared and argument.name in whole
        return SizeArgument(argument.name, (argument.name,)) if free else argument

    return replace(form, arguments=tuple(map(freed, form.arguments)), facts=facts)


@dataclass(frozen=True)
class _Seen:
    form: Signature
    calls: Sequence[Mapping[str, Any]]
    tiles: Collection[str]

    @cached_property
    def shapes(self) -> Sequence[tuple[object, ...]]:
        return [a.shape for a in self.form.arguments if isinstance(a, TensorArgument)]

    @cached_property
    def sizes(self) -> Mapping[str, _Numbers]:
        """What every size was that has a name."""
        found = {}
        for argument in self.form.arguments:
            if isinstance(argument, TensorArgument):
                shapes = [call[argument.name]["shape"] for call in self.calls]
                for name, column in zip(argument.shape, zip(*shapes, strict=True), strict=True):
                    if isinstance(name, str):
                        found[name] = tuple(column)
        return found

    @cached_property
    def whole(self) -> Mapping[str, _Numbers]:
        """Whole numbers that are told by no size."""
        found = {}
        for argument in self.form.arguments:
            if isinstance(argument, ChoiceArgument) and argument.name not in self.sizes:
                column = [call[argument.name].get("value") for call in self.calls]
                numbers = tuple(n for n in column if type(n) is int)
                if len(numbers) == len(column):
                    found[argument.name] = numbers
        return found

    @cached_property
    def numbers(self) -> Mapping[str, _Numbers]:
        """Those that may be how many parts there are, and are no tile's length.

        One that never changed and could be the number of a dimension is most likely that.
        """
        rank = max((len(shape) for shape in self.shapes), default=0)
        return {
            name: numbers
            for name, numbers in self.whole.items()
            if name not in self.tiles and min(numbers) > (1 if _changes(numbers) else rank)
        }

    def facts(self) -> Iterator[Fact]:
        computed, steps = set(), dict[str, str]()
        for name, numbers in self.whole.items():
            if formula := next(self._products(numbers), ""):
                yield Fact(f"{name} == {formula}")
        for size, numbers in self.sizes.items():
            for formula in self._formulas(size, numbers) if min(numbers) > 1 else ():
                names = names_in(formula)
                # Twice what is twice another one is as long as a tile after a few steps.
                if names[1:] or not (steps.keys() & names or size in steps.values()):
                    steps |= {} if names[1:] else {size: names[0]}
                    computed.add(size)
                    yield Fact(f"{size} == {formula}")
                    break
        for size in [name for name in self.sizes if name not in computed]:
            for name in (*self.sizes, *self.numbers):
                if self._divides(size, name):
                    yield Fact(f"{size} % {name} == 0")

    def _formulas(self, size: str, numbers: _Numbers) -> Iterator[str]:
        for other, others in self.sizes.items():
            if self._are_together(size, other) or _changes(numbers) != _changes(others):
                continue
            if _changes(numbers) or self._end_alike(size, other):
                for factor in _FACTORS if _changes(numbers) else _FACTORS[:1]:
                    if numbers == tuple(factor * n for n in others):
                        yield f"{factor} * {other}"
            if _changes(numbers) and numbers == tuple(n + 1 for n in others):
                yield f"{other} + 1"
        yield from self._products(numbers, size)

    def _products(self, numbers: _Numbers, size: str = "") -> Iterator[str]:
        """Of dimensions side by side in a tensor, which something else has as a single one."""
        for shape in (shape for shape in self.shapes if size not in shape):
            for start, end in combinations(range(len(shape) + 1), 2):
                names = [d for d in shape[start:end] if isinstance(d, str)]
                columns = [self.sizes[name] for name in names]
                if len(names) < max(end - start, 2) or min(map(min, columns)) < 2:
                    continue
                if numbers == tuple(map(prod, zip(*columns, strict=True))):
                    yield " * ".join(names)

    def _are_together(self, size: str, other: str) -> bool:
        return size == other or any({size, other} <= set(shape) for shape in self.shapes)

    def _end_alike(self, size: str, other: str) -> bool:
        """Whether both are the last dimension of a tensor."""
        last = [shape[-1] for shape in self.shapes if shape]
        return size in last and other in last

    def _divides(self, size: str, name: str) -> bool:
        """Whether a number or another size divided the size in every call, and not by chance."""
        if name in self.sizes and not self._stand_alike(size, name):
            return False
        numbers, others = self.sizes[size], self.numbers.get(name) or self.sizes[name]
        if min(others) < 2 or any(a % b for a, b in zip(numbers, others, strict=True)):
            return False
        if _changes(numbers):
            return any(a % b for a, b in product(numbers, others))
        return name in self.numbers or not _changes(others)

    def _stand_alike(self, size: str, other: str) -> bool:
        """Whether two tensors differ in these alone: heads that queries and keys have.

        Of the last dimension that would be so many elements for each: what a tile may hold.
        """
        return not self._are_together(size, other) and any(
            len(one) == len(two)
            and one[-1:] == two[-1:]
            and [(a, b) for a, b in zip(one, two, strict=True) if a != b] == [(size, other)]
            for one, two in permutations(self.shapes, 2)
        )


def _changes(numbers: _Numbers) -> bool:
    return len(set(numbers)) > 1
