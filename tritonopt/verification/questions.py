"""What a verification is asked, and what it says of itself while it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tritonopt.verification.errors import VerificationError
from tritonopt.verification.process.containment import Contained


@dataclass(frozen=True)
class Progress:
    """Where a verification is; given to the `progress` callback after every example."""

    launcher: str
    examples: int
    of: int
    phase: str
    """`starting`, `examples`, or `shrinking` once a difference was found."""
    backend: str
    seconds: float


BACKENDS = ("auto", "interpreter", "cuda", "compile")
REQUIREMENTS = ("equivalent", "identical", "algebra", "kernel", "layouts")
BOTH = ("original", "rewritten")
"""The titles of the two versions."""


@dataclass(frozen=True)
class Options:
    """What `verify` is asked, and how; all of it may be left out."""

    launcher: str | None = None
    """The function that is called, instead of all whose kernels differ."""
    about: str | None = None
    """The kernel to which all that are called have to come."""
    kernel: str | None = None
    """A kernel that is launched by itself, with `grid` (`cdiv(n, BLOCK)`) and `args`."""
    grid: str | None = None
    args: str | None = None
    """What is passed: `x: f32[m, n], eps: 1e-5`."""
    assume: Sequence[str] = ()
    """Facts about sizes that both versions rest on (`n % 16 == 0`): only such calls are drawn."""
    backend: str = "auto"
    require: str = "equivalent"
    """`algebra` gives a yes only where both are the same functions where arithmetic is exact;
    `kernel` and `layouts` are for references, see docs/verification.md."""
    max_examples: int = 100
    seed: int = 0
    command: Sequence[str] = ()
    """All launches that it makes are compared, then others like them."""
    text: str | None = None
    """The rewritten version; its path then only says where it would stand."""
    original_text: str | None = None
    """The same of the original."""
    assume_covered: bool = False
    """Whether all that differs is taken to have run, where that cannot be seen."""
    covered_elsewhere: bool = False
    """Whether another verification has shown that what differs runs: no call is aimed at it."""
    algebra: bool = True
    """Whether a yes of the interpreter is held against residues too."""
    progress: Callable[[Progress], None] | None = None
    budget: float | None = None
    """Seconds after which no more calls are made; a yes then needs that none is left but calls
    that are drawn at random."""
    remembered: dict[object, Any] | None = None
    """What a reference gave, kept for the next candidate."""
    untrusted: bool = False
    """Whether the rewritten version is taken to be hostile: see docs/verification.md."""
    contained: Contained | None = None
    """What its process has of the machine then."""
    most_work: int | None = None
    """Statements that a call may execute in the interpreter, more than usual; a longer one is left
    out."""
    most_elements: int | None = None
    """Elements of a call that is made to run what differs; None for as many as it takes."""
    written_for_it: bool = False
    """Whether the files have functions that were written for the verification."""

    @property
    def embedded(self) -> tuple[str, ...]:
        """Which versions stand in no file as they are: `original` has a launcher of ours, too."""
        if self.kernel is not None or self.command or self.written_for_it:
            return BOTH
        given = (self.original_text, self.text)
        return tuple(n for n, text in zip(BOTH, given, strict=True) if text is not None)

    def check(self) -> None:
        """Raise VerificationError for what has no meaning."""
        for name, value, known in (
            ("backend", self.backend, BACKENDS),
            ("require", self.require, REQUIREMENTS),
        ):
            if value not in known:
                raise VerificationError(f"{name} `{value}`: write one of {', '.join(known)}")
        if self.budget is not None and self.budget <= 0:
            raise VerificationError(f"budget {self.budget:g}: it is of seconds, above 0")
        if self.max_examples < 1:
            raise VerificationError(f"max_examples is {self.max_examples}: at least 1 is needed")
        if self.command and self.untrusted:
            raise VerificationError(
                "--untrusted: what `-- COMMAND` runs is not contained; leave the command out"
            )
        named = self.launcher or self.about or self.kernel or self.grid or self.args
        if self.command and (named or self.assume):
            raise VerificationError(
                "with `-- COMMAND` the command chooses the launches, not --args or --assume"
            )
