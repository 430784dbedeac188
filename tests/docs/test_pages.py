"""README, CONTRIBUTING and docs/: links resolve, commands exist, tables and wording are right."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from docs import generate
from tritonopt.cli import main as command_line
from tritonopt.rewriting.registry import load, names, select

ROOT = Path(__file__).resolve().parents[2]
PAGES = {path.relative_to(ROOT).as_posix(): path for path in generate.pages()}
MOST_LINES_OF_THE_README = 120
MOST_WORDS = 14_000
"""Words of README and docs/*.md: no code blocks, nothing generated."""
TUTORIAL = "drop-redundant-cast"
"""The pass that a reader of docs/writing-a-pass.md writes, and that nobody else has."""

FENCE = re.compile(r"^( *)```.*?^\1```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
CALL = re.compile(r"(?<![\w/.'\"-])tritonopt(?= +[a-z-])")


def page(name: str) -> str:
    return PAGES[name].read_text(encoding="utf-8")


every_page = pytest.mark.parametrize("name", PAGES)


def prose(text: str) -> str:
    """A page without its code."""
    lines = [line for line in FENCE.sub("", text).splitlines() if not line.startswith("    ")]
    return re.sub(r"`[^`\n]+`", "", "\n".join(lines))


def test_the_readme_is_short() -> None:
    length = len(page("README.md").splitlines())
    assert length <= MOST_LINES_OF_THE_README, f"{length} lines: move what is least asked to docs/"


def test_the_pages_are_short() -> None:
    length = 0
    for name in ("README.md", *(f"docs/{path.name}" for path in ROOT.glob("docs/*.md"))):
        text = FENCE.sub("", generate.PART.sub("", page(name)))
        lines = (line for line in text.splitlines() if not line.startswith("    "))
        length += sum(bool(re.search(r"\w", word)) for line in lines for word in line.split())
    assert 10_000 < length <= MOST_WORDS, f"{length} words: say it in fewer, or link"


@every_page
def test_every_block_of_code_begins_and_ends(name: str) -> None:
    assert "```" not in FENCE.sub("", page(name))


# Links


def anchors(text: str) -> set[str]:
    """What a link may name after `#`: the headings, as they are turned into names."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every_page
def test_links_lead_somewhere(name: str) -> None:
    broken = []
    for target in LINK.findall(prose(page(name))):
        if target.startswith(("https://", "http://")):
            continue
        file, _, anchor = target.partition("#")
        path = (PAGES[name].parent / file).resolve() if file else PAGES[name]
        if not path.exists() or (anchor and anchor not in anchors(path.read_text("utf-8"))):
            broken.append(target)
    assert not broken


@every_page
def test_files_that_are_named_exist(name: str) -> None:
    folders = "benchmarks|docs|examples|passes|tests|tritonopt"
    named = re.findall(rf"`((?:{folders})/[a-z0-9_./-]*)`", page(name))
    assert not [file for file in named if not (ROOT / file).exists()]


# Commands


@cache
def options_of(command: str) -> frozenset[str]:
    parser = command_line._parser([command])
    (commands,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return frozenset(commands.choices[command]._option_string_actions)


def code(text: str) -> Iterator[str]:
    """The lines of the code blocks, fenced or indented, and what stands in backticks."""
    for block in FENCE.finditer(text):
        yield from block[0].splitlines()[1:-1]
        yield ""
    rest = FENCE.sub("", text)
    for line in rest.splitlines():
        yield line if line.startswith("    ") else ""
    for span in re.findall(r"`([^`\n]+)`", rest):
        yield span
        yield ""


def calls(text: str) -> Iterator[tuple[str, str]]:
    """Each command that is called, with the rest of its line, and with the lines after it."""
    command = ""
    for line in code(text):
        said = line.partition(" #")[0]
        found = CALL.search(said)
        if found is not None:
            command, _, said = said[found.end() :].strip().partition(" ")
        elif not line.strip():
            command = ""
        if command:
            yield command, said.partition(" -- ")[0]


def test_calls_are_found() -> None:
    text = "    tritonopt verify a.py [--args X]\n              [--quick]\n\n`tritonopt passes`"
    assert list(calls(text)) == [
        ("verify", "a.py [--args X]"),
        ("verify", "              [--quick]"),
        ("passes", ""),
    ]


@every_page
def test_commands_and_options_exist(name: str) -> None:
    wrong = []
    for command, rest in calls(page(name)):
        if command.startswith("-"):
            wrong += [command] * (command not in command_line._parser([])._option_string_actions)
        elif command not in command_line._COMMANDS:
            wrong.append(command)
        else:
            wrong += [
                f"{command} {o}" for o in OPTION.findall(rest) if o not in options_of(command)
            ]
    assert not wrong


@every_page
def test_options_in_sentences_exist(name: str) -> None:
    ours = set().union(*map(options_of, command_line._COMMANDS))
    outside = FENCE.sub("", page(name))
    spans = [span for span in re.findall(r"`([^`\n]+)`", outside) if span.startswith("--")]
    assert not [o for span in spans for o in OPTION.findall(span) if o not in ours]


@every_page
def test_what_is_called_by_name_exists(name: str) -> None:
    for command, rest in calls(page(name)):
        for spec in re.findall(r"--passes +'?([a-z][^\s'|\]]*)(?![^\s']*\|)", rest):
            assert spec == TUTORIAL or select(spec)
        if command == "explain":
            for target in re.findall(r"^[a-z][a-z-]+$", rest.strip()):
                assert command_line.main(["explain", target]) == 0


@pytest.mark.parametrize("command", command_line._COMMANDS)
def test_every_option_is_documented(command: str) -> None:
    known = {o for o in options_of(command) if o.startswith("--")} - {"--help"}
    assert not {o for o in known if o not in page("docs/command-line.md")}


# Wording

BANNED = {
    r"whole numbers?": "integer",
    r"mend(s|ed|ing)?": "fix",
    r"(is|are|was|were) told": "name who reports it, to whom",
    r"told nothing": "with no --args",
    r"(is|are) asked": "name who requires it",
    r"asked of": "required of, or: called",
    r"(comes?|came) to (it|that|nothing|this|an end|no end)": "reaches, ends",
    r"(a|one|two|four|second|first|last|every|each|several|no|its) turns?": "iteration",
    r"(versions|each) in turn": "alternating",
    r"rooms?|floors?": "package, layer",
    r"stands? (behind|beside|there|in|at|at the end)": "is after, is in",
    r"beside": "next to, with",
    r"besides": "also",
    r"anew": "again",
    r"nobody hand-picked": "generated",
    r"own affair": "not compared",
    r"by how little": "in order of effort",
    r"what has no answer": "inconclusive cases",
    r"(is|are) taken (to|as)": "we assume",
    r"so it is taken": "we assume",
    r"not seen to": "never, in our measurements",
    r"believed": "accepted",
    r"accused": "rejected",
    r"otherwise than": "except",
    r"most readily": "preferably",
    r"what is worth": "profitable",
    r"what is (documented|named|silenced|suggested) is": "name the thing",
    r"that is named": "named, selected",
    r"no launch that is seen": "no visible launch",
    r"launches that are seen": "visible launches",
    r"lays? out": "creates",
    r"as is usual": "usually",
    r"sees? to it": "ensures",
    r"(is|are) to be expected": "is expected",
    r"defects? of ours": "a bug in tritonopt",
    r"nothing shows": "it is not proved",
    r"(is|are) not shown": "is not proved",
    r"run no time": "have no iteration",
    r"without its name": "if it is not named",
    r"once less": "one time less",
    r"as (it|they) comes?": "name the property",
    r"nothing is raised": "no error is raised",
    r"acts (only )?where": "runs if",
    r"cannot be told": "is unknown, cannot be distinguished",
    r"at times": "sometimes: say when",
    r"straight from": "directly after",
    r"in vain": "without effect",
    r"hand(s|ed)? (it |them )?(over|on)": "pass",
    r"takes? in": "include, read",
}
"""Phrasings that readers did not understand at first reading, and what to write."""

OURS = [name for name in PAGES if name == "README.md" or name.startswith(("docs/", "benchmarks/"))]


def sentences(name: str) -> str:
    """The text that people wrote: no code, nothing generated."""
    return " ".join(prose(generate.PART.sub("", page(name))).split())


@pytest.mark.parametrize("name", OURS)
def test_no_page_has_a_banned_phrasing(name: str) -> None:
    text = sentences(name)
    found = [
        f"{text[max(hit.start() - 30, 0) : hit.end() + 20]!r}: write {better}"
        for phrase, better in BANNED.items()
        for hit in re.finditer(rf"\b(?:{phrase})\b", text, re.IGNORECASE)
    ]
    assert not found


def test_banned_phrasings_are_found() -> None:
    said = "A whole number, told nothing, is mended in the second turn."
    hits = [phrase for phrase in BANNED if re.search(rf"\b(?:{phrase})\b", said, re.IGNORECASE)]
    assert len(hits) == 4


IN_MESSAGES = BANNED | {
    r"turns?(?! off)": "iteration",
    r"behind(?! \*)": "after, past",
    r"taken to": "we assume",
    r"seen to": "known to",
    r"in turn": "alternately",
}
"""Phrasings that pages may have in a sense of their own are banned in messages."""
CODE = {"renamed.py", "figures.py"}
"""Modules whose texts are names, or code of a worker."""


def messages(path: Path) -> Iterator[str]:
    """The texts of a module: no docstrings but the page of a pass, no names."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documents = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            continue
        if node not in documents and " " in node.value.strip():
            yield re.sub(r"`[^`\n]+`", "", node.value)
        elif node in documents and "## What it does" in node.value:
            yield prose(node.value)


SHIPPED = sorted({*ROOT.glob("tritonopt/*/**/*.py"), *ROOT.glob("passes/**/*.py")})


def test_no_message_has_a_banned_phrasing() -> None:
    pattern = re.compile("|".join(rf"\b(?:{phrase})\b" for phrase in IN_MESSAGES), re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}: {text[max(hit.start() - 40, 0) : hit.end() + 20]!r}"
        for path in SHIPPED
        if path.name not in CODE
        for text in messages(path)
        for hit in pattern.finditer(text)
    ]
    assert not found


# What is made from the code


@every_page
def test_parts_are_what_the_code_says(name: str) -> None:
    text = page(name)
    assert generate.made_anew(text) == text, "run docs/generate.py --write"


def test_the_tables_of_passes_and_words_stand_in_the_pages() -> None:
    assert generate.demo() in page("README.md")
    assert generate.passes() in page("docs/passes.md")
    assert generate.words() in page("docs/glossary.md")


@pytest.mark.parametrize("name", names())
def test_a_pass_says_first_what_was_measured(name: str) -> None:
    # One paragraph, short enough for a cell of the table.
    assert 0 < len(generate.measured(load(name))) <= 150
