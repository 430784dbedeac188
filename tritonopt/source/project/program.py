"""The files that were given as one program: what a name that one imports from another stands for.

What a kernel reads is decided at run time, through the globals of its module. So a name is followed
only where every step is sure: bound once, in a file that was given, and put in place of by no other
file (`module.name = ...`). Files are parsed when they are first asked about.
"""

from __future__ import annotations

import ast
import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tritonopt.source.errors import SourceError
from tritonopt.source.files import read_file
from tritonopt.source.kernels import Kernel
from tritonopt.source.launches import Elsewhere
from tritonopt.source.module import Module, parse
from tritonopt.source.names import TRITON, Binding, is_none
from tritonopt.source.project.elsewhere import find_elsewhere
from tritonopt.source.project.layout import Layout
from tritonopt.source.project.meanings import Defined, Meaning, Missing, Outside, Target
from tritonopt.source.project.mentions import Mentions
from tritonopt.source.project.replacements import Replacing
from tritonopt.source.project.resolution import Following

PARSED_AT_ONCE = 200
"""Syntax trees are a hundred times as large as the text."""


class Program:
    """Files as one program; the same for every process that is given the same files."""

    def __init__(self, paths: Iterable[Path], *, keep: bool = False) -> None:
        """With `keep` the files are as they are now, whatever is written to them later."""
        self._kept: dict[str, str] = {}
        self._shown = {os.path.realpath(path): str(path) for path in paths}
        self.layout = Layout(self._shown)
        self.mentions = Mentions(self._texts(keep), self._text)
        self._modules: OrderedDict[str, Module | None] = OrderedDict()
        self.following = Following(self)
        self._replacing = Replacing(self)
        self._patched: dict[str, bool] = {}

    def __getstate__(self) -> dict[str, object]:
        # For another process: what it parses, it parses itself.
        modules: OrderedDict[str, Module | None] = OrderedDict()
        known = {"following": Following(self), "_replacing": Replacing(self)}
        return {**self.__dict__, "_modules": modules, **known}

    def _texts(self, keep: bool) -> Iterator[tuple[str, str]]:
        for path in sorted(self._shown):
            try:
                text = read_file(Path(path)).text
            except SourceError:
                continue  # it is reported when its turn comes
            if keep:
                self._kept[path] = text
            yield path, text

    def _text(self, path: str) -> str:
        """The text of a file, as it was given."""
        return self._kept.get(path) or read_file(Path(path)).text

    def shown(self, path: str) -> str:
        """The path by which the file at a real path was given."""
        return self._shown[path]

    def module(self, path: str) -> Module | None:
        """The file at a real path, as it was given; None where it does not parse."""
        if path not in self._modules:
            try:
                self._modules[path] = parse(self._text(path), self._shown[path], self)
            except SourceError:
                self._modules[path] = None
            if len(self._modules) > PARSED_AT_ONCE:
                self._modules.popitem(last=False)
        self._modules.move_to_end(path)
        return self._modules[path]

    def parsed(self, text: str, path: str) -> Module | None:
        """The file at a path, if the text is the one that was given, so that it is parsed once."""
        real = os.path.realpath(path)
        try:
            given = real in self._shown and self._text(real) == text
        except SourceError:
            given = False
        return self.module(real) if given else None

    # What is asked of it

    def uses_elsewhere(self, kernel: Kernel) -> Elsewhere:
        """What the files do with a kernel other than in its own."""
        return find_elsewhere(kernel, self)

    def outside(self, expression: ast.expr, module: Module) -> str:
        """The dotted name of what an expression surely stands for in triton; or "".

        `exp` of `from .shim import exp` is "triton.language.exp" where the shim says so.
        """
        # Whether something is replaced is costly to find out, and matters for the language alone.
        possible = self.following.targets(expression, module)
        if not any(isinstance(t, Outside) and t.dotted.startswith(TRITON) for t in possible):
            return ""
        target = self.meaning(expression, module).only
        return target.dotted if isinstance(target, Outside) else ""

    def definition(self, expression: ast.expr, module: Module) -> tuple[Module, Binding] | None:
        """Where another file binds what an expression stands for, if surely there and nowhere else.

        The file, and what it binds: a definition, or the value of an assignment.
        """
        target = self.meaning(expression, module).only
        if not isinstance(target, Defined) or target.path == module.real_path:
            return None
        home = self.module(target.path)
        bindings = home.names.module.bindings.get(target.name, []) if home is not None else []
        bindings = [binding for binding in bindings if not is_none(binding)]
        return (home, bindings[0]) if home is not None and len(bindings) == 1 else None

    def alternatives(
        self, expression: ast.expr, module: Module
    ) -> tuple[Module, Sequence[Binding]] | None:
        """The file that surely binds what an expression stands for, in branches of one statement.

        With what each of the branches binds; it may be the file that asks.
        """
        target = self.following.any_branch(expression, module).only
        if not isinstance(target, Defined):
            return None
        home = module if target.path == module.real_path else self.module(target.path)
        bindings = home.names.alternatives(target.name) if home is not None else ()
        return (home, bindings) if home is not None and bindings else None

    def imported(self, name: str, path: str) -> set[Target] | None:
        """What a file may get that it imports as `name`, by its text alone; None where unknown."""
        modules = self.mentions.modules_behind(name, path)
        if "" in modules or self.mentions.has_star(path):
            return None
        found: set[Target] = set()
        for module in modules:
            dotted = f"{module}{'' if module.endswith('.') else '.'}{name}"
            found.update(self.following.imported(dotted, path))
        return found

    def meaning(self, expression: ast.expr, module: Module) -> Meaning:
        """What `name` or `name.attribute` may stand for where a file reads it."""
        return self.following.meaning(expression, module)

    def is_replaced(self, module: Module, name: str) -> bool:
        """Whether another file may give a global of a module another value."""
        path = module.real_path
        return path in self._shown and self._replacing.is_replaced(path, name)

    def is_stored(self, module: Module, name: str) -> bool:
        """Whether another file assigns to a global of a module, as `module.name` or by its text."""
        path = module.real_path
        return path in self._shown and (
            self._replacing.is_stored(path, name) or self._replacing.is_exchanged(path, name)
        )

    def is_patched(self, dotted: str) -> bool:
        """Whether a file replaces a function of a library: `tl.exp = ...`."""
        if dotted not in self._patched:
            self._patched[dotted] = self._replacing.is_patched(dotted)
        return self._patched[dotted]

    def reached_in(self, path: str, name: str) -> str:
        """Where another file may replace or change a global in a way that has no `module.name`."""
        return self._replacing.reached_in(path, name)

    def is_in_package_of(self, missing: Missing, path: str) -> bool:
        """Whether a file has the outermost package of what is missing."""
        return self.layout.top(os.path.join(missing.place, "_")) == self.layout.top(path)

    def hands_on(self, path: str) -> str:
        """Where another file uses the module as a value; "" where none does."""
        return self._replacing.hands_on(path)

    def takes_all(self, path: str) -> str:
        """Where a file that was handed a module may take all that is in it; "" where none does."""
        return self._replacing.takes_all(path)
