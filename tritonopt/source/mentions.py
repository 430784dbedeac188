"""Which files mention a name, found in their texts: the gate before any of them is parsed.

It may say yes wrongly, of a comment or a string, and never no.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_ATTRIBUTE = re.compile(r"\.(?:[\s\\]|#[^\n]*\n)*(\w+)")
_IMPORT = re.compile(r"import\b[\s\\]*(\((?:[^)#]|#[^\n]*)*\)|(?:[^\n\\(]|\\\r?\n)*)")
_FROM = re.compile(r"from[ \t\\\r\n]+[.\w \t]+[ \t\\\r\n](?=import\b)")
_WORD = re.compile(r"\w+")
_OTHER_NAME = re.compile(r"(\w+)[\s\\]+as[\s\\]+(\w+)")
_LAST = re.compile(r"\b[^\W\d]\w*\b(?!\s*\.)")
"""A name of which nothing is read: a value."""
_STORE = re.compile(
    r"(?<!\bself)(?<!\bcls)\.[\s\\]*(\w+)"
    r"(?=\s*(?:=(?!=)|[-+*/|&^%@<>]{1,2}=|:|,[^\n()]*=(?!=)|[)\],]+\s*=(?!=)))"
)
"""An attribute that may be assigned to, by what follows it."""
_BINDING_LINE = re.compile(r"^[ \t]*(?:async|del|for|with)\b[^\n]*", re.M)
_OF_OTHERS = re.compile(r"(?<!\bself)(?<!\bcls)\.\s*(\w+)")


class Mentions:
    """By name, the files that mention it; in the order in which they were added."""

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        """`texts` are paths and what stands in the files."""
        self._files: list[str] = []
        self._attributes: dict[str, list[int]] = {}
        self._imports: dict[str, list[int]] = {}
        self._stored: dict[str, list[int]] = {}
        self._as_values: dict[str, list[int]] = {}
        self._below_stars: dict[str, list[int]] = {}
        for path, text in texts:
            self._add(path, text)

    def attribute(self, name: str) -> list[str]:
        """Files with a `.name`."""
        return [self._files[number] for number in self._attributes.get(name, ())]

    def imported(self, name: str) -> list[str]:
        """Files with an import statement that has the name after `import`, or in a module's."""
        return [self._files[number] for number in self._imports.get(name, ())]

    def stored(self, name: str) -> list[str]:
        """Files that may assign to a `.name`, other than of `self` and `cls`."""
        return [self._files[number] for number in self._stored.get(name, ())]

    def as_value(self, name: str) -> list[str]:
        """Files that import a name, and may use what it stands for as a value."""
        return [self._files[number] for number in self._as_values.get(name, ())]

    def below_star(self, name: str) -> list[str]:
        """Files with a `from module import *`, and the name anywhere."""
        return [self._files[number] for number in self._below_stars.get(name, ())]

    def _add(self, path: str, text: str) -> None:
        number = len(self._files)
        self._files.append(path)
        for name in set(_ATTRIBUTE.findall(text)):
            self._attributes.setdefault(name, []).append(number)
        lines = "\n".join(_BINDING_LINE.findall(text))
        for name in {*_STORE.findall(text), *_OF_OTHERS.findall(lines)}:
            self._stored.setdefault(name, []).append(number)
        if "import" not in text:
            return
        imports = _IMPORT.findall(text)
        imported = {word for names in imports for word in _WORD.findall(names)}
        values = imported & set(_LAST.findall(_IMPORT.sub("", _FROM.sub("", text))))
        for one, other in _OTHER_NAME.findall("\n".join(imports)):
            if other in values:
                values.add(one)
        for name in imported:
            self._imports.setdefault(name, []).append(number)
        for name in values & imported:
            self._as_values.setdefault(name, []).append(number)
        if any("*" in names for names in imports):
            for name in set(_WORD.findall(text)):
                self._below_stars.setdefault(name, []).append(number)
