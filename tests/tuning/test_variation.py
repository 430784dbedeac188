"""Variants: passes one after another, launch parameters, each text once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tritonopt.tuning.variation import launch_parameters
from tritonopt.tuning.variation.launch_parameters import edits
from tritonopt.tuning.variation.variants import Variation

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

FILE = """\
import triton
import triton.language as tl

@triton.jit
def product_kernel(a, b, n, BLOCK: tl.constexpr, FLAG: tl.constexpr = 64):
    for k in range(0, n, BLOCK):
        tl.store(a + k, tl.dot(tl.load(a + k), tl.load(b + k)))

def product(a, b, n):
    product_kernel[(triton.cdiv(n, 128),)](a, b, n, BLOCK=128, num_warps=8)
"""


def texts(text: str, kernel: str = "product_kernel") -> dict[str, str]:
    return {e.what: e.text for e in edits(text, "file.py", frozenset({kernel}))}


def test_parameters_are_changed_where_they_stand() -> None:
    found = texts(FILE)
    assert "num_warps=4)" in found["num_warps 8 -> 4"]
    assert "num_warps=8, num_stages=2" in found["num_stages 3 -> 2"]
    # the grid has the same tile
    assert "cdiv(n, 256),)](a, b, n, BLOCK=256," in found["BLOCK 128 -> 256"]
    assert "FLAG: tl.constexpr = 32" in found["FLAG 64 -> 32"]


MOST = FILE.replace(
    "def product(a, b, n):",
    """MOST = 65536 // 2

def product(a, b, n):
    block = min(MOST, triton.next_power_of_2(n))""",
).replace("BLOCK=128", "BLOCK=block")


def test_a_constant_of_the_module_is_changed_where_the_launcher_reads_it() -> None:
    found = texts(MOST)
    assert "block = min(16384, triton" in found["MOST 32768 -> 16384"]
    assert "MOST = 65536 // 2" in found["MOST 32768 -> 16384"]  # others may read it as well
    direct = FILE.replace("128", "BLOCK").replace("def product(", "BLOCK = 128\n\ndef product(")
    assert "cdiv(n, 256),)](a, b, n, BLOCK=256, num" in texts(direct)["BLOCK 128 -> 256"]


@pytest.mark.parametrize(
    "change",
    [
        ("MOST = 65536 // 2", "MOST = len(triton.__all__)"),
        ("MOST = 65536 // 2", "MOST = 65536 // 2\nMOST = 1024"),
        ("for k in range(0, n, BLOCK)", "for k in range(0, n, MOST)"),
        ("    block =", "    MOST = n\n    block ="),
    ],
)
def test_what_is_no_constant_of_the_launcher_alone_is_left_alone(change: tuple[str, str]) -> None:
    assert not any("MOST" in what for what in texts(MOST.replace(*change)))


def test_num_stages_are_for_products_in_loops() -> None:
    assert not any("stages" in what for what in texts(FILE.replace("tl.dot", "tl.add")))


def test_clusters_take_a_triton_that_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch_parameters.metadata, "version", lambda name: "3.8.0")
    assert "num_ctas=2" in texts(FILE)["num_ctas 1 -> 2"]
    monkeypatch.setattr(launch_parameters.metadata, "version", lambda name: "3.7.1+git1")
    assert not any("ctas" in what for what in texts(FILE))


def test_what_a_tuner_chooses_is_its_own_but_for_one_configuration() -> None:
    one = 'triton.Config({"BLOCK": 128}, num_warps=8)'
    launch = "[(triton.cdiv(n, 128),)](a, b, n)\n"
    tuned = FILE.partition("[(")[0] + launch
    for several in (f"[{one}]", f"[{one}, {one}]"):
        text = tuned.replace("@triton", f"@triton.autotune({several}, key=['n'])\n@triton")
        found = texts(text)
        assert ("num_warps 8 -> 4" in found) == (several == f"[{one}]")
        assert ("BLOCK 128 -> 64" in found) == (several == f"[{one}]")


def test_what_the_tuner_of_a_library_chooses_is_its_own() -> None:
    own = "@library.tuner(configs=library.configs('product'), key=['n'])\n@triton.jit"
    assert not texts(FILE.replace("@triton.jit", own))


def test_options_that_are_not_seen_are_left_alone() -> None:
    assert not texts(FILE.replace("num_warps=8", "**options"))


def test_every_text_is_a_variant_once_and_passes_follow_each_other() -> None:
    path = EXAMPLES / "layer_norm.py"
    variation = Variation(
        str(path), path.read_text(), frozenset({"layer_norm_kernel"}), "fuse-stats,one-tile"
    )
    variants = list(variation.first())
    assert len({variant.text for variant in variants}) == len(variants) > 2
    named = {variant.name: variant for variant in variants}
    both = list(
        variation.pairs(named["one-tile{longer_rows=branch}"], named["fuse-stats{formula=moments}"])
    )
    assert [variant.steps for variant in both] == [
        ("one-tile{longer_rows=branch}", "fuse-stats{formula=moments}")
    ]
    assert not list(
        variation.pairs(named["one-tile{longer_rows=branch}"], named["fuse-stats{formula=moments}"])
    )
    assert any(remark.conditions for remark in both[0].remarks)
    tuned = [variant.name for variant in variation.tuned(named["one-tile{longer_rows=branch}"])]
    assert "one-tile{longer_rows=branch} + BLOCK 1024 -> 2048" in tuned


def test_no_pass_follows_itself_with_other_options() -> None:
    path = EXAMPLES / "row_reductions.py"
    kernels = frozenset({"row_max_kernel"})
    variation = Variation(str(path), path.read_text(), kernels, "rows", parameters=False)
    named = {variant.name: variant for variant in variation.first()}
    few, many = named["row-batch{elements=256}"], named["row-batch{elements=1024}"]
    assert not list(variation.pairs(few, many))
    # Of a set it is run as it was named, at its place.
    (pair,) = variation.pairs(named["rows"], few)
    assert pair.name == "rows,row-batch{elements=256}"
    assert pair.text.count("rows = max(256 // block, 1)") == 1
    assert "tl.max(largest, axis=1, keep_dims=True)" in pair.text
    assert not list(variation.pairs(few, named["rows"]))
    assert not list(variation.pairs(pair, many))
    listed = "one-tile{raise_block=64},defer-reduction,row-batch"
    variation = replace(variation, selection=listed, seen=set())
    (whole, *_) = variation.first()
    (pair,) = variation.pairs(whole, few)
    assert pair.name == "one-tile{raise_block=64},defer-reduction,row-batch{elements=256}"
    assert not list(variation.pairs(pair, many))
    # What both have is run once.
    deferred = next(variation.pairs(named["defer-reduction"], many))
    variation = replace(variation, seen=set())
    (other,) = variation.pairs(named["defer-reduction"], deferred)
    assert other.steps == ("defer-reduction", "row-batch{elements=1024}")


def test_kernels_that_are_not_launched_stay_as_they_are() -> None:
    path = EXAMPLES / "row_reductions.py"
    variation = Variation(str(path), path.read_text(), frozenset({"row_sum_kernel"}), "rows")
    for variant in variation.first():
        before, after = (
            t.partition("def row_max_kernel")[2] for t in (path.read_text(), variant.text)
        )
        assert before.partition("@triton.jit")[0] == after.partition("@triton.jit")[0]


def test_each_pass_has_a_turn_before_any_has_a_second() -> None:
    # A budget that ends early has seen what gains most, whatever its name begins with.
    path = EXAMPLES / "row_reductions.py"
    variation = Variation(str(path), path.read_text(), frozenset({"row_max_kernel"}))
    names = [variant.name for variant in variation.first()]
    assert names.index("split-reduce") < names.index("pipeline-loads{num_stages=2}")


def test_passes_that_gain_only_together_are_tried_together() -> None:
    # Atomics of each row lose, and only a loop over rows has something to prefetch.
    path = EXAMPLES / "references" / "layer_norm_backward_lock.py"
    kernels = frozenset({"input_gradient_kernel", "weight_gradient_kernel"})
    names = [variant.name for variant in Variation(str(path), path.read_text(), kernels).first()]
    merged = "merge-kernels,grid-stride{programs=sm*2}"
    assert {merged, f"{merged},pipeline-loads{{num_stages=3}}"} <= set(names)
    path = EXAMPLES / "row_reductions.py"
    variation = Variation(str(path), path.read_text(), frozenset({"row_max_kernel"}))
    names = [variant.name for variant in variation.first()]
    assert not any(name.startswith("merge-kernels") for name in names)
    assert "row-batch{elements=2048}" in names
