"""Textbook kernels over rows on a GPU: as written, rewritten, by hand, and by torch.

    PYTHONPATH=. python benchmarks/rows.py [--budget 480] [--only WORD] [--out FILE.json]
    PYTHONPATH=. python benchmarks/rows.py --again 'rows; row-batch'    # after these changed
    PYTHONPATH=. python benchmarks/rows.py --dry       # no GPU: make all versions and check them
    PYTHONPATH=. python benchmarks/rows.py --table FILE.json      # Markdown, from a recorded run
    PYTHONPATH=. python benchmarks/rows.py --plot FILE.json --out FILE.svg

The kernels are those of `examples/`: loops over a row with BLOCK=1024, a row to a program. Beside
each stand the versions that `tritonopt rewrite` makes of it, by each pass alone and by several
together, the kernel of Liger where it has one (`liger_kernel` must be importable), torch, and
torch.compile on some of the shapes, which it compiles each for itself.

First all versions are compiled, by many processes at once, and compared with torch in fp64 on a
few rows of each length; one that is wrong is reported and not timed. Then, cell by cell, all are
launched in turn with a copy of as many bytes, each after the L2 cache was flushed. The record has
the medians, and the ratios original / other of neighboring runs with 10th and 90th percentile.

The order is shape by shape, so that a run that is cut has seen every operation; the same command
goes on where it was stopped. Needs torch, triton and a CUDA device, and libcst to make the
versions. `--table` and `--plot` need none of these.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--dry", action="store_true", help="make and check all versions on a CPU")
    what.add_argument("--table", type=Path, metavar="FILE", help="tables of a record, as Markdown")
    what.add_argument("--plot", type=Path, metavar="FILE", help="a plot of a record, into --out")
    parser.add_argument("--only", default="", help="operations whose name holds this")
    parser.add_argument(
        "--again",
        default="",
        help="versions to measure again, by semicolons, in the cells of a record",
    )
    parser.add_argument("--budget", type=float, default=480, help="seconds for all (480)")
    parser.add_argument("--jobs", type=int, help="processes that compile (one a core, 16 at most)")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/ and the GPU's name")
    options = parser.parse_args()
    if options.table is not None:
        from benchmarks.row.tables import tables

        print(tables(options.table))
    elif options.plot is not None:
        from benchmarks.row.plot import plot

        if options.out is None:
            parser.error("--plot: say with --out which file to draw")
        plot(options.plot, options.out)
    elif options.dry:
        os.environ["TRITON_INTERPRET"] = "1"  # before anybody imports triton
        from benchmarks.row.dry import dry

        return dry(options.only)
    else:
        measure(options)
    return 0


def measure(options: argparse.Namespace) -> None:
    import torch

    if not torch.cuda.is_available():
        raise SystemExit("this benchmark needs a CUDA device; without one there is --dry")
    from benchmarks.mutation.slots import end_with_a_signal
    from benchmarks.row.measuring import Run, default_path, processors
    from benchmarks.row.operations import OPERATIONS
    from benchmarks.row.plan import cells
    from benchmarks.row.record import Record

    end_with_a_signal()
    names = [name for name in OPERATIONS if options.only in name]
    record = Record(options.out or default_path())
    try:
        again = [name.strip() for name in options.again.split(";") if name.strip()]
        run = Run(record, options.budget, options.jobs or processors(), again=again)
        run.whole(cells(names))
    finally:
        record.write()


if __name__ == "__main__":
    sys.exit(main())
