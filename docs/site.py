"""Lay the pages of the site out for mkdocs: those of the repository, a page per rule, `llms.txt`.

    PYTHONPATH=. python docs/site.py DIRECTORY
    mkdocs build --strict -f DIRECTORY/mkdocs.yml

The tree is that of the repository, so that its relative links hold: README.md is the first page,
and files that pages link to, such as records of measurements, are copied next to them. A page per
rule is made from its manual page, its options, and the reasons of the cases that it declines.
"""

from __future__ import annotations

import inspect
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from docs import generate
from tritonopt.checks.reasons import REASONS
from tritonopt.reporting.findings import EXACT, safety_names
from tritonopt.reporting.glossary import ON_PAGES
from tritonopt.rewriting import options
from tritonopt.rewriting.protocol import Lint, Pass
from tritonopt.rewriting.registry import catalog

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "passes"
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)")
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_AFTER = "  - In one table: docs/passes.md\n"
"""Where the rules are in the navigation."""
SINCE = "0.1.0"
"""The version that brought the passes; one that comes later says so in `_since`."""
STYLE = """\
.md-grid { max-width: 76rem }
.md-typeset .grid { grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)) }
.md-typeset .grid > div { min-width: 0 }
.md-typeset thead:not(:has(th:not(:empty))) { display: none }
"""
"""Lines of 110 columns fit, and tables without titles have no empty row."""
_since: dict[str, str] = {}

PAGES = {
    "README.md": "What it is, install, use",
    "docs/command-line.md": "Every command and option",
    "docs/passes.md": "All rules in a table, with measured speeds",
    "docs/verification.md": "How two versions are compared, and what a verdict rests on",
    "docs/skill.md": "For agents: how to get a kernel accepted",
    "docs/algebra.md": "Comparison in exact arithmetic",
    "docs/tuning.md": "What is faster on your GPU and your shapes",
    "docs/engines.md": "Many files, many GPUs",
    "docs/python.md": "The functions in Python",
    "docs/measured.md": "All measurements",
    "docs/glossary.md": "The words of remarks and pages",
    "docs/how-it-is-built.md": "The packages, and the way from source to diff",
    "docs/decisions/README.md": "Why it is built so",
    "docs/writing-a-pass.md": "A tutorial",
    "CONTRIBUTING.md": "How to work on it",
    "CHANGELOG.md": "Changes",
    "SECURITY.md": "Reporting a vulnerability",
}
"""The pages with a line on each, in the order of `llms.txt`."""


def main() -> None:
    site = Path(sys.argv[1])
    target = site / "pages"
    shutil.rmtree(target, ignore_errors=True)
    for name, text in tree().items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in linked_files():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target / name)
    (site / "mkdocs.yml").write_text(configuration(), encoding="utf-8")


def configuration() -> str:
    """That of mkdocs, with every rule in its place of the navigation."""
    text = (ROOT / "docs" / "mkdocs.yml").read_text(encoding="utf-8")
    rules = "".join(f"  - rules/{name}.md\n" for name in sorted(catalog()))
    return text.replace(_AFTER, _AFTER + rules)


def tree() -> dict[str, str]:
    """Every page that is text, by its path in the site's source."""
    pages = {name: (ROOT / name).read_text(encoding="utf-8") for name in _pages()}
    rules = dict(sorted(catalog().items()))
    pages["rules/README.md"] = overview(rules)
    pages |= {f"rules/{name}.md": rule_page(found) for name, found in rules.items()}
    pages |= {"llms.txt": llms(rules), "site.css": STYLE}
    return pages


def _pages() -> list[str]:
    decisions = sorted(
        path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/decisions/*.md")
    )
    return [*PAGES, *(name for name in decisions if name not in PAGES)]


def linked_files() -> list[str]:
    """Files of the repository that pages link to, and that are no pages themselves."""
    found: set[str] = set()
    waiting = _pages()
    pages = set(waiting)
    while waiting:
        name = waiting.pop()
        text = FENCED.sub("", (ROOT / name).read_text(encoding="utf-8"))
        for link in LINK.findall(text):
            path = (ROOT / name).parent / link
            if "://" in link or not path.exists():
                continue
            inside = path.resolve().relative_to(ROOT).as_posix()
            if inside not in pages | found and path.is_file():
                found.add(inside)
                if path.suffix == ".md":
                    waiting.append(inside)
    return sorted(found)


# A page per rule


def rule_page(found: type[Pass]) -> str:
    """The manual page of a pass with what is known of it beside."""
    page = inspect.getdoc(found) or ""
    return "\n".join(
        [
            f"# {found.name}\n",
            page.partition("\n")[0] + "\n",
            *_at_a_glance(found),
            *_options(found),
            _side_by_side(page.partition("\n")[2].strip()),
            *_cases(found),
            ON_PAGES,
        ]
    )


def _at_a_glance(found: type[Pass]) -> Iterator[str]:
    by_default = bool(found.gain) or found.fixes
    if issubclass(found, Lint):
        fix = "safe fixes by default, others when named" if found.fixes else "none"
    else:
        fix = f"`tritonopt rewrite PATH --passes {found.name} --write`"
    known = {
        "Status": "stable" if by_default or issubclass(found, Lint) else "preview",
        "Since": _since.get(found.name, SINCE),
        "Runs": "where profitable" if by_default else "when named",
        "Safety": ", ".join(safety_names(found.safety)) or EXACT,
        "Fix": fix,
        "Measured": generate.measured(found),
    }
    yield "| | |"
    yield "| --- | --- |"
    yield from (f"| {name} | {text} |" for name, text in known.items())
    yield ""


def _options(found: type[Pass]) -> Iterator[str]:
    known = options.of(found)
    if not known:
        return
    yield "| option | default | values |"
    yield "| --- | --- | --- |"
    for option in known.values():
        yield f"| `{option.name}` | `{options.spell(option.default)}` | {option.legal} |"
    yield ""


def _side_by_side(page: str) -> str:
    """The two code blocks of the example next to each other, where the page is wide enough."""
    blocks = list(FENCED.finditer(page, page.find("## Example")))
    if len(blocks) != 2:
        return page
    before, after = blocks
    between = page[before.end() : after.start()].strip()
    if between not in ("becomes", "becomes:"):
        return page
    columns = (
        '<div class="grid" markdown>\n\n<div markdown>\n**Before**\n\n'
        f"{before[0]}\n\n</div>\n\n<div markdown>\n**After**\n\n{after[0]}\n\n</div>\n\n</div>"
    )
    return page[: before.start()] + columns + page[after.end() :]


def _cases(found: type[Pass]) -> Iterator[str]:
    """What the cases show: how many are rewritten, and for which reasons others are not."""
    folder = CASES / found.name
    differences = "".join(path.read_text("utf-8") for path in sorted(folder.glob("*.diff")))
    rewritten = len(re.findall(r"^--- \w+$", differences, re.MULTILINE))
    reasons: Counter[str] = Counter()
    for path in sorted(folder.glob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        expected = re.findall(r"^# expect: (?:not applied|finding), ([\w-]+)", text, re.MULTILINE)
        reasons.update(expected)
    yield "\n## Cases\n"
    yield (
        f"{rewritten} tested cases are rewritten, {sum(reasons.values())} are declined or only "
        "reported, for these reasons:\n"
    )
    yield "| reason | cases | meaning |"
    yield "| --- | --- | --- |"
    known = {**REASONS, **found.own_reasons}
    for reason, number in reasons.most_common():
        yield f"| `{reason}` | {number} | {known[reason].means if reason in known else ''} |"
    yield ""


def overview(rules: dict[str, type[Pass]]) -> str:
    """The list of all rules."""
    lines = ["# Rules\n"]
    for title, wanted in (("Rewrites", False), ("Mistakes", True)):
        lines += [f"\n## {title}\n", "| rule | what it does |", "| --- | --- |"]
        lines += [
            f"| [{name}]({name}.md) | {found.summary} |"
            for name, found in rules.items()
            if issubclass(found, Lint) is wanted
        ]
    return "\n".join([*lines, ""])


def llms(rules: dict[str, type[Pass]]) -> str:
    """The site for language models, as https://llmstxt.org has it."""
    lines = [
        "# tritonopt\n",
        "> Rewrites Triton kernels into faster ones, source to source: proves each rewrite legal, "
        "verifies it against the original, and prints a diff.\n",
        "## Pages\n",
    ]
    lines += [f"- [{_title(name)}]({name}): {said}" for name, said in PAGES.items()]
    lines += ["\n## Rules\n"]
    lines += [f"- [{name}](rules/{name}.md): {found.summary}" for name, found in rules.items()]
    return "\n".join([*lines, ""])


def _title(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


if __name__ == "__main__":
    main()
