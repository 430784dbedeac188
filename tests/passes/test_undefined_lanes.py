"""What undefined-lanes has rewritten does not depend on what inactive lanes hold.

    TRITON_INTERPRET=1 python -m tests.passes.test_undefined_lanes FILE.py ...

runs the kernel of each file twice, with 0 and with NaN in the inactive lanes of loads without
`other=`, and prints a line for each where a result is not finite, or another one.
"""

from __future__ import annotations

import importlib.util
import inspect
import itertools
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.passes.cases import case, rewritten

NOT_INTERPRETED = {"position_of_the_least"}
"""The interpreter does not know names that are imported one by one."""
REWRITTEN = [one for one in rewritten("undefined-lanes") if one.stem not in NOT_INTERPRETED]
GRADIENTS = "gradients_of_a_layer_norm"
SIZES = {"M": 3, "N": 5, "stride": 5, "mean": 0.5, "BLOCK": 16, "ROWS": 4, "FILL": 2.0}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The files whose results depend on inactive lanes: one process, for torch loads slowly."""
    folder = tmp_path_factory.mktemp("lanes")
    files = [file for one in REWRITTEN for file in one.written(folder)]
    whole = case(f"undefined-lanes/{GRADIENTS}").rewritten.text
    for number in range(whole.count(", other=0.0")):
        kept = whole.split(", other=0.0")
        kept[number : number + 2] = ["".join(kept[number : number + 2])]
        files.append(folder / f"without_{number}.py")
        files[-1].write_text(", other=0.0".join(kept))
    result = subprocess.run(
        [sys.executable, "-m", "tests.passes.test_undefined_lanes", *map(str, files)],
        cwd=Path(__file__).resolve().parents[2],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    *lines, last = result.stdout.splitlines() or [""]
    assert last == f"{len(files)} files run", result.stdout + result.stderr
    return set(lines)


@pytest.mark.parametrize("name", [one.stem for one in REWRITTEN])
def test_no_result_depends_on_inactive_lanes(name: str, told: set[str]) -> None:
    assert f"{name}_rewritten" not in told


def test_the_originals_depend_on_them(told: set[str]) -> None:
    """All that leave lanes undefined, but for a maximum, which drops NaN."""
    wrong_number = {one.stem for one in REWRITTEN if one.stem.startswith("other_")}
    assert {one.stem for one in REWRITTEN} - wrong_number - {"largest_magnitude"} <= told


def test_each_load_of_the_gradients_needs_its_other(told: set[str]) -> None:
    assert {f"without_{number}" for number in range(4)} <= told


def _main(paths: list[Path]) -> int:
    import torch

    from tritonopt.verification.worker.triton_interpreter.corrected import Access, Interpreter

    interpreter = Interpreter()

    def results(kernel: Any, flag: bool, poison: bool) -> list[Any]:
        interpreter.access = Access(poison_lanes=poison, anywhere=True)
        generator = torch.Generator().manual_seed(1)
        given = {}
        for name, parameter in inspect.signature(kernel.fn).parameters.items():
            pointer = name not in SIZES and parameter.annotation is inspect.Parameter.empty
            # Negative numbers, for whose maximum a 0 is wrong.
            numbers = torch.randn(1024, generator=generator) - 4
            given[name] = numbers if pointer else SIZES.get(name, flag)
        kernel[(1,)](**given)
        return [value for value in given.values() if isinstance(value, torch.Tensor)]

    for path, flag in itertools.product(paths, (False, True)):
        kernels = [k for k in vars(_loaded(path)).values() if hasattr(k, "arg_names")]
        with_zeros, with_nans = (results(kernels[-1], flag, poison) for poison in (False, True))
        if not all(
            torch.equal(zero, nan) and zero.isfinite().all()
            for zero, nan in zip(with_zeros, with_nans, strict=True)
        ):
            print(path.stem)
    print(f"{len(paths)} files run")
    return 0


def _loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    raise SystemExit(_main([Path(argument) for argument in sys.argv[1:]]))
