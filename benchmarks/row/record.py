"""What a run found, as a file: it is read by the next run, the tables and the plot."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.row.plan import Cell
from benchmarks.row.variants import VARIANTS, Versions

KEYS = ("operation", "dtype", "rows", "length")


class Record:
    """The cells of a file, and what was said beside them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self.cells: list[dict[str, Any]] = known.pop("cells", [])
        self.failures: dict[str, str] = known.pop("failures", {})
        self.about: dict[str, Any] = known
        self._done = {tuple(cell[key] for key in KEYS) for cell in self.cells}

    def begin(self, machine: Mapping[str, Any], versions: Mapping[str, Versions]) -> None:
        """Say what is measured. Raises SystemExit where the file is of something else."""
        made = {
            "gpu": machine["gpu"],
            "variants": VARIANTS,
            "changed": {name: [*found.texts][1:] for name, found in versions.items()},
        }
        for key, value in made.items():
            if self.cells and self.about.get(key) != value:
                raise SystemExit(
                    f"{self.path}: {key} was {self.about.get(key)} and is {value} now; "
                    "give another --out, or move the file away"
                )
        left = {name: found.left_out for name, found in versions.items()}
        self.about = {"benchmark": "rows", **machine, **made, "left_out": left}

    def begin_again(
        self, machine: Mapping[str, Any], versions: Mapping[str, Versions], names: Sequence[str]
    ) -> None:
        """Forget what was measured of some versions, which are measured again in each cell."""
        for cell in self.cells:
            for times in (cell.get("us", {}), cell.get("ratios", {})):
                for name in names:
                    times.pop(name, None)
        self.failures = {
            place: why for place, why in self.failures.items() if place.split(", ")[1] not in names
        }
        self.about["variants"] = VARIANTS
        self.about["changed"] = {name: [*found.texts][1:] for name, found in versions.items()}
        self.about["left_out"] = {name: found.left_out for name, found in versions.items()}
        self.about["again"] = {"date": machine["date"], "versions": list(names)}

    def add_to(self, cell: Cell, row: Mapping[str, Any]) -> None:
        """Further versions of a cell. A ratio is to the original beside which they ran."""
        known = next(c for c in self.cells if tuple(c[key] for key in KEYS) == cell.key)
        left_out = self.about["left_out"][cell.operation]
        for part in ("us", "ratios"):
            new = {n: t for n, t in row[part].items() if n not in known.get(part, {})}
            for name in self.about["again"]["versions"]:
                same = left_out.get(name, "").removeprefix("the same as ")
                times = {**known.get(part, {}), **new}
                if same in times:
                    new[name] = times[same]
            known.setdefault(part, {}).update(new)

    def has(self, cell: Cell) -> bool:
        return cell.key in self._done

    def add(self, cell: Cell, row: Mapping[str, Any]) -> None:
        self.cells.append({**dict(zip(KEYS, cell.key, strict=True)), **row})
        self._done.add(cell.key)

    def fail(self, operation: str, version: str, shape: Sequence[object], why: str) -> None:
        """A version that was not timed at that type and shape."""
        self.failures[", ".join(map(str, (operation, version, *shape)))] = why

    def write(self) -> None:
        about = json.dumps({**self.about, "failures": self.failures}, indent=1)
        lines = ",\n".join(json.dumps(cell) for cell in self.cells)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part")
        part.write_text(f'{about[:-2]},\n "cells": [\n{lines}\n ]\n}}\n', encoding="utf-8")
        os.replace(part, self.path)
        print(f"{len(self.cells)} cells in {self.path}", flush=True)
