"""What other files do with a kernel: the same question as in `launches`, asked of a whole program.

A file is looked at where it mentions the kernel's name, or another that some file gives to it. What
surely stands for the kernel is a launch, a call from jit code, or another name for it; every other
use of what may stand for it is an escape.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from tritonopt.source.kernels import Kernel
from tritonopt.source.launches import (
    Elsewhere,
    Launch,
    Reference,
    caller_at,
    launch_at,
    only_asks,
)
from tritonopt.source.project.meanings import Defined, Missing, Outside, Part, Target

if TYPE_CHECKING:
    from tritonopt.source.module import Module
    from tritonopt.source.project.program import Program


def find_elsewhere(kernel: Kernel, program: Program) -> Elsewhere:
    if "<locals>" in kernel.qualname:
        return Elsewhere()  # it has no name outside of its function
    return _Search(kernel, program).run()


class _Search:
    def __init__(self, kernel: Kernel, program: Program) -> None:
        self._kernel = kernel
        self._program = program
        self._path = kernel.module.real_path
        self._is_member = kernel.qualname != kernel.name
        self._names = [kernel.name]
        """By which it is known anywhere; more are found meanwhile."""
        self._seen: set[Reference] = set()
        self._launches: dict[tuple[str, int, int], Launch] = {}
        self._escapes: dict[tuple[str, int, int], str] = {}
        self._callers: dict[tuple[str, int, int], Kernel] = {}

    def run(self) -> Elsewhere:
        reached = (
            self._reached_through_module(),
            self._program.reached_in(self._path, self._kernel.name),
        )
        self._look_everywhere()
        escapes = [self._escapes[place] for place in sorted(self._escapes)]
        callers = [self._callers[place] for place in sorted(self._callers)]
        return Elsewhere(
            tuple(self._launches[place] for place in sorted(self._launches)),
            (*escapes, *filter(None, reached)),
            callers[0] if callers else None,
        )

    def _reached_through_module(self) -> str:
        """Where code that was handed the kernel's module may reach it; "" where none is seen to.

        Whoever has the module writes the kernel's name, after a dot or in a text, or takes all that
        the module holds. Files that were not given are taken not to.
        """
        handed = self._program.hands_on(self._path)
        if not handed:
            return ""
        name = self._kernel.name
        for path in sorted({*self._program.mentions.having(name), self._path}):
            module = self._program.module(path)
            for node in module.names.parents if module is not None else ():
                assert module is not None
                if _names_it(node, name) and not self._is_something_else(node, module):
                    return f"line {getattr(node, 'lineno', 1)} of {module.path}"
        return self._program.takes_all(self._path)

    def _is_something_else(self, node: ast.AST, module: Module) -> bool:
        """Whether what a name stands for is followed, so that its uses are looked at anyhow."""
        if not isinstance(node, ast.Attribute):
            return _is_documentation(node, module)
        return bool(self._program.meaning(node, module).targets)

    def _look_everywhere(self) -> None:
        for name in self._names:  # it grows meanwhile
            for path in self._files(name):
                if self._callers:
                    return  # launches are no evidence of what jit code passes to it
                module = self._program.module(path)
                if module is not None:
                    self._look(name, module)

    def _files(self, name: str) -> list[str]:
        mentions = self._program.mentions
        found = {*mentions.attribute(name), *mentions.below_star(name)}
        found.update(path for path in mentions.imported(name) if self._may_import(name, path))
        return sorted(found - {self._path})

    def _may_import(self, name: str, path: str) -> bool:
        imported = self._program.imported(name, path)
        return imported is None or any(map(self._may_be_kernel, imported))

    def _look(self, name: str, module: Module) -> None:
        """The uses of one of its names in a file."""
        others = module.imported_as(name)
        for local in sorted({name, *others}):
            for reference in module.mentioning(local):
                if reference not in self._seen and not isinstance(
                    module.names.parents.get(reference), ast.alias
                ):
                    self._seen.add(reference)
                    self._note(reference, module)
        for local in sorted(others):
            if self._is_for_kernel(local, module):
                self._add_name(local)

    def _is_for_kernel(self, local: str, module: Module) -> bool:
        """Whether the file offers the kernel to others by that name."""
        name = ast.Name(local, ast.Load())
        return any(map(self._may_be_kernel, self._program.meaning(name, module).targets))

    def _add_name(self, name: str) -> None:
        if name not in self._names:
            self._names.append(name)

    def _note(self, reference: Reference, module: Module) -> None:
        meaning = self._program.meaning(reference, module)
        possible = any(map(self._may_be_kernel, meaning.targets))
        if self._is_member and isinstance(reference, ast.Attribute):
            # An object's attribute of that name may be it.
            possible = not meaning.targets or not all(
                isinstance(target, (Outside, Part)) for target in meaning.targets
            )
        if not possible:
            return
        place = (module.real_path, reference.lineno, reference.col_offset)
        caller = caller_at(reference, module)
        if caller is not None:
            self._callers[place] = caller
            return
        if meaning.only == Defined(self._path, self._kernel.qualname):
            launch = launch_at(reference, self._kernel, module)
            if launch is not None:
                self._launches[place] = launch
                return
            if only_asks(reference, module):
                return
            alias = _alias(reference, module)
            if alias:
                self._add_name(alias)
                # Of the same file too, where no mention of it needs an import.
                self._look(alias, module)
                return
        self._escapes[place] = f"line {reference.lineno} of {module.path}"

    def _may_be_kernel(self, target: Target) -> bool:
        match target:
            case Defined(path, name):
                return path == self._path and name == self._kernel.qualname
            case Missing():
                # A file that was not given may get it from this one.
                named = target.name in self._names
                return named and self._program.is_in_package_of(target, self._path)
        return False


def _names_it(node: ast.AST, name: str) -> bool:
    """Whether it is `.name`, or a text with that word."""
    match node:
        case ast.Attribute(attr=attribute):
            return attribute == name
        case ast.Constant(value=str() as text):
            return name in re.findall(r"\w+", text)
    return False


def _is_documentation(node: ast.AST, module: Module) -> bool:
    """Whether a text stands alone, as docstrings do, or in the list of `__all__`."""
    around = module.names.parents[node]
    while isinstance(around, ast.List | ast.Tuple):
        around = module.names.parents[around]
    match around:
        case ast.Expr():
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
    return False


def _alias(reference: Reference, module: Module) -> str:
    """The name that `name = kernel` gives to it; "" where it is used in any other way."""
    match module.names.parents.get(reference):
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is reference:
            return name
    return ""
