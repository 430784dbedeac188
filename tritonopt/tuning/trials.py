"""Timing variants of a launcher, next to the original; what was timed before is not timed again."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any

from tritonopt.measurement.results import Machine, Ratio, Row
from tritonopt.measurement.timing import Effort
from tritonopt.measurement.tuned import ORIGINAL
from tritonopt.source.parsing import parsed
from tritonopt.tuning.calls import Call
from tritonopt.tuning.compiling.ahead import Ahead
from tritonopt.tuning.requests import Request
from tritonopt.tuning.session import OVER, Session
from tritonopt.tuning.store import Key, Store, StoreError, digest
from tritonopt.tuning.timing_server import Version

_AT_ONCE = 4
"""Variants that are timed side by side with the original."""
_PATIENCE, _TIMES_AS_LONG = 10.0, 10.0
"""Seconds for a variant's first call, and so many times what the original's took at most."""


_NOT_BESIDE = "the original could not be timed with it"
_ANOTHER_TIME = ("out of memory", _NOT_BESIDE, OVER)
"""What is not kept: somebody else may have had the memory, or the budget was over."""


@dataclass(frozen=True)
class Found:
    """What was found of a variant on one call."""

    ratio: Ratio | None = None
    failure: str = ""
    same_code: bool = False
    """Whether the call launches the same machine code as the original."""
    refuted: bool = False
    """Whether the results were other ones."""
    code: str = ""
    """A short name for the machine code that the call launches; "" where that is not known."""

    def as_json(self) -> dict[str, Any]:
        return {**vars(self), "ratio": None if self.ratio is None else astuple(self.ratio)}

    @staticmethod
    def of_json(found: Mapping[str, Any]) -> Found:
        ratio = None if found["ratio"] is None else Ratio(*found["ratio"])
        return Found(**{**found, "ratio": ratio})


@dataclass(frozen=True)
class _Asked:
    """What is wanted to be known of several texts."""

    call: Call
    effort: Effort
    stage: str
    """Under which it is kept."""
    tuners: tuple[tuple[str, str], ...] = ()
    """What the tuners of the texts take, see `Version`."""


def subject_digest(request: Request) -> str:
    """Under which the store keeps what is found of a launcher."""
    return digest(f"{request.launcher}\n{request.text}")


def imports_others(text: str) -> bool:
    """Whether a file imports what is neither Python's, nor a library of which the version is
    known."""
    found: set[str] = set()
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("" if node.level else (node.module or "").partition(".")[0])
    return bool(found - {"torch", "triton", *sys.stdlib_module_names})


@dataclass
class Trials:
    """The variants of one launcher on this GPU."""

    request: Request
    store: Store | None
    left: Callable[[], float]
    """Seconds until nothing new is to be begun."""
    notes: list[str] = field(default_factory=list)
    machine: Machine | None = None
    imported: str = ""
    """A short name for the text of what the file imports: a helper has a part in every result."""
    failed: dict[tuple[str, str], Found] = field(default_factory=dict)
    """By text and label of the call."""
    ends: Callable[[], float] | None = None
    """Seconds until nobody waits for anything; as `left` where none are given."""
    ahead: Ahead | None = None
    """Who compiles the variants before they are timed, if anybody does."""
    compiled: set[tuple[str, tuple[tuple[str, str], ...], str]] = field(default_factory=set)
    """Texts, what their tuners take, and calls that were compiled ahead."""

    def __post_init__(self) -> None:
        siblings = self.ahead.count if self.ahead is not None else 0
        ends = self.ends or self.left
        self.session = Session((), self.request.timeout, self.request.server, ends, siblings)

    def close(self) -> None:
        self.session.close()
        if self.ahead is not None:
            self.ahead.close()

    def version(self, name: str, text: str, tuners: tuple[tuple[str, str], ...] = ()) -> Version:
        """A text as one version; the worker knows it by its name until another one has it."""
        path = self.request.path
        text_path = path if name == ORIGINAL else f"{path.removesuffix('.py')}.{name}.py"
        request = self.request
        return Version(name, path, text, text_path, request.launcher, request.by_position, tuners)

    def original(self, effort: Effort) -> list[Row]:
        """The original alone, on every call, with the copy. Raises Died."""
        self.session.use([self.version(ORIGINAL, self.request.text)])
        rows = []
        for call in self.request.calls:
            rows.append(self.session.row(self.request.launcher, call, effort))
        is_over = any(OVER in row.failures.values() for row in rows)
        if any(row.times for row in rows) and not is_over:
            self.machine = self.session.machine()
            self.imported = self.session.imported()
            # What takes far longer than the original hangs, or is no gain anyway.
            usual = _PATIENCE + _TIMES_AS_LONG * self.session.longest
            self.session.timeout = min(self.request.timeout, usual)
        return rows

    def _while_searching(self) -> float:
        """What is being timed when the search is to end may take a quarter of what is kept for the
        proof."""
        left = self.left()
        return left + ((self.ends or self.left)() - left) / 4

    def fresh(self, name: str, text: str, call: Call, effort: Effort | None = None) -> Row:
        """The original and one text, with the whole effort; never from the store."""
        versions = [self.version(ORIGINAL, self.request.text), self.version(name, text)]
        self.session.use(versions)
        self.session.left = self.ends or self.left
        return self.session.row(self.request.launcher, call, effort or self.request.effort)

    def timed(
        self,
        texts: Sequence[str],
        calls: Sequence[Call],
        effort: Effort,
        stage: str,
        *,
        choosing: bool = True,
    ) -> dict[str, dict[str, Found]]:
        """What was found of each text, by the labels of the calls; less where time is over.

        Unless they are `choosing`, autotuners take what the original's took for the same call.
        """
        found: dict[str, dict[str, Found]] = {text: {} for text in texts}
        for start in range(0, len(texts), _AT_ONCE):
            batch = texts[start : start + _AT_ONCE]
            for call in calls:
                if self.left() <= 0:
                    return found
                # One call after the other: what was compiled by then is timed in any case.
                tuners = () if choosing else self.session.chosen.get(call.label, ())
                asked = _Asked(
                    call, effort, f"{stage}, tuned as before" if tuners else stage, tuners
                )
                late = self._compile_ahead(batch, asked)
                there = [text for text in batch if text not in late]
                for text, what in self._on(asked, there).items():
                    found[text][call.label] = what
        return found

    def _compile_ahead(self, texts: Sequence[str], asked: _Asked) -> list[str]:
        """Those that there was no time for; what hangs is one that failed, and not tried again."""
        label = asked.call.label
        new = [
            text
            for text in texts
            if (text, asked.tuners, label) not in self.compiled
            and (text, label) not in self.failed
            and not self._known(text, asked)
        ]
        if self.ahead is None or not new:
            return []
        versions = [
            self.version(f"variant{at}", text, asked.tuners)
            for at, text in enumerate(texts)
            if text in new
        ]
        each = self.session.timeout
        hanging, late = self.ahead.compile(versions, asked.call, each, self.left())
        for version in hanging:
            failed = Found(failure=f"no answer within {each:.0f} s")
            self.failed[version.text, label] = failed
            self._keep(version.text, asked, failed)
        self.compiled |= {(v.text, asked.tuners, label) for v in versions if v not in late}
        return [version.text for version in late]

    def _on(self, asked: _Asked, texts: Sequence[str]) -> dict[str, Found]:
        label = asked.call.label
        known = {text: what for text in texts if (what := self._known(text, asked))}
        # What failed or hung once is not tried a second time with more effort.
        known |= {text: what for text in texts if (what := self.failed.get((text, label)))}
        missing = [text for text in texts if text not in known]
        if missing:
            names = {f"variant{at}": text for at, text in enumerate(texts) if text in missing}
            row = self._measured(asked, names)
            new = {text: _of_row(row, name) for name, text in names.items()}
            if len(missing) > 1 and ORIGINAL in row.failures:
                # One of them may have taken the others with it.
                for name, text in names.items():
                    new[text] = _of_row(self._measured(asked, {name: text}), name)
            for text, what in new.items():
                if what.failure not in _ANOTHER_TIME:
                    self._keep(text, asked, what)
            known |= new
        self.failed |= {
            (text, label): what
            for text, what in known.items()
            if what.failure and what.failure != OVER
        }
        return known

    def _measured(self, asked: _Asked, names: Mapping[str, str]) -> Row:
        versions = [self.version(name, text, asked.tuners) for name, text in names.items()]
        self.session.use([self.version(ORIGINAL, self.request.text), *versions])
        self.session.left = self._while_searching
        launcher, call = self.request.launcher, asked.call
        return self.session.row(launcher, call, asked.effort, copy=False)

    def numbers_at(self, lines: tuple[int, int], call: Call) -> dict[str, int]:
        """What names of the original stand for there. Raises Died and Refusal."""
        self.session.left = self.ends or self.left
        self.session.use([self.version(ORIGINAL, self.request.text)])
        return self.session.numbers_at(ORIGINAL, lines, call)

    def key(self, text: str, what: str) -> Key:
        """Of an entry about a text, on this GPU."""
        machine = self.machine
        parts = () if machine is None else (machine.torch, machine.triton, machine.driver)
        gpu = "" if machine is None else machine.gpu
        versions = " ".join(filter(None, (*parts, self.imported)))
        return Key(subject_digest(self.request), digest(text), what, gpu, versions)

    def _known(self, text: str, asked: _Asked) -> Found | None:
        found = self.stored(self.key(text, f"{asked.stage}: {asked.call.label}"))
        return None if found is None else Found.of_json(found)

    def _keep(self, text: str, asked: _Asked, what: Found) -> None:
        self.keep(self.key(text, f"{asked.stage}: {asked.call.label}"), what.as_json())

    def stored(self, key: Key) -> dict[str, Any] | None:
        """What the store has; nothing where it cannot be read any more, which is noted.

        And nothing where no call has been made that shows what the file imports.
        """
        if self.machine is None and imports_others(self.request.text):
            return None
        try:
            return self.store.get(key) if self.store is not None else None
        except StoreError as error:
            self._without_store(error)
            return None

    def keep(self, key: Key, found: Mapping[str, Any]) -> None:
        """Put into the store; where it cannot be written any more, it goes on without, with a
        note."""
        try:
            if self.store is not None:
                self.store.put(key, found)
        except StoreError as error:
            self._without_store(error)

    def _without_store(self, error: StoreError) -> None:
        self.store = None
        self.notes.append(f"{error}: what is found from here on is not kept for another run")


def _of_row(row: Row, name: str) -> Found:
    if name in row.failures:
        return Found(failure=row.failures[name])
    if name in row.doubts:
        return Found(failure=row.doubts[name], refuted=True)
    if name not in row.ratios:
        return Found(failure=_NOT_BESIDE)
    digests = _digests(row, name)
    code = digest(" ".join(digests)) if digests else ""
    return Found(row.ratios[name], same_code=same_code(row, ORIGINAL, name), code=code)


def same_code(row: Row, one: str, other: str) -> bool:
    """Whether two versions launch the same kernels as machine code."""
    return bool(_digests(row, one)) and _digests(row, one) == _digests(row, other)


def _digests(row: Row, name: str) -> list[str]:
    """Of the machine code that a version launches; nothing where one of them is not known."""
    found = [c.digest for c in row.compiled if c.version == name]
    return found if all(found) else []
