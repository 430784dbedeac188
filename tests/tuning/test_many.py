"""Many launchers as tasks: every one is answered, and what was found is kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.engines.test_cluster import cluster as cluster
from tests.tuning.in_process import Forked
from tests.tuning.test_session import KERNEL
from tests.tuning.test_tune import let_work
from tritonopt.measurement.timing import Effort
from tritonopt.tuning.asked import requests_of
from tritonopt.tuning.many import answers_of, tune_elsewhere
from tritonopt.tuning.requests import Request
from tritonopt.tuning.store import Store
from tritonopt.tuning.subjects import Wanted
from tritonopt.tuning.trials import subject_digest

TWICE = "    tl.store(y + cols, 2 * tl.load(x + cols, mask=cols < n), mask=cols < n)\n"
RELU = """\
    loaded = tl.load(x + cols, mask=cols < n, other=0.0)
    tl.store(y + cols, tl.maximum(loaded, 0.0), mask=cols < n)
"""


@pytest.fixture
def request_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Request]:
    """A request for a file in which one pass finds something, which is twice as fast."""
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"rules": [{"kernel": "tl.where", "factor": 0.5}]}))
    monkeypatch.setenv("TRITONOPT_PLANTED", str(plan))
    let_work(Forked, monkeypatch)
    like = Request(
        "",
        "",
        "",
        (),
        passes="max-to-where",
        parameters=False,
        effort=Effort(least=5, most=20),
        store=str(tmp_path / "store.sqlite"),
        server="tests.tuning.planted_server",
        verifier="tests.tuning.yes_server",
    )

    def of(name: str) -> Request:
        path = tmp_path / f"{name}.py"
        path.write_text(KERNEL.replace(TWICE, RELU))
        (request,) = requests_of(Wanted(path, None, args="x: f32[n=64]"), like).requests
        return request

    return of


def asked(request: Request) -> list[str]:
    log = Path(request.path).with_name("plan.json.log")
    return log.read_text().split() if log.exists() else []


def test_what_is_found_elsewhere_is_brought_home(request_of: Callable[[str], Request]) -> None:
    request = request_of("relu")
    answer, entries = tune_elsewhere(request, {})
    assert answer.what == "max-to-where" and not answer.failure
    assert entries and all(key.kernel == subject_digest(request) for key in entries)
    # Nothing was written here; and who is given what was found does not ask for it again.
    assert not Path(request.store).exists()
    store = Store(Path(request.store))
    store.put_all(entries)
    before = asked(request)
    again, same = tune_elsewhere(request, store.of_kernel(subject_digest(request)))
    assert again.text == answer.text
    assert same.keys() == entries.keys()
    assert "evidence" not in asked(request)[len(before) :]


@pytest.mark.thorough
def test_processes_of_this_machine(request_of: Callable[[str], Request]) -> None:
    good, bad = request_of("good"), replace(request_of("bad"), server="tests.tuning.nothing")
    answers = {
        Path(answer.path).stem: answer
        for answer in answers_of([good, bad], 120.0, lambda where: None, "local", 1)
    }
    assert answers["good"].what == "max-to-where"
    assert answers["bad"].failure


@pytest.mark.ray
@pytest.mark.thorough
def test_on_a_cluster(request_of: Callable[[str], Request], cluster: Any) -> None:
    requests = [request_of(name) for name in ("one", "other")]
    store = Store(Path(requests[0].store))
    for asks in (True, False):
        before = len(asked(requests[0]))
        found = answers_of(requests, 120.0, lambda where: None, f"ray:{cluster.address}")
        assert {Path(a.path).stem: (a.what, a.failure) for a in found} == {
            "one": ("max-to-where", ""),
            "other": ("max-to-where", ""),
        }
        # The second time it is known: the nodes are told what this machine's store has.
        assert ("evidence" in asked(requests[0])[before:]) is asks
        assert all(store.of_kernel(subject_digest(request)) for request in requests)
