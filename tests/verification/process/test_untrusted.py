"""Hostile code: what its process reaches, and what of its answers is believed.

Whatever is hostile here runs in a contained process only; where the machine has no namespaces for
one, the test is skipped.
"""

from __future__ import annotations

import math
import socket
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.layers import everything, few
from tritonopt import source
from tritonopt.verification import Verdict, VerificationError, run
from tritonopt.verification.inputs.examples import Example, PlainValue
from tritonopt.verification.process import wire
from tritonopt.verification.process.client import Died, Refusal, VersionWorker, Worker
from tritonopt.verification.process.containment import Contained
from tritonopt.verification.process.messages import (
    LATE,
    OUT_OF_MEMORY,
    Attempt,
    Blame,
    Coverage,
    Failure,
    Literal,
    Loop,
    Outcome,
    Output,
    RunOptions,
    VersionSpec,
)
from tritonopt.verification.reference.reach import out_of_bounds

OfTexts = Callable[..., Verdict]


@cache
def why_not_contained() -> str:
    worker = Worker(60.0, forked=True, contained=Contained.around([], gpu=False))
    try:
        worker.ask("probe")
    except Died as death:
        return str(death)
    finally:
        worker.close()
    return ""


def contained(path: Path, text: str, ends_at: float = math.inf, **given: Any) -> VersionWorker:
    """A worker for hostile text, which nothing but a namespace of its own holds."""
    if why_not_contained():
        pytest.skip(f"no process can be contained here: {why_not_contained()}")
    found = replace(Contained.around([path], gpu=False), ends_at=ends_at, **given)
    spec = VersionSpec("rewritten", str(path), text, str(path), "interpreter", "launch", False)
    return VersionWorker(replace(spec, contained=found), 30.0)


def outcome_of(worker: VersionWorker, value: str = "") -> Outcome:
    try:
        (found,) = worker.run(Example((("value", PlainValue(value)),)), RunOptions())
    except (Died, Refusal) as error:
        return Outcome(failure=error.failure)
    finally:
        worker.close()
    return found


_TRIED = """
import os, socket, subprocess, ctypes, signal

def tried(what):
    try:
        return what()
    except BaseException as error:
        return type(error).__name__

def launch(value):
    libc = ctypes.CDLL(None)
    return [
        tried(lambda: open(__file__, "a")),
        tried(lambda: open(os.path.join(os.path.dirname(__file__), "marker"), "w")),
        tried(lambda: socket.create_connection(("127.0.0.1", int(value)), 1)),
        tried(lambda: open("/proc/1/fd/1", "w")),
        tried(lambda: open("/proc/sys/kernel/core_pattern", "w")),
        tried(lambda: open("/proc/1/mem", "rb")),
        libc.unshare(0x10000000),
        libc.mount(b"none", b"/", None, 0x1020, None),
        sorted(n for n in os.listdir("/proc") if n.isdigit()),
        os.getppid(),
        "SECRET" in os.environ,
        open("/scratch/own", "w").write("x"),
        os.path.exists("/home") or os.path.exists("/run"),
    ]
"""


def test_code_reaches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "1")
    path = tmp_path / "hostile.py"
    path.write_text(_TRIED)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        found = outcome_of(contained(path, _TRIED), str(listening.getsockname()[1]))
    assert found.failure is None, found.failure
    read_only, denied = "'OSError'", "'PermissionError'"
    assert found.plain[:3] == (read_only, read_only, read_only)
    assert set(found.plain[3:6]) <= {denied, read_only}
    rest = ("-1", "-1", "'1'", "'2'", "1", "False", "1", "False")
    assert found.plain[6:14] == rest
    assert path.read_text() == _TRIED and [*tmp_path.iterdir()] == [path]


_NAMES_A_THREAD = """
import threading

def written(path):
    try:
        return open(path, "w").write("x")
    except OSError as error:
        return type(error).__name__

def launch(value):
    names = [f"/proc/self/task/{threading.get_native_id()}/comm", "/proc/1/task/1/comm"]
    return [written(path) for path in (*names, "/proc/self/comm", "/proc/sys/kernel/core_pattern")]
"""


def test_a_process_with_a_gpu_names_its_threads_and_changes_no_more(tmp_path: Path) -> None:
    worker = contained(tmp_path / "kernel.py", _NAMES_A_THREAD)
    box = worker.spec.contained
    assert box is not None
    worker.worker.contained = replace(box, gpu=True)
    found = outcome_of(worker)
    assert found.plain[:4] == ("1", *["'OSError'"] * 3), found


_GREEDY = """
import os, time
def launch(value):
    if value == "memory":
        held = [bytearray(2**28) for _ in range(40)]
        time.sleep(20)
    if value == "files":
        with open("/scratch/large", "wb") as large:
            for _ in range(40):
                large.write(bytes(2**24))
    if value == "processes":
        for _ in range(100):
            if os.fork() == 0:
                time.sleep(20)
                os._exit(0)
        time.sleep(20)
    if value == "group":
        os.kill(0, 9)
"""


@pytest.mark.parametrize(
    ("value", "kind"),
    [("memory", OUT_OF_MEMORY), ("files", "OSError"), ("processes", OUT_OF_MEMORY)],
)
def test_code_has_little(tmp_path: Path, value: str, kind: str) -> None:
    worker = contained(tmp_path / "greedy.py", _GREEDY, memory=2**31, scratch=2**26, processes=16)
    found = outcome_of(worker, value)
    # As any other user than root it may start no more processes from the beginning.
    kinds = {kind, "BlockingIOError"} if value == "processes" else {kind}
    assert found.failure is not None and found.failure.kind in kinds, found.failure


def test_a_signal_to_its_group_reaches_no_other_process(tmp_path: Path) -> None:
    assert outcome_of(contained(tmp_path / "greedy.py", _GREEDY), "group").failure is not None
    assert Worker(60.0, forked=True).ask("probe")


def test_nothing_is_waited_for_when_the_time_is_over(tmp_path: Path) -> None:
    why_not_contained()  # torch is imported before the time begins
    end = time.monotonic() + 1.0
    found = outcome_of(contained(tmp_path / "hangs.py", "while True:\n    pass\n", end))
    assert found.failure is not None
    assert found.failure.kind == LATE and found.failure.refused  # not of the 30 s for an answer


_FORGED = """
import os, stat, struct

def forge(data):
    for descriptor in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                os.write(descriptor, data)
        except OSError:
            pass
"""
_PICKLED = "import pickle\nclass F:\n    def __reduce__(self):\n        return exec, ('1 / 0',)\n"
_WORDS = """
text = b'["0123456789abcdef", "ok", "interpreter"]'
forge(struct.pack("!QQ", len(text), 0) + text)
"""


@pytest.mark.parametrize(
    "text",
    [
        f"{_PICKLED}data = pickle.dumps(('ok', F()))\nforge(struct.pack('!i', len(data)) + data)",
        "forge(struct.pack('!QQ', 2**60, 2**60))",
        "forge(struct.pack('!QQ', 5, 0) + b'[[[[[')",
        _WORDS,
    ],
    ids=["a pickle", "too long", "no JSON", "another request's"],
)
def test_what_a_file_says_for_itself_is_no_answer(tmp_path: Path, text: str) -> None:
    found = outcome_of(contained(tmp_path / "forger.py", f"{_FORGED}\n{text}\n"))
    assert found.failure is not None and found.failure.kind == "Forged", found.failure


def sent(kind: str, answer: object, request: str) -> tuple[str, object]:
    ours, theirs = socket.socketpair()
    with Connection(ours.detach()) as here, Connection(theirs.detach()) as there:
        wire.send(there, "token", kind, answer)
        return wire.receive(here, time.monotonic() + 60.0, request, "token")


def test_answers_come_back_as_they_were() -> None:
    bits = np.arange(6, dtype=np.uint16)
    output = Output("returned", "bf16", (2, 3), bits, (1, 2), (3, 1))
    coverage = Coverage(
        frozenset({1, 2}), frozenset({((3, 4), True)}), {5: Loop(2, True, (0, 4, 1))},
        values={(1, 2, 3, 4): frozenset({"7"})}, limits=frozenset({math.inf}),
    )  # fmt: skip
    outcome = Outcome((output,), coverage=coverage, failure=Failure("A", "b"))
    _, (found,) = sent("ok", (outcome,), "run")  # type: ignore[misc]
    assert isinstance(found, Outcome) and found.coverage == coverage
    assert np.array_equal(found.outputs[0].bits, bits)
    assert replace(found, outputs=()) == replace(outcome, outputs=())
    _, (plain, *_) = sent("ok", (Outcome(plain=("\x1b[2Jidentical\n",)),), "run")  # type: ignore[misc]
    assert plain.plain == ("?[2Jidentical\n",)
    attempt = Attempt(6, 3, blame=Blame(("x",), compared=(("==", Literal(3), (1, "f32")),)))
    _, again = sent("ok", attempt, "attempt")
    assert again == attempt and isinstance(again, Attempt)
    assert isinstance(again.blame.compared[0][1], Literal)


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        ("run", Failure("A", "b")),
        ("run", (Outcome(written="many"),)),  # type: ignore[arg-type]
        ("run", (Outcome((Output("a", "f32", (2,), np.zeros(3, np.uint32)),)),)),
        ("run", (Outcome((Output("a", "f32", (2,), np.zeros(2, np.uint8)),)),)),
        ("run", (Outcome((Output("a", "f32", (-1, -2), np.zeros(2, np.uint32)),)),)),
        ("run", (Outcome(coverage=Coverage(lines=frozenset({"a"}))),)),  # type: ignore[arg-type]
        ("load", ("interpreter",)),
        ("state_of", {"weight": 3}),
    ],
)
def test_answers_of_other_types_are_none(request_: str, answer: object) -> None:
    with pytest.raises(wire.Forged):
        sent("ok", answer, request_)


_REACHES = [
    "import os",
    "from torch import os as o",
    "import torch.utils.cpp_extension",
    "from torch.utils._python_dispatch import TorchDispatchMode",
    "from . import helper",
    "eval('1')",
    "f = getattr",
    "torch.softmax = None",
    "import triton.language as tl\ntl.load = None",
    "def f(kind):\n    kind.softmax = None",
    "torch.serialization.sys.modules",
    "().__class__.__base__.__subclasses__()",
    "def f():\n    pass\nf.__code__ = None",
    "class T(torch.Tensor):\n    def __torch_function__(self):\n        pass",
    "import operator\noperator.attrgetter('a')",
    "torch.load('x')",
    "open(__file__)",
    "try:\n    1 / 0\nexcept Exception as e:\n    e.__traceback__.tb_frame",
    "torch.library.Library('aten', 'IMPL')",
]


@pytest.mark.parametrize("text", _REACHES)
def test_text_that_reaches_for_more_is_not_run(text: str) -> None:
    found = out_of_bounds(source.read(f"import torch\n{text}\n", "candidate.py"))
    assert found.startswith("candidate.py:") and "leave it out" in found


_SOFTMAX = (Path(__file__).parent.parent / "subjects" / "softmax.py").read_text()


def test_an_honest_file_is_accepted(of_texts: OfTexts) -> None:
    if why_not_contained():
        pytest.skip(f"no process can be contained here: {why_not_contained()}")
    text = f"{_SOFTMAX}\n# another\n"
    found = of_texts(_SOFTMAX, text, untrusted=True, max_examples=1, args="x: f32[m, n]")
    assert found.verdict in ("identical", "equivalent"), found


@pytest.mark.parametrize(
    "patch",
    few(
        [
            "w.one_call.OneCall._called = lambda self, was=w.one_call.OneCall._called: was(self)",
            "w.one_call.called = lambda *given, was=w.one_call.called: was(*given)",
            "w.one_call.called.__code__ = (lambda *given: None).__code__",
            "w.one_call.OneCall = type('OneCall', (w.one_call.OneCall,), {})",
            "w.server.Server.run = print",
            "import sys, types\n"
            "sys.modules[w.one_call.__name__] = types.SimpleNamespace(**vars(w.one_call))",
        ],
        1,
        2,
    ),
)
def test_a_file_that_patches_its_worker_is_found(patch: str, tmp_path: Path) -> None:
    text = f"import tritonopt.verification.worker as w\n{patch}\ndef launch(value): return value\n"
    found = outcome_of(contained(tmp_path / "patches.py", text))
    assert found.failure is not None and "changes what verifies it" in found.failure.message


@pytest.mark.parametrize("forked", [True, False])
def test_a_process_of_either_kind_is_contained(forked: bool) -> None:
    if why_not_contained():
        pytest.skip(f"no process can be contained here: {why_not_contained()}")
    if not forked and not everything():
        return  # the same, after another import of torch
    worker = Worker(120.0, forked=forked, contained=Contained.around([], gpu=False))
    try:
        assert worker.ask("probe") == {"cuda": False}
    finally:
        worker.close()


def test_a_machine_without_namespaces_refuses(
    of_texts: OfTexts, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(worker: Worker, *_: object) -> None:
        raise Died(Failure("Crash", "unshare: Operation not permitted"))

    monkeypatch.setattr(Worker, "ask", dies)
    with pytest.raises(VerificationError, match="no process can be contained on this machine"):
        of_texts(_SOFTMAX, f"{_SOFTMAX}\n# another\n", untrusted=True, backend="interpreter")


def test_what_no_version_can_do_is_no_fault_of_one(
    of_texts: OfTexts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Worker, "ask", lambda *_: {"cuda": True})
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")  # which the parent does not know
    found = of_texts(_SOFTMAX, f"{_SOFTMAX}\n# another\n", backend="cuda", args="x: f32[m, n]")
    assert (found.verdict, found.fault) == ("unsupported", "environment"), found
    monkeypatch.undo()
    told = of_texts(_SOFTMAX, f"{_SOFTMAX}\n1 / 0\n", args="x: f32[m, n]")
    assert (told.verdict, told.fault) == ("counterexample", "candidate"), told
    if why_not_contained():
        return
    monkeypatch.setattr(run, "why_nothing_runs", lambda *_: "no driver")
    given = {"args": "x: f32[m, n]", "contained": Contained.around([tmp_path / "a"], gpu=False)}
    again = of_texts(_SOFTMAX, f"{_SOFTMAX}\n1 / 0\n", **given)
    assert (again.verdict, again.fault) == ("unsupported", "environment"), again


def test_a_gpu_that_a_contained_process_does_not_reach(
    of_texts: OfTexts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Worker, "ask", lambda worker, _: {"cuda": worker.contained is None})
    text = f"{_SOFTMAX}\n# another\n"
    found = of_texts(_SOFTMAX, text, untrusted=True, backend="cuda")
    assert (found.verdict, found.fault) == ("unsupported", "environment")
    assert found.reason is not None and "--backend interpreter" in found.reason
