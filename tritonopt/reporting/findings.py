"""What a run over files found, in the form that every report is made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tritonopt.rewriting.model import Remark, RemarkKind, Safety

if TYPE_CHECKING:
    from tritonopt.verification.verdict import Verdict

EXACT = "exact"


@dataclass(frozen=True)
class Replacement:
    """Lines of a file, from `first` up to but not with `behind`, and what takes their place."""

    first: int
    behind: int
    text: str


@dataclass(frozen=True)
class Span:
    """The code that a suggestion is about. Lines and columns count from 1; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    """Its first line, whole."""


@dataclass(frozen=True)
class Suggestion:
    """A remark that somebody is advised to act on, and what there is to know for it."""

    remark: Remark
    why: str = ""
    worth: str = ""
    """What was measured; empty for a mistake, and for what nobody measured."""
    apply: str = ""
    """The command that does it; empty where only a person can."""
    fix: tuple[Replacement, ...] = ()
    """The same as an edit, where it was asked for."""
    span: Span | None = None
    is_fixable: bool = False
    """Whether `suggest --fix` does it: of mistakes, those whose fix is safe."""
    advice: str = ""
    """What a person can do, where no command does it."""
    is_note: bool = False
    """Whether what it finds is a mistake for some callers only: `Site.is_note`."""

    @property
    def is_finding(self) -> bool:
        return self.remark.kind is RemarkKind.ANALYSIS

    @property
    def is_mistake(self) -> bool:
        return self.is_finding and not self.is_note

    @property
    def label(self) -> str:
        """What stands in brackets behind the pass: the safety of a rewrite, `mistake` or `note`."""
        if self.is_finding:
            return "note" if self.is_note else "mistake"
        return ",".join(safety_names(self.remark.safety)) or EXACT


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
    defects: tuple[str, ...] = ()
    """Those of them that are defects of ours, which a person is to read last."""
    before: str = ""
    """The text of the file, where a report for a person is to show it."""
    after: str = ""
    """The same with all changes."""
    verified: str = ""
    """The verdict on the change, where one was asked for."""
    verdict: Verdict | None = None
    """The same, with what it rests on."""
    refused: tuple[str, ...] = ()
    """Changes that were not made, because they failed or escaped verification."""
    fixed: Mapping[str, str] = field(default_factory=dict)
    """The passes whose fix of a mistake changed a result, with a value before and after."""
    suggestions: tuple[Suggestion, ...] = ()
    """Of `suggest`, which has no other remarks."""
    left_alone: tuple[Remark, ...] = ()
    """Of `suggest`, where a report for a person is to tell of it."""
    notes: tuple[str, ...] = ()
    """What there is to say beside; each says where."""
    encoding: str = "utf-8"
    output: bytes | None = None
    """The new text, where the old one came from stdin."""
    unlisted: int = 0
    """Of `rewrite`: how many sites were not applied without a remark that is printed."""
    doubtful: tuple[str, ...] = ()
    """Of `suggest`: the passes of findings that are listed only where their pass is named."""
    parameters: tuple[frozenset[str], ...] = ()
    """The parameter names of every kernel."""

    @property
    def says_something(self) -> bool:
        """Whether a person is to read of the file while the run goes on."""
        said = self.diff or self.remarks or self.suggestions or self.errors or self.refused
        return bool(said) or self.output is not None

    def parted(self) -> tuple[FileFindings, FileFindings]:
        """The same without suggested rewrites, and these alone: mistakes come before them."""
        mistakes = tuple(s for s in self.suggestions if s.is_mistake)
        ideas = tuple(s for s in self.suggestions if not s.is_mistake)
        alone = FileFindings(self.path, suggestions=ideas, encoding=self.encoding)
        return replace(self, suggestions=mistakes), alone


@dataclass(frozen=True)
class PairFinding:
    """The verdict on one file of several."""

    name: str
    original: str
    rewritten: str
    verdict: Verdict
    seconds: float = 0.0
    where: str = ""
    """Which GPU or machine it was reached on; empty where that goes without saying."""
    script: str | None = None
    """Where what shows a counterexample was written."""


@dataclass
class Summary:
    """The counts of a run. `errors` and `notes` concern what could not be done, and what was
    given and not needed."""

    files: int = 0
    kernels: int = 0
    passed: int = 0
    missed: int = 0
    changed: int = 0
    unlisted: int = 0
    """What was missed and is not in `missed`, because no remark tells of it."""
    errors: dict[str, list[str]] = field(default_factory=dict)
    left_out: dict[str, list[str]] = field(default_factory=dict)
    """Changes that `--verify` did not make, and why."""
    notes: list[str] = field(default_factory=list)
    defects: list[str] = field(default_factory=list)
    """Of the errors, those that are defects of ours."""

    statistics: dict[str, dict[str, int]] = field(default_factory=dict)
    """How often each pass said what: `passed`, or the reason of what was missed or noted."""

    def add(self, found: FileFindings) -> None:
        remarks = (*found.remarks, *(suggestion.remark for suggestion in found.suggestions))
        kinds = [remark.kind for remark in remarks]
        for remark in remarks:
            counts = self.statistics.setdefault(remark.pass_name, {})
            outcome = remark.reason or remark.kind.value
            counts[outcome] = counts.get(outcome, 0) + 1
        self.files += 1
        self.kernels += found.kernels
        self.passed += kinds.count(RemarkKind.PASSED)
        self.missed += kinds.count(RemarkKind.MISSED)
        self.unlisted += found.unlisted
        self.changed += found.changed
        self.notes.extend(note for note in found.notes if note not in self.notes)
        self.defects += found.defects
        for message in found.errors:
            self.add_error(found.path, message)
        for message in found.refused:
            self.left_out.setdefault(found.path, []).append(message)

    def add_error(self, path: str, message: str) -> None:
        self.errors.setdefault(path, []).append(message)


def safety_names(safety: Iterable[Safety]) -> list[str]:
    """The levels in a fixed order; none for `exact`."""
    return sorted(level.value for level in safety)
