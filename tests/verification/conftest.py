"""Verifying subjects against changed copies of themselves."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tritonopt.verification import Verdict, verify

SUBJECTS = Path(__file__).parent / "subjects"

BACKEND = os.environ.get("TRITONOPT_BACKEND", "interpreter")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "gpu: needs a GPU; skipped, with a word, where there is none"
    )


@pytest.fixture(autouse=True)
def no_shrinking(monkeypatch: pytest.MonkeyPatch) -> None:
    """That a counterexample is made small is tested of the search alone; elsewhere any will do."""
    monkeypatch.setattr("tritonopt.verification.comparison.drawing.SHRINK_SECONDS", -1.0)


@pytest.fixture(autouse=True)
def no_past_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one test finds must not change what another one tries."""
    monkeypatch.setenv("TRITONOPT_CACHE_DIR", "")


@pytest.fixture(autouse=True)
def asks_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a GPU takes what is launched is a sixth of a yes, and mostly not what is tested.

    A file whose tests ask has a fixture of this name that does nothing: `test_refused_by_gpus`, and
    `test_right_rewrites` that none is accused. The cases of the passes and the commands ask too.
    """
    monkeypatch.setattr(
        "tritonopt.verification.comparison.compile_backend.refused_by_gpus", lambda checker: ""
    )


@pytest.fixture(autouse=True)
def asks_for_no_cheats(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done in place of the work is asked of three of the largest calls, of each yes.

    That is an eighth of it, and two fifths where long rows are looked for. It is asked by the files
    that have a fixture of this name, by the cases of the passes and the commands.
    """
    monkeypatch.setattr("tritonopt.verification.reference.cheats.in_runs", lambda checker: ())


@pytest.fixture
def against(tmp_path: Path) -> Callable[..., Verdict]:
    """Verify a subject against itself with some texts replaced."""

    def run(name: str, *changes: tuple[str, str], **options: object) -> Verdict:
        original = SUBJECTS / f"{name}.py"
        text = original.read_text()
        for old, new in changes:
            assert old in text, f"{old!r} does not stand in {name}.py"
            text = text.replace(old, new)
        rewritten = tmp_path / f"{name}.py"
        rewritten.write_text(text)
        settings: dict[str, object] = {"backend": BACKEND, "max_examples": 12}
        return verify(original, rewritten, **{**settings, **options})  # type: ignore[arg-type]

    return run


@pytest.fixture
def of_texts(tmp_path: Path) -> Callable[..., Verdict]:
    """Verify two texts against each other."""

    def run(original: str, rewritten: str, **options: object) -> Verdict:
        (tmp_path / "kernel.py").write_text(original)
        (tmp_path / "rewritten.py").write_text(rewritten)
        settings: dict[str, object] = {"backend": BACKEND, "max_examples": 12}
        paths = tmp_path / "kernel.py", tmp_path / "rewritten.py"
        return verify(*paths, **{**settings, **options})  # type: ignore[arg-type]

    return run
