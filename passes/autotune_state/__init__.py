"""autotune-state: tuning runs a kernel many times, and the kernel is not made for that."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from tritonopt.facts import Effect, EffectKind, KernelFacts, Value
from tritonopt.facts.algebra.atoms import Iteration
from tritonopt.facts.algebra.polynomial import Atom, Polynomial, TooLarge
from tritonopt.facts.effects import is_loaded, parts_of
from tritonopt.facts.host.same_memory import may_be_one, may_be_part
from tritonopt.facts.host.tuner_choices import bound, keywords_of, least_number, settings_of
from tritonopt.facts.memory.offsets import number_of
from tritonopt.facts.repetition import changes_when_repeated, sweep_changes_when_repeated
from tritonopt.launches.known_launches import with_buffers
from tritonopt.rewriting.model import Condition, Site, Status
from tritonopt.rewriting.protocol import Lint
from tritonopt.source import Change, Kernel
from tritonopt.source.trees import walk

_TUNER = "triton.autotune"
_ADDING = frozenset({"atomic_add", "atomic_xor"})
"""Atomics that, done twice, are not what they are once."""


@dataclass(frozen=True)
class AutotuneState(Lint):
    """Find autotuned kernels whose result changes when the tuner runs them several times.

    ## What it does

    At the first launch for each `key`, `triton.autotune` runs the kernel many times on the same
    arguments, which repeats in-place updates and atomic additions. The pass reports the decorator
    if neither `restore_value` nor `reset_to_zero` lists the updated buffer. The fix adds the buffer
    to `restore_value`, which is right for any content, or to `reset_to_zero` if each launcher
    passes new zeros for an atomic addition.

    The pass also reports names in `key` that are not parameters, which Triton ignores, and a `key`
    without the size that determines the tile (a tile as long as a tensor, or the next power of 2).
    If the pass is named, it reports a length in `key` that neither the kernel nor the grid reads.

    ## Why

    Only the first launch for each `key` gives a wrong result, so a test with a warm-up does not
    find it.

    ## Conditions

    The decorator is reported if one of these is proved:

    - A value computed from an element is stored back to it, without an earlier store to that
      buffer, and numbers show that repetition changes the result: `x * 2` or softmax, not
      `tl.maximum(x, 0)`, a cast, a clamp or `x - mean`.
    - `tl.atomic_add` or `tl.atomic_xor` updates a buffer, its result is unused, and nothing else
      stores there on the same path.

    Two parameters count as two buffers, unless a launch passes one buffer for both. Not reported: a
    single configuration, because the kernel then runs once; a `pre_hook`, which may restore the
    buffer; decorator arguments that cannot be read. If several tuned kernels share unknown
    `**keywords`, we assume that these restore only parameters that all the kernels have. Reported
    without a fix: decorators with `**` or more than three positional arguments, or with a
    `restore_value` that is not a one-line list.

    ## Numerics

    `exact`, bits `same` for launches after tuning. The launch that tunes gave a wrong result.

    ## Example

    ```python
    @triton.autotune(
        configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
        key=["N"],
    )
    @triton.jit
    def step(P, G, lr, N, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < N
        p = tl.load(P + offsets, mask=mask)
        g = tl.load(G + offsets, mask=mask)
        tl.store(P + offsets, p - lr * g, mask=mask)
    ```

    becomes

    ```python
    @triton.autotune(
        configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
        key=["N"],
        restore_value=["P"],
    )
    @triton.jit
    def step(P, G, lr, N, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < N
        p = tl.load(P + offsets, mask=mask)
        g = tl.load(G + offsets, mask=mask)
        tl.store(P + offsets, p - lr * g, mask=mask)
    ```

    ## Measured

    Nothing to measure: it is about correctness.
    """

    name: ClassVar[str] = "autotune-state"
    fixes: ClassVar[bool] = True
    summary: ClassVar[str] = "find autotuned kernels whose result changes when they run twice"
    harm: ClassVar[str] = (
        "tuning runs the kernel many times on the arguments of the first launch: that launch "
        "leaves a wrong result, and later ones a right one"
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        kernel = facts.kernel
        for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
            if name == _TUNER and isinstance(decorator, ast.Call):
                # Imported here: few kernels are tuned.
                from tritonopt.passes.autotune_state import listed

                yield from listed.keys_of_nothing(facts, decorator)
                yield from listed.repeated(facts, decorator)
                if self.is_named:
                    yield from listed.keys_in_vain(facts, decorator)
                tuner = _Tuner.of(facts, decorator)
                if tuner is not None:
                    yield from _sites(facts, decorator, tuner)


@dataclass(frozen=True)
class _Tuner:
    """What an `autotune` that runs the kernel more than once puts right."""

    kept: frozenset[str]
    settings: tuple[Mapping[Atom, int], ...] = ()
    """What each configuration gives to parameters; none where they cannot all be read."""

    def leaves_out(self, facts: KernelFacts, effect: Effect) -> bool:
        """Whether each configuration decides that an effect does not come about."""
        asked = [(facts.forms.condition(guard.condition), guard.holds) for guard in effect.guards]
        left = [any(number_of(f, s) == int(not h) for f, h in asked) for s in self.settings]
        return bool(left) and all(left)

    @classmethod
    def of(cls, facts: KernelFacts, decorator: ast.Call) -> _Tuner | None:
        """None where it runs nothing twice, or may put right more than can be read."""
        names = ("configs", "key", "prune_configs_by", "reset_to_zero", "restore_value", "pre_hook")
        if any(isinstance(a, ast.Starred) for a in decorator.args) or len(decorator.args) > 5:
            return None
        module = facts.kernel.module
        given = dict(zip(names, decorator.args, strict=False))
        kept: set[str] = set()
        for keyword in decorator.keywords:
            if keyword.arg is not None:
                given[keyword.arg] = keyword.value
                continue
            shared = keywords_of(module, keyword.value)
            if shared is not None:
                given |= shared
            elif _tunes_others(facts, keyword.value):
                # Triton looks up every buffer that is to be put right by name.
                kept |= _common(facts, keyword.value)
            else:
                return None
        hook = given.get("pre_hook")
        if hook is not None and not (isinstance(hook, ast.Constant) and hook.value is None):
            return None
        configs = bound(module, given.get("configs"))
        if configs is None or least_number(module, configs) < 2 or _mentions_hook(facts, configs):
            return None
        from tritonopt.passes.autotune_state.listed import texts_of

        for name in ("reset_to_zero", "restore_value"):
            texts = texts_of(bound(module, given.get(name)))
            if texts is None:
                return None
            kept |= texts
        return cls(frozenset(kept), settings_of(configs))


def _others(facts: KernelFacts, given: ast.expr) -> list[Kernel]:
    """The other tuned kernels of the file that are given the same `**given`."""
    text = ast.dump(given)
    return [
        kernel
        for kernel in facts.kernel.module.kernels
        if kernel is not facts.kernel
        for decorator in kernel.node.decorator_list
        if isinstance(decorator, ast.Call)
        for keyword in decorator.keywords
        if keyword.arg is None and ast.dump(keyword.value) == text
    ]


def _tunes_others(facts: KernelFacts, given: ast.expr) -> bool:
    return isinstance(given, ast.Name) and bool(_others(facts, given))


def _common(facts: KernelFacts, given: ast.expr) -> set[str]:
    """The parameters that all kernels have that are given it: no other can be named in it."""
    kernels = (facts.kernel, *_others(facts, given))
    return set.intersection(*({p.name for p in kernel.parameters} for kernel in kernels))


def _mentions_hook(facts: KernelFacts, configs: ast.expr) -> bool:
    """Whether a configuration may bring a hook of its own: seen, or out of sight in a function."""
    if any(isinstance(n, ast.keyword) and n.arg == "pre_hook" for n in walk(configs)):
        return True
    names = {n.id for n in walk(configs) if isinstance(n, ast.Name)}
    functions = facts.kernel.module.names.functions
    bodies = [node for node, _ in functions if node.name in names]
    return any(
        isinstance(n, ast.keyword) and n.arg == "pre_hook" for body in bodies for n in walk(body)
    )


def _sites(facts: KernelFacts, decorator: ast.Call, tuner: _Tuner) -> Iterator[Site]:
    said: set[str] = set()
    for effect in facts.effects:
        base = _base(facts, effect)
        if base is None or base in said or base in tuner.kept:
            continue
        try:
            if tuner.leaves_out(facts, effect):
                continue
            found = _updated(facts, effect, base, tuner.kept)
            added = "" if found else _added(facts, effect, base)
            found = found or added
        except TooLarge:
            continue
        if not found:
            continue
        said.add(base)
        zeroed = bool(added) and facts.launches.starts_at_zero(base)
        keyword = "reset_to_zero" if zeroed else "restore_value"
        bases = [base, *_read_beside(facts, effect, {*said, *tuner.kept})]
        said.update(bases)
        names = ", ".join(f'"{one}"' for one in bases)
        claim = Condition("launches-can-be-tuned", Status.REFUTED, found, "state-is-not-restored")
        what = f"{found}; tuning repeats this, so {base} is wrong after it"
        yield Site(
            decorator,
            (claim,),
            f"{what}: gave the decorator {keyword}=[{names}]",
            advice=f"{what}: give the decorator {keyword}=[{names}]",
            analysis=True,
            changes=_fixed(facts, decorator, keyword, bases),
        )


def _read_beside(facts: KernelFacts, effect: Effect, known: set[str]) -> list[str]:
    """The other buffers that the kernel changes and makes what it stores of."""
    stored = effect.stored
    parts = set(parts_of(facts.loops, stored)) if stored is not None else set()
    read = {name for e in facts.effects if e.loaded in parts for name in facts.bases(e) or ()}
    written = {_base(facts, e) for e in facts.effects if e.writes}
    return [p.name for p in facts.kernel.parameters if p.name in (read & written) - known]


def _fixed(
    facts: KernelFacts, decorator: ast.Call, keyword: str, bases: list[str]
) -> tuple[Change, ...]:
    """More buffers for the tuner to restore; nothing where its arguments are hidden."""
    if len(decorator.args) > 3 or any(k.arg is None for k in decorator.keywords):
        return ()
    return tuple(with_buffers(facts.kernel.module, decorator, keyword, bases) or ())


def _base(facts: KernelFacts, effect: Effect) -> str | None:
    """The one parameter whose buffer an effect writes to."""
    bases = facts.bases(effect) if effect.writes else None
    return next(iter(bases)) if bases is not None and len(bases) == 1 else None


def _updated(facts: KernelFacts, store: Effect, base: str, kept: frozenset[str]) -> str:
    """In words, that a store changes what the kernel has read from the same place."""
    if store.kind is not EffectKind.STORE or store.pointer is None or store.stored is None:
        return ""
    same = {base, *(p for p in facts.pointers if _in_place(facts, base, p))}
    if not same.isdisjoint(kept):
        return ""
    address = _address(facts, store, same)
    loads = [e for e in _loads_in(facts, store.stored) if (facts.bases(e) or {""}) <= same]
    for load in loads:
        if load.order > store.order or load.pointer is None:
            continue
        if address != _address(facts, load, same):
            continue
        if any(e.order < load.order and _writes_to(facts, e, base) for e in facts.effects):
            continue
        element = frozenset(e.order for e in loads if _is_same_row(facts, e, store, same))
        swept = frozenset(e.order for e in loads if _address(facts, e, same) == address)
        every = frozenset(
            e.order for e in facts.effects if not same.isdisjoint(facts.bases(e) or same)
        )
        if changes_when_repeated(facts, store.stored, element) or (
            load.loops == store.loops and sweep_changes_when_repeated(facts, store, swept, every)
        ):
            (read,) = facts.bases(load) or (base,)
            where = "" if read == base else _in_place(facts, base, read)
            return (
                f"line {store.line} stores to {base} a value computed from the same "
                f"element, loaded in line {load.line}"
                + (where and f", through {read} ({where} passes the same tensor)")
            )
    return ""


def _in_place(facts: KernelFacts, written: str, read: str) -> str:
    """The launch that passes one whole tensor for two parameters; "" for none."""
    for launch in facts.launches.launches if written != read else ():
        one, other = (launch.arguments.get(name) for name in (written, read))
        if one is None or other is None or launch.launcher is None:
            continue
        is_part = may_be_part(launch, one) or may_be_part(launch, other)
        if may_be_one(launch, one, other) and not is_part:
            return f"the launch in {launch.where}"
    return ""


def _address(
    facts: KernelFacts, effect: Effect, same: Collection[str]
) -> tuple[str | None, Polynomial]:
    """With one name for the parameters that are one tensor."""
    assert effect.pointer is not None
    base, offset = facts.forms_ignoring_memory.address(effect.pointer)
    return min(same) if base in same else base, offset


def _is_same_row(facts: KernelFacts, load: Effect, store: Effect, same: Collection[str]) -> bool:
    """Whether they have the same address in the same iteration, each of its own loop."""

    def in_some_iteration(effect: Effect) -> tuple[str | None, Polynomial]:
        base, offset = _address(facts, effect, same)
        return base, offset.map(lambda atom: Iteration() if isinstance(atom, Iteration) else None)

    return load.pointer is not None and in_some_iteration(load) == in_some_iteration(store)


def _writes_to(facts: KernelFacts, effect: Effect, parameter: str) -> bool:
    """Whether it may write to the buffer of a parameter."""
    if not effect.writes:
        return False
    bases = facts.bases(effect)
    return bases is None or any(_may_be_one_buffer(facts, base, parameter) for base in bases)


def _may_be_one_buffer(facts: KernelFacts, one: str, other: str) -> bool:
    """Two parameters are two buffers, unless a launch passes the same for both."""
    return one == other or facts.launches.passes_one_for_both(one, other)


def _loads_in(facts: KernelFacts, value: Value) -> Iterator[Effect]:
    """The loads whose element a value is computed from, not just where it stands or whether."""
    parts = parts_of(facts.loops, value, stop=is_loaded)
    return (facts.interpretation.loads[p.number] for p in parts if is_loaded(p))


def _added(facts: KernelFacts, atomic: Effect, base: str) -> str:
    """In words, that an atomic adds to what is there."""
    if atomic.kind is not EffectKind.ATOMIC or atomic.name not in _ADDING:
        return ""
    if _is_result_used(facts, atomic):
        return ""  # a counter or a lock, which the kernel may well put back
    for other in facts.effects:
        if other is atomic or not _writes_to(facts, other, base):
            continue
        if facts.bases(other) == frozenset({base}) and other.name == atomic.name:
            continue
        if not _exclude(other, atomic):
            return ""
    return f"line {atomic.line} adds to {base} atomically"


def _is_result_used(facts: KernelFacts, atomic: Effect) -> bool:
    match facts.kernel.module.names.parents.get(atomic.node):
        case ast.Expr():
            return False
        case ast.Assign(targets=[ast.Name(id=name)]):
            return any(
                isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
                for n in facts.kernel.nodes
            )
    return True


def _exclude(one: Effect, other: Effect) -> bool:
    """Whether they stand on the two sides of one `if`."""
    return any(
        a.condition is b.condition and a.holds is not b.holds
        for a in one.guards
        for b in other.guards
    )
