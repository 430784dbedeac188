"""What `.gitignore` files leave out, as git reads them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


@dataclass(frozen=True)
class Ignored:
    """The `.gitignore` files that hold for a directory, outermost first."""

    rules: tuple[tuple[Path, GitIgnoreSpec], ...] = ()

    def entering(self, directory: Path) -> Ignored:
        """These and the directory's own."""
        spec = _read(directory / ".gitignore")
        if spec is None:
            return self
        return Ignored((*self.rules, (_absolute(directory), spec)))

    def matches(self, path: Path, *, directory: bool) -> bool:
        """Whether the file or directory itself is left out; the directories above are not asked."""
        if not self.rules:
            return False
        absolute = _absolute(path)
        # The innermost file that says anything decides, be it `!`.
        for root, spec in reversed(self.rules):
            name = absolute.relative_to(root).as_posix()
            verdict = spec.check_file(f"{name}/" if directory else name).include
            if verdict is not None:
                return verdict
        return False


def ignored_above(directory: Path) -> Ignored:
    """The rules of the directories above, up to the root of the repository.

    None of them hold in a directory that they leave out themselves: whoever names it means it.
    """
    absolute = _absolute(directory)
    above: list[Path] = []
    current = absolute
    while not os.path.exists(current / ".git"):
        if current.parent == current:
            return Ignored()  # no repository, so no rules from above
        current = current.parent
        above.append(current)
    ignored = Ignored()
    steps = [*reversed(above), absolute]
    for outer, inner in zip(steps, steps[1:], strict=False):
        ignored = ignored.entering(outer)
        if ignored.matches(inner, directory=True):
            return Ignored()
    return ignored


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))


def _read(path: Path) -> GitIgnoreSpec | None:
    try:
        lines = path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    except OSError:
        return None
    # Imported here: most runs name a file, not a directory.
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(lines)
