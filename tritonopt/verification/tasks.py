"""What there is to verify: two files, a launcher of theirs, and what it is called with."""

from __future__ import annotations

import tokenize
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tritonopt import facts, source
from tritonopt.facts import Polynomial
from tritonopt.facts.algebra.atoms import Maximum, Param, PowerOfTwo
from tritonopt.verification.capture.generalize import Tiles
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.reference.given import GivenInputs
from tritonopt.verification.signature.argument_language import FormulaArgument, Origin, Signature
from tritonopt.verification.signature.argument_parser import parse
from tritonopt.verification.signature.documented import entry_for
from tritonopt.verification.signature.inference import InferredSignature, read, with_layouts
from tritonopt.verification.signature.kernel_launcher import (
    KernelCall,
    with_launcher,
    write_launcher,
)
from tritonopt.verification.signature.launchers import (
    Elsewhere,
    Launcher,
    Launchers,
    changed_definitions,
    check_counterpart,
    comment_of,
    launched_elsewhere,
)


@dataclass(frozen=True)
class Task:
    """A launcher, and what it is called with: as it was given, or as its code says."""

    launcher: Launcher
    arguments: Signature | InferredSignature
    home: source.Module | None = None
    """The file of the launcher, if it is another one."""
    kernels: frozenset[str] = frozenset()
    """The kernels that a launcher of another file reaches."""
    otherwise: tuple[Task, ...] = ()
    """What may be asked instead, where this cannot be called."""
    settled: Signature | None = None
    """What it is called with, where that was found before."""
    given: GivenInputs | None = None
    """What a reference gives in place of these; other sizes are tried."""
    reference: bool = False
    """Whether the original has no kernel: its function is what kernels have to compute."""
    written: int = 0
    """So many statements at the end of the rewritten file were written to call it."""
    seen: tuple[Example, ...] = ()
    """Calls that a command made of it: then no others are made."""

    @property
    def reaches(self) -> frozenset[str]:
        """Names of the file that run when this does, with all that these reach in turn."""
        return frozenset([self.launcher.name]) if self.home is None else self.kernels


def read_module(path: Path) -> source.Module:
    if path.suffix.lower() == ".ipynb":
        raise VerificationError(f"{path}: is a notebook: put the kernels into a .py file")
    try:
        # In the encoding that it declares, as Python would.
        with tokenize.open(path) as stream:
            text = stream.read()
    except FileNotFoundError:
        raise VerificationError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise VerificationError(f"{path}: is a directory; give a file") from None
    except OSError as error:
        raise VerificationError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise VerificationError(
            f"{path}: byte {error.start} is not {error.encoding}: save the file as UTF-8"
        ) from None
    except SyntaxError as error:
        raise VerificationError(f"{path}: {error.msg}: save the file as UTF-8") from None
    return parse_module(text, path)


def parse_module(text: str, path: Path) -> source.Module:
    try:
        return source.read(text, str(path))
    except source.SourceError as error:
        raise VerificationError(str(error)) from None


def tasks_of(
    launchers: Launchers,
    new: source.Module,
    launcher: str | None,
    args: str | None,
    about: str | None = None,
) -> list[Task]:
    """What has to be verified."""
    given = None if args is None else parse(args)
    path = launchers.module.path
    if launcher is not None:
        chosen = [launchers.named(launcher)]
    else:
        chosen = (
            _changed(launchers, new) or launchers.outermost()
            if about is None
            else launchers.reaching(about)
        )
        if given is not None and len(chosen) > 1:
            wanted = {a.name for a in given.arguments}
            chosen = [c for c in chosen if wanted <= {p.arg for p in c.parameters}] or chosen
            if len(chosen) > 1:
                names = ", ".join(c.name for c in chosen)
                raise VerificationError(
                    f"--args can belong to any of {names}: add --launcher {chosen[0].name}"
                )
    if not chosen and args is None:
        elsewhere = launched_elsewhere(launchers.module)
        if elsewhere:
            return [_elsewhere(one[: 1 + _MOST_OTHERS]) for one in elsewhere]
    if not chosen:
        kernels = about or ", ".join(k.name for k in launchers.module.kernels)
        if not kernels:
            raise VerificationError(f"{path}: no Triton kernel in this file")
        raise VerificationError(
            f"{path}: no function launches {kernels}. Launch it from here with "
            f"--kernel {about or launchers.module.kernels[-1].name} --grid 'cdiv(n, BLOCK)' "
            "--args 'x: f32[n], ...'; or add a function to both files that takes tensors, "
            "launches the kernel and returns what it wrote."
        )
    for found in chosen:
        check_counterpart(found, new)
    return [Task(found, _signature(launchers, found, given)) for found in chosen]


def _elsewhere(found: Sequence[Elsewhere]) -> Task:
    """Of functions of other files that launch the same the first, and the others instead of it."""
    first, *others = (
        Task(one.launcher, _signature(one.launchers, one.launcher, None), module, one.kernels)
        for one in found
        for module in [one.launchers.module]
    )
    return replace(first, otherwise=tuple(others))


_MOST_INNER = 4
_MOST_OTHERS = 2
"""So many functions of other files are tried instead of one that cannot be called."""


def inner_tasks(
    launchers: Launchers, tasks: Sequence[Task], lines: Collection[int]
) -> Iterator[Task]:
    """Launchers that others call, and that come to lines of the original which these left out.

    A reduction along some dimensions may hand over to that of all: what its callers were never
    asked for can be asked of it. What reaches least comes first.
    """
    if any(task.home is not None for task in tasks):
        return
    wanted = {
        name
        for name, node in launchers.definitions.items()
        if any(node.lineno <= line <= (node.end_lineno or 0) for line in lines)
    }
    known = {task.launcher.name for task in tasks}
    inner = [x for x in launchers.found.values() if x.name not in known]
    reached = {x.name: launchers.reached(launchers.definition_of(x)) for x in inner}
    inner = [x for x in inner if reached[x.name] & wanted]
    for found in sorted(inner, key=lambda x: len(reached[x.name]))[:_MOST_INNER]:
        yield Task(found, _signature(launchers, found, None))


def again(
    task: Task, launchers: Launchers, new: source.Module, settled: Signature | None
) -> Task | None:
    """The same task in changed versions of its files, if they have it."""
    found = launchers.found.get(task.launcher.name)
    if found is None or task.home is not None:
        return None
    check_counterpart(found, new)
    return replace(task, launcher=found, settled=settled)


def tiles_of(module: source.Module, kernel: str) -> Tiles:
    """The tiles of a kernel, and what the launches in its file say of them."""
    found = module.kernel(kernel)
    if found is None:
        return Tiles()
    known = facts.of(found)
    passed = {n: [b.values.get(Param(n)) for b in known.launches.bindings] for n in known.extents}
    return Tiles(
        known.extents,
        frozenset(n for n, forms in passed.items() if forms and all(map(_is_number, forms))),
        frozenset(n for n, forms in passed.items() if forms and all(map(_follows, forms))),
    )


def _is_number(form: Polynomial | None) -> bool:
    return form is not None and form.constant_value is not None


def _follows(form: Polynomial | None) -> bool:
    """Whether it is what a size is rounded up to, or at least something."""
    match None if form is None else form.sole_atom:
        case PowerOfTwo():
            return True
        case Maximum(left=left, right=right):
            return all(_is_number(side) or _follows(side) for side in (left, right))
    return False


def kernel_alone(
    old: source.Module, new: source.Module, kernel: str, grid: str | None, args: str | None
) -> tuple[source.Module, source.Module, list[Task]]:
    """Both files with a launcher for the kernel, and that to be verified."""
    if new.kernel(kernel) is None and old.kernel(kernel) is not None:
        raise VerificationError(f"--kernel: {new.path} has no kernel `{kernel}`")
    call = write_launcher(old, kernel, grid, args or "")
    old, new = with_launcher(old, call), with_launcher(new, call)
    launchers = Launchers.of(old)
    found = launchers.named(call.launcher)
    return old, new, [Task(found, with_layouts(launchers, found, call.signature))]


def seen_alone(
    old: source.Module, new: source.Module, call: KernelCall, seen: Sequence[Example]
) -> tuple[source.Module, source.Module, Task]:
    """Both files with a launcher for launches that a command made, and these as calls of it."""
    old, new = with_launcher(old, call), with_launcher(new, call)
    found = Launchers.of(old).named(call.launcher)
    return old, new, Task(found, call.signature, seen=tuple(seen))


def _changed(launchers: Launchers, new: source.Module) -> list[Launcher]:
    """The outermost launchers that reach something the rewrite touched."""
    changed = changed_definitions(launchers.module, new)
    if changed is None:
        return []
    found = []
    for launcher in launchers.outermost():
        if launchers.reached(launchers.definition_of(launcher)) & changed:
            found.append(launcher)
    return found


def _signature(
    launchers: Launchers, launcher: Launcher, given: Signature | None
) -> Signature | InferredSignature:
    given = given or _written(launchers.module, launcher)
    if given is None:
        return read(launchers, launcher)
    return _ordered(launcher, with_layouts(launchers, launcher, given))


def _written(module: source.Module, launcher: Launcher) -> Signature | None:
    """What a comment at the launcher says, or pyproject.toml."""
    comment = comment_of(module, launcher)
    if comment is not None:
        origin = Origin(module.path, line=comment.line, column=comment.column)
        return parse(comment.text, origin)
    entry = entry_for(Path(module.path), {launcher.name, launcher.definition_name})
    return None if entry is None else parse(entry.args, Origin(entry.place))


def _ordered(launcher: Launcher, given: Signature) -> Signature:
    """The arguments that were given, in the launcher's order; all that are needed must be there."""
    parameters = [p.arg for p in launcher.parameters]
    for argument in given.arguments:
        if argument.name not in parameters:
            raise given.error(
                argument.name,
                f"`{launcher.name}` has no parameter `{argument.name}`; "
                f"it has {', '.join(parameters)}",
            )
        if isinstance(argument, FormulaArgument):
            raise given.error(
                argument.name,
                "a formula can only be passed to a kernel (--kernel); to a launcher pass values, "
                "sizes (`n`, `(m, n)`) and tensors",
            )
    missing = [p for p in parameters if given.get(p) is None and p not in launcher.defaults]
    if missing:
        rest = ", ".join(f"{name}: f32[n]" for name in missing)
        raise given.origin.error(
            len(given.origin.text),
            f"`{launcher.name}` also needs {', '.join(missing)}. Write for example: "
            f"'{given}, {rest}'",
        )
    order = sorted(given.arguments, key=lambda a: parameters.index(a.name))
    if launcher.by_position and [a.name for a in order] != parameters[: len(order)]:
        raise given.error(
            order[-1].name,
            f"`{launcher.name}` is called by position; give all of "
            f"{', '.join(parameters[: parameters.index(order[-1].name) + 1])}",
        )
    return replace(given, arguments=tuple(order))
