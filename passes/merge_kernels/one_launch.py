"""What becomes of the launcher: one launch, and an output that holds the identity first."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tritonopt.facts import KernelFacts
from tritonopt.facts.host import torch_api
from tritonopt.facts.host.side_effects import effects_of
from tritonopt.facts.host.tensor_expressions import shape_of
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.facts.recurrences.partials import TYPES
from tritonopt.facts.slot_reductions import DEFAULT, SlotReduction
from tritonopt.launches.known_launches import check_builtin
from tritonopt.launches.launch_grids import new_name
from tritonopt.launches.launch_pairs import Made, Pair, uses
from tritonopt.source import (
    AddArgument,
    Change,
    InsertBefore,
    Remove,
    Replace,
    ReplaceArgument,
    ReplaceExpression,
)
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import walk

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
