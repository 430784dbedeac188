"""A run: make the versions, prepare what is planned, and time one cell after the other."""

from __future__ import annotations

import functools
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks.mutation.slots import answers
from benchmarks.row.functions import (
    COMPILE_MODE,
    differences,
    function_of,
)
from benchmarks.row.operations import DTYPES, OPERATIONS, Operation, Source, arguments_of
from benchmarks.row.plan import COMPILED, COPY, EAGER, LIGER, ORIGINAL, Cell
from benchmarks.row.preparing import prepared
from benchmarks.row.record import Record
from benchmarks.row.variants import Versions, versions_of
from benchmarks.side_by_side import machine, ratios, tensors, timed

LEAST, MOST = 5, 15
"""Rounds of a cell."""
SECONDS = 0.2
"""After which the least are enough."""
PREPARING = 0.45
"""Of the budget, for compiling in many processes."""
COMPILING = 0.2
"""Of the budget, for what torch.compile does again in this one."""


def versions(operation: Operation) -> Versions:
    return versions_of(operation.example, operation.launcher)


def timed_versions(cell: Cell) -> Iterator[tuple[str, str]]:
    """What must be prepared for a cell: names, and texts of those that have one."""
    operation = OPERATIONS[cell.operation]
    yield from versions(operation).texts.items()
    if operation.liger is not None:
        yield LIGER, ""
    if cell.compiled:
        yield COMPILED, ""


class Run:
    """One run on a GPU, that goes on with what a record lacks."""

    def __init__(
        self,
        record: Record,
        budget: float,
        jobs: int,
        device: str = "cuda",
        again: Sequence[str] = (),
    ) -> None:
        self.record = record
        self.again = again
        """Versions to measure again beside the original, in the cells of the record."""
        self.budget = budget
        self.begin = time.monotonic()
        self.jobs = jobs
        self.device = device
        self.compiling = 0.0
        self.said: dict[tuple[object, ...], str] = {}
        """Of what was prepared, what is wrong with it; "" where nothing is."""

    def whole(self, cells: list[Cell]) -> None:
        made = {name: versions(o) for name, o in OPERATIONS.items()}
        if self.again:
            self.record.begin_again(machine(), made, self.again)
            known = [cell for cell in cells if self.record.has(cell)]
            print(f"{len(known)} cells to do again", flush=True)
            self.prepare(known)
            self.measure(known)
            return
        self.record.begin(machine(), made)
        self.record.about["compile"] = {
            "mode": COMPILE_MODE,
            "shapes": "each compiled for itself, dynamic=False",
            "tuned": "while other processes compiled; the least time of each choice counts",
        }
        left = [cell for cell in cells if not self.record.has(cell)]
        print(f"{len(left)} of {len(cells)} cells to do", flush=True)
        self.prepare(left)
        self.measure(left)
        self.record.write()

    def versions(self, cell: Cell) -> Iterator[tuple[str, str]]:
        found = timed_versions(cell)
        if not self.again:
            return found
        return ((n, text) for n, text in found if n == ORIGINAL or n in self.again)

    def prepare(self, cells: list[Cell]) -> None:
        wanted = ((cell, name, text) for cell in cells for name, text in self.versions(cell))
        ordered = sorted(wanted, key=lambda one: _is_slow_to_compile(*one[:2]))
        requests = list(dict.fromkeys(self.request(*one) for one in ordered))
        deadline = self.begin + PREPARING * self.budget
        limit = max(self.budget / 4, 60)
        for number, answer in answers(
            prepared, requests, jobs=self.jobs, seconds=limit, deadline=deadline
        ):
            self.said[requests[number]] = answer["reason"]
        for request in requests:
            if why := self.said.get(request, "not compiled in time"):
                name, version, _, *shape, _ = request
                self.record.fail(name, version, shape, why)
                if request in self.said:
                    print(f"left out: {name}, {version}, {shape}: {why}", flush=True)
        spent = time.monotonic() - self.begin
        print(f"{len(self.said)} of {len(requests)} prepared in {spent:.0f} s", flush=True)

    def request(self, cell: Cell, version: str, text: str) -> tuple[Any, ...]:
        """What a process is asked; `prepared` says in which order."""
        # These are made for a number of rows.
        rows = cell.rows if version in (COMPILED, LIGER) else cell.small_rows
        return cell.operation, version, text, cell.dtype, rows, cell.length, self.device

    def measure(self, cells: list[Cell]) -> None:
        for number, cell in enumerate(cells):
            if time.monotonic() > self.begin + self.budget:
                print(f"{len(cells) - number} cells were not reached in time", flush=True)
                return
            try:
                row = self.measured(cell)
            except Exception as error:
                if self.again:
                    raise
                self.record.add(cell, {"failed": f"{type(error).__name__}: {error}"[:300]})
                print(f"failed: {cell.key}: {error}", flush=True)
                if "CUDA error" in str(error):
                    return  # nothing works in this process anymore; another run goes on
                continue
            if row is not None:
                (self.record.add_to if self.again else self.record.add)(cell, row)
            if number % 50 == 49:
                self.record.write()
                print(f"{number + 1} cells, {time.monotonic() - self.begin:.0f} s", flush=True)

    def measured(self, cell: Cell) -> dict[str, Any] | None:
        """The times of a cell; nothing where its original was not prepared in time."""
        right = [
            (name, text)
            for name, text in self.versions(cell)
            if self.said.get(self.request(cell, name, text)) == ""
            and (name != COMPILED or self.compiling < COMPILING * self.budget)
        ]
        if not right or right[0][0] != ORIGINAL:
            return None
        operation = OPERATIONS[cell.operation]
        source = Source(cell.rows, cell.length, DTYPES[cell.dtype], self.device)
        arguments = arguments_of(operation, source)
        calls: dict[str, Callable[[], Any]] = {
            name: functools.partial(function_of(operation, name, text), *arguments)
            for name, text in [*right, *([] if self.again else [(EAGER, "")])]
        }
        outputs = tensors(calls[ORIGINAL]())
        if COMPILED in calls:
            begin = time.monotonic()
            calls[COMPILED]()
            self.compiling += time.monotonic() - begin
        dropped = _keep_right_ones(calls, outputs)
        moved = sum(t.numel() * t.element_size() for t in [*tensors(arguments), *outputs])
        half = torch.empty(max(moved // 2, 1), dtype=torch.int8, device=self.device)
        other = torch.empty_like(half)
        calls[COPY] = functools.partial(other.copy_, half)
        times = timed(calls, MOST, least=LEAST, seconds=SECONDS)
        if COMPILED in calls:
            torch._dynamo.reset()  # the next shape is one of its own
        row: dict[str, Any] = {
            "bytes": moved,
            "us": {name: round(statistics.median(found), 2) for name, found in times.items()},
            "ratios": {
                name: [round(ratio, 4) for ratio in ratios(times[ORIGINAL], found).values()]
                for name, found in times.items()
                if name not in (ORIGINAL, COPY)
            },
        }
        return {**row, "dropped": dropped} if dropped else row


def _is_slow_to_compile(cell: Cell, version: str) -> bool:
    """Whether a version may hold a row of a length in one tile with which compilers struggle."""
    return cell.length > 32768 and version not in (ORIGINAL, LIGER)


def _keep_right_ones(
    calls: dict[str, Callable[[], Any]], expected: list[torch.Tensor]
) -> dict[str, str]:
    """Take out the versions that fail on the whole shape, or differ from the original there."""
    dropped: dict[str, str] = {}
    for name in list(calls)[1:]:
        try:
            found = tensors(calls[name]())
            # Others round in places of their own, and were compared before.
            said = "" if name in (EAGER, LIGER, COMPILED) else _differ(expected, found)
        except (RuntimeError, ValueError) as error:
            if "CUDA error" in str(error):
                raise
            said = f"{type(error).__name__}: {error}"[:300]
        if said:
            dropped[name] = said
            del calls[name]
    return dropped


def _differ(expected: list[torch.Tensor], found: list[torch.Tensor]) -> str:
    return "; ".join(differences(expected, found))


def processors() -> int:
    return min(os.cpu_count() or 1, 16)


def default_path() -> Path:
    from benchmarks.side_by_side import RESULTS

    return RESULTS / f"rows-{machine()['gpu'].lower().replace(' ', '-')}.json"
