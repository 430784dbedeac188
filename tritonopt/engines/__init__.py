"""Many tasks, done one after another, by processes of this machine, or by a cluster.

    from tritonopt.engines import Task, engine_of

    tasks = [Task(path, "somewhere:function", (path,), timeout=600) for path in paths]
    with engine_of("local").running(tasks) as answers:
        for answer in answers:
            ...

A task names a function and what it is called with. An engine gives an answer for every task, as it
comes: what the function returned; or that it raised, that its process died, or that it took too
long. Who runs what when is decided by `concurrent.futures` and by Ray. The engines know nothing of
what the tasks are about; nothing here needs torch, triton or ray before a task or an engine does.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tritonopt.engines.by_name import engine_of as engine_of
    from tritonopt.engines.errors import EngineError as EngineError
    from tritonopt.engines.work import Answer as Answer
    from tritonopt.engines.work import Engine as Engine
    from tritonopt.engines.work import Outcome as Outcome
    from tritonopt.engines.work import Task as Task

_HOMES = {
    "Answer": "work",
    "Engine": "work",
    "EngineError": "errors",
    "Outcome": "work",
    "Task": "work",
    "engine_of": "by_name",
}

__all__ = ["Answer", "Engine", "EngineError", "Outcome", "Task", "engine_of"]


def __getattr__(name: str) -> Any:
    # A command that may come to need an engine does not wait for all that one imports.
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
