"""One call of a launcher: its memory, what is watched meanwhile, and what came of it."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import math
import mmap
import random
import time
import types
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from tritonopt.verification.algebra.carrying import carrying
from tritonopt.verification.algebra.following import Known, Run, Trace
from tritonopt.verification.algebra.laws import follow
from tritonopt.verification.algebra.tensors import Tensors
from tritonopt.verification.inputs.examples import (
    CONTIGUOUS,
    Example,
    OfValues,
    Repeat,
    Several,
    TensorRecipe,
    parts_of,
)
from tritonopt.verification.inputs.values import perturbed, values_of
from tritonopt.verification.process.messages import (
    REFERENCE,
    Failure,
    Followed,
    Outcome,
    Output,
    RunOptions,
)
from tritonopt.verification.signature.argument_language import COMPLEX, TorchType
from tritonopt.verification.worker import reference
from tritonopt.verification.worker.failures import failure_of, leave_if_poisoned
from tritonopt.verification.worker.guarded_memory import (
    BITWISE,
    COMPARED,
    DTYPES,
    GUARD_BYTES,
    Allocations,
    Arena,
    Buffer,
    Kept,
    also_in_backward,
    extent_of,
    integer_view,
    memory_of,
    once,
    patterns,
)
from tritonopt.verification.worker.launch_hook import Session, others_shown
from tritonopt.verification.worker.loaded_version import LoadedVersion
from tritonopt.verification.worker.probes import RECORDER
from tritonopt.verification.worker.triton_interpreter import libdevice, pretended_gpu
from tritonopt.verification.worker.triton_interpreter.corrected import Access, accesses
from tritonopt.verification.worker.triton_interpreter.roundings import Roundings, moving

_MOST_BYTES = 2**30
_NAMES = {**COMPARED, **BITWISE}
_MOST_KEPT = 2**26
"""So many bytes of results are kept until the next call."""


@dataclass(frozen=True)
class Returned:
    """What a call gave back, or how it failed."""

    result: Any = None
    gradients: Mapping[str, Any] = field(default_factory=dict)
    failure: Failure | None = None


_ON_CPU = "cpu tensor"
"""What Triton says of a tensor that was made without a device: whoever calls such a launcher has
made the GPU the default."""


def called(version: LoadedVersion, example: Example, options: RunOptions) -> Outcome:
    """What one call shows; of another one, with the GPU as the default device, where it asks so."""
    outcome = _called_once(version, example, options)
    needs = outcome.failure is not None and _ON_CPU in outcome.failure.message
    if version.device == "cuda" and needs and not version.defaults_to_gpu:
        version.defaults_to_gpu = True
        outcome = _called_once(version, example, options)
    return outcome


def _called_once(version: LoadedVersion, example: Example, options: RunOptions) -> Outcome:
    begin, compiled_before = time.perf_counter(), len(version.watch.compilations)
    call = OneCall(version, example, options)
    outcome = call.outcome(call.run())
    placed = [*version.kept, *map(Kept.of, call.arena.buffers)]
    del call
    gc.collect(0)
    version.kept = [kept for kept in placed if kept.tensor() is not None]
    if options.work:
        outcome = dataclasses.replace(outcome, held=_is_held(version, outcome))
    compilations = version.watch.compilations[compiled_before:]
    return dataclasses.replace(
        outcome,
        seconds=time.perf_counter() - begin,
        compile_seconds=sum(compilations),
        compilations=len(compilations),
    )


def _is_held(version: LoadedVersion, outcome: Outcome) -> bool:
    """Whether something holds a copy of a result, whose elements are not all the same."""
    results = {
        (o.dtype, o.bits.tobytes())
        for o in outcome.outputs
        if o.label.startswith("returned") and (o.bits != o.bits[:1]).any()
    }
    gc.collect()
    for held in gc.get_objects():
        if not issubclass(type(held), torch.Tensor) or held.is_meta or held.dtype not in _NAMES:
            continue
        if memory_of(held) not in version.given_back and held.layout is torch.strided:
            flat = integer_view(held.detach().cpu().contiguous().view(-1)).numpy()
            if (_NAMES[held.dtype], flat.tobytes()) in results:
                return True
    return False


class OneCall:
    """A version, called once."""

    def __init__(self, version: LoadedVersion, example: Example, options: RunOptions) -> None:
        self.version = version
        self.example = example
        self.options = options
        # Rows that are far apart need the room, and little of it is looked at.
        most = math.inf if example.is_far or example.was_seen else _MOST_BYTES
        self.arena = Arena(version.device, options.poison, most, kept=version.kept)
        self.access = Access(poison_lanes=options.lanes, order=options.order)
        self.session = Session(
            self.arena, self.access, options, example.configuration, example.first_call
        )
        self.trace = None if options.known is None else Trace(Known(options.known))
        self.parting = ""
        self.residues = Tensors(Run(options.algebra, self.trace)) if options.algebra else None
        self.session.residues = self.residues
        self.roundings = Roundings(options.roundings) if options.roundings else None
        if version.compiler is not None:
            version.compiler.begin(self.arena)
        if options.widened:
            self.access.anywhere = True
            self.session.widened = lambda *launch: version.oracle.launch(
                *launch, perturbation=options.perturbation
            )
        perturbation = 0 if options.widened else options.perturbation
        self.arguments, self.tensors = build_arguments(
            example, self.arena, perturbation=perturbation
        )
        given = self.tensors.values()
        self.session.only_whole = not any(t.is_floating_point() for t in given)
        self.work = reference.Work(self.session, version.spec.text_path) if options.work else None
        self.reference = version.spec.reference
        if self.reference and options.widened:
            self.arguments, self.tensors = reference.widened(
                self.arguments, self.tensors, options.perturbation
            )
        self._known(self.tensors.values())
        self.session.inputs.update(t.untyped_storage().data_ptr() for t in self.tensors.values())
        if options.absolute:
            with torch.no_grad():
                for tensor in self.tensors.values():
                    if tensor.is_floating_point():
                        tensor.abs_()

    def run(self) -> Returned:
        """Make the call."""
        version, session = self.version, self.session
        allocations = Allocations(
            self.arena,
            pretend_cuda=version.device == "cpu",
            launching=lambda: session.depth > 0,
            using=session.host_uses,
            called=self._host_call(),
        )
        _seed()
        RECORDER.begin(self.options.most_work)
        with (
            accesses(version.interpreter, self.access),
            allocations,
            also_in_backward(allocations),
            version.watch.watching(session),
            torch.set_grad_enabled(not self.example.no_grad),
            torch.device("cuda") if version.defaults_to_gpu else contextlib.nullcontext(),
            contextlib.nullcontext() if self.residues is None else _carrying(self.residues),
            contextlib.nullcontext() if self.roundings is None else moving(self.roundings),
            self.work if self.work is not None else contextlib.nullcontext(),
        ):
            gradients: Mapping[str, Any] = {}
            try:
                if self.reference:
                    return Returned(self._of_reference())
                if self.example.second_call:
                    self._call_before()
                for _ in range(self.options.calls - 1):
                    self._called()
                    session.launches.clear()
                result = self._called()
                if self.example.backward:
                    gradients = self._gradients(result)
                if version.device == "cuda":
                    torch.cuda.synchronize()
            except (Exception, SystemExit) as error:
                failure = failure_of(error)
                if version.device == "cuda":
                    leave_if_poisoned(error)
                return Returned(failure=failure)
            return Returned(result, gradients)

    def _known(self, tensors: Collection[Any]) -> None:
        """Tensors that are given: what they hold is no kernel's, though it may look like it."""
        if self.residues is not None:
            self.residues.came(tensors)
            self.residues.cover(tensors)

    def _host_call(self) -> Callable[[Any, Any, Any, Any], None] | None:
        """What is told of torch's functions that the launcher calls."""
        followers = (self.residues, self.roundings)
        return next((follower.host for follower in followers if follower is not None), None)

    def outcome(self, returned: Returned) -> Outcome:
        """Everything that was seen of it."""
        access, session, failure = self.access, self.session, returned.failure
        ran = RECORDER.coverage()
        with torch.no_grad():
            outcome = Outcome(
                out_of_bounds_stores=(
                    *self.arena.corruption(),
                    *dict.fromkeys(access.out_of_bounds_stores),
                ),
                out_of_bounds_loads=tuple(dict.fromkeys(access.out_of_bounds_loads)),
                races=tuple(access.races),
                unordered=tuple(access.unordered),
                products=frozenset(access.products),
                false_hints=tuple(dict.fromkeys(access.false_hints)),
                launches=tuple(session.launches),
                written=session.written,
                atomics=access.atomics,
                coverage=ran,
                not_compiled=tuple(
                    text for line, text in self.version.refused.items() if line in ran.lines
                ),
                retyped=tuple(dict.fromkeys(RECORDER.kernel.retyped)),
                failure=failure,
                undefined=tuple(dict.fromkeys(access.undefined)),
                notes=tuple(session.notes),
                configurations=session.configurations,
                work=frozenset() if self.work is None else frozenset(self.work.operators),
                caught=tuple(session.caught),
                opened=tuple(self.version.opened),
            )
            if failure is not None:
                return outcome
            try:
                found, plain = tuple(self._outputs(returned)), tuple(plain_of(returned.result))
                outcome = dataclasses.replace(outcome, outputs=found, plain=plain)
                self._keep(returned.result)
                return dataclasses.replace(outcome, followed=self._followed())
            except NotImplementedError as error:
                return dataclasses.replace(outcome, failure=failure_of(error))

    def _followed(self) -> Followed | None:
        if self.residues is None:
            return None
        run = self.residues.run
        lost, limits = tuple(run.memory.lost), frozenset(run.limits)
        computed, by = run.decisions.told()
        return Followed(sum(self.residues.degree), lost, limits, computed, by, self.parting)

    def _called(self) -> Any:
        launcher, spec = self.version.launcher, self.version.spec
        # By name: parameters that keep their default may stand between these.
        names = [name for name, _ in self.example.arguments]
        passed = dict(zip(names, self.arguments, strict=True))
        if spec.by_position:
            options = {name: passed.pop(name) for name in spec.options if name in passed}
            return launcher(*passed.values(), **options)
        return launcher(**passed)

    def _of_reference(self) -> Any:
        """What the reference gives, as if a kernel had written all of it."""
        widened = reference.InFloat64() if self.options.widened else contextlib.nullcontext()
        shown = self.tensors.values() if self.options.hidden else ()
        with torch.no_grad(), widened, others_shown(shown, whole=self.session.only_whole):
            result = self._called()
        self.session.launches.append(REFERENCE)
        self.session.written = sum(t.numel() for _, t in tensors_of(result)) or 1
        self.access.atomics = True  # sums of torch have no order that a kernel could keep
        return result

    def _call_before(self) -> None:
        """A call with the same tensors that hold something else: rows in another order."""
        with torch.no_grad():
            values = {name: tensor.clone() for name, tensor in self.tensors.items()}
            for name, tensor in self.tensors.items():
                held = values[name]
                once(tensor).copy_(once(held.flip(0) if held.ndim else held))
            self._called()
            for name, tensor in self.tensors.items():
                once(tensor).copy_(once(values[name]))

    def _gradients(self, result: Any) -> dict[str, Any]:
        """The gradients of the arguments, from drawn ones of what was returned."""
        example = self.example
        outputs = [t for _, t in tensors_of(result) if t.requires_grad]
        wanted = {n: t for n, t in self.tensors.items() if t.requires_grad}
        if not outputs or not wanted:
            return {}
        seeds = [incoming_gradient(example, at, t) for at, t in enumerate(outputs)]
        self._known(seeds)
        found: dict[str, Any] = {}
        for place in ("", " (second backward)")[: 1 + example.second_backward]:
            again = example.second_backward and not place
            each = torch.autograd.grad(
                outputs, list(wanted.values()), seeds, allow_unused=True, retain_graph=again
            )
            found.update((n + place, g) for n, g in zip(wanted, each, strict=True))
        return {name: gradient for name, gradient in found.items() if gradient is not None}

    def _outputs(self, returned: Returned) -> Iterator[Output]:
        """Everything that counts, each memory once, under its best-known name."""
        arena, results = self.arena, self.session.results(self.version.spec.results)
        seen: set[tuple[object, ...]] = set()
        candidates = [
            *((f"argument {name}", tensor) for name, tensor in self.tensors.items()),
            *tensors_of(returned.result),
            *((f"gradient of {name}", tensor) for name, tensor in returned.gradients.items()),
            *(
                (label, _whole(arena, tensor))
                for label, tensor in results
                if tensor.dtype in _NAMES
            ),
        ]
        for label, tensor in candidates:
            key = (tensor.data_ptr(), tuple(tensor.shape), tuple(tensor.stride()), tensor.dtype)
            if tensor.numel() and key in seen and not label.startswith("returned"):
                continue
            seen.add(key)
            output = _output(arena, label, tensor)
            if label.startswith("returned") and tensor.numel():
                output = dataclasses.replace(output, shares=self._owner_of(tensor))
            if self.residues is not None and output.is_float:
                modulo_p = self.residues.of(tensor).residues[1].astype(np.uint32)
                output = dataclasses.replace(output, residues=modulo_p)
                if self.options.asked[0] == label:
                    self.parting = self.residues.parting(tensor, self.options.asked[1])
            yield output

    def _owner_of(self, returned: Any) -> str:
        """Whose memory it is that was returned, if it was there before the call."""
        memory = memory_of(returned)
        if memory is not None and memory in self.version.given_back:
            return "what an earlier call returned"
        owners = (n for n, tensor in self.tensors.items() if memory_of(tensor) == memory)
        return next((f"the argument {name}" for name in owners), "")

    def _keep(self, result: Any) -> None:
        """Keep what was returned until the next call, whose results have to be others."""
        found = [tensor for _, tensor in tensors_of(result)]
        few = sum(map(extent_of, found)) <= _MOST_KEPT
        self.version.given_back = {memory_of(t): t for t in found} if few else {}


@contextlib.contextmanager
def _carrying(residues: Tensors) -> Iterator[None]:
    """The interpreter carries residues, and so do the functions of libdevice."""
    run = residues.run
    run.decisions.line = lambda: RECORDER.kernel.current
    if run.trace is not None:
        run.trace.line = run.decisions.line
    with carrying(run), libdevice.followed(lambda *call: follow(run, *call)):
        yield


def _seed() -> None:
    """Whatever draws numbers draws the same ones in both versions, and in every run."""
    random.seed(0)
    np.random.seed(0)
    pretended_gpu.seed_all(torch)


def _whole(arena: Any, tensor: Any) -> Any:
    """The allocation that a kernel's argument is a part of."""
    buffer = arena.buffer_of(tensor)
    return tensor if buffer is None else buffer.tensor


def _output(arena: Any, label: str, tensor: Any) -> Output:
    if tensor.dtype not in _NAMES or tensor.layout is not torch.strided:
        kind = tensor.dtype if tensor.layout is torch.strided else tensor.layout
        raise NotImplementedError(f"{label} is {kind}, which is not compared")
    buffer = arena.buffer_of(tensor)
    poisoned = None
    if buffer is not None and not buffer.written and buffer.tensor.dtype == tensor.dtype:
        poisoned = patterns(tensor.dtype)
    flat = tensor.detach().cpu().contiguous().view(-1)
    bits = integer_view(flat).numpy()
    return Output(
        label,
        _NAMES[tensor.dtype],
        tuple(tensor.shape),
        bits.view(f"u{bits.dtype.itemsize}").copy(),
        poisoned,
        tuple(tensor.stride()) if label.startswith("returned") else (),
    )


# What a launcher returned, taken apart: tensors, and what can be compared as text.

_DEEPEST = 6
"""Objects that lead back to themselves are followed so far."""


def tensors_of(result: Any, label: str = "returned") -> Iterator[tuple[str, Any]]:
    """The tensors, and what is as good as one, with a label for each.

    A float (`loss.item()`) came from a tensor, and has its rounding: it counts as float32.
    Of complex numbers the parts are compared.
    """
    for place, value in _leaves(result, label, 0):
        if isinstance(value, torch.Tensor):
            yield place, torch.view_as_real(value.resolve_conj()) if value.is_complex() else value
        elif isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            yield place, torch.from_numpy(np.ascontiguousarray(value))
        elif isinstance(value, (float, np.floating)):
            yield place, torch.tensor(float(value), dtype=torch.float32)


def plain_of(result: Any) -> Iterator[str]:
    """Everything else: what it is, or at least of which kind; and what holds all of it."""
    for _, value in _leaves(result, "returned", 0):
        if isinstance(value, torch.Tensor):
            if type(value) is not torch.Tensor:
                yield type(value).__name__
            if value.requires_grad:
                yield "a tensor that requires a gradient"
            if value.is_inference():
                yield "a tensor of `torch.inference_mode`"
            continue
        known = isinstance(value, (bool, int, str, type(None), torch.dtype, torch.device))
        yield repr(value) if known else type(value).__name__
    yield from _holders(result, 0)


def _holders(value: Any, depth: int) -> Iterator[str]:
    """The kinds of what tensors are returned in."""
    parts = _parts(value) if depth < _DEEPEST else None
    if parts is not None:
        yield type(value).__name__
        for _, part in parts:
            yield from _holders(part, depth + 1)


def _leaves(value: Any, label: str, depth: int) -> Iterator[tuple[str, Any]]:
    parts = _parts(value) if depth < _DEEPEST else None
    if parts is None:
        yield label, value
        return
    for name, part in parts:
        yield from _leaves(part, f"{label}{name}", depth + 1)


def _parts(value: Any) -> list[tuple[str, Any]] | None:
    """What a value consists of; None where it is compared as a whole."""
    if isinstance(value, Mapping):
        return [(f"[{key!r}]", part) for key, part in value.items()]
    if isinstance(value, (tuple, list)):
        return [(f"[{at}]", part) for at, part in enumerate(value)]
    if isinstance(value, (torch.Tensor, type, types.FunctionType, types.ModuleType)):
        return None
    if dataclasses.is_dataclass(value):
        return [(f".{f.name}", getattr(value, f.name)) for f in dataclasses.fields(value)]
    if type(value).__module__ in ("builtins", "torch", "numpy"):
        return None
    inside = getattr(value, "__dict__", None)
    return None if inside is None else [(f".{name}", part) for name, part in inside.items()]


# The arguments of one call, made from its recipe, in guarded memory.


# Tensors whose last row lies more than 2**31 elements from the first.
#
# The memory between the rows is reserved, not filled: on a CPU it costs address space, on a
# GPU it is real and must be free.

_RESERVE_ONLY = 0x4000
"""MAP_NORESERVE of Linux: pages come into being when they are touched."""
_SHARE = 0.8
"""Of the free memory of a GPU so much may be taken."""


class FarBuffer(Buffer):
    """Its gaps are too large to be looked through: only what lies next to the rows is."""

    def corruption(self) -> str:
        size = self.tensor.element_size()
        near = GUARD_BYTES // size
        row = max(self.tensor.stride())
        count = self.tensor.shape[self.tensor.stride().index(row)]
        inside = (self.extent() // size) - row * (count - 1)
        for at in range(count):
            end = self.tensor.storage_offset() + at * row + inside
            if bool((self.base[end : end + near] != 0).any()):
                return f"{self.label}: elements written past the end of row {at}"
        return ""


def _far_tensor(
    arena: Arena, label: str, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any
) -> Any:
    """A tensor of this form in memory of zeros; raises OutOfMemoryError where there is none."""
    size = torch.empty(0, dtype=dtype).element_size()
    guard = GUARD_BYTES // size
    reach = sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    count = 2 * guard + reach + 1
    base = _zeros(arena.device, count * size).view(dtype)
    tensor = base.as_strided(shape, strides, guard)
    arena.buffers.append(FarBuffer(label, tensor, base, 0, written=True))
    return tensor


def _zeros(device: str, size: int) -> Any:
    size += -size % 16
    if device == "cpu":
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _RESERVE_ONLY
        return torch.frombuffer(mmap.mmap(-1, size, flags=flags), dtype=torch.uint8)
    free, _ = torch.cuda.mem_get_info()
    if size > _SHARE * free:
        raise torch.OutOfMemoryError(f"{size} bytes are needed, {free} are free")
    return torch.zeros(size, dtype=torch.uint8, device=device)


def build_arguments(
    example: Example, arena: Arena, *, perturbation: int
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of the launcher, and the tensors among them by name.

    Of complex numbers these are the real and the imaginary parts, in the same memory; of what a
    command passed, whole memories.
    """
    kept: dict[int, Any] = {}
    tensors: dict[str, Any] = {}
    passed: dict[str, Any] = {}
    arguments: list[Any] = []
    for name, recipe in example.arguments:
        parts = [n for n, _ in parts_of(name, recipe)]
        for part, form in parts_of(name, recipe):
            if form.dtype == COMPLEX:
                tensors[part] = _build(part, _pieces(form), arena, perturbation=perturbation)
                passed[part] = torch.view_as_complex(tensors[part])
                continue
            if form.held is not None:
                if form.held.number not in kept:
                    kept[form.held.number] = _memory(part, form, arena, perturbation=perturbation)
                    tensors[part] = kept[form.held.number]
                passed[part] = _placed(kept[form.held.number], form)
                continue
            passed[part] = tensors[part] = _build(part, form, arena, perturbation=perturbation)
            if example.needs_gradient(part) and tensors[part].dtype.is_floating_point:
                tensors[part].requires_grad_()
        if isinstance(recipe, TensorRecipe):
            arguments.append(passed[name])
        elif isinstance(recipe, Several):
            found = [passed[part] for part in parts]
            arguments.append(tuple(found) if recipe.as_tuple else found)
        elif isinstance(recipe, (Repeat, OfValues)):
            arguments.append(None)
        elif isinstance(recipe.value, TorchType):
            arguments.append(DTYPES[recipe.value.name])
        else:
            arguments.append(recipe.value)
    for at, (_, recipe) in enumerate(example.arguments):
        if isinstance(recipe, Repeat):
            arguments[at] = passed[recipe.of]
        elif isinstance(recipe, OfValues):
            arguments[at] = recipe.number(passed[recipe.of])
    return arguments, tensors


def _memory(name: str, recipe: TensorRecipe, arena: Arena, *, perturbation: int) -> Any:
    """A whole memory with what it held, as numbers of the type that a tensor in it has.

    In the shape of the tensor, where that is all there is.
    """
    assert recipe.held is not None
    dtype = _dtype(recipe)
    held = torch.from_numpy(np.fromfile(recipe.held.file, dtype=np.uint8))
    size = dtype.itemsize
    values = held[: len(held) // size * size].view(dtype)
    if perturbation and dtype is torch.float32:
        generator = torch.Generator().manual_seed(perturbation * 1_000_003 + recipe.held.number)
        noise = torch.rand(values.shape, generator=generator, dtype=torch.float64)
        values = perturbed(values.double(), noise, perturbation)
    flat = arena.place(f"argument {name}", (len(values),), (1,), dtype, written=True)
    flat.copy_(values)
    if recipe.elements != len(values):
        return flat
    return flat.as_strided(recipe.shape, recipe.held.strides, flat.storage_offset())


def _placed(memory: Any, recipe: TensorRecipe) -> Any:
    """A tensor where it lay in a memory."""
    assert recipe.held is not None
    dtype = _dtype(recipe)
    start = memory.storage_offset() * memory.element_size() // dtype.itemsize
    typed = torch.empty(0, dtype=dtype, device=memory.device).set_(memory.untyped_storage())
    return typed.as_strided(recipe.shape, recipe.held.strides, start + recipe.held.offset)


def _dtype(recipe: TensorRecipe) -> Any:
    """A type that may be none that is drawn."""
    return DTYPES.get(recipe.dtype) or getattr(torch, recipe.dtype)


def _pieces(recipe: TensorRecipe) -> TensorRecipe:
    """The memory of a complex tensor as real numbers."""
    return replace(
        recipe, dtype="f32", shape=(*recipe.shape, 2), layout=CONTIGUOUS, misaligned=False
    )


def _build(name: str, recipe: TensorRecipe, arena: Arena, *, perturbation: int) -> Any:
    dtype = DTYPES[recipe.dtype]
    if recipe.is_far:
        tensor = _far_tensor(arena, f"argument {name}", recipe.shape, recipe.strides, dtype)
        tensor.copy_(_values(recipe, dtype, perturbation=perturbation))
        return tensor
    tensor = arena.place(
        f"argument {name}",
        recipe.shape,
        recipe.strides,
        dtype,
        misaligned=recipe.misaligned,
        written=True,
    )
    own = once(tensor)
    own.copy_(_values(recipe, dtype, perturbation=perturbation)[tuple(slice(n) for n in own.shape)])
    return tensor


def _values(recipe: TensorRecipe, dtype: Any, *, perturbation: int) -> Any:
    values = values_of(
        recipe.shape,
        dtype,
        recipe.values,
        seed=recipe.seed,
        low=recipe.low,
        high=recipe.high,
        kind=recipe.kind,
        perturbation=perturbation,
    )
    return values.to(dtype)


def incoming_gradient(example: Example, at: int, output: Any) -> Any:
    """What the caller's loss would pass to backward for one output."""
    generator = torch.Generator().manual_seed(example.gradient_seed + at)
    if example.gradient_expanded:
        # As `output.sum().backward()` makes it: one number that every element points at.
        shape: tuple[int, ...] = (1,) * output.ndim
    else:
        shape = tuple(output.shape)
    values = torch.randn(shape, generator=generator, dtype=torch.float64, device="cpu")
    if example.gradient_nan and values.numel():
        values.view(-1)[values.numel() // 2] = torch.nan
    # Called while allocations are put into guarded memory, so this is in it.
    gradient = torch.zeros(shape, dtype=output.dtype, device=output.device)
    gradient.copy_(values.to(output.dtype))
    return gradient.expand(output.shape)
