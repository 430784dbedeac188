"""Which of several versions of a live kernel is launched: the one that was fastest when tried.

Launches are put into classes. For the first launch of a class the versions are verified against
the original and timed beside it, in processes of their own and on tensors like those of the launch.
What was found is kept on disk, for other processes. The original runs wherever nothing better was
found, and while nothing may be tried: where a CUDA graph is captured, or torch.compile traces.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tritonopt import install_command
from tritonopt.cache_directory import cache_directory
from tritonopt.runtime.live import Live, called_by
from tritonopt.runtime.live_verification import NotInAFile, inside, read_own_file

if TYPE_CHECKING:
    from tritonopt.runtime.launch_choice import Chosen
    from tritonopt.tuning.store import Key

Run = Callable[..., Any]
"""Launches: `run(*arguments, grid=..., warmup=..., **options)`."""
LaunchOf = tuple[Any, Mapping[str, Any]]
"""A grid, and arguments by their names."""

SERVERS: dict[str, Any] = {}
"""The modules that serve in the workers, where they are others than usual."""
_STORE = "tuning.sqlite"
_TASK = "tritonopt.runtime.launch_choice:choose"
_DEFAULT = "default"
_MOST_TRIES = 3
"""Processes that choose anew where what is faster was not verified in time, one after the other."""
_SLACK = 600.0
"""Seconds beside the budget after which a choice hangs: its last steps are not cut short."""


@dataclass(frozen=True)
class Version:
    """A version of a kernel that may be launched in its place."""

    name: str
    """What made it, as after `--passes`."""
    definition: str
    diff: str
    make: Callable[[], Any]
    """The kernel, in the wrappers of the original."""


@dataclass(frozen=True)
class Versions:
    """What there is to choose from."""

    page: str
    """What the kernel's names stand for, as the rewriter was shown it."""
    versions: tuple[Version, ...]


@dataclass(frozen=True)
class Choice:
    """What is launched for the launches of one class."""

    passes: str = ""
    """What made it, as after `--passes`; "" for the original."""
    diff: str = ""
    """From the original's definition to it."""
    ratio: tuple[float, float, float] | None = None
    """Time of the original / its own, as measured again, and the ends of the 95 % interval."""
    why: str = ""
    """Why the original; what was said of the versions that were not chosen."""


@dataclass
class Tuner:
    """The choice for every class of launches of one kernel."""

    live: Live
    kernel: Any
    """The original, in its wrappers."""
    usual: Run
    """Launches it."""
    make: Callable[[], Versions]
    seconds: float
    """For one choice."""
    choices: dict[str, Choice] = field(default_factory=dict)
    """By the class, as text."""
    runs: dict[object, Run] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._warned = False
        self._constants = _constants(self.kernel)

    @cached_property
    def _made(self) -> Versions:
        return self.make()

    @property
    def versions(self) -> tuple[Version, ...]:
        return self._made.versions

    def tune(self, launch: LaunchOf) -> None:
        """Choose for launches like this one, which is not made. Raises TypeError if it is none."""
        if not isinstance(launch, tuple) or len(launch) != 2 or not isinstance(launch[1], Mapping):
            raise TypeError(
                "tune takes True or launches, each (grid, arguments by their names), as in "
                f"((4096,), {{'X': x, 'N': 1024}}); {launch!r} is none"
            )
        grid, arguments = launch
        launches = class_of(self.kernel.arg_names, self._constants, (), arguments)
        self.choose(launches, grid, (), dict(arguments))

    def give_up(self, why: str) -> None:
        """Launch the original from now on, and say so once."""
        if not self._warned:
            self._warned = True
            name = self.live.function.__qualname__
            warnings.warn(
                f"tritonopt: {name} is not tuned, and runs as it was written: {why}", stacklevel=3
            )

    def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        """Launch what was chosen for launches like this one, or choose it."""
        launches = class_of(self.kernel.arg_names, self._constants, args, kwargs)
        run = self.runs.get(launches)
        if run is None and not warmup and not must_not_wait():
            run = self.choose(launches, grid, args, kwargs)
        if run is not None and run is not self.usual:
            try:
                return run(*args, grid=grid, warmup=warmup, **kwargs)
            except Exception as error:
                # What fails where the original does not is not used; nothing was launched yet.
                self.runs[launches] = self.usual
                self.choices[repr(launches)] = self._original(f"what was chosen fails: {error}")
        return self.usual(*args, grid=grid, warmup=warmup, **kwargs)

    def choose(
        self, launches: object, grid: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Run | None:
        """What is launched from now on; None where another thread is at it."""
        if not self._lock.acquire(blocking=False):
            return None
        try:
            if launches not in self.runs:
                try:
                    choice = self._choice(launches, grid, args, kwargs)
                    run = self._run_of(choice)
                except Exception as error:
                    # A launch must not fail because a faster one was looked for.
                    choice, run = self._original(f"{type(error).__name__}: {error}"), self.usual
                self.choices[repr(launches)] = choice
                self.runs[launches] = run
            return self.runs[launches]
        finally:
            self._lock.release()

    def _run_of(self, choice: Choice) -> Run:
        if not choice.passes:
            return self.usual
        (version,) = [v for v in self.versions if v.name == choice.passes]
        run: Run = version.make().run
        return run

    def _choice(
        self, launches: object, grid: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Choice:
        """Raises what stands in the way."""
        why = why_not_here()
        if why:
            return self._original(why)
        if not self.versions:
            return Choice(why="no pass rewrites it")
        return self._found(launches, grid, args, kwargs)

    def _original(self, why: str) -> Choice:
        self.give_up(why)
        return Choice(why=why)

    def _found(
        self, launches: object, grid: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Choice:
        """What the store knows, else what is found out now. Raises what stands in the way."""
        from tritonopt.tuning.store import Store

        store = Store(cache_directory() / _STORE)
        key = self._key(launches)
        kept = store.get(key)
        tries = 0 if kept is None else kept.get("tries", _MOST_TRIES)
        if kept is not None and tries >= _MOST_TRIES:
            return self._known(kept)
        answer = self._asked(store.path, grid, args, kwargs)
        if answer.failure:
            return self._original(answer.failure)
        choice = self._told(answer)
        found = self._kept(choice)
        store.put(key, {**found, "tries": tries + 1} if answer.late else found)
        return choice

    def _asked(
        self, store: Path, grid: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Chosen:
        """What a process that sees this GPU alone says of a launch. Raises NotInAFile."""
        import torch

        from tritonopt.engines import Outcome, Task
        from tritonopt.engines.local import Slot
        from tritonopt.runtime.launch_choice import Chosen, LiveLaunch
        from tritonopt.verification.capture.recording import described_launch

        file = read_own_file(self.live)
        function = self.live.function
        if function.__qualname__ != function.__name__:
            raise NotInAFile(
                "it is defined in a function or a class, so it cannot be launched separately"
            )
        launch = described_launch(self.kernel, function, grid, args, kwargs)
        asked = LiveLaunch(
            os.path.abspath(self.live.path),
            file.text,
            function.__name__,
            {v.name: file.with_definition(v.definition) for v in self.versions},
            launch,
            self.seconds,
            store=str(store),
            **SERVERS,
        )
        if torch.cuda.is_available():
            torch.cuda.synchronize()  # what runs there now would be measured with it
        slot = Slot(environment={**inside(), **visible_gpu()})
        try:
            answer = slot.answer(
                Task(function.__qualname__, _TASK, (asked,), timeout=self.seconds + _SLACK)
            )
        finally:
            slot.worker.close()
        if answer.outcome is not Outcome.DONE:
            return Chosen(
                failure=f"the process that was to choose {answer.outcome.value}: {answer.reason}"
            )
        found: Chosen = answer.value
        return found

    def _told(self, answer: Chosen) -> Choice:
        notes = "; ".join(answer.notes)
        chosen = next((v for v in self.versions if v.name == answer.name), None)
        if chosen is None:
            return Choice(why=notes or "no version was faster")
        ratio = answer.ratio
        interval = None if ratio is None else (ratio.value, ratio.low, ratio.high)
        return Choice(chosen.name, chosen.diff, interval, notes)

    # What is kept

    def _key(self, launches: object) -> Key:
        from tritonopt.tuning.store import Key, digest

        texts = [self._made.page, *(f"{v.name}\n{v.definition}" for v in self.versions)]
        texts += called_by(self.live.function)
        triton = import_module("triton").__version__
        torch = import_module("torch").__version__
        versions = f"torch {torch} triton {triton} tritonopt {metadata.version('tritonopt')}"
        return Key(digest("\n".join(texts)), "live", repr(launches), gpu_name(), versions)

    def _kept(self, choice: Choice) -> dict[str, Any]:
        return {"passes": choice.passes, "ratio": choice.ratio, "why": choice.why}

    def _known(self, found: Mapping[str, Any]) -> Choice:
        diffs = {version.name: version.diff for version in self.versions}
        name = str(found["passes"])
        ratio = None if found["ratio"] is None else tuple(found["ratio"])
        return Choice(name, diffs.get(name, ""), ratio, str(found["why"]))


# Classes of launches


def class_of(
    names: Sequence[str],
    constants: frozenset[str],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> tuple[object, ...]:
    """What launches have in common for which one choice is made.

    Constants and options are equal. Numbers and sizes are between the same powers of two, and all
    multiples of 16 or none: what Triton compiles another kernel for is another class. So are
    launches that are given the same memory twice.
    """
    memory: dict[int, int] = {}
    found = [_kind(v, n in constants, memory) for n, v in zip(names, args, strict=False)]
    if kwargs:
        # An argument may be passed by its name as well as by its place.
        for name in names[len(args) :]:
            given = name in kwargs
            found.append(_kind(kwargs[name], name in constants, memory) if given else _DEFAULT)
        found += [(n, _kind(kwargs[n], True, memory)) for n in sorted(kwargs.keys() - set(names))]
    return tuple(found)


def _kind(value: Any, constant: bool, memory: dict[int, int]) -> object:
    # Of plain types first: this is done before every launch.
    if value is None or type(value) in (bool, str):
        return value
    if isinstance(value, int):
        return value if constant else _magnitude(value)
    if hasattr(value, "data_ptr") and hasattr(value, "shape"):
        begin = value.data_ptr()
        known = memory.setdefault(begin, len(memory))
        sizes = tuple([_magnitude(size) for size in value.shape])
        return value.dtype, sizes, value.is_contiguous(), begin % 16 == 0, known
    if isinstance(value, float):
        return value if constant else "float"
    if isinstance(value, (tuple, list)):
        return tuple(_kind(item, constant, memory) for item in value)
    return str(value) if constant else type(value).__name__


def _magnitude(number: int) -> tuple[int, bool] | int:
    """0 and 1 are themselves."""
    if number in (0, 1):
        return number
    return (number.bit_length() if number > 0 else -number.bit_length()), number % 16 == 0


def _constants(kernel: Any) -> frozenset[str]:
    """Names of parameters that are constants, in whatever is around the function."""
    while not hasattr(kernel, "params") and hasattr(kernel, "fn"):
        kernel = kernel.fn
    return frozenset(p.name for p in getattr(kernel, "params", ()) if p.is_constexpr)


# Where we are


def must_not_wait() -> bool:
    """Whether launches are recorded now, or traced, and nothing else may happen on the GPU."""
    try:
        import torch
    except ImportError:
        return False
    if torch.compiler.is_compiling():
        return True
    return torch.cuda.is_available() and bool(torch.cuda.is_current_stream_capturing())


def why_not_here() -> str:
    """Why nothing can be timed in this process; "" if it can."""
    try:
        import torch
    except ImportError:
        return f"tuning needs torch: {install_command('verify')}"
    return "" if torch.cuda.is_available() else "torch finds no GPU here, and timing needs one"


def gpu_name() -> str:
    """Of the GPU that is launched on."""
    import torch

    return str(torch.cuda.get_device_name())


def visible_gpu() -> dict[str, str]:
    """The environment of a process that sees this GPU alone."""
    import torch

    index = int(torch.cuda.current_device())
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    name = named.split(",")[index].strip() if named else str(index)
    return {"CUDA_VISIBLE_DEVICES": name}
