"""The table of `bench`."""

from __future__ import annotations

from tritonopt.measurement.results import (
    Clocks,
    Comparison,
    Compiled,
    Machine,
    Mode,
    Ratio,
    Row,
    Times,
)
from tritonopt.reporting.text import Style
from tritonopt.reporting.timing_table import comparison_lines

KERNEL = {"registers": 40, "shared bytes": 16, "instructions": 300, "global loads of 128 bits": 6}


def times(median: float, **more: object) -> Times:
    return Times(median, median - 1, median + 1, 40, host=30.0, **more)  # type: ignore[arg-type]


def compiled(digest: str, version: str, **numbers: int) -> Compiled:
    return Compiled(version, "kernel", "sm_90", {**KERNEL, **numbers}, digest=digest)


def lines(*rows: Row, **more: object) -> list[str]:
    found = Comparison(("before", "after"), ("a.py", "b.py"), rows, **more)  # type: ignore[arg-type]
    return list(comparison_lines(found, Style(color=False)))


GAIN = Row(
    "scale",
    "x f32[8, 16]",
    {"m": 8, "n": 16},
    {"before": times(20), "after": times(10)},
    Ratio(2.0, 1.98, 2.02, 40),
    moved=1024,
    copy=9.0,
)
LOSS = Row(
    "scale",
    "x f32[8, 32]",
    {"m": 8, "n": 32},
    {"before": times(20_000), "after": times(40_000)},
    Ratio(0.5, 0.49, 0.51, 40),
)


def test_a_row_has_times_ratio_interval_and_share_of_the_copy() -> None:
    found = lines(GAIN, LOSS)
    assert found[:2] == ["before  a.py", "after   b.py"]
    gain = next(line for line in found if line.startswith("m=8, n=16"))
    assert " ".join(gain.split()) == "m=8, n=16 20.00 us 10.00 us 2.000x 1.980 to 2.020 0.45 0.90"
    loss = next(line for line in found if line.startswith("m=8, n=32"))
    assert " ".join(loss.split()) == "m=8, n=32 20.00 ms 40.00 ms 0.500x 0.490 to 0.510 - -"
    assert found[-1] == (
        "2 calls: 1 faster, 1 slower, 0 without a significant difference; geometric mean 1.000x"
    )


def test_columns_stand_below_their_heads() -> None:
    found = lines(GAIN)
    head = next(line for line in found if line.startswith("scale"))
    row = next(line for line in found if line.startswith("m=8"))
    assert head.index("before") + 6 == row.index("20.00 us") + 8
    assert head.index("before/after") + 12 == row.index("2.000x") + 6
    assert len(head) == len(row)


def test_what_failed_and_what_is_odd_stands_below_its_row() -> None:
    row = Row(
        "scale",
        "x f32[8, 16]",
        {"m": 8},
        {
            "before": times(20, modes=(Mode(20.0, 0.7), Mode(23.0, 0.3)), exposed=0.5),
        },
        failures={"after": "out of memory"},
        notes=("the results differ",),
    )
    text = "\n".join(lines(row))
    assert "    after: out of memory" in text
    assert "note: the results differ" in text
    assert "before takes 20.00 us in 70% of the runs and 23.00 us in the others" in text
    assert "in 50% of the runs of before the GPU may have waited" in text


def test_kernels_are_shown_once_and_as_one_where_they_are_the_same() -> None:
    same = (compiled("1", "before"), compiled("1", "after"))
    rows = (
        Row("scale", "x", {"m": 8}, compiled=same),
        Row("scale", "y", {"m": 9}, compiled=same),
        Row("scale", "z", {"m": 10}, compiled=(same[0], compiled("2", "after", registers=64))),
        Row("scale", "z", {"m": 11}, compiled=same),
    )
    assert "    kernels as for m=8" in lines(*rows)
    found = [line.strip() for line in lines(*rows) if "registers" in line]
    assert found == [
        "kernel, sm_90  same machine code: 40 registers, no spills, 16 bytes shared, "
        "300 instructions, 6 loads of 128 bits",
        "kernel, sm_90  before: 40 registers, no spills, 16 bytes shared, "
        "300 instructions, 6 loads of 128 bits",
        "kernel, sm_90  after: 64 registers, no spills, 16 bytes shared, "
        "300 instructions, 6 loads of 128 bits",
    ]


def test_the_machine_is_named_with_what_may_spoil_the_times() -> None:
    machine = Machine(
        "GPU",
        "2.11",
        "3.6",
        "12",
        "550",
        clocks=Clocks(1700, 1980, 1980),
        notes=("others are here",),
    )
    found = lines(GAIN, machine=machine, notes=("no --args",))
    assert "GPU, torch 2.11, triton 3.6, driver 550, 1700 to 1980 of 1980 MHz" in found
    assert "note: others are here" in found
    assert "note: no --args" in found
