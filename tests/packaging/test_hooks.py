"""The hooks, run by the real pre-commit program on a git repository with kernels."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.test_suggest import HEAD, MAXIMUM, SOFTMAX

pytestmark = pytest.mark.slow

TOP = """\
def largest(x: torch.Tensor):
    assert x.dtype == torch.float32
    y = torch.empty(1)
    top[(1,)](x, y, x.numel(), BLOCK=1024)
    return y
"""

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("tritonopt", "passes", "pyproject.toml", "README.md", "LICENSE")
HOOKS = ".pre-commit-hooks.yaml"


def git(*arguments: str, cwd: Path) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    command = ("git", *who, *arguments)
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def local_hooks() -> str:
    """The hooks as they are shipped, but run by the tritonopt of this environment."""
    shipped = (ROOT / HOOKS).read_text()
    entries = "".join(
        f"  {line}\n" for line in shipped.splitlines() if not line.lstrip().startswith("#")
    )
    assert entries.count("language: python") == entries.count("entry: tritonopt ") == 2
    command = f"entry: {sys.executable} -m tritonopt "
    entries = entries.replace("language: python", "language: system")
    return "repos:\n- repo: local\n  hooks:\n" + entries.replace("entry: tritonopt ", command)


class Repository:
    """A git repository with kernels and a pre-commit configuration."""

    def __init__(self, home: Path, cache: Path, configuration: str) -> None:
        self.home = home
        self.environment = {
            **os.environ,
            "PRE_COMMIT_HOME": str(cache),
            "PYTHONPATH": str(ROOT),
            "PIP_CONSTRAINT": str(ROOT / "constraints.txt"),
        }
        home.mkdir()
        git("init", "-q", cwd=home)
        self.write(".pre-commit-config.yaml", configuration)

    def write(self, name: str, text: str) -> None:
        (self.home / name).write_text(text)
        git("add", name, cwd=self.home)

    def run(self, hook: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "pre_commit", "run", hook, "--color=never"]
        done = subprocess.run(
            command,
            cwd=self.home,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo", tmp_path / "cache", local_hooks())


def test_a_commit_with_a_mistake_is_stopped(repository: Repository) -> None:
    repository.write("k.py", HEAD + MAXIMUM)
    code, out = repository.run("tritonopt-suggest")
    assert code == 1, out
    assert "tritonopt suggest" in out and "Failed" in out
    assert "k.py:9:9: undefined-lanes [mistake]: the max in line 10" in out
    assert (repository.home / "k.py").read_text() == HEAD + MAXIMUM
    repository.write("k.py", HEAD + MAXIMUM.replace("< N)", '< N, other=float("-inf"))'))
    code, out = repository.run("tritonopt-suggest")
    assert code == 0 and "Passed" in out, out


def test_a_commit_without_kernels_costs_little(repository: Repository) -> None:
    for number in range(20):
        repository.write(f"plain{number}.py", "import triton\n\n\ndef f(x):\n    return x\n")
    code, out = repository.run("tritonopt-suggest")
    assert code == 0 and "Passed" in out, out

    def cost(*arguments: str) -> float:
        times = []
        for _ in range(3):
            before = os.times()
            subprocess.run([sys.executable, *arguments], cwd=repository.home, check=True)
            after = os.times()
            spent = after.children_user + after.children_system
            times.append(spent - before.children_user - before.children_system)
        return min(times)

    names = sorted(path.name for path in repository.home.glob("*.py"))
    # The promise is 0.3 s. Processor time, for the machine may be busy with other things.
    assert cost("-m", "tritonopt", "suggest", *names) - cost("-c", "pass") < 0.2


def test_safe_fixes_and_exact_rewrites_are_applied(repository: Repository) -> None:
    lanes = "x = tl.load(X + cols, mask=cols < N"
    repository.write("k.py", HEAD + MAXIMUM + TOP)
    repository.write("soft.py", HEAD + SOFTMAX)
    code, out = repository.run("tritonopt-rewrite")
    assert code == 1 and "files were modified by this hook" in out, out
    assert f'{lanes}, other=float("-inf"))' in (repository.home / "k.py").read_text()
    # A running maximum rounds otherwise: that is not for a hook to do unasked.
    assert (repository.home / "soft.py").read_text() == HEAD + SOFTMAX
    assert "k.py:9:9: undefined-lanes [exact]: " in out and "missed, " not in out
    git("add", "k.py", cwd=repository.home)
    assert repository.run("tritonopt-rewrite")[0] == 0
    repository.write("pyproject.toml", "[tool.tritonopt]\nsafety = ['rounding']\n")
    code, out = repository.run("tritonopt-rewrite")
    assert code == 1 and "soft.py:15:5: online-softmax [rounding]" in out, out


def test_installed_by_pre_commit_from_a_repository_of_ours(tmp_path: Path) -> None:
    """`language: python`: pre-commit makes an environment, and installs what a hook needs."""
    ours = tmp_path / "ours"
    ours.mkdir()
    for name in (*SHIPPED, HOOKS):
        subprocess.run(["cp", "-R", ROOT / name, ours / name], check=True)
    git("init", "-q", cwd=ours)
    (ours / ".gitignore").write_text("__pycache__/\n")
    git("add", ".", cwd=ours)
    git("commit", "-q", "-m", "all", cwd=ours)
    revision = git("rev-parse", "HEAD", cwd=ours).strip()
    configuration = (
        f"repos:\n- repo: {ours}\n  rev: {revision}\n  hooks:\n  - id: tritonopt-suggest\n"
    )
    repository = Repository(tmp_path / "repo", tmp_path / "cache", configuration)
    del repository.environment["PYTHONPATH"]
    repository.environment["PIP_NO_COMPILE"] = "1"
    repository.write("k.py", HEAD + MAXIMUM)
    started = time.monotonic()
    code, out = repository.run("tritonopt-suggest")
    if "Could not find a version" in out or "connection" in out.lower():
        pytest.skip(f"NOT TESTED: no package index can be reached: {out[-300:]}")
    assert code == 1 and "k.py:9:9: undefined-lanes [mistake]" in out, out
    print(f"installed and run in {time.monotonic() - started:.1f} s")
    packages = {path.name.partition("-")[0] for path in tmp_path.glob("cache/*/py_env*/lib/*/*/*")}
    assert "libcst" in packages
    assert not packages & {"torch", "triton", "hypothesis", "numpy"}
