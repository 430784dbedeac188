"""What becomes of the first kernel: its store of a partial result is an atomic."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.code_edits import in_parentheses, unused_names
from tritonopt.emit.writing import NotExpressible, Writer, comments_in
from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.algebra.atoms import Param
from tritonopt.facts.algebra.polynomial import ONE, Polynomial
from tritonopt.facts.host import torch_api
from tritonopt.facts.host.side_effects import effects_of
from tritonopt.facts.host.tensor_expressions import shape_of
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.facts.recurrences.partials import TYPES
from tritonopt.launches.known_launches import check_builtin, check_pruning, with_buffers
from tritonopt.launches.launch_grids import new_name
from tritonopt.launches.plan import can_choose
from tritonopt.passes.merge_kernels.launch_pairs import Made, Pair, uses
from tritonopt.passes.merge_kernels.partial_stores import PartialStore
from tritonopt.passes.merge_kernels.slot_reductions import DEFAULT, Coordinate, SlotReduction
from tritonopt.source import (
    AddArgument,
    Change,
    InsertBefore,
    Launch,
    Remove,
    Replace,
    ReplaceArgument,
    ReplaceExpression,
    ReplaceParameter,
)
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import walk
from tritonopt.source.tuner_functions import counting_use

_TUNERS = frozenset({"flag_gems.utils.libtuner", "flag_gems.utils.libentry.libtuner"}) | {
    "fla.ops.utils.cache.fla_cache_autotune"
}
"""What runs a kernel many times, in ways that nobody here has read."""


_WORD = re.compile(r"\w+")
_TUNED = "launches-can-be-tuned"
_RESETTING = ("reset_to_zero", "restore_value")


@dataclass(frozen=True)
class Place:
    """One part of the place in the output that a partial result belongs to."""

    coordinate: Coordinate
    """Of the first kernel's store."""
    stride: Polynomial
    """In terms of the launcher."""


def _is_pure(launch: Launch, name: str) -> bool:
    """Whether nothing else is lost with what a launch passes for a parameter."""
    argument = launch.arguments.get(name)
    return argument is None or effects_of(launch.module).changes([argument]).nothing


@dataclass(frozen=True)
class AtomicKernel:
    """One kernel, some of whose stores become atomics. What it gives may raise NotExpressible."""

    partials: Sequence[tuple[PartialStore, SlotReduction, Sequence[Place]]]
    binding: LaunchBinding
    """What its launches pass, ..."""
    final: LaunchBinding
    """... and those of the second kernel."""

    @property
    def _facts(self) -> KernelFacts:
        return self.partials[0][0].facts

    @property
    def places(self) -> tuple[str, ...]:
        """Code for where each partial result goes, and for what it is divided by."""
        parts = [(self._pointer(p, found), self._count(r)) for p, r, found in self.partials]
        return tuple(text for part in parts for text in part)

    @cached_property
    def _instead(self) -> dict[ast.expr, str]:
        """Code in the place of the function and the address of each store."""
        facts = self._facts
        found: dict[ast.expr, str] = {}
        for partial, reduction, places in self.partials:
            if comments_in(facts.kernel.module.text_of(partial.pointer)):
                raise NotExpressible(f"a comment is in line {partial.call.lineno}")
            found[partial.call.func] = Writer(facts).language(reduction.combining.atomic)
            found[partial.pointer] = self._pointer(partial, places)
            if reduction.count:
                found[partial.call.args[1]] = self._quotient(partial, reduction)
        return found

    def _quotient(self, partial: PartialStore, reduction: SlotReduction) -> str:
        """Code for a partial result, divided by what the sum of all is divided by."""
        facts, value = self._facts, partial.call.args[1]
        stored = partial.effect.stored
        assert stored is not None
        writer, text = Writer(facts), in_parentheses(facts.kernel.module.text_of(value))
        if "\n" in text:
            raise NotExpressible(f"what is divided takes several lines from line {value.lineno} on")
        number = stored.dtype in ("int", "float")  # of Python's, which has no method
        if not number and not facts.types.of(stored).all_in(frozenset({reduction.dtype})):
            text += f".to({writer.language(TYPES[reduction.dtype])})"
        return f"{text} / {self._count(reduction)}"

    def _count(self, reduction: SlotReduction) -> str:
        """Code for what a sum is divided by; "" for nothing."""
        if not reduction.count:
            return ""
        count = self.final.values[Param(reduction.count)]
        name, grid = self._parameter(count), self.binding.grid
        if count in grid and not name:
            return f"{Writer(self._facts).language('num_programs')}({grid.index(count)})"
        if not name:
            kernel = self._facts.kernel.name
            raise NotExpressible(f"{kernel} does not get the divisor of the sum as an argument")
        return name

    @cached_property
    def _removed(self) -> tuple[Remove, ...]:
        """What goes: what moves pointers, locks, and what was computed for these alone."""
        facts = self._facts
        kept = {partial.statement for partial, _, _ in self.partials}
        gone = [Remove(bump) for partial, _, _ in self.partials for bump in partial.bumps]
        for lock in {partial.lock for partial, _, _ in self.partials} - {None}:
            assert lock is not None
            gone += [Remove(s, keep_comments=False) for s in lock.section if s not in kept]
        lost = [node for removal in gone for node in walk(removal.anchor)]
        lost += [node for expression in self._instead for node in walk(expression)]
        return (*gone, *unused_names(facts, lost, (), self._instead.values()))

    @cached_property
    def unread(self) -> tuple[str, ...]:
        """Parameters of no use any more; none where others may count on them."""
        facts, kernel = self._facts, self._facts.kernel
        plain = len(kernel.decorators) == 1 and not isinstance(
            kernel.node.decorator_list[0], ast.Call
        )
        at_the_top = kernel.node in kernel.module.tree.body and can_choose(facts)
        kinds = {p.kind for p in kernel.parameters} == {"positional_or_keyword"}
        if not (plain and at_the_top and kinds) or kernel.signature_use:
            return ()
        calls = [launch.call for launch in facts.launches.launches]
        hidden = any(isinstance(a, ast.Starred) for call in calls for a in call.args)
        if hidden or any(k.arg is None for call in calls for k in call.keywords):
            return ()
        launchers = [n.launcher for n in facts.launches.launches if n.launcher is not None]
        nodes = {node for launcher in launchers for node in walk(launcher)}
        asked = {n.value for n in nodes if isinstance(n, ast.Constant)}  # by name, as in a grid
        gone = {n for r in self._removed for n in walk(r.anchor)}
        gone |= {n for expression in self._instead for n in walk(expression)}
        words = set(_WORD.findall(" ".join(self._instead.values())))
        words |= {n.id for n in kernel.nodes if isinstance(n, ast.Name) and n not in gone}
        unread = [p.name for p in kernel.parameters if p.name not in words | asked]
        launches = facts.launches.launches
        return tuple(name for name in unread if all(_is_pure(n, name) for n in launches))

    def changes(self) -> Iterator[Change]:
        for node, code in self._instead.items():
            yield ReplaceExpression(node, code)
        for partial, _, _ in self.partials:
            yield AddArgument(partial.call, 'sem="relaxed"')
        yield from self._removed
        for name in self.unread:
            yield ReplaceParameter(self._facts.kernel, name, ())
        yield from self._tuned()

    # The place

    def _pointer(self, partial: PartialStore, places: Sequence[Place]) -> str:
        """Code for the address in the output."""
        parts = [partial.buffer]
        for place in places:
            if place.stride != ONE:
                kernel = self._facts.kernel.name
                raise NotExpressible(
                    f"{kernel} does not get the stride of the results as an argument"
                )
            parts.append(self._coordinate(partial, place))
        return " + ".join(parts)

    def _coordinate(self, partial: PartialStore, place: Place) -> str:
        """Code for one number of the place: a name that the kernel has for it, if there is one."""
        facts, form, pointer = partial.facts, place.coordinate.form, partial.effect.pointer
        assert pointer is not None

        def fits(value: Value) -> bool:
            return facts.forms.of(value) == form and value.rank in (0, pointer.rank)

        for name, value in facts.before[partial.statement].items():
            if fits(value):
                return name
        raise NotExpressible(f"line {partial.call.lineno} has no name for its index in the result")

    def _parameter(self, number: Polynomial) -> str:
        """The parameter that all launches pass a number for, nowhere bound again; "" for none."""
        before = self._facts.before[self.partials[0][0].statement]
        for parameter in self._facts.kernel.parameters:
            name, value = parameter.name, before.get(parameter.name)
            if value is None or value.op not in (Op.PARAM, Op.CONSTEXPR) or value.name != name:
                continue
            if self.binding.values.get(Param(name)) == number:
                return name
        return ""

    # The tuner

    def _check_arguments(self) -> None:
        """Whether no heuristic asks for the buffer, in the place of which the output is passed."""
        kernel = self._facts.kernel
        use, lines = counting_use(kernel), list[int]()
        if use is not None:
            text = f"a heuristic or a hook in line {use.node.lineno} may read the buffer"
            raise unknown(_TUNED, "parameter-cannot-be-added", text)
        if len(kernel.decorators) > 1:
            calls = [d for d in kernel.node.decorator_list if isinstance(d, ast.Call)]
            listed = [k.value for d in calls for k in d.keywords if k.arg in _RESETTING]
            resets = {node for value in listed for node in walk(value)}
            buffers = {partial.buffer for partial, _, _ in self.partials}
            texts = (n for n in walk(kernel.module.tree) if isinstance(n, ast.Constant))
            lines = [n.lineno for n in texts if n.value in buffers and n not in resets]
        if lines:
            text = f"line {lines[0]} may read the buffer by its name"
            raise unknown(_TUNED, "parameter-cannot-be-added", text)

    def _tuned(self) -> Iterator[Change]:
        """What a tuner must put right before each run."""
        kernel = self._facts.kernel
        for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
            if name in _TUNERS:
                text = f"what {ast.unparse(decorator).partition('(')[0]} does with atomics"
                raise unknown(_TUNED, "state-is-not-restored", f"{text} is not known")
            if name != "triton.autotune" or not isinstance(decorator, ast.Call):
                continue
            check_pruning(kernel.module, decorator)
            if {"pre_hook", "post_hook", None} & {k.arg for k in decorator.keywords}:
                line = decorator.lineno
                text = f"a hook of the tuner in line {line} may keep it from resetting the output"
                raise refuted(_TUNED, "state-is-not-restored", text)
            for keyword, sums in zip(_RESETTING, (True, False), strict=True):
                found = [p.buffer for p, r, _ in self.partials if (r.combining is Kind.ADD) is sums]
                change = with_buffers(kernel.module, decorator, keyword, found)
                if change is None:
                    text = f"what the tuner in line {decorator.lineno} resets is unknown"
                    raise unknown(_TUNED, "state-is-not-restored", text)
                yield from change
        self._check_arguments()


# What becomes of the launcher: one launch, and an output that holds the identity first

_ZEROED = dict(zip(torch_api.EMPTY, torch_api.ZEROED, strict=True))
_FILLED = {name: name.replace("empty", "full") for name in torch_api.EMPTY}


@dataclass(frozen=True)
class Result:
    """One output of the second kernel, and the buffer that it was computed from."""

    parameter: str
    """Of the first kernel: what it stores the partial results to."""
    reduction: SlotReduction
    buffer: Made
    output: Made


@dataclass(frozen=True)
class OneLaunch:
    """The launches of one pair. What it gives may raise NotExpressible."""

    pair: Pair
    facts: KernelFacts
    """Of the second kernel."""
    results: Sequence[Result]
    unread: Sequence[str] = ()
    """The arguments that the first kernel takes no more."""

    def changes(self) -> Iterator[Change]:
        first, second = self.pair.statements
        instead: list[str] = []
        gone: list[ast.AST] = [*walk(second)]
        arguments: dict[ast.expr, str] = {}
        for result in self.results:
            passed = self.pair.tensor(result.parameter)
            assert passed is not None
            name = result.output.name
            if self._has_the_type(result):
                yield from self._begun(result)
            elif self._is_beside(result.output) and self._type_of(result.output):
                yield from self._begun(result, f"torch.{TYPES[result.reduction.dtype]}")
                instead.append(f"{name} = {name}.to({self._type_of(result.output)})")
            else:
                wide = new_name(f"wide_{name}", self.pair.first)
                yield InsertBefore(first, self._wide(result, wide))
                instead.append(f"{name}.copy_({wide})")
                name = wide
            arguments[passed] = name
            gone += [*walk(result.buffer.statement), passed]
            yield Remove(result.buffer.statement)
        yield from (ReplaceExpression(*pair) for pair in arguments.items())
        call = self.pair.first.call
        for name in self.unread:
            passed = self.pair.tensor(name)
            if passed is not None:
                keyword = next((k for k in call.keywords if k.value is passed), None)
                yield ReplaceArgument(call, keyword or passed, ())
                gone += walk(passed)
        if instead:
            yield Replace(second, "\n".join(instead))
        else:
            yield Remove(second, keep_comments=False)
        yield from self._unused(gone, instead)

    # What the output holds first

    def _has_the_type(self, result: Result) -> bool:
        """Whether the results are of the output's type, and need no cast."""
        reduction, types = result.reduction, self.facts.types.behind(result.reduction.store)
        unnamed = reduction.output in reduction.unnamed and reduction.dtype == DEFAULT
        return unnamed or types.all_in(frozenset({reduction.dtype}))

    def _is_beside(self, made: Made) -> bool:
        """Whether the output is made in the block of the launches."""
        home = self.pair.local.home
        return home[made.statement][1] is home[self.pair.statements[0]][1]

    def _begun(self, result: Result, dtype: str = "") -> Iterator[Change]:
        """The output begins with the identity, and is of another type if one is given."""
        made, value = result.output, self._identity(result)
        call, text = made.call, made.call.func
        anew = self._is_beside(made) and isinstance(text, ast.Attribute)
        if anew and not value and made.function in _ZEROED:
            yield ReplaceExpression(text, self._function(made, _ZEROED))
        elif anew and value and made.function in _FILLED and self._filled(made, value, dtype):
            yield ReplaceExpression(call, self._filled(made, value, dtype))
            return
        elif not (anew and not value and made.function in _ZEROED.values()):
            code = f"{made.name}.fill_({value})" if value else f"{made.name}.zero_()"
            yield InsertBefore(self.pair.statements[0], code)
        if dtype and made.memory.dtype is not None:
            yield ReplaceExpression(made.memory.dtype, dtype)
        elif dtype:
            yield AddArgument(call, f"dtype={dtype}")

    def _function(self, made: Made, others: Mapping[str, str]) -> str:
        assert isinstance(made.call.func, ast.Attribute)
        return f"{self._text(made.call.func.value)}.{others[made.function]}"

    def _filled(self, made: Made, value: str, dtype: str) -> str:
        """Code for memory of the same sizes that holds a number; "" where it has none."""
        call = made.call
        if "\n" in self._text(call) or not call.args:
            return ""
        first, *rest = call.args
        size = self._text(first)
        listed = isinstance(first, (ast.Tuple, ast.List)) or shape_of(first) is not None
        if made.function != "empty_like" and not listed:
            if not rest and not isinstance(first, ast.Constant):
                return ""  # a number, or a tuple of them
            parts = ", ".join(map(self._text, call.args))
            size = f"({parts})" if rest else f"({parts},)"
            rest = []
        if rest:
            return ""
        named = {k.arg: self._text(k.value) for k in call.keywords}
        if dtype:
            named["dtype"] = dtype
        keywords = "".join(f", {name}={text}" for name, text in named.items())
        return f"{self._function(made, _FILLED)}({size}, {value}{keywords})"

    def _identity(self, result: Result) -> str:
        """Code for the number that the output holds first; "" for 0."""
        reduction = result.reduction
        if reduction.begins_with_zero:
            return ""
        if reduction.start is not None and math.isfinite(reduction.start):
            return repr(reduction.start)
        largest = reduction.combining is Kind.MAX
        if reduction.dtype.startswith("int"):
            check_builtin(self.pair.first, "torch")
            end = "min" if largest else "max"
            return f"torch.iinfo(torch.{TYPES[reduction.dtype]}).{end}"
        check_builtin(self.pair.first, "float")
        return '-float("inf")' if largest else 'float("inf")'

    # Results of a type without atomics

    def _type_of(self, made: Made) -> str:
        """Code for the type of an output; "" where it has none that is the same later."""
        local, memory = self.pair.local, made.memory
        shown = memory.dtype if memory.dtype is not None else memory.typed_like
        if not isinstance(shown, (ast.Name, ast.Attribute)):
            return ""
        text = self._text(shown) + ("" if shown is memory.dtype else ".dtype")
        names = [n.id for n in walk(shown) if isinstance(n, ast.Name)]
        moved = local.hidden | local.stored_by_inner
        if any(map(self._asks_for_the_type, uses(self.pair, made.name))):
            return ""
        for name in names:
            if name in moved or max(local.lines.get(name, [0])) >= made.call.lineno:
                return ""
        return text

    def _asks_for_the_type(self, use: ast.Name) -> bool:
        """Whether a use of the output before the second launch is about more than its sizes."""
        around = self.pair.first.module.names.parents.get(use)
        asked = around.attr if isinstance(around, ast.Attribute) else ""
        before = use.lineno < self.pair.second.call.lineno
        return before and asked not in torch_api.SIZES - {"itemsize", "element_size"}

    def _wide(self, result: Result, name: str) -> str:
        """The statement that makes memory for the results, of a type that has atomics."""
        check_builtin(self.pair.first, "torch")
        like, value = result.output.name, self._identity(result)
        dtype = f"dtype=torch.{TYPES[result.reduction.dtype]}"
        if value:
            return f"{name} = torch.full_like({like}, {value}, {dtype})"
        return f"{name} = torch.zeros_like({like}, {dtype})"

    # What nobody needs any more

    def _unused(self, gone: Sequence[ast.AST], instead: Sequence[str]) -> Iterator[Change]:
        """Assignments to names that were read by what goes alone."""
        lost = set(gone)
        words = {n.id for code in instead for n in walk(parsed(code)) if isinstance(n, ast.Name)}
        while (statement := self._needless(lost, words)) is not None:
            lost.update(walk(statement))
            yield Remove(statement)

    def _needless(self, gone: set[ast.AST], words: set[str]) -> ast.stmt | None:
        pair, local = self.pair, self.pair.local
        module, launcher = pair.first.module, pair.first.launcher
        assert launcher is not None
        reads = [n for n in walk(launcher) if isinstance(n, ast.Name) and n not in gone]
        needed = {n.id for n in reads if isinstance(n.ctx, ast.Load)} | words
        kept = local.bound_otherwise | local.parameters | local.packed | local.hidden
        lost = {n.id for n in gone if isinstance(n, ast.Name)} - needed - kept
        for statement in local.home:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)]) if name in lost:
                    pass
                case _:
                    continue
            changes = effects_of(module).changes([statement])
            plain = not (changes.anything or changes.mutated or changes.reshaped)
            stays = any(
                other not in gone for other in local.home[statement][1] if other != statement
            )
            alone = module.has_own_lines(statement) and len(local.assigned[name]) == 1
            if statement not in gone and plain and stays and alone:
                return statement
        return None

    def _text(self, node: ast.expr) -> str:
        return self.pair.first.module.text_of(node)
