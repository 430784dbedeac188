"""Who is asked on the interpreter what a call runs, where the verification is on a GPU."""

from __future__ import annotations

from pathlib import Path

from tritonopt.verification.coverage.requirements import Scouts
from tritonopt.verification.inputs.examples import sized_example
from tritonopt.verification.process.messages import VersionSpec
from tritonopt.verification.signature.argument_parser import parse

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "softmax.py"


def test_both_are_asked_and_a_trouble_of_one_is_told() -> None:
    path, text = str(EXAMPLE), EXAMPLE.read_text(encoding="utf-8")
    call = sized_example(parse("x: f32[m, n]"), {"m": 2, "n": 20})

    def spec(title: str, text: str) -> VersionSpec:
        return VersionSpec(title, path, text, path, "cuda", "softmax", False)

    scouts = Scouts(spec("original", text), spec("rewritten", text.replace("total +=", "total =")))
    broken = Scouts(spec("original", text), spec("rewritten", "import nowhere"))
    try:
        found = scouts.run(call)
        assert found is not None and scouts.reached
        assert all(coverage.lines and coverage.grids for coverage in found)
        assert broken.run(call) is None and broken.run(call) is None
        assert "nowhere" in broken.trouble and not broken.reached
    finally:
        scouts.close()
        broken.close()
