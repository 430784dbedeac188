"""`verify --bench`: how fast a candidate is that was accepted, told by runs that are checked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from tritonopt.measurement import checked as fair
from tritonopt.measurement.statistics import paired_ratio
from tritonopt.tuning.calls import Call
from tritonopt.tuning.shapes import one_form, usual_calls
from tritonopt.tuning.timing_server import TimingServer, Version, _difference
from tritonopt.verification.api import to_run
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.process import wire
from tritonopt.verification.process.client import Died, Refusal, Worker
from tritonopt.verification.questions import Options
from tritonopt.verification.reference.cheats import with_cheats
from tritonopt.verification.run import contained
from tritonopt.verification.signature.argument_parser import parse
from tritonopt.verification.tasks import Task, parse_module, read_module
from tritonopt.verification.verdict import YES, Cheat, Speed, Verdict
from tritonopt.verification.worker.server import answer_requests

_SECONDS = 180.0
_PARTS = 8
"""Of an input, each changed by itself to see whether the result needs it."""
_MOST_BYTES = 2**28
"""Of the tensors of a call, of which dozens are drawn."""
REFERENCE, CANDIDATE = "reference", "candidate"


def with_speeds(
    verdict: Verdict, original: Path | str, rewritten: Path | str, options: Options
) -> Verdict:
    """The verdict with what calls of usual sizes take; a yes of times that nobody believes is
    none. Raises VerificationError."""
    if verdict.verdict not in YES:
        return verdict
    paths = Path(original), Path(rewritten)
    old, text = read_module(paths[0]), options.text
    new = read_module(paths[1]) if text is None else parse_module(text, paths[1])
    if options.untrusted:
        options = contained(replace(options, backend="cuda", budget=_SECONDS), paths)
    old, new, tasks = to_run(old, new, options)
    if len(tasks) != 1 or not verdict.args:
        raise VerificationError("--bench: several launchers were verified: add --launcher NAME")
    path, what = str(paths[0].resolve()), (tasks[0].launcher.name, tasks[0].launcher.autograd)
    there = str(paths[1].resolve())
    versions = (
        Version(REFERENCE, path, old.text, path, *what),
        Version(CANDIDATE, path, new.text, there, *what),
    )
    found: list[Speed] = []
    worker = Worker(
        _SECONDS, forked=False, server=__name__, contained=options.contained, wired=True
    )
    try:
        for call in _calls(tasks[0], verdict.args):
            *runs, copy, why, text = worker.ask("speed", versions, call)
            if not why and not all(len(r) == fair.ROUNDS and min(r) > 0 for r in runs):
                why, text = "timer-changed", "the answer contains no times"
            if why:
                cheats = [Cheat(why, f"{call.label}: {text}")]
                return with_cheats(verdict, cheats, refused=True)
            ratio = paired_ratio(*runs)
            times = (*map(median, runs), ratio.value, ratio.low, ratio.high, copy)
            found.append(Speed(call.label, *times))
    except (Died, Refusal) as error:
        raise VerificationError(f"--bench: the runs that are timed fail: {error}") from None
    finally:
        worker.close()
    return replace(verdict, speeds=tuple(found))


def _calls(task: Task, args: str) -> list[Call]:
    """Of the sizes that the reference gives; else of usual ones."""
    signature = parse(args)
    sizes = {} if task.given is None else task.given.sizes
    if sizes and all(name in sizes for name in signature.size_names):
        return [Call(one_form(signature), {n: sizes[n] for n in signature.size_names})]
    if calls := [call.smaller(_MOST_BYTES) for call in usual_calls(signature)]:
        return [*{call.label: call for call in calls}.values()]
    raise VerificationError(
        "--bench: the conditions hold for no usual sizes: use `bench` with --args"
    )


def serve(descriptor: int) -> None:
    """Answer requests until the other side hangs up, in what cannot do anything there."""
    answer_requests(descriptor, BelievedServer(), wire.send)


class BelievedServer(TimingServer):
    """The worker that times what may be hostile: its answers are numbers and words."""

    def speed(
        self, versions: tuple[Version, Version], call: Call
    ) -> tuple[list[float], list[float], float, str, str]:
        """The times of both, that of a copy, and why they are not believed: its name, and how."""
        if self.device is None:
            self.begin()
        clocks = [*_clocks()]
        for version in versions:
            self.load(version)
        called = {v.name: _by_name(self.launchers[v.name]) for v in versions}

        def changed() -> str:
            same = all(a is b for a, b in zip(clocks, _clocks(), strict=True))
            return "" if same else "the file replaces clock functions"

        runs, (why, text) = fair.checked(
            called, self.whole(), lambda number: self.drawn(call, number), _differ, changed
        )
        copy = 0.0 if why else self.copied(self.needed(called[REFERENCE], call))
        if not why:
            why, text = fair.too_fast(runs, copy)
        return runs[REFERENCE], runs[CANDIDATE], copy, why, text

    def whole(self) -> Any:
        """The device, which tells what other streams do."""
        import torch

        device = self.device

        def rest(mark: Any) -> float:
            mark.synchronize()
            begin = time.perf_counter()
            torch.cuda.synchronize()
            return (time.perf_counter() - begin) * 1e6

        device.rest = rest
        return device

    def drawn(self, call: Call, number: int) -> dict[str, Any]:
        from tritonopt.tuning.arguments import build

        return build(call, self.place, number)

    def needed(self, reference: Callable[[Any], object], call: Call) -> int:
        """How many bytes have to be moved: of inputs that the result depends on, part by part, and
        of the result what the cache does not hold."""
        from tritonopt.tuning.arguments import bytes_of, tensors_in

        given = self.drawn(call, 0)
        inputs = {t.untyped_storage().data_ptr() for t in tensors_in(given)}
        results = tensors_in(reference(given))
        own = [t for t in results if t.untyped_storage().data_ptr() not in inputs]
        kept = [t.clone() for t in results]
        read = 0
        for at, tensor in enumerate(tensors_in(given)):
            if tensor.is_floating_point() and tensor.is_contiguous():
                for part in range(_PARTS):
                    other = self.drawn(call, 0)
                    flat = tensors_in(other)[at].view(-1)
                    step = -(-flat.numel() // _PARTS)
                    piece = flat[part * step : (part + 1) * step]
                    piece.mul_(-2).add_(100)
                    if not _same(kept, tensors_in(reference(other))):
                        read += piece.numel() * piece.element_size()
        return int(read + max(bytes_of(own) - self.device.l2_bytes, 0))

    def copied(self, count: int) -> float:
        """Microseconds that a copy takes which moves so many bytes."""
        from tritonopt.measurement.cuda import copying

        copy, found = copying(count), []
        for _ in range(fair.ROUNDS):
            self.device.clear(1)
            begin = self.device.mark()
            copy()
            end = self.device.mark()
            self.device.wait()
            found.append(self.device.between(begin, end))
        return float(median(found))


def _by_name(function: Callable[..., object]) -> Callable[[Any], object]:
    return lambda given: function(**given)


def _same(one: list[Any], other: list[Any]) -> bool:
    return all(bool((a == b).all()) for a, b in zip(one, other, strict=True))


def _differ(one: tuple[Any, Any], other: tuple[Any, Any]) -> str:
    from tritonopt.tuning.arguments import tensors_in

    return _difference(tensors_in([*one]), tensors_in([*other]))


def _clocks() -> Iterator[object]:
    """What tells the time, and what is asked whether it is told."""
    import torch

    event = torch.cuda.Event
    yield from (event, torch.cuda.synchronize, torch.cuda.current_stream, time.perf_counter)
    yield from (getattr(event, n) for n in ("record", "elapsed_time", "query", "synchronize"))
    yield from (torch.equal, torch.isfinite, torch.Tensor.clone, torch.Tensor.copy_)
    yield from (value for kind in BelievedServer.__mro__[:2] for value in vars(kind).values())
    yield from (fair.checked, _differ, _difference, _same)
