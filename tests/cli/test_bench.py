"""`tritonopt bench` where there is no GPU; with one: tests/tuning/test_bench_gpu.py."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tuning.test_session import KERNEL
from tritonopt.cli.main import main


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    found = [tmp_path / "before.py", tmp_path / "after.py"]
    for path in found:
        path.write_text(KERNEL)
    return list(map(str, found))


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize("form", ["text", "json"])
def test_without_a_gpu_it_says_so(
    files: list[str], form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", *files, "--args", "x: f32[n=16]", "--format", form]) == 2
    out, err = capsys.readouterr()
    assert "no GPU" in err and "--no-gpu" in err
    assert (json.loads(out)["error"] in err) if form == "json" else not out


def test_compiled_evidence_needs_no_gpu(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    changed = KERNEL.replace("BLOCK=16", "BLOCK=4096")
    Path(files[1]).write_text(changed)
    assert main(["bench", *files, "--no-gpu", "--args", "x: f16[n=4096]", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["error"] is None and found["machine"] is None
    assert set(found["paths"]) == {"before", "after"}
    (call,) = found["calls"]
    assert call["label"] == "x f16[4096]" and not call["times"]
    on = {(c["version"], c["target"]): c["numbers"] for c in call["compiled"] if not c["failure"]}
    assert on["before", "sm_90"]["registers"] > 0
    assert "global loads of 128 bits" in on["after", "sm_90"]
    assert "global loads of 128 bits" not in on["before", "sm_90"]


@pytest.mark.parametrize(
    "given, said",
    [
        (["--args", "x: f32[n=4..2]"], "a range goes up"),
        (["--args", "x: f32[n=4]", "--launcher", "triple"], "no launcher `triple`"),
    ],
)
def test_mistakes_are_said(
    files: list[str], given: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", *files, "--no-gpu", *given]) == 2
    assert said in capsys.readouterr().err


def test_a_file_that_is_not_there_is_said(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", files[0], "none.py", "--no-gpu"]) == 2
    assert "there is no such file" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--precision", "--seconds", "--timeout"])
def test_efforts_are_above_0(files: list[str], option: str) -> None:
    with pytest.raises(SystemExit) as left:
        main(["bench", *files, option, "0"])
    assert left.value.code == 2
