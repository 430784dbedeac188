"""Running the tasks: one at a time on each GPU, each a process, until the time is over.

All that is found is in one folder, and the next run goes on from there: copies of the files, which
`tune --write` changes, the store of `tune`, the output of each process, and `found.json`.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.tuned.findings import compact, said
from benchmarks.tuned.tasks import Task

_LAST = 40.0
"""Seconds of the whole time that are left free: a task that is at work by then is ended."""
_LEAST = 30.0
"""With less, no task is begun."""
_MARGIN = 1.5
"""So much of its budget a task may take, with its last step and the check after it."""


@dataclass(frozen=True)
class Ended:
    """What a process said."""

    status: int | None
    """None where it was ended for the time it took."""
    out: str
    log: Path
    seconds: float

    @property
    def failure(self) -> str:
        """Why it gave no answer: the last error that it told."""
        if self.status is None:
            return f"ended after {self.seconds:.0f} s"
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        told = [line for line in lines if "error:" in line]
        return (told or lines or [f"exit status {self.status}"])[-1][:400]


def ran(command: Sequence[str], log: Path, seconds: float, **variables: str) -> Ended:
    """Run a process to its end, or end it and all of its group; its errors go to a file."""
    begin = time.monotonic()
    log.parent.mkdir(parents=True, exist_ok=True)
    answer = log.with_suffix(f"{log.suffix}.out")
    # No pipe: a process that outlives the one that is ended may hold it open.
    with log.open("w", encoding="utf-8") as errors, answer.open("w", encoding="utf-8") as out:
        process = subprocess.Popen(
            command,
            stdout=out,
            stderr=errors,
            env={**os.environ, **variables},
            start_new_session=True,
        )
        status: int | None = None
        try:
            status = process.wait(max(seconds, 1.0))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    text = answer.read_text(encoding="utf-8")
    answer.unlink()
    return Ended(status, text, log, time.monotonic() - begin)


@dataclass
class Work:
    """The folder of a run."""

    folder: Path
    libraries: Mapping[str, tuple[Path, str]]
    """By group: from where its files are copied, and which part of that."""
    tritonopt: Sequence[str]
    found: dict[str, Any] = field(default_factory=dict)
    """By the key of a task."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.record.exists():
            self.found = json.loads(self.record.read_text(encoding="utf-8"))
        for group, (source, part) in self.libraries.items():
            if not self.of(group).exists():
                # Beside it what it was, for the differences.
                for copy in (self.of(group), self.before(group)):
                    ignored = shutil.ignore_patterns("__pycache__", ".tritonopt")
                    shutil.copytree(source / part, copy / part, ignore=ignored)

    @property
    def record(self) -> Path:
        return self.folder / "found.json"

    def of(self, group: str) -> Path:
        return self.folder / group

    def before(self, group: str) -> Path:
        return self.folder / "before" / group

    def keep(self, key: str, what: Mapping[str, Any]) -> None:
        with self.lock:
            self.found[key] = {**self.found.get(key, {}), **what}
            part = self.record.with_suffix(".part")
            part.write_text(json.dumps(self.found, indent=1) + "\n", encoding="utf-8")
            os.replace(part, self.record)

    def command(self, task: Task, gpu: str, verb: Sequence[str], seconds: float, log: str) -> Ended:
        """`tritonopt tune` on the file of a task, with these options."""
        place = str(self.of(task.group) / task.place)
        # Behind the copy where it was, for what stands beside the package: its metadata.
        source, _ = self.libraries[task.group]
        places = str(self.of(task.group)), str(source.resolve()), os.environ.get("PYTHONPATH", "")
        return ran(
            [*self.tritonopt, "tune", place, "--format", "json", *verb],
            self.folder / "logs" / f"{task.key}.{log}",
            seconds,
            PYTHONPATH=os.pathsep.join(places),
            CUDA_VISIBLE_DEVICES=gpu,
        )

    def tune(self, task: Task, gpu: str, budget: float, limit: float) -> None:
        """One task, and the check of what it accepted; `limit` seconds are for both."""
        begin = time.monotonic()
        file = self.of(task.group) / task.file
        if not file.exists():
            self.keep(
                task.key, {"failure": "there is no such file", "launchers": [], "waiting": False}
            )
            return
        store = self.folder / f"store-{task.group}.sqlite"
        verb = ("--write", "--budget", f"{budget:.0f}s", "--store", str(store), *task.arguments)
        ended = self.command(task, gpu, verb, limit, "tune")
        spent = self.found.get(task.key, {}).get("seconds", 0.0)
        self.keep(task.key, {**_of_tune(ended), "seconds": spent + ended.seconds})
        print(f"{task.key}: {said(self.found[task.key])}", flush=True)
        if self.is_accepted(task):
            self.check(task, gpu, limit - (time.monotonic() - begin))

    def check(self, task: Task, gpu: str, limit: float) -> None:
        """What was accepted, measured again by a process that has seen nothing of it."""
        ended = self.command(task, gpu, ("--check",), limit, "check")
        calls = _json(ended.out).get("calls")
        failure = "" if calls is not None else ended.failure
        self.keep(task.key, {"afresh": calls, "afresh_failure": failure})
        for call in calls or ():
            if call["now"] is None or call["now"][0] < 0.98:
                print(f"{task.key}, {call['call']}: {call['then']} then, {call['now']} afresh")

    def is_accepted(self, task: Task) -> bool:
        return any(each["what"] for each in self.found.get(task.key, {}).get("launchers", ()))

    def is_done(self, task: Task) -> bool:
        """Whether another run would look at nothing new; without an answer it may have one."""
        known = self.found.get(task.key, {"failure": "", "waiting": True})
        return self.is_accepted(task) or not (known["failure"] or known["waiting"])


def tuned(work: Work, every: Sequence[Task], gpus: Sequence[str], each: float, end: float) -> None:
    """All tasks that are not done: first those that were never begun, then the others again."""
    left = [task for task in every if not work.is_done(task)]
    queue = sorted(left, key=lambda task: task.key in work.found)

    def work_on(task: Task, gpu: str) -> None:
        budget = min(each * task.share, (end - _LAST - time.monotonic()) / _MARGIN)
        if budget < each / 2:
            return  # it would be in the record as one that came to nothing
        work.tune(task, gpu, budget, end - time.monotonic())

    _in_turn(queue, gpus, end - _LAST, work_on)


def checked(work: Work, every: Sequence[Task], gpus: Sequence[str], end: float) -> None:
    """Measure again what was accepted, all of it."""
    queue = [task for task in every if work.is_accepted(task)]
    _in_turn(queue, gpus, end, lambda task, gpu: work.check(task, gpu, end - time.monotonic()))


def _in_turn(
    tasks: Sequence[Task], gpus: Sequence[str], end: float, work_on: Callable[[Task, str], None]
) -> None:
    """On every GPU the next task, as long as there is time for one more."""
    queue = iter(tasks)
    lock = threading.Lock()

    def work(gpu: str) -> None:
        while time.monotonic() < end - _LEAST:
            with lock:
                task = next(queue, None)
            if task is None:
                return
            work_on(task, gpu)

    threads = [threading.Thread(target=work, args=(gpu,)) for gpu in gpus]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _of_tune(ended: Ended) -> dict[str, Any]:
    launchers = _json(ended.out).get("launchers")
    if launchers is None:
        return {"launchers": [], "failure": ended.failure, "waiting": ended.status is None}
    fates = [one["fate"] for launcher in launchers for one in launcher["tried"]]
    return {
        "launchers": [compact(each) for each in launchers],
        "failure": "",
        "waiting": "waiting" in fates,
    }


def _json(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
