"""Variants where nothing can be timed: what they need as machine code, for GPUs elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module, metadata

from tritonopt.measurement.results import Compiled
from tritonopt.measurement.tuned import ORIGINAL, Evidence, Fate, Tried
from tritonopt.tuning.compiling.compiled_code import Compiling
from tritonopt.tuning.requests import Request
from tritonopt.tuning.store import Key
from tritonopt.tuning.timing_server import Version
from tritonopt.tuning.trials import Trials
from tritonopt.tuning.variation.variants import Variant, Variation


def compiled_variants(
    request: Request,
    variation: Variation,
    verify: Callable[[Sequence[str]], Iterable[Evidence]],
    trials: Trials,
    over: Callable[[], bool],
    at_once: int,
    report: Callable[[int, int], None],
) -> tuple[tuple[Compiled, ...], list[Tried]]:
    """The original's kernels for the first call, and those of each variant that is proved equal.

    `report` is told how many are done, of how many.
    """
    original: tuple[Compiled, ...] = ()
    found: list[Tried] = []
    variants = [*variation.first(), *variation.tuned(variation.original)]
    for start in range(0, len(variants), at_once):
        report(start, len(variants))
        batch = variants[start : start + at_once]
        if over():
            found += [
                Tried(v.name, v.text, Fate.WAITING, remarks=v.remarks) for v in variants[start:]
            ]
            break
        evidence = list(verify([variant.text for variant in batch]))
        pairs = list(zip(batch, evidence, strict=True))
        proved = [variant for variant, each in pairs if each.is_yes]
        compiled = _compiled(request, proved, trials)
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


def _compiled(
    request: Request, variants: Sequence[Variant], trials: Trials
) -> dict[str, tuple[Compiled, ...]]:
    """By the version: the kernels of the first call. What is known is not compiled again."""
    if not variants:
        return {}
    versions = list(_versions(request, variants))
    keys = {v.name: _key(request, trials, v.text) for v in versions}
    stored = {name: found for name, key in keys.items() if (found := trials.stored(key))}
    known = {n: tuple(Compiled(**each) for each in found["kernels"]) for n, found in stored.items()}
    missing = [v for v in versions if v.name not in known]
    with ExitStack() as stack:
        compiling = Compiling.of(missing, stack)
        row = compiling.row(request.launcher, request.calls[0])
    for version in missing:
        own = tuple(each for each in row.compiled if each.version == version.name)
        if own:
            known[version.name] = own
            trials.keep(keys[version.name], {"kernels": [{**vars(each)} for each in own]})
    return known


def _key(request: Request, trials: Trials, text: str) -> Key:
    """Of the machine code of a text, for the first call: it is the compiler's affair alone."""
    triton, own = import_module("triton").__version__, metadata.version("tritonopt")
    key = trials.key(text, f"compiled: {request.calls[0].label}")
    return replace(key, versions=f"triton {triton} tritonopt {own}")


def _versions(request: Request, variants: Sequence[Variant]) -> Iterator[Version]:
    what = request.launcher, request.by_position
    yield Version(ORIGINAL, request.path, request.text, request.path, *what)
    stem = request.path.removesuffix(".py")
    for at, variant in enumerate(variants):
        path = f"{stem}.variant{at}.py"
        yield Version(variant.name, request.path, variant.text, path, *what)
