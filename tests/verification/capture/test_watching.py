"""Where launches of a command are seen however it imports Triton, and what is said where not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tritonopt import source
from tritonopt.tuning.asked import requests_of
from tritonopt.tuning.requests import Request
from tritonopt.tuning.subjects import Wanted, subjects_of
from tritonopt.verification import VerificationError, verify
from tritonopt.verification.capture.command import recorded

JIT = """
class KernelInterface:
    def __getitem__(self, grid):
        return lambda *args: self.run(*args)


class JITFunction(KernelInterface):
    def __init__(self, fn):
        self.fn, self.arg_names = fn, ["n"]

    def run(self, *args):
        pass


def jit(fn):
    from . import interpreter
    return JITFunction(fn)
"""
INTERPRETER = """
from .jit import KernelInterface


class InterpretedFunction(KernelInterface):
    pass
"""
KERNELS = """
import triton


@triton.jit
def kernel(n):
    pass


def launch(n):
    kernel[(1,)](n)
"""
LAUNCHES = "import kernels; kernels.launch(3)\n"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> source.Module:
    """A file of kernels, and a Triton that does nothing but takes no time to be imported."""
    runtime = tmp_path / "triton" / "runtime"
    runtime.mkdir(parents=True)
    (tmp_path / "triton" / "__init__.py").write_text("from .runtime.jit import jit\n")
    (runtime / "__init__.py").write_text("")
    (runtime / "jit.py").write_text(JIT)
    (runtime / "interpreter.py").write_text(INTERPRETER)
    file = tmp_path / "kernels.py"
    file.write_text(KERNELS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return source.read(KERNELS, str(file))


def launches_of(module: source.Module, command: list[str]) -> int:
    ended, found = recorded(module, command)
    assert ended.status == 0 and ended.processes >= 1 and not ended.blind
    return len(found.get("kernel", []))


IMPORTS = {
    "imported": "",
    "looked up": "from importlib.util import find_spec; assert find_spec('triton')",
    "its modules looked up": (
        "from importlib.util import find_spec; assert find_spec('triton.runtime.interpreter')\n"
        "import sys\n"
        "for name in [name for name in sys.modules if name.startswith('triton')]:\n"
        "    del sys.modules[name]"
    ),
    "looked up and executed elsewhere": (
        "import importlib.util as u; s = u.find_spec('triton.runtime.jit')\n"
        "s.loader.exec_module(u.module_from_spec(s))"
    ),
    "lazily": (
        "import importlib.util as u, sys; s = u.find_spec('triton.runtime.jit')\n"
        "s.loader = u.LazyLoader(s.loader); m = u.module_from_spec(s)\n"
        "sys.modules[s.name] = m; s.loader.exec_module(m)"
    ),
    "reloaded": "import importlib, triton; importlib.reload(triton)",
    "its classes made anew": (
        "import importlib, triton, triton.runtime.jit\n"
        "importlib.reload(triton.runtime.jit); importlib.reload(triton)"
    ),
    "imported a second time": (
        "import triton, triton.runtime.interpreter, sys\n"
        "for name in [name for name in sys.modules if name.startswith('triton')]:\n"
        "    del sys.modules[name]"
    ),
    "by threads": (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from importlib import import_module\n"
        "from importlib.util import find_spec\n"
        "names = ['triton', 'triton.runtime', 'triton.runtime.interpreter'] * 8\n"
        "with ThreadPoolExecutor(24) as pool:\n"
        "    begun = [pool.submit(do, n) for do in (find_spec, import_module) for n in names]\n"
        "    [each.result() for each in begun]"
    ),
    "behind a hook of its own": (
        "import sys\n"
        "from importlib.util import find_spec\n"
        "class Hook:\n"
        "    looking = False\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if self.looking: return None\n"
        "        self.looking = True\n"
        "        try: return find_spec(name)\n"
        "        finally: self.looking = False\n"
        "sys.meta_path.insert(0, Hook())"
    ),
    "and torch looked up": "import importlib.util; importlib.util.find_spec('torch')",
}  # fmt: skip


@pytest.mark.parametrize("how", IMPORTS)
def test_a_launch_is_seen_once_however_triton_was_imported(module: source.Module, how: str) -> None:
    code = f"{IMPORTS[how]}\n{LAUNCHES}"
    assert launches_of(module, [sys.executable, "-c", code]) == 1


def test_triton_in_an_archive_is_seen(module: source.Module, tmp_path: Path) -> None:
    shutil.make_archive("packed", "zip", tmp_path, "triton")
    shutil.rmtree("triton")
    code = "import sys; sys.path.insert(0, 'packed.zip'); import triton.runtime.interpreter\n"
    assert launches_of(module, [sys.executable, "-c", code + LAUNCHES]) == 1


@pytest.mark.parametrize("theirs", ["import triton", "raise ValueError('broken')"])
def test_a_sitecustomize_of_a_venv_runs_as_well(
    module: source.Module, tmp_path: Path, theirs: str
) -> None:
    venv.create(tmp_path / "own", symlinks=True)
    python = tmp_path / "own" / "bin" / "python"
    ask = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
    path = f"import sys; sys.path.append({str(tmp_path)!r}); open('theirs', 'a').write('ran')\n"
    (Path(packages) / "sitecustomize.py").write_text(path + theirs)
    code = f"import sys; sys.path.append({str(tmp_path)!r})\n{LAUNCHES}"
    assert launches_of(module, [str(python), "-c", code]) == 1
    assert Path("theirs").read_text() == "ran"


def test_a_command_in_a_command_is_seen_once_by_each(module: source.Module, tmp_path: Path) -> None:
    (tmp_path / "inner.py").write_text(
        "import sys\n"
        "from tritonopt import source\n"
        "from tritonopt.verification.capture.command import recorded\n"
        "module = source.read(open('kernels.py').read(), 'kernels.py')\n"
        f"ended, found = recorded(module, [sys.executable, '-c', {LAUNCHES!r}])\n"
        "assert len(found['kernel']) == 1 and ended.processes == 1, (ended, found)\n"
    )
    ended, _ = recorded(module, [sys.executable, "inner.py"])
    assert ended.status == 0 and ended.processes == 2


UNSEEN = {
    "-S": [sys.executable, "-S", "-c", LAUNCHES],
    "-I": [sys.executable, "-I", "-c", LAUNCHES],
    "-E": [sys.executable, "-E", "-c", LAUNCHES],
    "a launcher with an own path": [
        *("env", "PYTHONPATH=.", sys.executable, "-c", LAUNCHES),
    ],
    "an empty environment": ["env", "-i", sys.executable, "-c", LAUNCHES],
    "no Python": ["true"],
}


@pytest.mark.parametrize("how", UNSEEN)
def test_where_no_process_was_watched_that_is_said(module: source.Module, how: str) -> None:
    with pytest.raises(VerificationError) as raised:
        verify("kernels.py", "kernels.py", command=UNSEEN[how], backend="interpreter")
    with pytest.raises(VerificationError) as of_bench:
        subjects_of(Wanted(Path("kernels.py"), Path("kernels.py"), command=tuple(UNSEEN[how])))
    asked = requests_of(
        Wanted(Path("kernels.py"), None, command=tuple(UNSEEN[how])),
        Request("", "", "", ()),
    )
    for text in (str(raised.value), str(of_bench.value), *asked.errors):
        assert "no Python process of it loaded tritonopt" in text
        assert "python -S, -I or -E" in text and "PYTHONPATH" in text
        assert "never launched" not in text and "installed copy" not in text
    assert len(asked.errors) == 1


def test_where_a_process_in_the_command_may_have_been_unseen_that_is_said(
    module: source.Module, tmp_path: Path
) -> None:
    (tmp_path / "outer.py").write_text(
        "import subprocess, sys\n"
        f"subprocess.run([sys.executable, '-E', '-c', {LAUNCHES!r}], check=True)\n"
    )
    with pytest.raises(VerificationError, match=r"Watched: 1 Python process\. .* python -S"):
        verify("kernels.py", "kernels.py", command=[sys.executable, "outer.py"])


def test_a_python_that_cannot_load_tritonopt_is_said(
    module: source.Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "early").mkdir()
    (tmp_path / "early" / "dataclasses.py").write_text("raise ImportError('too old')\n")
    early = tmp_path / "early" / "python"
    early.write_text(
        f'#!/bin/sh\nexport PYTHONPATH="$PYTHONPATH{os.pathsep}"\n'
        f'PYTHONPATH="${{PYTHONPATH%%{os.pathsep}*}}{os.pathsep}{tmp_path / "early"}"\n'
        f'exec {sys.executable} "$@"\n'
    )
    early.chmod(0o755)
    with pytest.raises(VerificationError, match="fails to load tritonopt .Python 3.* too old"):
        verify("kernels.py", "kernels.py", command=[str(early), "-c", LAUNCHES])
