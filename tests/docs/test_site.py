"""The site: a page per rule, links that resolve, and what mkdocs says of it where it is there."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from docs import site
from tests.docs.test_pages import anchors, prose
from tritonopt.rewriting.registry import catalog

TREE = site.tree()


def test_every_rule_has_a_page_that_the_navigation_and_llms_txt_have() -> None:
    for name, found in catalog().items():
        page = TREE[f"rules/{name}.md"]
        assert page.startswith(f"# {name}\n")
        assert all(f"\n| {row} |" in page for row in ("Status", "Since", "Safety", "Fix"))
        assert f"\n  - rules/{name}.md\n" in site.configuration()
        assert f"- [{name}](rules/{name}.md): {found.summary}" in TREE["llms.txt"]
        assert f"[{name}]({name}.md)" in TREE["rules/README.md"]


def test_examples_are_side_by_side() -> None:
    page = TREE["rules/online-softmax.md"]
    before, after = page.index("**Before**"), page.index("**After**")
    assert page.index('<div class="grid" markdown>') < before < after
    # Of a rule that only reports there is nothing after.
    assert "**Before**" not in TREE["rules/spills.md"]
    assert sum("**Before**" in text for text in TREE.values()) >= 20


def test_cases_are_counted_by_reason() -> None:
    page = TREE["rules/online-softmax.md"]
    assert re.search(r"^\d\d tested cases are rewritten, \d\d are declined", page, re.MULTILINE)
    for name, text in TREE.items():
        rows = re.findall(r"^\| `([\w-]+)` \| \d+ \| (.*) \|$", text, re.MULTILINE)
        assert not [reason for reason, meaning in rows if not meaning], name


def headings(name: str) -> set[str]:
    return anchors(TREE[name] if name in TREE else (site.ROOT / name).read_text("utf-8"))


@pytest.mark.parametrize("name", [name for name in TREE if name.endswith((".md", ".txt"))])
def test_links_of_the_site_lead_somewhere(name: str) -> None:
    files = {*TREE, *site.linked_files()}
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(TREE[name])):
        target, _, anchor = link.partition("#")
        if "://" in link or link.startswith("mailto:"):
            continue
        path = (site.ROOT / name).parent.joinpath(target).resolve() if target else site.ROOT / name
        inside = path.relative_to(site.ROOT).as_posix()
        if inside not in files or (anchor and anchor not in headings(inside)):
            broken.append(link)
    assert not broken


@pytest.mark.slow
def test_mkdocs_builds_it_and_no_page_needs_a_network(tmp_path: Path) -> None:
    if find_spec("mkdocs") is None or find_spec("material") is None:
        pytest.skip("mkdocs-material is not installed: pip install '.[docs]'")
    command = [sys.executable, "docs/site.py", str(tmp_path)]
    subprocess.run(command, cwd=site.ROOT, env={"PYTHONPATH": "."}, check=True)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f"]
    subprocess.run([*command, str(tmp_path / "mkdocs.yml")], check=True)
    for page in (tmp_path / "html").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"<(?:script|img|iframe)[^>]+src=\"?https?:", text), page
        assert not re.search(r"<link[^>]+stylesheet[^>]+href=\"?https?:", text), page
