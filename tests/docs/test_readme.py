"""The README: what its commands print, and the verdict of its example."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.docs.test_tutorial import ROOT, run

README = (ROOT / "README.md").read_text(encoding="utf-8")
COUNTS = re.compile(r"on \d+ examples \([^)]*\)")
"""How many examples were drawn, and with which versions: not the same everywhere."""

pytestmark = pytest.mark.thorough


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the example of the README where a checkout has it."""
    (tmp_path / "examples").mkdir()
    shutil.copy(ROOT / "examples" / "router_softmax.py", tmp_path / "examples")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)  # which says how long a line may be
    return tmp_path


def test_the_main_command_prints_what_is_shown(checkout: Path) -> None:
    (shown,) = re.findall(r"^```console\n\$ (.+)\n((?:.+\n)+)```$", README, re.MULTILINE)
    command, output = shown
    printed = run(checkout, command)
    assert COUNTS.sub("", printed) == COUNTS.sub("", output)
    assert COUNTS.search(output)
    (diff,) = re.findall(r"^```diff\n\$ .+\n((?:.*\n)+?)```$", README, re.MULTILINE)
    made = (checkout / "softmax.diff").read_text(encoding="utf-8")
    assert [line.rstrip() for line in made.splitlines()] == diff.splitlines()


def test_the_verdict_of_the_example(checkout: Path) -> None:
    (verdict,) = re.findall(r"the verdict is `(.+?), on \d+ examples`", README)
    (command,) = re.findall(r"^```diff\n\$ (.+)$", README, re.MULTILINE)
    assert f"verified: {verdict}, on " in run(checkout, f"{command} --verify")
