"""Tasks on a cluster of two nodes, one of which is lost in the middle."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engines.test_engines import HOME, answers, doubling
from tritonopt.cli.main import main
from tritonopt.engines import EngineError, Outcome, Task, engine_of
from tritonopt.engines import cluster as cluster_engine

pytestmark = pytest.mark.ray

KERNEL = """\
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + cols, 2 * tl.load(x + cols, mask=cols < n), mask=cols < n)


def double(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 16),)](x, y, x.numel(), BLOCK=16)
    return y
"""


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch, root: Path) -> Iterator[Any]:
    """One node, to which others can be added, and which notices quickly that one is gone."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("PYTHONPATH", str(root))  # for what the tasks of the tests do
    utils: Any = pytest.importorskip("ray.cluster_utils")
    quick = {
        "health_check_initial_delay_ms": 0,
        "health_check_period_ms": 300,
        "health_check_timeout_ms": 1000,
        "health_check_failure_threshold": 3,
    }
    head = {"num_cpus": 1, "include_dashboard": False, "_system_config": quick}
    found = utils.Cluster(initialize_head=True, head_node_args=head | _SMALL)
    yield found
    found.shutdown()


_SMALL = {"object_store_memory": 80 * 2**20}


def verification(tmp_path: Path, name: str, changed: str) -> Task:
    before, after = tmp_path / f"{name}.py", tmp_path / f"{name}_after.py"
    before.write_text(KERNEL)
    after.write_text(KERNEL.replace("2 * tl.load", changed))
    options = {"backend": "interpreter", "max_examples": 5, "algebra": False}
    return Task(name, "tritonopt.verification:verify", (before, after), options, timeout=300)


def test_a_lost_node_costs_only_what_it_was_doing(cluster: Any, tmp_path: Path) -> None:
    other = cluster.add_node(num_cpus=1, **_SMALL)
    tasks = [doubling(number, pause=0.5) for number in range(6)]
    tasks += [verification(tmp_path, "right", "2.0 * tl.load")]
    tasks += [verification(tmp_path, "wrong", "3 * tl.load")]
    tasks += [Task("crash", f"{HOME}:crash")]
    found = {}
    with engine_of(f"ray:{cluster.address}").running(tasks) as coming:
        for answer in coming:
            found[answer.task.name] = answer
            if len(found) == 2:
                cluster.remove_node(other, allow_graceful=False)
    assert found.keys() == {task.name for task in tasks}
    assert found.pop("crash").outcome is Outcome.DIED
    assert {answer.outcome for answer in found.values()} == {Outcome.DONE}
    here = answers("inline", [task for task in tasks if task.name != "crash"])
    for name in ("right", "wrong"):
        ours, theirs = here.pop(name).value, found.pop(name).value
        # Times alone differ.
        assert (ours.verdict, ours.examples) == (theirs.verdict, theirs.examples)
        assert ours.counterexample == theirs.counterexample
    assert {name: one.value for name, one in found.items()} == {
        name: one.value for name, one in here.items()
    }


class Asked:
    """Stands for Ray: keeps what it was asked to connect to."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.addresses: list[str | None] = []

    def init(self, address: str | None, **options: Any) -> None:
        self.addresses.append(address)
        if self.error is not None:
            raise self.error


def test_a_cluster_that_is_gone_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setattr(cluster_engine, "_last_cluster", lambda: address)
        asked = Asked()
        cluster_engine._connect(asked, None)
        taken.listen()
        cluster_engine._connect(asked, None)
        monkeypatch.setattr(cluster_engine, "_last_cluster", lambda: None)
        cluster_engine._connect(asked, None)
    assert asked.addresses == ["local", None, None]


def test_a_cluster_that_refuses_is_said_to_want_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        asked = Asked(ConnectionError("Failed to connect"))
        with pytest.raises(EngineError, match="Failed to connect. If it .*RAY_AUTH_MODE=token"):
            cluster_engine._connect(asked, address)


def test_an_address_that_does_not_answer() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(EngineError, match=f"no cluster of Ray answers at {address}: .*refused"):
            answers(f"ray:{address}", [doubling(1)])


def test_candidates_of_one_reference(
    cluster: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    reference = "import torch\n\n\ndef double(x: torch.Tensor):\n    return x + x\n"
    # torch takes a tensor in every layout.
    right = KERNEL.replace("y = torch", "x = x.contiguous()\n    y = torch")
    wrong = right.replace("cols < n", "cols < n - 1")
    for name, text in (("ref.py", reference), ("a.py", right), ("b.py", wrong)):
        (tmp_path / name).write_text(text)
    asked = f"--args x:f32[n] --max-examples 1 --no-algebra --engine ray:{cluster.address}"
    given = [*asked.split(), "--backend", "interpreter", "--format", "json", "--no-script"]
    assert main(["verify", "ref.py", "a.py", "b.py", *given]) == 1
    found = {p["name"]: p["verdict"] for p in json.loads(capsys.readouterr().out)["pairs"]}
    assert found["a.py"] in ("identical", "equivalent") and found["b.py"] == "counterexample"
