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

from tritonopt.engines.choosing import ENGINES, engine_of
from tritonopt.engines.errors import EngineError
from tritonopt.engines.work import Answer, Engine, Outcome, Task

__all__ = ["ENGINES", "Answer", "Engine", "EngineError", "Outcome", "Task", "engine_of"]
