"""Which files mention a name, found in their texts: the gate before any of them is parsed.

It may say yes wrongly, of a comment or a string, and never no. Of every file only its words are
known beforehand; what it may do with one is found out when it is asked about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

_GAP = r"(?:[\s\\]|#[^\n]*\n)*"
_IMPORT = re.compile(r"import\b[\s\\]*(\((?:[^)#]|#[^\n]*)*\)|(?:[^\n\\(]|\\\r?\n)*)")
_FROM = re.compile(r"from[ \t\\\r\n]+[.\w \t]+[ \t\\\r\n](?=import\b)")
_WORD = re.compile(r"\w+")
_OTHER_NAME = re.compile(r"(\w+)[\s\\]+as[\s\\]+(\w+)")
_STORE = re.compile(
    r"(?<!\bself)(?<!\bcls)\.[\s\\]*(\w+)"
    r"(?=\s*(?:=(?!=)|[-+*/|&^%@<>]{1,2}=|:|,[^\n()]*=(?!=)|[)\],]+\s*=(?!=)))"
)
"""An attribute that may be assigned to, by what follows it."""
_BINDING_LINE = re.compile(r"^[ \t]*(?:async|del|for|with)\b[^\n]*", re.M)
_OF_OTHERS = re.compile(r"(?<!\bself)(?<!\bcls)\.\s*(\w+)")
_NO_WORD = bytes(
    code if chr(code).isalnum() or chr(code) == "_" or code > 127 else ord(" ")
    for code in range(256)
)
"""Every byte that no word has in it as a space."""


@dataclass(frozen=True)
class _Imports:
    """What stands behind the `import` of a file's statements."""

    names: frozenset[str]
    others: tuple[tuple[str, str], ...]
    """(name, the one after its `as`)."""
    star: bool


class Mentions:
    """By name, the files that mention it; in the order in which they were added."""

    def __init__(self, texts: Iterable[tuple[str, str]], text_of: Callable[[str], str]) -> None:
        """`texts` are paths and what stands in the files, which `text_of` has again."""
        self._text_of = text_of
        self._words: dict[bytes, list[str]] = {}
        self._imports: dict[str, _Imports] = {}
        self._stored: dict[str, frozenset[str]] = {}
        self._found: dict[tuple[str, str], list[str]] = {}
        for path, text in texts:
            for word in set(text.encode(errors="replace").translate(_NO_WORD).split()):
                self._words.setdefault(word, []).append(path)

    def attribute(self, name: str) -> list[str]:
        """Files with a `.name`."""
        written = re.compile(rf"\.{_GAP}{re.escape(name)}\b")
        return self._those("attribute", name, lambda path: self._has(written, path))

    def imported(self, name: str) -> list[str]:
        """Files with an import statement that has the name after `import`, or in a module's."""
        return self._those("import", name, lambda path: name in self._imports_of(path).names)

    def stored(self, name: str) -> list[str]:
        """Files that may assign to a `.name`, other than of `self` and `cls`."""
        return self._those("store", name, lambda path: name in self._stored_in(path))

    def as_value(self, name: str) -> list[str]:
        """Files that import a name, and may use what it stands for as a value."""
        return self._those("value", name, lambda path: self._uses(name, path))

    def handed_on(self, name: str) -> list[str]:
        """Files that do more with a name than to import it, list it in a string, or spread it."""
        written = re.compile(rf"(?<![\w\"'])(?<!\*\*){re.escape(name)}\b")
        return self._those("handed", name, lambda path: self._has_beside_imports(written, path))

    def below_star(self, name: str) -> list[str]:
        """Files with a `from module import *`, and the name anywhere."""
        return self._those("star", name, lambda path: self._imports_of(path).star)

    def names_of(self, name: str) -> list[str]:
        """The name, and those that imports anywhere give to it: `import name as other`."""
        found = [name]
        for one in found:  # it grows meanwhile
            for path in self.imported(one):
                pairs = self._imports_of(path).others
                found += {other for old, other in pairs if old == one} - {*found}
        return found

    def patched(self, module: str, name: str) -> list[str]:
        """Files that may replace `module.name` by a string: `patch("package.module.name", ...)`."""
        written = re.compile(rf"\b{re.escape(module)}\.{re.escape(name)}\s*[\"']")
        ways = {path for word in (b"patch", b"setattr") for path in self._words.get(word, ())}
        return [path for path in sorted(ways) if self._has(written, path)]

    def _those(self, kind: str, name: str, holds: Callable[[str], bool]) -> list[str]:
        key = (kind, name)
        if key not in self._found:
            among = self._words.get(name.encode(errors="replace"), ())
            self._found[key] = [path for path in among if holds(path)]
        return self._found[key]

    def _has(self, pattern: re.Pattern[str], path: str) -> bool:
        return pattern.search(self._text_of(path)) is not None

    def _has_beside_imports(self, pattern: re.Pattern[str], path: str) -> bool:
        body = _IMPORT.sub("", _FROM.sub("", self._text_of(path)))
        return pattern.search(body) is not None

    def _imports_of(self, path: str) -> _Imports:
        if path not in self._imports:
            behind = _IMPORT.findall(self._text_of(path))
            self._imports[path] = _Imports(
                frozenset(word for names in behind for word in _WORD.findall(names)),
                tuple(_OTHER_NAME.findall("\n".join(behind))),
                any("*" in names for names in behind),
            )
        return self._imports[path]

    def _stored_in(self, path: str) -> frozenset[str]:
        """All of them at once: names that are asked about are often in most files."""
        if path not in self._stored:
            text = self._text_of(path)
            lines = "\n".join(line for line in _BINDING_LINE.findall(text) if "." in line)
            self._stored[path] = frozenset({*_STORE.findall(text), *_OF_OTHERS.findall(lines)})
        return self._stored[path]

    def _uses(self, name: str, path: str) -> bool:
        """Whether nothing is read of it, or of another name that the import gives to it."""
        imports = self._imports_of(path)
        if name not in imports.names:
            return False
        names = "|".join([name, *(other for one, other in imports.others if one == name)])
        return self._has_beside_imports(re.compile(rf"\b(?:{names})\b(?!\s*\.)"), path)
