"""What is tuned, with which calls: the examples, and twenty files each of two libraries."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES, FLAGGEMS, LIGER = "examples", "flaggems", "liger"

_ROWS = "[m=4096, n=256|1024|4096|16384]"
_NORM = "[m=4096, n=512|2048|8192|32768]"
_GRADIENT = "[m=4096, n=1024|4096|16384]"
OF_EXAMPLES = {
    "softmax.py": f"x: f16{_ROWS}",
    "rms_norm.py": f"x: f16{_NORM}, weight: f16[n]",
    "layer_norm.py": f"x: f16{_NORM}, weight: f16[n], bias: f16[n]",
    "variance.py": f"x: f16{_ROWS}",
    "log_softmax.py": f"x: f16{_ROWS}",
    "cross_entropy.py": "x: f16[m=4096, n=4096|32000|128256], target: i64[m] in 0..n",
    "group_norm.py": "x: f16[8, 4, 3, w=4096|65536], weight: f16[4], bias: f16[4]",
    "cosine_similarity.py": f"a: f16{_ROWS}, b: f16[m, n]",
    "row_reductions.py:row_max_kernel": f"x: f16{_ROWS}",
    "layer_norm_backward.py": f"dy: f16{_GRADIENT}, x: f16[m, n], weight: f16[n], mean: f32[m], "
    "rstd: f32[m]",
    "persistent_rms_norm.py": f"x: f16{_NORM}, weight: f16[n]",
    "batch_norm.py": "x: f16[16, 3, h=64|512, w=64|512], weight: f16[3], bias: f16[3]",
    "gated_matmul.py": "a: f16[m=1024|4096, k=1024|4096], b: f16[k, n=4096], gate: f16[k], "
    "gated: int in 0..1",
}
"""The calls of each, as `--args` takes them."""

OF_FLAGGEMS = """
softmax log_softmax layernorm rms_norm groupnorm var_mean std mean sum argmax amax max min prod all
any argmin count_nonzero cumsum weightnorm vector_norm batch_norm mv
"""
"""Modules of `flag_gems/ops`; their calls are in `flaggems_operation.py`."""
OF_LIGER = """
rms_norm layer_norm softmax group_norm fused_add_rms_norm cross_entropy swiglu geglu kl_div jsd tvd
rope dyt poly_norm sparsemax qwen2vl_mrope relu_squared llama4_rope attn_res mhc
multi_token_attention modulated_rms_norm
"""
"""Modules of `liger_kernel/ops`, whose calls are those of its own `benchmark_NAME.py`."""
_OF_TWO = """
rms_norm layer_norm group_norm dyt poly_norm sparsemax relu_squared attn_res multi_token_attention
modulated_rms_norm qwen2vl_mrope
"""
_SEVERAL = dict.fromkeys(_OF_TWO.split(), 1.5) | {"mhc": 3.0}
"""Files with several launchers, and how much more time they get."""
_SECONDS = 60
"""For Liger's script: what it has not begun by then is left out."""


@dataclass(frozen=True)
class Task:
    """One run of `tritonopt tune`."""

    group: str
    name: str
    place: str
    """The file below the group's folder, with `:KERNEL` where only that is meant."""
    arguments: tuple[str, ...]
    """What follows the place on the command line: how it is called."""
    share: float = 1.0
    """Of the seconds that a file has: more where it has several launchers."""

    @property
    def key(self) -> str:
        return f"{self.group}/{self.name}"

    @property
    def file(self) -> str:
        return self.place.partition(":")[0]


def tasks(groups: Sequence[str], scripts: Path | None) -> list[Task]:
    """Of every group one after the other, so that a run that is cut has seen all of them.

    `scripts` is the folder of Liger's benchmarks, needed for its group.
    """
    made = {
        EXAMPLES: _of_examples,
        FLAGGEMS: _of_flaggems,
        LIGER: lambda: _of_liger(scripts),
    }
    rows = zip_longest(*(made[group]() for group in groups))
    return [task for row in rows for task in row if task is not None]


def chosen(every: Sequence[Task], words: Sequence[str]) -> list[Task]:
    """Those that a word stands in, word by word; all without words.

    `GROUP/NAME` is that one alone.
    """
    if not words:
        return [*every]
    keys = {task.key for task in every}
    found = [
        task
        for word in words
        for task in every
        if (task.key == word if word in keys else word in task.key)
    ]
    return [*{task.key: task for task in found}.values()]


def _of_examples() -> Iterator[Task]:
    for place, args in OF_EXAMPLES.items():
        name = place.replace(".py", "").replace(":", " ")
        yield Task(EXAMPLES, name, place, ("--args", args))


def _of_flaggems() -> Iterator[Task]:
    program = str(ROOT / "benchmarks" / "flaggems_operation.py")
    for name in OF_FLAGGEMS.split():
        command = ("--", sys.executable, program, name)
        yield Task(FLAGGEMS, name, f"flag_gems/ops/{name}.py", command)


def _of_liger(scripts: Path | None) -> Iterator[Task]:
    program = str(ROOT / "benchmarks" / "liger_benchmarks.py")
    for name in OF_LIGER.split():
        command = ("--", sys.executable, program, str(scripts), str(_SECONDS), name)
        share = _SEVERAL.get(name, 1.0)
        yield Task(LIGER, name, f"liger_kernel/ops/{name}.py", command, share)


def stated() -> Mapping[str, object]:
    """Which calls are timed, for the report."""
    return {
        EXAMPLES: OF_EXAMPLES,
        FLAGGEMS: "the shapes of benchmark/core_shapes.yaml, see flaggems_operation.py",
        LIGER: "the sizes of benchmark/scripts/benchmark_NAME.py, see liger_benchmarks.py",
    }
