"""Small helpers: the facts of a kernel that a test writes down."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Sequence

from tritonopt import source
from tritonopt.facts import KernelFacts, Loop, Polynomial, Value, of, parse_assumption
from tritonopt.facts.effects import Effect, EffectKind

IMPORTS = "import torch\nimport triton\nimport triton.language as tl\n\n"


def facts_of(text: str, name: str | None = None, assume: Sequence[str] = ()) -> KernelFacts:
    """The facts of the file's only kernel, or of the one that is named."""
    module = source.read(IMPORTS + textwrap.dedent(text))
    kernel = module.kernels[-1] if name is None else module.kernel(name)
    assert kernel is not None
    return of(kernel, [parse_assumption(fact) for fact in assume])


def body(
    statements: str,
    parameters: str = "X, Y, N, M, stride, B: tl.constexpr",
    *,
    before: str = "",
    assume: Sequence[str] = (),
) -> KernelFacts:
    """The facts of a kernel with these statements."""
    inner = textwrap.indent(textwrap.dedent(statements), "    ")
    head = textwrap.dedent(before)
    return facts_of(
        f"{head}\n\n@triton.jit\ndef kernel({parameters}):\n{inner}\n", "kernel", assume
    )


def value(facts: KernelFacts, name: str) -> Value:
    """What a name is bound to at the end of the kernel."""
    return facts.interpretation.after[name]


def form(facts: KernelFacts, name: str) -> Polynomial:
    return facts.forms.of(value(facts, name))


def same(statements: str, one: str = "a", other: str = "b", **options: str) -> bool:
    """Whether two names have equal forms at the end of a kernel with these statements."""
    facts = body(statements, **options)  # type: ignore[arg-type]
    return form(facts, one) == form(facts, other)


def effects(facts: KernelFacts, kind: EffectKind) -> list[Effect]:
    return [e for e in facts.effects if e.kind is kind]


def loads(facts: KernelFacts) -> list[Effect]:
    return effects(facts, EffectKind.LOAD)


def kinds(facts: KernelFacts) -> list[str]:
    """The kinds of all effects, in order."""
    return [e.kind.value for e in facts.effects]


def outer_loop(facts: KernelFacts) -> Loop:
    return facts.loops[0]


def expression(facts: KernelFacts, text: str) -> Value:
    """The value of the last expression of the kernel that is written so."""
    wanted = ast.dump(ast.parse(text, mode="eval").body)
    found = [v for node, v in facts.values.items() if ast.dump(node) == wanted]
    assert found, f"{text} is not in the kernel"
    return found[-1]
