"""What rewrites were measured to be worth: the one record that every figure comes from.

`measured.json` is made by `benchmarks/figures.py` from what the benchmarks recorded. Remarks,
suggestions and the catalog take their figures from here; README, docs/ and manual pages, which
are plain text, are held against it by a test.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

WHERE = "on one H200"
"""Where all of it was measured."""


@dataclass(frozen=True)
class Figure:
    """Original time / rewritten time, the least and the most that was seen; above 1 is faster."""

    least: float
    most: float

    def __str__(self) -> str:
        least, most = f"{self.least:.2f}x", f"{self.most:.2f}x"
        return least if least == most else f"{least} to {most}"

    @property
    def middle(self) -> float:
        """The geometric mean of its ends, to order figures by."""
        return math.sqrt(self.least * self.most)

    @classmethod
    def first_in(cls, text: str) -> Figure | None:
        """The first figure of a text that names some as `str` writes them."""
        found = _WRITTEN.search(text)
        if found is None:
            return None
        least = float(found["least"])
        return cls(least, float(found["most"] or least))


_WRITTEN = re.compile(r"(?<![\w.])(?P<least>\d+\.\d\d)x(?: to (?P<most>\d+\.\d\d)x)?")


def figure(name: str) -> Figure:
    """A figure of the record. Raises KeyError for what was not measured."""
    return _figures()[name]


@cache
def _figures() -> Mapping[str, Figure]:
    text = Path(__file__).with_suffix(".json").read_text(encoding="utf-8")
    return {name: Figure(*ends) for name, ends in json.loads(text).items()}
