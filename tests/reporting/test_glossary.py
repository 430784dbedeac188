"""The glossary is in order, and every entry is a sentence."""

from __future__ import annotations

from tritonopt.reporting.glossary import glossary
from tritonopt.rewriting.model import Bits, RemarkKind, Safety, Status


def test_words_are_sorted_and_in_lower_case() -> None:
    assert list(glossary()) == sorted(word.lower() for word in glossary())


def test_an_entry_is_one_sentence() -> None:
    wrong = [
        word
        for word, said in glossary().items()
        if not said[:1].isupper() or not said.endswith(".") or ". " in said
    ]
    assert not wrong


def test_the_words_that_reports_print_are_explained() -> None:
    printed = {word.value for words in (Bits, RemarkKind, Safety, Status) for word in words}
    verdicts = {"identical", "equivalent", "counterexample", "unsupported"}
    assert printed | verdicts | {"sweep", "contract", "shifted formula"} <= set(glossary())
