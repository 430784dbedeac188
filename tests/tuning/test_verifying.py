"""What is asked of a worker while something else is done; nothing here waits for a clock."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tritonopt.measurement.tuned import Evidence
from tritonopt.tuning.proving.evidence import Proving, as_interpreted
from tritonopt.tuning.proving.verifying import Verifying
from tritonopt.tuning.proving.verifying_server import LATE, Question, VerifyingServer
from tritonopt.tuning.requests import Request
from tritonopt.tuning.shapes import calls_of, without_sizes
from tritonopt.tuning.store import Key
from tritonopt.verification.comparison.tally import SPENT
from tritonopt.verification.process.client import Died
from tritonopt.verification.process.messages import Failure
from tritonopt.verification.signature.argument_parser import parse
from tritonopt.verification.verdict import Verdict


class Fake:
    """A worker that answers what it is asked in the order of `answers`; None is no answer."""

    answers: list[Any]
    made: list[Fake]

    def __init__(self, timeout: float, **options: Any) -> None:
        self.asked: list[str] = []
        self.connection: object = self
        self.made.append(self)

    def start(self) -> None:
        self.asked.append("start")

    def send(self, request: str, *arguments: object) -> None:
        self.asked.append(request)

    def has_answered(self, seconds: float) -> bool:
        return bool(self.answers) and self.answers[0] is not None

    def receive(self, seconds: float) -> Any:
        if not self.has_answered(seconds):
            raise Died(Failure("Hang", "no answer"))
        answer = self.answers.pop(0)
        if isinstance(answer, Died):
            self.connection = None
            raise answer
        return answer

    def close(self) -> None:
        self.asked.append("close")


@pytest.fixture(autouse=True)
def _workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tritonopt.tuning.proving.verifying.Worker", Fake)
    Fake.answers, Fake.made = [], []


def question(text: str) -> Question:
    return Question("k.py", "f", text, None, ())


YES, NO = Evidence("identical", "here", 5), Evidence("counterexample", "here", 1)


def ahead() -> Verifying:
    verifying = Verifying(workers=1)
    verifying.begin()
    verifying.begin_with(question("likely"))
    return verifying


def test_it_is_asked_at_once_and_answered_later() -> None:
    verifying = ahead()
    assert Fake.made[0].asked == ["start", "evidence"]
    Fake.answers = [None]
    assert not list(verifying.answered()) and verifying.is_asked(question("likely"))
    Fake.answers = [YES]
    assert list(verifying.answered()) == [(question("likely"), YES)]
    assert not verifying.is_asked(question("likely"))
    # The worker has nothing else to say, and is free for the next question.
    Fake.answers = [NO]
    assert list(verifying.answers([question("other")], 1.0)) == [NO] and len(Fake.made) == 1


def test_what_is_being_answered_is_waited_for() -> None:
    verifying = ahead()
    Fake.answers = [YES]
    assert list(verifying.answers([question("likely")], 1.0)) == [YES]
    assert Fake.made[0].asked == ["start", "evidence"]


def test_another_question_is_another_workers() -> None:
    verifying = ahead()
    verifying.begin_with(question("a second one"))
    assert verifying.is_asked(question("likely"))
    assert not verifying.is_asked(question("a second one"))
    Fake.answers = [NO]
    assert list(verifying.answers([question("other")], 1.0)) == [NO]
    assert [worker.asked for worker in Fake.made] == [["start", "evidence"], ["evidence"]]
    verifying.forget(question("likely"))
    assert Fake.made[0].asked[-1] == "close" and not verifying.is_asked(question("likely"))
    verifying.close()
    assert all(worker.asked[-1] == "close" for worker in Fake.made)


def test_a_worker_that_dies_of_its_imports_has_no_verdict() -> None:
    verifying = ahead()
    Fake.answers = [Died(Failure("Crash", "no torch"))]
    ((asked, evidence),) = verifying.answered()
    assert asked == question("likely") and not evidence.backend
    assert evidence.reason == "the verification failed: Crash: no torch"


def test_without_an_answer_in_time_it_is_no_yes() -> None:
    (evidence,) = Verifying(workers=1).answers([question("slow")], 2.0)
    assert evidence.verdict == "unsupported" and evidence.reason == f"{LATE} 2 s"


@pytest.mark.parametrize(
    ("verdict", "examples", "notes", "found"),
    [
        ("identical", 100, (), "identical"),
        ("identical", 20, (SPENT,), "identical"),
        ("identical", 19, (SPENT,), f"{LATE} 9 s"),
        ("unsupported", 50, (SPENT,), f"{LATE} 9 s: it reads a file"),
        ("unsupported", 50, (), "it reads a file"),
        ("counterexample", 1, (SPENT,), "counterexample"),
    ],
)
def test_what_was_seen_when_the_time_is_over_is_judged(
    monkeypatch: pytest.MonkeyPatch, verdict: str, examples: int, notes: tuple[str, ...], found: str
) -> None:
    def verify(*paths: str, budget: float, **options: object) -> Verdict:
        assert budget == 9.0
        reason = "it reads a file" if verdict == "unsupported" else None
        return Verdict(verdict, "here", examples, reason=reason, notes=notes)

    monkeypatch.setattr("tritonopt.verification.api.verify", verify)
    evidence = VerifyingServer().evidence(replace(question("any"), seconds=9.0))
    assert found == (evidence.reason or evidence.verdict)
    # What comes to no verdict for want of time is asked again another time.
    assert bool(evidence.backend) == (LATE not in evidence.reason)


LAUNCHED = """
import triton
import triton.language as tl

@triton.jit
def copy_kernel(x_ptr, y_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at))

def copy(x, y):
    copy_kernel[(1,)](x, y, BLOCK=16, num_warps=8)
    return y
"""


def test_what_is_for_the_compiler_alone_makes_no_other_text_for_the_interpreter() -> None:
    def shown(text: str) -> str:
        return as_interpreted(text, "k.py")

    fewer = LAUNCHED.replace("num_warps=8", "num_warps=1, num_stages=2")
    assert shown(fewer) == shown(LAUNCHED.replace(", num_warps=8", "")) == shown(LAUNCHED)
    assert shown(LAUNCHED.replace("16", "32")) != shown(LAUNCHED)
    asks = LAUNCHED.replace("BLOCK: tl.constexpr", "BLOCK: tl.constexpr, num_warps: tl.constexpr")
    assert shown(asks) != shown(asks.replace("num_warps=8", "num_warps=1"))
    other = LAUNCHED.replace("copy_kernel[(1,)](x", "TABLE[(1,)](x")
    assert shown(other) != shown(other.replace("num_warps=8", "num_warps=1"))


def test_a_better_leader_is_verified_in_place_of_the_one_before() -> None:
    ranged = without_sizes("x: f32[m=8, n=65536], w: f32[n]")
    calls = tuple(calls_of(parse(ranged.text), ranged.sizes, alternatives=True))
    key = Key("", "", "", "", "")
    trials: Any = SimpleNamespace(key=lambda *about: key, stored=lambda key: None)
    request = Request("k.py", "a = 1", "f", calls, args=ranged.text)
    verifying = Verifying(workers=1)
    proving = Proving(request, trials, verifying, lambda: 60.0, lambda name: nullcontext())
    for text, instead in (("b = 2", True), ("c = 3", True), ("d = 4", False)):
        assert proving.begin(text, instead) is None
    first, second = Fake.made
    assert first.asked == ["evidence", "close"] and second.asked == ["evidence"]
    (asked,) = verifying._asked
    # No call that is aimed is larger than a few rows of those that are timed.
    assert (asked.text, asked.most_elements) == ("c = 3", 6 * 2 * 65536)
