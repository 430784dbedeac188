"""What is shipped: an sdist, a wheel made from it, and an environment with nothing heavy in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.cli.test_suggest import HEAD, MAXIMUM
from tritonopt.rewriting import registry

pytestmark = pytest.mark.slow

# What a build needs of the tree; the rest (an environment, results) would only be copied.
SHIPPED = ("tritonopt", "passes", "pyproject.toml", "README.md", "LICENSE")

# The tree itself must not be found: pip would take it for an installed tritonopt.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        command, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist, and the wheel that is built from what the sdist holds."""
    root = Path(__file__).resolve().parents[2]
    tree = tmp_path_factory.mktemp("tree")
    for name in SHIPPED:
        if (root / name).is_dir():
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(root / name, tree / name, symlinks=True, ignore=ignore)
        else:
            shutil.copy(root / name, tree / name)
    out = tmp_path_factory.mktemp("dist")
    # Without --sdist and --wheel, build makes the wheel from the sdist.
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, tree, cwd=tree)
    return out


def test_the_sdist_holds_the_passes_as_files(dist: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        members = {member.name.partition("/")[2]: member for member in archive.getmembers()}
    assert members["tritonopt/passes/__init__.py"].isfile()
    assert members["tritonopt/passes/fuse_stats/__init__.py"].isfile()
    assert not any(member.issym() for member in members.values())


def test_the_wheel_holds_the_package_and_nothing_beside_it(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"tritonopt/passes/fuse_stats/__init__.py", "tritonopt/py.typed"} <= set(names)
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"tritonopt"}


def test_it_works_where_neither_torch_nor_triton_is(dist: Path, tmp_path: Path) -> None:
    home = tmp_path / "env"
    venv.create(home, with_pip=True)
    binaries = home / ("Scripts" if os.name == "nt" else "bin")
    (wheel,) = dist.glob("*.whl")
    constraints = Path(__file__).resolve().parents[2] / "constraints.txt"
    run(binaries / "python", "-m", "pip", "install", "-q", "-c", constraints, wheel, cwd=tmp_path)
    installed = run(binaries / "python", "-m", "pip", "list", "--format=freeze", cwd=tmp_path)
    names = {line.partition("==")[0].lower() for line in installed.splitlines()}
    assert not names & {"torch", "triton", "hypothesis", "numpy"}

    listed = run(binaries / "tritonopt", "passes", cwd=tmp_path)
    ours = {
        name
        for name, found in registry.catalog().items()
        if found.__module__.startswith("tritonopt.")
    }
    assert ours and all(f"\n{name} " in f"\n{listed}" for name in ours)

    kernel = tmp_path / "kernel.py"
    kernel.write_text("import triton\n\n\n@triton.jit\ndef copy(x):\n    pass\n")
    run(binaries / "tritonopt", "rewrite", kernel, "--passes", "all", cwd=tmp_path)
    assert not run(binaries / "tritonopt", "suggest", kernel, cwd=tmp_path)

    kernel.write_text(HEAD + MAXIMUM)
    suggested = subprocess.run(
        [binaries / "tritonopt", "suggest", "kernel.py", "--format", "sarif"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert suggested.returncode == 1, suggested.stderr
    assert '"ruleId": "undefined-lanes"' in suggested.stdout
    page = run(binaries / "tritonopt", "explain", "undefined-lanes", cwd=tmp_path)
    assert page.startswith("# undefined-lanes\n")

    refused = subprocess.run(
        [binaries / "tritonopt", "verify", kernel, kernel],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 2
    assert "pip install 'tritonopt[verify]'" in refused.stderr
