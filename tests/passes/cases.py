"""The cases of the passes: kernels, what is expected of each, and what it becomes.

A folder named after a pass has its suites. A suite is a Python file of cases; a case begins with a
line `# case: NAME` and is a kernel with the function that launches it, a program by itself. What
stands above the first case are the imports that each case gets which has none of its own, and
functions that several cases have: a case says with a line `# shared: NAME` where each stands in it.
A file without `# case:` is one case, named like the file. A case with a line `# like: OTHER` is
that other case of the pass, changed: below its docstring stands a unified diff without numbers of
lines, each line behind a `#`. Comment lines at the top of a case say what is expected:

    # expect: not applied, different-mask    left alone, with this reason (without: rewritten)
    # expect: finding, hint-can-be-false     left alone, with a finding of this reason
    # expect: unchanged                 left alone, for whatever reason
    # expect: silent                    left alone, and nothing is said
    # options: formula=moments          options of the pass
    # with: licm                        another pass that runs too (without: none but the folder's)
    # assume: N % BLOCK == 0            a fact given with --assume; may stand several times
    # safety: assumption                what is allowed beside rounding and contract
    # verify: no, WHY                   not run (without: original and rewritten are compared)
    # verify: counterexample, WHY       there is an example on which they differ, as documented
    # verify: only on a GPU, WHY        run where TRITONOPT_BACKEND=cuda
    # verify: only interpreted, WHY     not run there
    # algebra: no, WHY                  what rounds is not known to be the same algebra

What the cases of `SUITE.py` become is a unified diff of each, in `SUITE.diff`. To write them anew:

    python -m tests.passes.cases [PASS...]

Read the difference before you commit it. To print a case as it is run:

    python -m tests.passes.cases PASS/NAME
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from tritonopt.rewriting.model import Remark, Safety
from tritonopt.rewriting.pipeline import DEFAULT_SAFETY, RewriteResult, rewrite_source
from tritonopt.rewriting.protocol import Pass
from tritonopt.rewriting.registry import select

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parents[1] / "benchmarks" / "results"
RECORDS = tuple(
    RESULTS / f"verified_cases-{where}.json" for where in ("nvidia-h200", "interpreter")
)
RIGHT = ("identical", "equivalent", "as documented")
BACKEND = os.environ.get("TRITONOPT_BACKEND", "interpreter")
EXAMPLES = 4
"""So many examples are drawn where a case is verified."""
_DIRECTIVE = re.compile(r"# (expect|options|with|assume|safety|verify|algebra): (.*)")
_CASE = re.compile(r"^# case: (\w+)\n", re.MULTILINE)
_SHARED = re.compile(r"\n+# shared: (\w+)(?=\n)")
_LIKE = re.compile(r"^# like: (\w+)\n", re.MULTILINE)
_CHANGES = re.compile(r"(?:^#(?:[- ].*)?\n)+(?:^#\+.*\n)*", re.MULTILINE)
_TOP = re.compile(r'(?:#.*\n|\n)*r?"""(?s:.*?)"""\n')
_IMPORTS = re.compile(r"^(?:import|from) \S*triton", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """One kernel file; `text` has the line ends that the suite has."""

    suite: Path
    stem: str
    text: str

    @property
    def pass_name(self) -> str:
        return self.suite.parent.name

    @property
    def name(self) -> str:
        return f"{self.pass_name}/{self.stem}"

    @cached_property
    def directives(self) -> list[tuple[str, str]]:
        found = []
        for line in self.text.splitlines():
            match = _DIRECTIVE.fullmatch(line)
            if match is None:
                return found
            found.append((match[1], match[2].strip()))
        return found

    def values(self, key: str) -> list[str]:
        return [value for name, value in self.directives if name == key]

    @property
    def expect(self) -> str:
        """`rewritten`, `not applied`, `finding`, `unchanged` or `silent`."""
        return next(iter(self.values("expect")), "rewritten").partition(",")[0]

    @property
    def reason(self) -> str:
        return next(iter(self.values("expect")), "").partition(", ")[2]

    @property
    def verify(self) -> str:
        return next(iter(self.values("verify")), "yes")

    @property
    def is_run(self) -> bool:
        """Whether original and rewritten are compared on this backend."""
        elsewhere = "only interpreted" if BACKEND == "cuda" else "only on a GPU"
        return not self.verify.startswith(("no", elsewhere))

    @property
    def texts(self) -> str:
        """A digest of it and of what it becomes, by which a record knows the two.

        How it is verified is no part of it.
        """
        both = re.sub("^# verify: .*\n", "", f"{self.text}\0{self.rewritten.text}", flags=re.M)
        return hashlib.sha256(both.encode()).hexdigest()[:16]

    @property
    def rounds(self) -> bool:
        """Whether floats are computed in another way, and not only at another time."""
        return any(Safety.ROUNDING in remark.safety for remark in self.rewritten.remarks)

    @property
    def passes(self) -> list[Pass]:
        """In the order of the catalog."""
        name, others = self.pass_name, self.values("with")
        options = ",".join(self.values("options"))
        return select(",".join(sorted([f"{name}{{{options}}}" if options else name, *others])))

    @cached_property
    def rewritten(self) -> RewriteResult:
        """What the passes make of it, which several tests look at."""
        return self.rewrite(self.text)

    def rewrite(self, text: str) -> RewriteResult:
        return rewrite_source(
            text,
            self.passes,
            path=f"{self.stem}.py",
            safety=DEFAULT_SAFETY | {Safety(level) for level in self.values("safety")},
            assume=self.values("assume"),
        )

    @property
    def difference(self) -> str:
        """What the passes change, as a unified diff with one line around each change."""
        return difference(self.text, self.rewritten.text, self.stem, context=1)

    @property
    def expected(self) -> str:
        """The difference that is expected; "" where none is recorded."""
        return _recorded(self.suite.with_suffix(".diff")).get(self.stem, "")

    def written(self, folder: Path) -> tuple[Path, Path]:
        """The case, and what it becomes, as files in a folder."""
        before, after = folder / f"{self.stem}.py", folder / f"{self.stem}_rewritten.py"
        before.write_bytes(self.text.encode())
        after.write_bytes(self.rewritten.text.encode())
        return before, after


def cases_of(suite: Path) -> Iterator[Case]:
    """The cases of one file."""
    for stem, text in _parts(suite):
        like = _LIKE.search(text)
        if like is not None:
            whole = _whole(suite.parent).get(like[1])
            assert whole, f"{suite}: {stem} is like {like[1]}, which is no whole case of the pass"
            text = changed(whole, _LIKE.sub("", text), f"{suite}: {stem}")
        yield Case(suite, stem, text)


@cache
def _parts(suite: Path) -> tuple[tuple[str, str], ...]:
    """The names of the cases of one file and what stands there, with all that is shared."""
    return tuple(_read_parts(suite))


def _read_parts(suite: Path) -> Iterator[tuple[str, str]]:
    text = suite.read_bytes().decode()
    prelude, *parts = _CASE.split(text)
    begun = len(re.findall("^# case:", text, re.MULTILINE))
    assert begun == len(parts) // 2, f"{suite}: a name of a case is no identifier"
    if not parts:
        yield suite.stem, text
        return
    imports, shared = _shared(prelude)
    for stem, part in zip(parts[::2], parts[1::2], strict=True):
        body = _SHARED.sub(lambda name: shared[name[1]], part.rstrip("\n") + "\n")
        is_whole = _LIKE.search(body) or _IMPORTS.search(body)
        yield stem, body if is_whole else _with_imports(body, imports)


@cache
def _whole(folder: Path) -> dict[str, str]:
    """The cases of a pass that are like no other."""
    parts = (part for suite in sorted(folder.glob("*.py")) for part in _parts(suite))
    return {stem: text for stem, text in parts if not _LIKE.search(text)}


def changed(whole: str, text: str, name: str) -> str:
    """A case that is like another: its own top and docstring, and the changes made to the rest."""
    top, changes = _below_the_docstring(text)
    rest, at = _below_the_docstring(whole)[1], 0
    assert not _CHANGES.sub("", changes).strip(), f"{name}: changes cannot be read"
    for change in _CHANGES.findall(changes):
        lines = change.splitlines(keepends=True)
        old = "".join(line[2:] or "\n" for line in lines if line[1] != "+")
        new = "".join(line[2:] or "\n" for line in lines if line[1] != "-")
        found = f"\n{rest}".find(f"\n{old}", at)
        assert found >= 0, f"{name}: this stands in the other case no more:\n{old}"
        rest, at = rest[:found] + new + rest[found + len(old) :], found + len(new)
    return top + rest


def _below_the_docstring(text: str) -> tuple[str, str]:
    """A case up to the end of its docstring, and the rest."""
    top = _TOP.match(text.replace("\r\n", "\n"))
    assert top is not None, f"a case has a docstring: {text}"
    lines = top[0].count("\n")
    cut = text.splitlines(keepends=True)
    return "".join(cut[:lines]), "".join(cut[lines:])


def _shared(prelude: str) -> tuple[str, dict[str, str]]:
    """The imports of a suite, and the functions that its cases share, with what is above them."""
    lines, end, found = prelude.splitlines(keepends=True), 0, dict[str, str]()
    for node in ast.parse(prelude).body:
        assert node.end_lineno
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = "\n" + "".join(lines[end : node.end_lineno]).rstrip("\n")
        elif not found:
            imports = "".join(lines[: node.end_lineno])
        end = node.end_lineno
    return imports, found


def _with_imports(text: str, imports: str) -> str:
    """A case with the imports after its docstring."""
    above, below = _below_the_docstring(text)
    return f"{above}\n{imports.strip()}\n{below}"


def all_cases(folder: Path = HERE) -> list[Case]:
    """The cases of all passes, by the names of the passes and of the cases."""
    suites = sorted(folder.glob("*/*.py"))
    return sorted((case for suite in suites for case in cases_of(suite)), key=lambda c: c.name)


CASES = all_cases()


def case(name: str) -> Case:
    """The case `PASS/NAME`."""
    return next(one for one in CASES if one.name == name)


def rewritten(pass_name: str) -> list[Case]:
    """The cases of a pass that are rewritten."""
    return [one for one in CASES if one.pass_name == pass_name and one.expect == "rewritten"]


@cache
def verified(record: Path) -> frozenset[str]:
    """The digests of the texts that a record has a right verdict of."""
    if not record.exists():
        return frozenset()
    rows = json.loads(record.read_text("utf-8"))["cases"]
    return frozenset(row["texts"] for row in rows if row["verdict"] in RIGHT)


def verdict_of(case: Case, folder: Path, backend: str = BACKEND) -> tuple[str, int, str]:
    """Verify what a case becomes: a verdict, how many examples counted, why it is not right.

    The verdict is `as documented` for a counterexample that the case announces, and `error` for
    too few examples or another algebra.
    """
    # Imported here, because most tests of cases need no torch.
    from tritonopt.verification import verify

    before, after = case.written(folder)
    verdict = verify(before, after, backend=backend, max_examples=EXAMPLES)
    found, count = str(verdict.verdict), verdict.examples
    if case.verify.startswith("counterexample"):
        return "as documented" if found == "counterexample" else "error", count, str(verdict)
    if found not in RIGHT:
        return found, count, str(verdict.counterexample or verdict.reason)
    if count <= EXAMPLES // 2:
        return "error", count, f"only {count} examples counted"
    algebra = verdict.algebra
    if algebra is None or backend == "cuda" or case.values("algebra"):
        return found, count, ""
    # Whole numbers have no algebra beside their own.
    if algebra.is_same or not (case.rounds or algebra.is_different):
        return found, count, ""
    return "error", count, str(algebra)


def difference(old: str, new: str, name: str = "", *, context: int = 3) -> str:
    lines = (text.splitlines(keepends=True) for text in (old, new))
    return "".join(difflib.unified_diff(*lines, name, name, n=context))


def said(result: RewriteResult) -> str:
    """The remarks, for a failure message."""
    return "\n".join(_one(remark) for remark in result.remarks) or "(no remark)"


def _one(remark: Remark) -> str:
    head = f"{remark.kernel}:{remark.line}: {remark.kind.value} {remark.reason} {remark.message}"
    lines = [f"    {c.claim}: {c.status.value} {c.detail}" for c in remark.conditions]
    return "\n".join([head, *lines, *([f"    {remark.failure}"] if remark.failure else [])])


@cache
def _recorded(path: Path) -> dict[str, str]:
    """The differences of a file, by the names of the cases."""
    if not path.exists():
        return {}
    parts = re.split(r"^(?=--- \w+\n\+\+\+ \w+\n)", path.read_bytes().decode(), flags=re.MULTILINE)
    return {part.split(maxsplit=2)[1]: part for part in parts if part}


def write(suites: Iterable[Path]) -> None:
    """Write the differences of these suites anew."""
    for suite in suites:
        found = [one.difference for one in cases_of(suite) if one.expect == "rewritten"]
        if found:
            suite.with_suffix(".diff").write_bytes("".join(found).encode())


if __name__ == "__main__":
    for named in sys.argv[1:] or ["*"]:
        if "/" in named:
            print(case(named).text, end="")
        else:
            write(sorted(HERE.glob(f"{named}/*.py")))
