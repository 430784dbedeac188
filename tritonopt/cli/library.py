"""Many files, each a task of an engine: for `rewrite --verify` and `verify`."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from tritonopt.cli import scanning
from tritonopt.engines import Answer, Engine, Outcome, Task, engine_of

if TYPE_CHECKING:
    from tritonopt import source
    from tritonopt.cli.rewrite_verification import Request
    from tritonopt.cli.scanning import Target

Result = TypeVar("Result")

GPU_SHARE = 0.25
"""Of a GPU, for a verification: its tensors are small, and mostly it waits for the host."""


def engine_for(count: int, name: str | None, jobs: int | None) -> Engine:
    """The engine of this name; without one, processes of this machine where there are several
    tasks. Raises EngineError."""
    if name is not None:
        return engine_of(name, jobs)
    return engine_of("local", jobs) if count > 1 else engine_of("inline")


def gpu_share(backend: str) -> float:
    """What a verification on this backend takes of a GPU."""
    return GPU_SHARE if backend in ("auto", "cuda") else 0.0


def why_none(answer: Answer) -> str:
    """Why the verification of a file has no result."""
    return f"the verification {answer.outcome.value}: {answer.reason}"


def in_tasks(
    do: Callable[[source.Program | None, Target], Result],
    otherwise: Callable[[Target, str], Result],
    targets: Sequence[Target],
    request: Request,
    jobs: int,
    program: source.Program | None,
) -> Iterator[Result]:
    """What comes of every target, in their order, as `scanning.work` gives it.

    Where a task has no result, `otherwise` makes one of the reason. Raises EngineError.
    """
    # Without a kernel there is nothing to verify, and no need for another process.
    names = {str(target.path) for target in targets if scanning.may_hold_kernels(target)}
    common = pickle.dumps((do, program))
    tasks = [
        Task(
            str(target.path),
            f"{__name__}:in_a_task",
            (target,),
            timeout=request.timeout,
            gpu=gpu_share(request.backend),
            common=common,
        )
        for target in targets
        if str(target.path) in names
    ]
    found: dict[str, Answer] = {}
    with engine_for(len(tasks), request.engine, jobs or None).running(tasks) as answers:
        for target in targets:
            name = str(target.path)
            if name not in names:
                yield do(program, target)
                continue
            while name not in found:
                answer = next(answers)
                found[answer.task.name] = answer
            answer = found.pop(name)
            done = answer.outcome is Outcome.DONE
            yield answer.value if done else otherwise(target, why_none(answer))


def in_a_task(
    common: tuple[Callable[[source.Program | None, Target], Result], source.Program | None],
    target: Target,
) -> Result:
    """One file, in whatever process does the task."""
    do, program = common
    return do(program, target)
