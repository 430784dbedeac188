"""What a run over files found, in the form that every report is made from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tritonopt.rewriting.model import Remark, RemarkKind, Safety


@dataclass(frozen=True)
class FileFindings:
    """What there is to say of one file."""

    path: str
    kernels: int = 0
    changed: bool = False
    diff: str = ""
    remarks: tuple[Remark, ...] = ()
    errors: tuple[str, ...] = ()
    """Why the file, or a kernel of it, could not be done; each says where."""
    verified: str = ""
    """The verdict on the change, where one was asked for."""
    refused: tuple[str, ...] = ()
    """Changes that were not made, because they failed or escaped verification."""


@dataclass
class Summary:
    """The counts of a run. `errors` and `notes` concern what could not be done, and what was
    given and not needed."""

    files: int = 0
    kernels: int = 0
    passed: int = 0
    missed: int = 0
    changed: int = 0
    errors: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, found: FileFindings) -> None:
        kinds = [remark.kind for remark in found.remarks]
        self.files += 1
        self.kernels += found.kernels
        self.passed += kinds.count(RemarkKind.PASSED)
        self.missed += kinds.count(RemarkKind.MISSED)
        self.changed += found.changed
        for message in (*found.errors, *found.refused):
            self.add_error(found.path, message)

    def add_error(self, path: str, message: str) -> None:
        self.errors.setdefault(path, []).append(message)


def safety_names(safety: Iterable[Safety]) -> list[str]:
    """The levels in a fixed order; none for `exact`."""
    return sorted(level.value for level in safety)
