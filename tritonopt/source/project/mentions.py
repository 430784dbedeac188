"""Which files mention a name, found in their texts: the gate before any of them is parsed.

It may say yes wrongly, of a comment or a string, and never no. Of every file only its words are
known beforehand; what it may do with one is found out when it is asked about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonopt.source.mutation import HELD, SETTERS
from tritonopt.source.mutation import WHOLE as SETTING

WHOLE = (*sorted(SETTING), "__class__", "__getattribute__")
"""Attributes by which all that a module holds can be read or replaced."""
_FINDING = (b"import_module", b"__import__", b"modules", b"patch")
_CHANGING = (SETTERS | SETTING | {"patch", "_unsafe_update_src"}) - {"__init__"}
_INIT = re.compile(r"\w\.__init__\(")
"""Of something that has a name; `__init__` itself is a word of most files."""
_PATCHING = (b"patch", b"setattr", b"delattr", b"monkeypatch")
_INDIRECTLY = (
    *(b"exec", b"eval", b"sys", b"builtins", b"__globals__", b"f_globals", b"getmodule"),
    *(b"import_module", b"__import__"),
)
"""Words of which a file has one where this finds anything:"""
_INDIRECT = re.compile(
    r"(?<![\w.])(?:exec|eval)\b|\bsys\.modules\b|\bfrom sys\b"
    r"|\b(?:builtins|__globals__|f_globals|getmodule|import_module|__import__)\b"
)
_GAP = r"(?:[\s\\]|#[^\n]*\n)*"
# They begin with a word of their own, which is looked for before all else.
_FROM = re.compile(r"from((?:[.\w \t\f]|\\\r?\n)+?)(?=\bimport\b)")
_IMPORT = re.compile(r"import\b[\s\\]*(\((?:[\w\s,\\]|#[^\r\n]*)*\)|(?:[\w \t\f.,*]|\\\r?\n)*)")
_WORD = re.compile(r"\w+")
_SPACE = re.compile(r"[\s\\]+")
_OTHER_NAME = re.compile(r"(\w+)[\s\\]+as[\s\\]+(\w+)")
_OTHER_VALUE = re.compile(r"^(\w+)[ \t]*=[ \t]*(?:\w+\.)*(\w+)[ \t]*\r?$", re.M)
# A literal character first, and what stands before it afterwards: that is searched for fastest.
_OTHERS_DOT = r"\.(?<!\bself\.)(?<!\bcls\.)"
_CHAIN = re.compile(r"\b\w+(?:[\s\\]*\.[\s\\]*\w+)+")
_SET_BY_TEXT = re.compile(r"\([\s\\]*[\w.]+[\s\\]*,[\s\\]*[\"'](\w+)[\"']")
_STORE = re.compile(
    rf"{_OTHERS_DOT}[\s\\]*(\w+)\b"
    r"(?=[\s\\]*(?:=(?!=)|[-+*/|&^%@<>]{1,2}=|:|,[^\n()]*\)?[^\n()]*=(?!=)|[)\],]+\s*=(?!=)))"
)
"""An attribute that may be assigned to, by what follows it."""
_WHOLE = rf"\.{_GAP}(?:{'|'.join(WHOLE)})\b"
_VALUE = rf"(?:(?={_GAP}{_WHOLE})|(?![ \t]*[.(]))"
"""Behind a name that is neither called nor read of, but for all that it has."""
_IN_STRING = re.compile(r"\b(\w+)\.(\w+)\s*[\"']")
"""The last two of the names that a string has at its end."""
_BINDING_LINE = re.compile(r"^[ \t]*(?:async|del|with)\b[^\n]*|for(?<!\wfor)\b[^\n]*", re.M)
_OF_OTHERS = re.compile(rf"{_OTHERS_DOT}\s*(\w+)")
_NO_WORD = bytes(
    code if chr(code).isalnum() or chr(code) == "_" or code > 127 else ord(" ")
    for code in range(256)
)
"""Every byte that no word has in it as a space."""


def in_string(text: str) -> list[tuple[str, str]]:
    """The last two words of each dotted name that a quote stands behind."""
    return _IN_STRING.findall(text)


@dataclass(frozen=True)
class _Imports:
    """What stands behind the `import` of a file's statements."""

    modules: dict[str, tuple[str, ...]]
    """By name, what stands behind the `from` of the statements that have it; "" without one."""
    others: tuple[tuple[str, str], ...]
    """(name, the one after its `as`)."""
    star: bool


@dataclass(frozen=True)
class _Facts:
    """What a file may do, by its text, to what it has by a name."""

    is_indirect: bool
    """Whether it may replace names in other ways than `module.name = ...`."""
    sets_any: bool
    """Whether it may set attributes that jit functions and constexprs have."""
    owners: frozenset[str]
    """The names in `some.thing.attribute` where such an attribute may be assigned to."""
    set_by_text: frozenset[str]
    """The attributes in `setattr(some.thing, "attribute", ...)` and the like."""


class Mentions:
    """By name, the files that mention it; in the order in which they were added."""

    def __init__(self, texts: Iterable[tuple[str, str]], text_of: Callable[[str], str]) -> None:
        """`texts` are paths and what stands in the files, which `text_of` has again."""
        self._text_of = text_of
        self._words: dict[bytes, list[str]] = {}
        self._imports: dict[str, _Imports] = {}
        self._bodies: dict[str, str] = {}
        self._stored: dict[str, frozenset[str]] = {}
        self._all_names: dict[str, list[str]] = {}
        self._facts: dict[str, _Facts] = {}
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
        return self._those("import", name, lambda path: name in self._imports_of(path).modules)

    def stored(self, name: str) -> list[str]:
        """Files that may assign to a `.name`, other than of `self` and `cls`."""
        return self._those("store", name, lambda path: name in self._stored_in(path))

    def having(self, name: str) -> Sequence[str]:
        """Files with the name anywhere."""
        return self._words.get(name.encode(errors="replace"), ())

    def handed_on(self, name: str) -> list[str]:
        """Files that do more with a name than to import it, list it in a string, or spread it."""
        written = re.compile(rf"{name}(?<![\w\"']{name})(?<!\*\*{name})\b")
        return self._those("handed", name, lambda path: self._has_beside_imports(written, path))

    def below_star(self, name: str) -> list[str]:
        """Files with a `from module import *`, and the name anywhere."""
        return self._those("star", name, lambda path: self._imports_of(path).star)

    def has_star(self, path: str) -> bool:
        """Whether a file has a `from module import *`."""
        return self._imports_of(path).star

    def names_of(self, name: str) -> list[str]:
        """The name, and those that imports anywhere give to it: `import name as other`."""
        found = [name]
        for one in found:  # it grows meanwhile
            for path in self.imported(one):
                pairs = self._imports_of(path).others
                found += {other for old, other in pairs if old == one} - {*found}
        return found

    def all_names_of(self, name: str) -> list[str]:
        """The same, with those that modules give to it by `other = name` and `other = a.name`."""
        if name not in self._all_names:
            found = self.names_of(name)
            for one in found:  # it grows meanwhile
                others = self._assigned.get(one, set())
                found += sorted(others.difference(found))
            self._all_names[name] = found
        return self._all_names[name]

    @cached_property
    def _assigned(self) -> dict[str, set[str]]:
        """By name, the other names that modules give to what it stands for."""
        found: dict[str, set[str]] = {}
        for path in self._paths:
            for other, name in _OTHER_VALUE.findall(self._text_of(path)):
                found.setdefault(name, set()).add(other)
        return found

    def modules_behind(self, name: str, path: str) -> tuple[str, ...]:
        """From which modules a file imports a name, as it writes them; "" of `import module`."""
        return self._imports_of(path).modules.get(name, ())

    def uses_module(self, name: str, path: str) -> bool:
        """Whether a file may import a module, or something from it, or have it as an attribute."""
        imports = self._imports_of(path).modules
        sources = (module for modules in imports.values() for module in modules)
        return (
            name in imports
            or any(module.rpartition(".")[2] == name for module in sources)
            or self._has(re.compile(rf"\.{_GAP}{re.escape(name)}{_GAP}\."), path)
        )

    def is_value(self, name: str, path: str) -> bool:
        """Whether a file does more with what a name stands for than to call it or to read of it.

        Or with what stands for it by another name, which an import of the file gives to it.
        """
        others = (other for one, other in self._imports_of(path).others if one == name)
        written = re.compile(rf"\b(?:{'|'.join([name, *others])})\b{_VALUE}")
        return self._has_beside_imports(written, path)

    def is_attribute_value(self, name: str, path: str) -> bool:
        """The same of a `.name`, other than of `self` and `cls`."""
        written = re.compile(rf"{_OTHERS_DOT}{_GAP}{re.escape(name)}\b{_VALUE}")
        return self._has_beside_imports(written, path)

    def patching(self, module: str, name: str) -> Sequence[str]:
        """Files that may replace `module.name` by a string: `patch("a.module.name", ...)`."""
        return self._patched.get((module, name), ())

    def replacing_indirectly(self, word: str) -> list[str]:
        """Files with a word that may replace names in other ways than `module.name = ...`."""
        return sorted(self._indirect.intersection(self.having(word)))

    def changing(self, name: str) -> list[str]:
        """Files with the name that may set attributes of what it stands for."""
        return sorted(self._setting.intersection(self.having(name)) | self._owners.get(name, set()))

    def setting_by_text(self, name: str) -> list[str]:
        """Files with a `setattr(some.thing, "name", ...)`, or another call of that form."""
        return [path for path in self.having(name) if name in self._facts_of(path).set_by_text]

    def _facts_of(self, path: str) -> _Facts:
        if path not in self._facts:
            text = self._text_of(path)
            stored = self._stored_in(path)
            chains = map(_WORD.findall, _CHAIN.findall(text) if stored else ())
            self._facts[path] = _Facts(
                path in self._with_indirect_words and _INDIRECT.search(text) is not None,
                bool(stored & HELD) or _INIT.search(text) is not None,
                frozenset(
                    word for chain in chains if not stored.isdisjoint(chain[1:]) for word in chain
                ),
                frozenset(_SET_BY_TEXT.findall(text)),
            )
        return self._facts[path]

    @cached_property
    def _paths(self) -> list[str]:
        return sorted({path for paths in self._words.values() for path in paths})

    @cached_property
    def _with_indirect_words(self) -> frozenset[str]:
        return frozenset(path for word in _INDIRECTLY for path in self._words.get(word, ()))

    @cached_property
    def _indirect(self) -> frozenset[str]:
        return frozenset(path for path in self._paths if self._facts_of(path).is_indirect)

    @cached_property
    def _setting(self) -> frozenset[str]:
        """Files that may set attributes of anything that they have."""
        by_word = {path for word in _CHANGING for path in self._words.get(word.encode(), ())}
        return frozenset(by_word.union(p for p in self._paths if self._facts_of(p).sets_any))

    @cached_property
    def _owners(self) -> dict[str, set[str]]:
        """By name, the files that may assign to an attribute of what it stands for."""
        found: dict[str, set[str]] = {}
        for path in self._paths:
            for name in self._facts_of(path).owners:
                found.setdefault(name, set()).add(path)
        return found

    def found_by_text(self, module: str) -> list[str]:
        """Files that may find a module by its name in a string: `import_module("a.module")`."""
        ways = {path for word in _FINDING for path in self._words.get(word, ())}
        return [path for path in self.having(module) if path in ways]

    @cached_property
    def _patched(self) -> dict[tuple[str, str], list[str]]:
        ways = {path for word in _PATCHING for path in self._words.get(word, ())}
        found: dict[tuple[str, str], list[str]] = {}
        for path in sorted(ways):
            for names in dict.fromkeys(in_string(self._text_of(path))):
                found.setdefault(names, []).append(path)
        return found

    def _those(self, kind: str, name: str, holds: Callable[[str], bool]) -> list[str]:
        key = (kind, name)
        if key not in self._found:
            self._found[key] = [path for path in self.having(name) if holds(path)]
        return self._found[key]

    def _has(self, pattern: re.Pattern[str], path: str) -> bool:
        return pattern.search(self._text_of(path)) is not None

    def _has_beside_imports(self, pattern: re.Pattern[str], path: str) -> bool:
        if path not in self._bodies:
            self._bodies[path] = _IMPORT.sub("", _FROM.sub("", self._text_of(path)))
        return pattern.search(self._bodies[path]) is not None

    def _imports_of(self, path: str) -> _Imports:
        if path not in self._imports:
            modules: dict[str, tuple[str, ...]] = {}
            text = self._text_of(path)
            written = {found.end(): found[1] for found in _FROM.finditer(text)}
            behind = []
            for statement in _IMPORT.finditer(text):
                behind.append(statement[1])
                names = set(_WORD.findall(statement[1]))
                # A comment may begin what looks like a statement, and hold one.
                module = "" if "import" in names else written.get(statement.start(), "")
                for name in names:
                    modules[name] = (*modules.get(name, ()), _SPACE.sub("", module))
            self._imports[path] = _Imports(
                modules,
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
