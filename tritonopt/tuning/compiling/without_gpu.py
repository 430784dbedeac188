"""Variants where nothing can be timed: what they need as machine code, for GPUs elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace

from tritonopt.measurement.results import Compiled
from tritonopt.measurement.tuned import ORIGINAL, Evidence, Fate, Tried
from tritonopt.tuning.compiling.compiled_code import Compiling
from tritonopt.tuning.requests import Request
from tritonopt.tuning.timing_server import Version
from tritonopt.tuning.variation.variants import Variant, Variation


def compiled_variants(
    request: Request,
    variation: Variation,
    verify: Callable[[Sequence[str]], Iterable[Evidence]],
    over: Callable[[], bool],
    at_once: int,
) -> tuple[tuple[Compiled, ...], list[Tried]]:
    """The original's kernels for the first call, and those of each variant that is proved equal."""
    original: tuple[Compiled, ...] = ()
    found: list[Tried] = []
    variants = [*variation.first(), *variation.tuned(variation.original)]
    for start in range(0, len(variants), at_once):
        batch = variants[start : start + at_once]
        if over():
            found += [
                Tried(v.name, v.text, Fate.WAITING, remarks=v.remarks) for v in variants[start:]
            ]
            break
        evidence = list(verify([variant.text for variant in batch]))
        pairs = list(zip(batch, evidence, strict=True))
        proved = [variant for variant, each in pairs if each.is_yes]
        compiled = _compiled(request, proved)
        original = compiled.get(ORIGINAL, original)
        for variant, each in pairs:
            found.append(_tried(variant, each, compiled.get(variant.name, ()), original))
    return original, found


def _tried(
    variant: Variant, evidence: Evidence, own: Sequence[Compiled], original: Sequence[Compiled]
) -> Tried:
    fate = Fate.DROPPED if evidence.is_yes else Fate.REFUSED
    digests = [[c.digest for c in each] for each in (own, original)]
    if digests[0] == digests[1] and all(digests[0]):
        fate = Fate.SAME_CODE
    named = tuple(replace(c, version=variant.name) for c in own)
    return Tried(
        variant.name,
        variant.text,
        fate,
        "" if evidence.is_yes else evidence.reason,
        evidence,
        remarks=variant.remarks,
        compiled=named,
    )


def _compiled(request: Request, variants: Sequence[Variant]) -> dict[str, tuple[Compiled, ...]]:
    """By the version: the kernels of the first call."""
    if not variants:
        return {}
    with ExitStack() as stack:
        compiling = Compiling.of(list(_versions(request, variants)), stack)
        row = compiling.row(request.launcher, request.calls[0])
    found: dict[str, list[Compiled]] = {}
    for each in row.compiled:
        found.setdefault(each.version, []).append(each)
    return {name: tuple(each) for name, each in found.items()}


def _versions(request: Request, variants: Sequence[Variant]) -> Iterator[Version]:
    what = request.launcher, request.by_position
    yield Version(ORIGINAL, request.path, request.text, request.path, *what)
    stem = request.path.removesuffix(".py")
    for at, variant in enumerate(variants):
        path = f"{stem}.variant{at}.py"
        yield Version(variant.name, request.path, variant.text, path, *what)
