"""A counterexample's script shows the same again, without this package."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tritonopt.verification import Verdict
from tritonopt.verification.comparison.script import script
from tritonopt.verification.inputs.examples import Example, PlainValue, TensorRecipe
from tritonopt.verification.process.messages import RunOptions, VersionSpec

SUBJECTS = Path(__file__).parents[1] / "subjects"


def run(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script where `tritonopt` cannot be imported."""
    (folder / "tritonopt").mkdir()
    (folder / "tritonopt" / "__init__.py").write_text("raise ImportError('not here')")
    (folder / "counterexample.py").write_text(text)
    return subprocess.run(
        [sys.executable, "counterexample.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_it_shows_the_same_without_this_package(
    against: Callable[..., Verdict], tmp_path: Path
) -> None:
    verdict = against("add", ("offsets < n\n", "offsets < n - 1\n"))
    assert verdict.verdict == "counterexample" and verdict.script is not None
    assert verdict.counterexample is not None
    head, _, _ = verdict.script.partition("# That is all there is to read")
    assert len(head.splitlines()) < 60 and len(verdict.script.splitlines()) < 160
    shown = run(verdict.script, tmp_path)
    assert shown.returncode == 1, shown.stderr
    # All but the line about the search, which has nothing to do with the script.
    assert verdict.counterexample.splitlines()[:-1] == shown.stdout.splitlines()


@pytest.mark.parametrize("ending", ["", "\r\n", " \\\\", "'"])
def test_a_text_that_is_in_no_file_stands_in_the_script(ending: str) -> None:
    written = '# it\'s \'quoted\' \\ and """more"""\n' + ending
    spec = VersionSpec("rewritten", "a.py", written, "a.py", "interpreter", "f", False)
    example = Example((("x", TensorRecipe("f16", (3, 7), "with inf and NaN", seed=5)),))
    text = script(
        spec, spec, example, (RunOptions(),), 'a "quoted" \\ """text"""', embedded=("rewritten",)
    )
    namespace: dict[str, object] = {"__name__": "imported"}
    exec(compile(text, "counterexample.py", "exec"), namespace)
    assert namespace["TEXTS"] == {"rewritten": written}
    assert str(namespace["__doc__"]).splitlines()[2] == "a \"quoted\" \\ '''text'''"


@pytest.mark.parametrize("value", [float("inf"), -1e-5, (2, 3), None, "text's", [1, 2.5]])
def test_plain_values_are_written_as_they_are(value: object) -> None:
    spec = VersionSpec("original", "a.py", "", "a.py", "interpreter", "f", False)
    example = Example((("v", PlainValue(value)),))
    text = script(spec, spec, example, (RunOptions(),), "")
    namespace: dict[str, object] = {}
    body = text.partition("    return Example(")[2].partition("\n\n\n")[0]
    exec("from math import inf, nan", namespace)
    exec("from tritonopt.verification.inputs.examples import *", namespace)
    assert eval(f"Example({body}", namespace) == example
