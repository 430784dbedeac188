"""What a tuner is given through a dict of another file, `**NAME`, and whether it may be trusted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritonopt import rewrite_source
from tritonopt.rewriting.model import Remark
from tritonopt.source.project.program import Program

KERNEL = """import torch
import triton
import triton.language as tl

{imports}


@triton.autotune(configs=[triton.Config({{"BLOCK": 64}})], key=["n"], {spread})
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * 64 + tl.arange(0, 64)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + 1, mask=offs < n)


def run(x: torch.Tensor):
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[(n // 64 + 1,)](x, out, n)
    return out
"""
TUNING = """import triton

FAST = hasattr(triton, "fast")
tuning = {"cache_results": True} if FAST else {}
"""
IMPORTED = "from utils import tuning"


def remark(
    tmp_path: Path,
    files: dict[str, str],
    imports: str = IMPORTED,
    spread: str = "**tuning",
) -> Remark:
    """What is said of a kernel beside files that are given together with it."""
    text = KERNEL.format(imports=imports, spread=spread)
    for name, content in {**files, "kernel.py": text}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    program = Program(sorted(tmp_path.rglob("*.py")))
    place = str(tmp_path / "kernel.py")
    (found,) = rewrite_source(text, "grid-stride", path=place, program=program).remarks
    return found


def test_a_dict_of_a_given_file_is_read(tmp_path: Path) -> None:
    found = remark(tmp_path, {"utils.py": TUNING})
    assert found.kind.value == "passed", found


def test_also_through_a_package_and_beside_others_that_spread_it(tmp_path: Path) -> None:
    files = {
        "utils/__init__.py": 'from .compat import tuning\n__all__ = ["tuning"]\n',
        "utils/compat.py": TUNING,
        "other.py": f"import triton\n{IMPORTED}\n\n\ndef tuned(k):\n"
        "    return triton.autotune(configs=[], key=[], **tuning)(k)\n",
    }
    assert remark(tmp_path, files).kind.value == "passed"


@pytest.mark.parametrize(
    "files",
    [
        {"utils.py": TUNING + 'tuning["prune_configs_by"] = {"early_config_prune": print}\n'},
        {"utils.py": TUNING + "tuning = {}\n"},
        {"utils.py": TUNING.replace('"cache_results"', "str(FAST)")},
        {"utils.py": TUNING.replace("else {}", "else {**globals()}")},
        {"utils.py": "tuning = dict(cache_results=True)\n"},
        {"utils.py": TUNING, "other.py": f"{IMPORTED}\n\ntuning.update(pre_hook=print)\n"},
        {"utils.py": TUNING, "other.py": "import utils\n\nutils.tuning = {}\n"},
        {"utils.py": TUNING, "other.py": "import utils\n\nutils.tuning.clear()\n"},
        {"utils.py": TUNING, "other.py": f"{IMPORTED} as kw\n\nkw.update(pre_hook=print)\n"},
        {"utils.py": TUNING, "other.py": f"import other\n{IMPORTED}\n\nother.keep(tuning)\n"},
    ],
    ids=[
        "changed",
        "bound twice",
        "a key unknown",
        "more than keys",
        "a call",
        "changed elsewhere",
        "replaced elsewhere",
        "changed as an attribute",
        "changed under another name",
        "handed on",
    ],
)
def test_one_that_may_be_something_else_is_not(tmp_path: Path, files: dict[str, str]) -> None:
    found = remark(tmp_path, files)
    assert (found.kind.value, found.reason) == ("missed", "unknown-decorator"), found


@pytest.mark.parametrize("name", ["pre_hook", "post_hook", "configs", "other"])
def test_what_it_gives_must_be_about_tuning_alone(tmp_path: Path, name: str) -> None:
    found = remark(tmp_path, {"utils.py": TUNING.replace("cache_results", name)})
    assert found.reason == "unknown-decorator"
    assert f"gives it {name}: write that as an argument of its own" in found.message


def test_a_hook_behind_stars_in_the_file_itself_is_seen(tmp_path: Path) -> None:
    imports = 'hooks = {"pre_hook": lambda arguments: print(len(arguments))}'
    found = remark(tmp_path, {}, imports, "**hooks")
    assert found.reason == "unknown-decorator"


def test_functions_that_prune_are_looked_up_where_the_dict_is(tmp_path: Path) -> None:
    prune = "def prune(configs, arguments, {more}):\n    return configs\n\n\n"
    table = 'tuning = {"prune_configs_by": {"early_config_prune": prune}}\n'
    fixed = prune.format(more="grid, warmup") + table
    assert remark(tmp_path, {"utils.py": fixed}).reason == "parameter-cannot-be-added"
    free = prune.format(more="**kwargs") + table
    assert remark(tmp_path, {"utils.py": free}).kind.value == "passed"


def test_the_file_that_would_have_to_be_given_is_named(tmp_path: Path) -> None:
    found = remark(tmp_path, {}, "from somewhere.utils import tuning")
    assert found.reason == "unknown-decorator"
    assert "also give the file that binds somewhere.utils.tuning" in found.message


def test_a_module_that_is_handed_on_may_be_changed(tmp_path: Path) -> None:
    other = "import utils\n\n\ndef patch(monkeypatch):\n"
    other += '    monkeypatch.setattr(utils, "".join(["tun", "ing"]), {})\n'
    found = remark(tmp_path, {"utils.py": TUNING, "other.py": other})
    assert found.reason == "unknown-decorator"
    assert "utils.tuning may be another dict" in found.message
