"""Tuning with planted times: the search, the acceptance, the choice, the record, bad input."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests.layers import few, number
from tests.tuning.in_process import Forked, Here
from tritonopt.measurement.results import Compiled, Ratio, Row, Times
from tritonopt.measurement.timing import Effort
from tritonopt.measurement.tuned import ORIGINAL, Answer, Evidence, Fate, Progress
from tritonopt.rewriting.pipeline import Focus, RewriteResult, rewrite_source
from tritonopt.tuning.applying.checking import checks_of
from tritonopt.tuning.applying.outcome import outcomes, written
from tritonopt.tuning.compiling import without_gpu
from tritonopt.tuning.compiling.ahead import Ahead
from tritonopt.tuning.halving import Search, Standing
from tritonopt.tuning.proposals import Choosing
from tritonopt.tuning.proving.evidence import NO_TIME, Proving
from tritonopt.tuning.proving.verifying import Verifying
from tritonopt.tuning.proving.verifying_server import LATE, Question
from tritonopt.tuning.requests import Request
from tritonopt.tuning.session import Session
from tritonopt.tuning.shapes import calls_of, without_sizes
from tritonopt.tuning.store import VERSION, Store
from tritonopt.tuning.trials import Found, Trials, _Asked, imports_others, subject_digest
from tritonopt.tuning.tune import _launch_bound, _Tuning, tune_subject
from tritonopt.tuning.variation.variants import Variant
from tritonopt.verification.signature.argument_parser import parse

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "softmax.py"
SERVER = "tests.tuning.planted_server"
EFFORT = Effort(least=10, most=20, seconds=1.0)
ARGS = "x: f32[m=4, n=16..128*2]"
WINS_LATER = [
    {"kernel": "ONE_TILE", "sizes": {"n": [64, 10**6]}, "factor": 0.7},
    {"kernel": "ONE_TILE", "sizes": {"n": [1, 63]}, "factor": 1.3},
]


class Planted:
    """A file, and a GPU on which its kernels take what a plan says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "softmax.py"
        self.file.write_text(EXAMPLE.read_text(encoding="utf-8"), encoding="utf-8")
        self.plan = folder / "plan.json"
        self.log = folder / "plan.json.log"

    def asked(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []

    def request(self, **options: Any) -> Request:
        ranged = without_sizes(ARGS)
        calls = tuple(calls_of(parse(ranged.text), ranged.sizes, alternatives=True))
        given: dict[str, Any] = {
            "passes": "one-tile",
            "parameters": False,
            "budget": 300.0,
            "effort": EFFORT,
            "store": str(self.folder / "store.sqlite"),
            "server": SERVER,
            "verifier": "tests.tuning.yes_server",
            **options,
        }
        text = self.file.read_text(encoding="utf-8")
        return Request(str(self.file), text, "softmax", calls, ranged.text, **given)

    def tuned(self, rules: list[dict[str, Any]], /, **options: Any) -> Answer:
        names = ("wrong", "ends", "gpu")
        plan = {name: options.pop(name) for name in names if name in options}
        self.plan.write_text(json.dumps({"rules": rules, **plan}))
        return tune_subject(self.request(**options))


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a test whose workers are processes."""
    let_work(Forked, monkeypatch)


def let_work(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let these be the workers; what compiles ahead of them would change nothing."""
    monkeypatch.setattr("tritonopt.tuning.session.Worker", kind)
    monkeypatch.setattr("tritonopt.tuning.proving.verifying.Worker", kind)
    monkeypatch.setattr("tritonopt.tuning.tune.Ahead", lambda server: Ahead(server, 0))


_made: dict[tuple[str, str, str], RewriteResult] = {}


def rewritten_once(text: str, chosen: str, *, path: str, only: Focus) -> RewriteResult:
    """What the passes make of a text, which many tests begin with; the path is in no answer."""
    key = text, chosen, repr(only)
    if key not in _made:
        _made[key] = rewrite_source(text, chosen, path=path, only=only)
    return _made[key]


def start_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process be the workers."""
    # The server that plays the GPU leaves these as it has them.
    for name in ("synchronize", "empty_cache", "mem_get_info"):
        monkeypatch.setattr(torch.cuda, name, getattr(torch.cuda, name))
    monkeypatch.setattr("tritonopt.tuning.variation.variants.rewrite_source", rewritten_once)
    let_work(Here, monkeypatch)


@pytest.fixture
def planted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Planted:
    found = Planted(tmp_path)
    if "processes" not in request.fixturenames:
        start_nothing(monkeypatch)
    # The clock stands still, and nobody's patience ends on a machine that is busy.
    monkeypatch.setattr("tritonopt.tuning.tune.time", SimpleNamespace(monotonic=lambda: 0.0))
    monkeypatch.setattr("tritonopt.tuning.trials._PATIENCE", 1000.0)
    monkeypatch.setenv("TRITONOPT_PLANTED", str(found.plan))
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    return found


def test_a_variant_that_wins_on_some_calls_is_chosen_there(
    planted: Planted, processes: None
) -> None:
    answer = planted.tuned(WINS_LATER)
    assert not answer.failure and answer.changed
    assert answer.what.startswith("one-tile")
    assert answer.condition == "n >= 64"
    assert [row.uses_new for row in answer.rows] == [False, False, True, True]
    for row in answer.rows:
        assert row.ratio is not None
        assert row.ratio.is_gain if row.uses_new else 0.98 < row.ratio.value < 1.02
    assert EXAMPLE.read_text().split("# tritonopt:")[0] in answer.text.replace(
        answer.text[answer.text.index("@triton.heuristics") : answer.text.index("# tritonopt:")], ""
    )  # the original kernel is untouched
    assert "    if n >= 64:\n" in answer.text
    assert "1.43x" in answer.text or "1.42x" in answer.text

    # Interrupted after that and started again, nothing is verified or searched again.
    before = planted.asked()
    again = planted.tuned(WINS_LATER)
    assert again.text.count("ONE_TILE") == answer.text.count("ONE_TILE")
    new = planted.asked()[len(before) :]
    assert "evidence" not in new
    # the original; what was accepted afresh, and once for odd sizes
    assert new.count("time") <= 2 * len(answer.rows) + 1

    (outcome,) = outcomes([planted.request()], [answer])
    written(outcome)
    assert planted.file.read_text() == answer.text
    record = json.loads(outcome.record.read_text())
    assert record["launchers"][0]["condition"] == "n >= 64"
    assert record["launchers"][0]["gpu"] == "planted GPU"
    checks = list(checks_of(planted.file, EFFORT, 60.0, SERVER))
    assert len(checks) == 4 and all(check.holds for check in checks)
    assert [check.is_gain for check in checks] == [False, False, True, True]

    planted.plan.write_text(json.dumps({"rules": [{"kernel": "ONE_TILE", "factor": 1.1}]}))
    checks = list(checks_of(planted.file, EFFORT, 60.0, SERVER))
    assert [check.holds for check in checks] == [True, True, False, False]
    assert "no longer holds" in str(checks[-1])


def test_what_is_not_the_same_function_is_never_accepted(planted: Planted) -> None:
    rules = [{"kernel": "ONE_TILE", "factor": 0.1}]
    answer = planted.tuned(rules, wrong=["ONE_TILE"])
    assert not answer.changed and not answer.failure
    assert {tried.fate for tried in answer.tried} == {Fate.REFUSED}
    assert all("another function" in tried.reason for tried in answer.tried)


def test_a_step_that_no_call_ran_is_not_taken() -> None:
    def timed(code: str, gain: float, *steps: str) -> Standing:
        found = {"n=64": Found(Ratio(gain, gain, gain, 20), code=code)}
        return Standing(Variant(steps, " ".join(steps)), Fate.DROPPED, found=found)

    unused: Any = None
    one, other = timed("a", 1.42, "num_warps 8"), timed("a", 1.44, "num_warps 8", "BLOCK 512")
    unknown = timed("", 1.1, "num_warps 8", "BLOCK 256")
    search = Search(unused, (), unused, unused, unused, standings=[other, one, unknown])
    assert search.best(3) == [one, unknown]
    assert search.best(3, [other, unknown]) == [unknown]


def test_what_is_no_faster_is_not_verified(planted: Planted) -> None:
    assert not planted.tuned([{"kernel": "ONE_TILE", "factor": 1.1}]).changed
    assert "evidence" not in planted.asked()


WRONG_WINS = [{"kernel": "ONE_TILE", "factor": 0.5}, {"kernel": "num_warps=8", "factor": 0.8}]


def test_what_gains_most_and_is_wrong_leaves_the_next_one(planted: Planted) -> None:
    answer = planted.tuned(WRONG_WINS, parameters=True, wrong=["ONE_TILE"])
    assert answer.what.startswith("num_warps 4 -> 8")
    assert answer.evidence is not None and answer.evidence.is_yes
    refused = [tried for tried in answer.tried if tried.fate is Fate.REFUSED]
    assert refused and all("one-tile" in tried.name for tried in refused)


@pytest.mark.parametrize("sizes", few([{}, {"n": [13, 13]}], 1))
def test_what_is_wrong_on_the_gpu_alone_leaves_the_next_one(
    planted: Planted, sizes: dict[str, list[int]]
) -> None:
    """On a call that is timed, or on one of odd sizes: the interpreter runs no warps."""
    rules = [
        {"kernel": "ONE_TILE", "factor": 0.8},
        {"kernel": "num_warps=8", "factor": 0.5},
        {"kernel": "num_warps=8", "differs": "another result", "sizes": sizes},
    ]
    answer = planted.tuned(rules, parameters=True)
    assert answer.what.startswith("one-tile") and "num_warps 4 -> 8" not in answer.what
    refused = [tried for tried in answer.tried if tried.fate is Fate.REFUSED]
    assert refused and all("another result" in tried.reason for tried in refused)
    assert answer.evidence is not None and answer.evidence.backend.endswith(
        "timed calls agree on one random input each; so does one of odd sizes"
    )


@pytest.mark.parametrize("has_time", few([True, False], 0))
def test_where_the_budget_ends_with_a_wrong_one_the_next_one_is_verified_still(
    planted: Planted, monkeypatch: pytest.MonkeyPatch, has_time: bool
) -> None:
    monkeypatch.setattr(_Tuning, "is_over", lambda tuning: "evidence" in planted.asked())
    monkeypatch.setattr(Proving, "has_time", has_time)
    answer = planted.tuned(WRONG_WINS, parameters=True, wrong=["ONE_TILE"])
    assert answer.what.startswith("num_warps 4 -> 8") == has_time
    assert answer.changed == has_time


def test_what_goes_on_from_a_wrong_variant_is_not_verified() -> None:
    def standing(*steps: str) -> Standing:
        return Standing(Variant(steps, " ".join(steps)))

    wrong, more, other = standing("a"), standing("b", "a"), standing("b")
    wrong.refuse(Evidence("counterexample", "planted", 1, "it is wrong"))
    unused: Any = None
    choosing = Choosing(unused, (), unused, lambda: False, refuted=[wrong])
    assert choosing.accepted([more, other]) is None
    assert (more.fate, more.reason) == (Fate.REFUSED, "as a: it is wrong")
    assert other.fate is not Fate.REFUSED


@pytest.mark.thorough
def test_a_verification_that_ends_is_no_yes(planted: Planted, processes: None) -> None:
    answer = planted.tuned([{"kernel": "ONE_TILE", "factor": 0.1}], ends=["ONE_TILE"])
    assert not answer.changed
    assert {tried.fate for tried in answer.tried} == {Fate.REFUSED}


def test_calls_on_which_a_variant_fails_stay_with_the_original(planted: Planted) -> None:
    rules = [
        {"kernel": "ONE_TILE", "sizes": {"n": [16, 16]}, "fails": "out of resource: shared memory"},
        {"kernel": "ONE_TILE", "factor": 0.7},
    ]
    assert planted.tuned(rules).condition == "n >= 32"


@pytest.mark.thorough
def test_calls_on_which_a_variant_hangs_stay_with_the_original(
    planted: Planted, processes: None
) -> None:
    rules = [
        {"kernel": "ONE_TILE", "sizes": {"n": [32, 128]}, "hangs": True},
        {"kernel": "ONE_TILE", "factor": 0.7},
    ]
    assert planted.tuned(rules, timeout=20.0, effort=EFFORT).condition == "n <= 16"


def test_the_original_stays_where_nothing_is_faster(planted: Planted) -> None:
    answer = planted.tuned([])
    assert not answer.changed and not answer.what
    assert all(row.original is not None and row.original.times for row in answer.rows)
    assert {tried.fate for tried in answer.tried} <= {Fate.DROPPED, Fate.FINALIST}


@pytest.mark.thorough
def test_calls_on_which_the_original_fails_are_left_out(planted: Planted) -> None:
    rules = [
        {"sizes": {"n": [16, 16]}, "fails": "out of memory"},
        {"kernel": "ONE_TILE", "factor": 0.7},
    ]
    answer = planted.tuned(rules)
    assert answer.changed and not answer.condition
    assert "out of memory" in answer.notes[0]
    assert [row.ratio is not None for row in answer.rows] == [False, True, True, True]


@pytest.mark.parametrize("failure, kept", [("out of memory", False), ("ValueError: n", True)])
def test_what_failed_for_want_of_memory_is_tried_another_time(
    planted: Planted, monkeypatch: pytest.MonkeyPatch, failure: str, kept: bool
) -> None:
    request = planted.request()
    row = Row("softmax", request.calls[0].label, failures={"variant0": failure})
    monkeypatch.setattr(Trials, "_measured", lambda trials, asked, names: row)
    store = Store(Path(request.store))
    trials = Trials(request, store, lambda: 1.0)
    (found,) = trials.timed(["text"], request.calls[:1], EFFORT, "rung 0")["text"].values()
    assert found.failure == failure
    assert bool(store.of_kernel(subject_digest(request))) == kept


def test_where_the_original_fails_it_is_said_why(planted: Planted) -> None:
    assert "no call; RuntimeError: so little" in planted.tuned([{"fails": "so little"}]).failure


def test_without_time_the_original_stays_and_that_is_said(planted: Planted) -> None:
    """Not even the original is timed."""
    answer = planted.tuned(WINS_LATER, budget=0.0)
    assert not answer.changed and not answer.failure
    assert "was over before the original was timed on every call" in answer.notes[-1]


def test_where_the_budget_ends_in_the_measurement_the_original_stays(
    planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was not timed on one of the calls may be slower there."""
    timed: list[Row] = []
    usual = Session.row

    def row(session: Session, *given: Any, **options: Any) -> Row:
        timed.append(usual(session, *given, **options))
        return timed[-1]

    monkeypatch.setattr(Session, "row", row)
    monkeypatch.setattr(_Tuning, "left", property(lambda tuning: 0.0 if timed else 300.0))
    answer = planted.tuned(WINS_LATER)
    assert not answer.changed and not answer.failure and not answer.tried
    assert [bool(row.original and row.original.times) for row in answer.rows] == [
        True,
        *[False] * 3,
    ]
    assert "was over before the original was timed on every call" in answer.notes[-1]


def test_what_is_timed_last_leaves_time_for_the_proof(planted: Planted) -> None:
    trials = Trials(planted.request(), None, lambda: -10.0, ends=lambda: 50.0)
    limits: list[float] = []
    usual = trials.session.row

    def row(*given: Any, **options: Any) -> Row:
        limits.append(trials.session.left())
        return usual(*given, **options)

    planted.plan.write_text("{}")
    trials.session.row = row  # type: ignore[method-assign]
    text, (call, *_) = planted.request().text, planted.request().calls
    trials.original(EFFORT)
    trials._measured(_Asked(call, EFFORT, "rung 1"), {"variant0": text})
    trials.fresh("tuned", text, call)
    assert (limits[0], limits[-2], limits[-1]) == (50.0, 5.0, 50.0)


def test_where_the_budget_ends_before_the_proof_the_original_stays(
    planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Proving, "evidence", lambda proving, text: Evidence("unsupported", reason=NO_TIME)
    )
    answer = planted.tuned([{"kernel": "ONE_TILE", "factor": 0.7}])
    assert not answer.changed
    assert "was faster, and the budget of 300 s was over before it was verified" in answer.notes[-1]


def test_variants_that_there_is_no_time_for_are_left(
    planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Tuning, "no_more_variants", lambda tuning: True)
    answer = planted.tuned(WINS_LATER)
    assert not answer.changed
    assert "run it again to continue" in answer.notes[-1]
    assert {tried.fate for tried in answer.tried} == {Fate.WAITING}


def test_what_was_not_compiled_in_time_is_said_too(planted: Planted) -> None:
    answer = tune_subject(replace(planted.request(budget=0.0), gpu=False))
    assert {tried.fate for tried in answer.tried} == {Fate.WAITING}
    assert "run it again to continue" in answer.notes[-1]


def test_what_was_compiled_before_is_not_compiled_again(
    planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[str] = []
    told: list[Progress] = []

    class Compiling:
        def __init__(self, versions: list[Any], stack: Any) -> None:
            self.names = [version.name for version in versions]

        def row(self, launcher: str, call: Any) -> Row:
            compiled.extend(self.names)
            kernels = [Compiled(name, "k", "sm_90", {"registers": 9}) for name in self.names]
            return Row(launcher, call.label, compiled=tuple(kernels))

    monkeypatch.setattr(Compiling, "of", Compiling, raising=False)
    monkeypatch.setattr(without_gpu, "Compiling", Compiling)
    request = replace(planted.request(), gpu=False)
    planted.plan.write_text("{}")
    first = tune_subject(request, told.append)
    assert compiled.count("original") == 1 and len(compiled) == 1 + len(first.tried)
    assert {where.phase for where in told} == {"compiling"}
    assert [where.done for where in told] == sorted({where.done for where in told})
    compiled.clear()
    again = tune_subject(request)
    assert not compiled and "evidence" in planted.asked()
    assert [tried.compiled for tried in again.tried] == [tried.compiled for tried in first.tried]


def test_what_was_interrupted_goes_on_where_it_was(planted: Planted) -> None:
    phases: list[str] = []

    def interrupting(where: Progress) -> None:
        phases.append(where.phase)
        if where.done >= 4:
            raise KeyboardInterrupt

    planted.plan.write_text(json.dumps({"rules": [{"kernel": "ONE_TILE", "factor": 0.7}]}))
    request = planted.request(parameters=True)
    with pytest.raises(KeyboardInterrupt):
        tune_subject(request, interrupting)
    # Whoever leads is being verified while others are timed, and nothing else is.
    assert set(phases) == {"timing"} and planted.asked().count("evidence") <= 1

    def kept() -> dict[tuple[object, ...], float]:
        with sqlite3.connect(request.store) as file:
            rows = file.execute("SELECT kernel, variant, shape, gpu, versions, at FROM entries")
            return {tuple(row[:-1]): row[-1] for row in rows}

    before = kept()
    assert len(before) >= 4 * len(request.calls)
    answer = tune_subject(replace(request, budget=100.0))
    assert answer.what.startswith("one-tile")
    after = kept()
    assert len(after) > len(before)
    assert {key: after[key] for key in before} == before  # nothing was measured once more


def test_without_a_gpu_it_says_so(planted: Planted) -> None:
    assert "no GPU" in planted.tuned([], gpu=False).failure


def test_a_file_that_changed_meanwhile_is_not_tuned(planted: Planted) -> None:
    request = replace(planted.request(), text="# another text")
    assert "has changed meanwhile" in tune_subject(request).failure


def test_a_store_of_another_version_is_said(planted: Planted) -> None:
    request = planted.request()
    Store(Path(request.store))
    with sqlite3.connect(request.store) as file:
        file.execute(f"PRAGMA user_version = {VERSION + 1}")
    planted.plan.write_text("{}")
    assert "written by another version" in tune_subject(request).failure


@pytest.mark.thorough
def test_a_full_disk_costs_the_store_and_nothing_else(
    planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tritonopt.tuning.store import StoreError

    def full(*given: object) -> None:
        raise StoreError("cannot be written: the disk is full")

    monkeypatch.setattr(Store, "put", full)
    answer = planted.tuned([{"kernel": "ONE_TILE", "factor": 0.7}])
    assert answer.changed and not answer.condition
    assert any("the disk is full" in note for note in answer.notes)


@pytest.mark.parametrize("is_late", [False, True])
def test_the_likely_winner_is_verified_while_others_are_timed(
    planted: Planted, monkeypatch: pytest.MonkeyPatch, is_late: bool
) -> None:
    begun: list[tuple[str, bool]] = []
    asked: list[Question] = []

    def begin_with(verifying: Verifying, question: Question, spare: int) -> None:
        begun.append((question.text, "fresh" in spent))
        asked.append(question)

    def answered(verifying: Verifying) -> Iterator[tuple[Question, Evidence]]:
        late = Evidence("unsupported", reason=f"{LATE} 9 s")
        found = late if is_late else Evidence("identical", "planted", 7)
        while asked:
            yield asked.pop(), found

    spent: set[str] = set()
    usual = Trials.fresh

    def fresh(trials: Trials, *given: Any) -> Row:
        spent.add("fresh")
        return usual(trials, *given)

    monkeypatch.setattr(Trials, "fresh", fresh)
    monkeypatch.setattr(Verifying, "begin_with", begin_with)
    monkeypatch.setattr(Verifying, "answered", answered)
    rules = [{"kernel": "ONE_TILE", "factor": 0.7}]
    answer = planted.tuned(rules, backend="interpreter")
    assert answer.changed and (answer.text, False) in begun
    # Nobody was asked again, but where the time for it was over.
    assert answer.evidence is not None and (answer.evidence.examples == 7) is not is_late
    assert ("evidence" in planted.asked()) == is_late


def test_verifications_end_with_the_budget(
    planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, given = [0.0], []

    def answers(verifying: Verifying, questions: list[Question], seconds: float) -> list[Evidence]:
        given.append(seconds)
        now[0] += min(seconds, 60.0)
        return [Evidence("unsupported", reason="it came to no end")]

    clock = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr("tritonopt.tuning.tune.time", clock)
    monkeypatch.setattr(Verifying, "answers", answers)
    tuning = _Tuning(planted.request(budget=100.0), lambda where: None, begin=0.0)
    for text in ("one", "another", "third"):
        evidence = tuning._verified(text)
    assert given == [60.0, 40.0] and now == [100.0]
    assert evidence.reason == NO_TIME


def test_where_a_form_of_the_calls_comes_to_no_answer_the_next_is_drawn_from(
    planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str | None] = []

    def answers(verifying: Verifying, questions: list[Question], seconds: float) -> list[Evidence]:
        asked.append(questions[0].args)
        yes = Evidence("identical", "here", 1, args=str(asked[-1]))
        no = Evidence("unsupported", "here", 1)
        return [yes if asked[-1] == "x: f32[4, n]" else no]

    monkeypatch.setattr(Verifying, "answers", answers)
    forms = {
        "args": "x: f32[a, n]",
        "otherwise": (None, "x: f32[4, n]", "x: f32[n, n]"),
    }
    tuning = _Tuning(replace(planted.request(budget=200.0), **forms), lambda where: None, 0.0)
    tuning.begin = time.monotonic()
    assert tuning._verified("text").is_yes
    assert asked == ["x: f32[a, n]", None, "x: f32[4, n]"]


def test_a_form_of_which_the_original_takes_no_call_is_asked_once(
    planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str | None] = []
    compared = {"x: f32[a, n]": 0, "x: f32[2 * n]": 7, None: 9}

    def answers(verifying: Verifying, questions: list[Question], seconds: float) -> list[Evidence]:
        asked.append(questions[0].args)
        count = 0 if questions[0].text == "cannot_run" else compared[asked[-1]]
        verdict = "identical" if asked[-1] is None and count else "unsupported"
        return [Evidence(verdict, "interpreter", count, args=str(asked[-1]))]

    def forms_of(text: str) -> list[str | None]:
        asked.clear()
        assert tuning._verified(text).is_yes == (text != "cannot_run")
        return list(asked)

    monkeypatch.setattr(Verifying, "answers", answers)
    request = replace(
        planted.request(budget=200.0),
        args="x: f32[a, n]",
        otherwise=("x: f32[2 * n]", None),
        backend="interpreter",
    )
    tuning = _Tuning(request, lambda where: None, time.monotonic())
    # Where nothing could be compared, that may be what the text is.
    assert forms_of("cannot_run") == ["x: f32[a, n]", "x: f32[2 * n]", None]
    assert forms_of("text") == ["x: f32[a, n]", "x: f32[2 * n]", None]
    assert forms_of("another") == ["x: f32[2 * n]", None]


def test_what_is_late_in_one_form_of_the_calls_is_not_asked_in_another(
    planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str | None] = []

    def answers(verifying: Verifying, questions: list[Question], seconds: float) -> list[Evidence]:
        asked.append(questions[0].args)
        return [Evidence("unsupported", reason=f"{LATE} 9 s")]

    monkeypatch.setattr(Verifying, "answers", answers)
    request = replace(planted.request(budget=200.0), otherwise=(None,))
    assert not _Tuning(request, lambda where: None, time.monotonic())._verified("text").is_yes
    assert asked == [request.args]


def test_what_is_refused_while_others_are_timed_leads_no_more() -> None:
    unused: Any = None
    found = {"n=64": Found(Ratio(1.4, 1.4, 1.4, 20))}
    wrong, right = (
        Standing(Variant((name,), name), Fate.DROPPED, found=dict(found)) for name in "ab"
    )
    no = Evidence("counterexample", "here", 1, "another function")
    search = Search(unused, (), unused, unused, unused, standings=[wrong, right])
    search.leading = lambda text, instead: no if text == "a" else None
    search._lead(search.best(2))
    assert search.best(2) == [right] and wrong.reason == "another function"


@pytest.mark.parametrize(
    ("interpreter", "verdict", "asked"),
    [
        ("identical", "identical", ["interpreter"]),
        ("counterexample", "counterexample", ["interpreter"]),
        ("unsupported", "unsupported", ["interpreter"]),
        ("cannot run", "identical", ["interpreter", "cuda"]),
    ],
)
def test_what_the_interpreter_cannot_run_the_gpu_runs(
    planted: Planted,
    monkeypatch: pytest.MonkeyPatch,
    interpreter: str,
    verdict: str,
    asked: list[str],
) -> None:
    seen: list[str] = []

    def answers(verifying: Verifying, questions: list[Question], seconds: float) -> list[Evidence]:
        (question,) = questions
        assert question.examples == 100 and not question.covered_elsewhere
        seen.append(question.backend)
        said = {"interpreter": interpreter, "cuda": "identical"}[question.backend]
        if said == "cannot run":
            return [Evidence("unsupported", question.backend)]
        return [Evidence(said, question.backend, question.examples, args="x: f32[m, n]")]

    monkeypatch.setattr(Verifying, "answers", answers)
    tuning = _Tuning(planted.request(budget=200.0), lambda where: None, time.monotonic())
    assert tuning._verified("text").verdict == verdict
    assert seen == asked


def test_what_was_verified_with_another_helper_is_verified_again(
    planted: Planted, processes: None
) -> None:
    helper = planted.file.parent / "helper_of_softmax.py"
    helper.write_text("LEAST = 16\n")
    text = planted.file.read_text()
    planted.file.write_text(text.replace("import torch\n", f"import torch\nimport {helper.stem}\n"))
    rules = [{"kernel": "ONE_TILE", "factor": 0.7}]
    # Without a GPU nothing runs that shows what is imported.
    assert imports_others(planted.file.read_text()) and not imports_others(text)
    for least, is_asked in [(16, True), (32, True), (32, False)][: number(2, 3)]:
        helper.write_text(f"LEAST = {least}\n")
        before = len(planted.asked())
        assert planted.tuned(rules).changed
        assert ("evidence" in planted.asked()[before:]) == is_asked


def test_a_call_that_the_host_takes_longer_to_launch_than_the_gpu_to_run_is_told() -> None:
    def row(label: str, host: float) -> Row:
        times = Times(5.0, 4.0, 6.0, 10, host=host)
        return Row("scale", label, times={ORIGINAL: times})

    assert not _launch_bound([row("x f32[2]", 4.0)])
    (note,) = _launch_bound([row("x f32[2]", 30.0), row("x f32[4]", 40.0), row("x f32[8]", 4.0)])
    assert "2 of 3 calls, as x f32[4]" in note and "40 us to launch" in note and "5 us" in note
