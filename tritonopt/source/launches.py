"""Launch sites, and the uses of a kernel that are none.

What a launcher passes is evidence about a kernel only as long as nobody else
can launch it. So every use of a kernel's name, and of the plain aliases of it,
goes into one of three drawers: a launch, harmless (a call from jit code, the
assignment that makes an alias, a decorator), or an escape.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tritonopt.source.decorators import CHOOSING
from tritonopt.source.displays import Displays
from tritonopt.source.names import Binding, Function, Scope
from tritonopt.source.reflection import find_hidden_uses

if TYPE_CHECKING:
    from tritonopt.source.kernels import Kernel
    from tritonopt.source.module import Module

_LAUNCH_METHODS = frozenset({"run", "warmup"})

_TEXTS = frozenset(
    ["__name__", "__qualname__", "__doc__", "__module__", "__file__"]
    + ["noinline", "num_warps", "num_stages", "bench_time"]
)
"""Attributes of kernels and tuners that are numbers or texts, whatever the parameters are."""
_TABLES = frozenset(["configs", "best_config", "configs_timings", "cache", "device_caches", "keys"])
"""Those that may be changed inside."""
_NUMBERS = frozenset({"num_warps", "num_stages", "num_ctas", "maxnreg"})
"""Attributes of a configuration that are numbers."""
_LOOKING = frozenset(
    ["len", "print", "str", "repr", "isinstance", "issubclass", "hasattr", "callable", "type", "id"]
    + ["bool", "hash"]
)
"""Functions that neither keep nor change what they are given."""

Reference = ast.Name | ast.Attribute


@dataclass(frozen=True, eq=False)
class Launch:
    """`kernel[grid](...)`, or `kernel.run(..., grid=...)` and `kernel.warmup(..., grid=...)`."""

    kernel: Kernel
    call: ast.Call = field(repr=False)
    grid: ast.expr = field(repr=False)
    launcher: Function | None = field(repr=False)
    """The innermost function around the call."""
    arguments: Mapping[str, ast.expr] = field(repr=False)
    """By the kernel's parameter names."""
    options: Mapping[str, ast.expr] = field(repr=False)
    """Keywords that are no parameters: num_warps, num_stages, ..."""
    complete: bool
    """False where `*args` or `**kwargs` hide some of the arguments.

    Where all parameters are given beside it, `**kwargs` has options only: none is passed twice.
    """
    module: Module = field(repr=False)
    """The file that it stands in."""
    chosen_by: ast.Call | None = field(default=None, repr=False)
    """The `triton.autotune(...)(k)` that the launched name stands for: it chooses arguments."""
    hides_options: bool = False
    """Whether `**kwargs` may hold options beside those that are seen."""
    apart: Mapping[ast.expr, str] = field(default_factory=dict, repr=False)
    """Arguments that stand in a dict or tuple which the launcher binds for this launch alone, with
    code that reads them at the launch: `meta["BLOCK"]`."""

    @property
    def is_elsewhere(self) -> bool:
        """Whether it stands in another file than the kernel."""
        return self.module.path != self.kernel.module.path

    @property
    def where(self) -> str:
        """As messages about the kernel name it: "line 7", "line 7 of other.py"."""
        line = f"line {self.call.lineno}"
        return f"{line} of {self.module.path}" if self.is_elsewhere else line


def places(launches: Sequence[Launch]) -> str:
    """Where they are, in words: "line 7", "lines 3, 7", "lines 3, 7 and line 5 of other.py"."""
    own = [launch for launch in launches if not launch.is_elsewhere]
    lines = list(dict.fromkeys(str(launch.call.lineno) for launch in own))
    found = [f"line{'s' if len(lines) > 1 else ''} {', '.join(lines)}"] if lines else []
    found += dict.fromkeys(launch.where for launch in launches if launch.is_elsewhere)
    return " and ".join(found)


@dataclass(frozen=True)
class Uses:
    """What a file does with its kernels."""

    launches: tuple[Launch, ...]
    escapes: Mapping[str, tuple[ast.expr, ...]]
    """By qualname; only kernels that have any."""


@dataclass(frozen=True)
class Elsewhere:
    """What other files of the program do with a kernel."""

    launches: tuple[Launch, ...] = ()
    escapes: tuple[str, ...] = ()
    """Where it is used otherwise: "line 7 of other.py"."""
    caller: Kernel | None = None
    """Jit code that calls it."""


def find_uses(module: Module) -> Uses:
    if not module.kernels:
        return Uses((), {})
    return _Finder(module).find()


def launch_at(reference: Reference, kernel: Kernel, module: Module) -> Launch | None:
    """The launch that an expression, which stands for a kernel of any file, is a part of."""
    return _Finder(module).launch(kernel, reference, None)


def caller_at(reference: Reference, module: Module) -> Kernel | None:
    """The jit code in which an expression is called."""
    return _Finder(module).caller(reference)


@dataclass(frozen=True)
class _Meaning:
    """The kernels that a name may stand for; `sure` when it is one of them and nothing else."""

    kernels: frozenset[Kernel] = frozenset()
    sure: bool = False
    chosen_by: ast.Call | None = None
    """A call that put a tuner around the kernel; one of them if there are several."""

    @property
    def only(self) -> Kernel | None:
        if not self.sure or len(self.kernels) != 1:
            return None
        return next(iter(self.kernels))


class _Finder:
    def __init__(self, module: Module) -> None:
        self._module = module
        self._names = module.names
        self._straight = set(module.tree.body)
        self._kernel_of: dict[ast.AST, Kernel] = {k.node: k for k in module.kernels}
        self._meanings: dict[tuple[Scope, str], _Meaning] = {}
        self._aliases: set[Reference] = set()
        self._candidates = self._find_candidates()
        self._members = self._find_members()
        self._launches: list[Launch] = []
        self._escapes: dict[str, list[ast.expr]] = {}

    def find(self) -> Uses:
        for name in self._names.scope_of:
            if name.id in self._candidates:
                self._use(name, self._meaning(name))
        if self._members:
            for node in self._names.parents:
                if isinstance(node, ast.Attribute) and node.attr in self._members:
                    self._use_of_member(node)
        for kernel, place in find_hidden_uses(self._module):
            self._escape(kernel, place)
        escapes = {
            kernel.qualname: tuple(sorted(self._escapes[kernel.qualname], key=_place))
            for kernel in self._module.kernels
            if kernel.qualname in self._escapes
        }
        return Uses(tuple(sorted(self._launches, key=lambda launch: _place(launch.call))), escapes)

    # What a name stands for

    def _find_candidates(self) -> frozenset[str]:
        """Names that may stand for a kernel: kernels, and what is assigned from such a name."""
        assigned: list[tuple[str, Reference]] = []
        for scope in self._names.scopes.values():
            for name, bindings in scope.bindings.items():
                for binding in bindings:
                    source = self._alias_of(binding)
                    if source is not None:
                        assigned.append((name, source))
        found = {kernel.name for kernel in self._module.kernels}
        before = 0
        while len(found) > before:
            before = len(found)
            found.update(name for name, source in assigned if _last(source) in found)
        self._aliases.update(source for _, source in assigned if _last(source) in found)
        return frozenset(found)

    def _find_members(self) -> frozenset[str]:
        """Names by which classes hold kernels."""
        return frozenset(
            name
            for node, scope in self._names.scopes.items()
            if isinstance(node, ast.ClassDef)
            for name in scope.bindings
            if name in self._candidates and self._meaning_in(scope, name).kernels
        )

    def _alias_of(self, binding: Binding) -> Reference | None:
        """The `K` of the assigned values `K`, `decorate(...)(K)` and `decorate(K)`."""
        if isinstance(binding, (ast.Name, ast.Attribute)):
            return binding
        if isinstance(binding, ast.Call) and len(binding.args) == 1 and not binding.keywords:
            decorator = binding.func.func if isinstance(binding.func, ast.Call) else binding.func
            if self._module.resolve(decorator) in CHOOSING:
                return self._alias_of(binding.args[0])
        return None

    def _meaning(self, reference: Reference) -> _Meaning:
        if isinstance(reference, ast.Name):
            home = self._names.scope_of[reference].find(reference.id)
            if home is not None and home.parent is not None and isinstance(home.node, ast.ClassDef):
                own = reference in home.bindings[reference.id]  # `kernel = kernel` reads the file's
                home = home.parent.find(reference.id) if own else home
            if home is None:
                return _Meaning()
            bound = self._bound_so_far(reference, home)
            if bound is not None:
                return self._meaning_of([bound])
            return self._meaning_in(home, reference.id)
        owner, exact = self._class_of(reference.value)
        return _Meaning() if owner is None else self._member(owner, reference.attr, exact)

    def _bound_so_far(self, reference: ast.Name, home: Scope) -> ast.stmt | ast.expr | None:
        """What a name is when the module's own statements, run once from top to bottom, read it.

        A kernel is often put aside before a function of its name takes its place.
        """
        bindings = home.bindings[reference.id]
        if len(bindings) == 1 or self._names.scope_of[reference] is not self._names.module:
            return None  # functions and lambdas read it later
        place = self._statement(reference)
        if place is None:
            return None
        last: ast.stmt | ast.expr | None = None
        for binding in bindings:
            if not isinstance(binding, (ast.stmt, ast.expr)):
                return None
            statement = self._statement(binding)
            if statement is None:
                return None
            if statement.lineno < place.lineno:
                last = binding
        return last

    def _statement(self, node: ast.AST) -> ast.stmt | None:
        """The statement that a node belongs to, if the module runs it once and in its turn."""
        statement = self._names.statement_of(node)
        return statement if statement in self._straight else None

    def _meaning_in(self, scope: Scope, name: str) -> _Meaning:
        key = (scope, name)
        if key not in self._meanings:
            self._meanings[key] = _Meaning(sure=True)  # `k = decorate(k)` adds nothing
            self._meanings[key] = self._meaning_of(scope.bindings[name])
        return self._meanings[key]

    def _meaning_of(self, bindings: list[Binding]) -> _Meaning:
        kernels: frozenset[Kernel] = frozenset()
        sure = True
        chosen_by: ast.Call | None = None
        for binding in bindings:
            if isinstance(binding, ast.Constant) and binding.value is None:
                continue  # in place of the kernel where triton is not installed
            if isinstance(binding, ast.FunctionDef) and binding in self._kernel_of:
                kernels |= {self._kernel_of[binding]}
                continue
            source = self._alias_of(binding)
            meaning = _Meaning() if source is None else self._meaning(source)
            kernels |= meaning.kernels
            sure = sure and meaning.sure
            if meaning.kernels:
                tuner = binding if isinstance(binding, ast.Call) else None
                chosen_by = chosen_by or tuner or meaning.chosen_by
        return _Meaning(kernels, sure, chosen_by)

    def _class_of(self, expression: ast.expr) -> tuple[ast.ClassDef | None, bool]:
        """The class that its name (exactly it), `self` or `cls` (or one derived) stands for."""
        if not isinstance(expression, ast.Name):
            return None, False
        home = self._names.scope_of[expression].find(expression.id)
        if home is None or len(home.bindings[expression.id]) != 1:
            return None, False
        binding = home.bindings[expression.id][0]
        if isinstance(binding, ast.ClassDef):
            return binding, True
        if expression.id not in ("self", "cls") or binding is not None or home.parent is None:
            return None, False
        around = home.parent.node
        return (around, False) if isinstance(around, ast.ClassDef) else (None, False)

    def _member(self, owner: ast.ClassDef, name: str, exact: bool) -> _Meaning:
        held = [self._names.scopes[above] for above in self._lineage(owner)]
        held = [scope for scope in held if name in scope.bindings]
        if not held:
            return _Meaning()
        meaning = self._meaning_in(held[0], name)
        if exact:
            return meaning
        # `self` may be of a class that has its own.
        for node, scope in self._names.scopes.items():
            if not isinstance(node, ast.ClassDef) or node is owner or name not in scope.bindings:
                continue
            if owner in self._lineage(node):
                other = self._meaning_in(scope, name)
                kernels = meaning.kernels | other.kernels
                meaning = _Meaning(kernels, False)
        return meaning

    def _lineage(self, owner: ast.ClassDef) -> list[ast.ClassDef]:
        """The class and its bases in this file, nearest first."""
        found = [owner]
        for node in found:
            for base in node.bases:
                above, exact = self._class_of(base)
                if above is not None and exact and above not in found:
                    found.append(above)
        return found

    # What is done with it

    def _use(self, reference: Reference, meaning: _Meaning) -> None:
        if self.caller(reference) is not None:
            return  # of whichever it is, no launch
        kernel = meaning.only
        if kernel is not None:
            launch = self.launch(kernel, reference, meaning.chosen_by)
            if launch is not None:
                self._launches.append(launch)
                return
            held = self._held(kernel, reference)
            self._launches += held
            if held or self._harmless(reference):
                return
        for escaped in meaning.kernels:
            self._escape(escaped, reference)

    def _escape(self, kernel: Kernel, expression: ast.expr) -> None:
        uses = self._escapes.setdefault(kernel.qualname, [])
        if expression not in uses:
            uses.append(expression)

    def _use_of_member(self, node: ast.Attribute) -> None:
        owner, exact = self._class_of(node.value)
        if owner is not None and isinstance(node.ctx, ast.Load):
            self._use(node, self._member(owner, node.attr, exact))
            return
        if self._module.resolve(node.value):
            return  # something of another module
        # Some object's attribute of that name: it may be the kernel, or take its place.
        for place, scope in self._names.scopes.items():
            if isinstance(place, ast.ClassDef) and node.attr in scope.bindings:
                for kernel in self._meaning_in(scope, node.attr).kernels:
                    self._escape(kernel, node)

    def _held(self, kernel: Kernel, reference: Reference) -> list[Launch]:
        """The launches of a kernel that `self.kernel = kernel` puts aside; none where there are
        other uses of such an attribute."""
        match self._names.parents[reference]:
            case ast.Assign(targets=[ast.Attribute(value=owner, attr=name) as target]):
                holder = None if name in self._members else self._class_of(owner)[0]
            case _:
                return []
        nodes = [n for n in self._names.parents if isinstance(n, ast.Attribute) and n.attr == name]
        found: list[Launch] = []
        for node in (node for node in nodes if node is not target):
            own = holder is not None and self._class_of(node.value)[0] is holder
            launch = self.launch(kernel, node, None) if own else None
            if launch is None:
                return []
            found.append(launch)
        return found

    def _harmless(self, reference: Reference) -> bool:
        # The uses of an alias are looked at where they stand.
        return (
            reference in self._aliases
            or self._decorates_kernel(reference)
            or only_asks(reference, self._module)
        )

    def caller(self, reference: Reference) -> Kernel | None:
        """The kernel in whose text it is called."""
        parent = self._names.parents[reference]
        if not isinstance(parent, ast.Call) or parent.func is not reference:
            return None
        scope: Scope | None = self._scope(reference)
        while scope is not None:
            if scope.node in self._kernel_of:
                return self._kernel_of[scope.node]
            scope = scope.parent
        return None

    def _decorates_kernel(self, reference: Reference) -> bool:
        below: ast.AST = reference
        node = self._names.parents[below]
        while isinstance(node, (ast.expr, ast.keyword)):
            below, node = node, self._names.parents[node]
        kernel = self._kernel_of.get(node)
        return kernel is not None and below in kernel.node.decorator_list

    def launch(
        self, kernel: Kernel, reference: Reference, chosen_by: ast.Call | None
    ) -> Launch | None:
        """The launch whose kernel is written there, if there is one."""
        around = self._names.parents[reference]
        call = self._names.parents.get(around)
        if not isinstance(call, ast.Call) or call.func is not around:
            return None
        keywords = {k.arg: k.value for k in call.keywords if k.arg is not None}
        grid: ast.expr | None = None
        if isinstance(around, ast.Subscript):
            grid = around.slice if around.value is reference else None
        elif isinstance(around, ast.Attribute) and around.attr in _LAUNCH_METHODS:
            grid = keywords.pop("grid", None)
            keywords.pop("warmup", None)
        if grid is None:
            return None
        launcher = self._scope(reference).function
        return _launch(kernel, call, grid, launcher, keywords, self._module, chosen_by)

    def _scope(self, reference: Reference) -> Scope:
        root: ast.expr = reference
        while isinstance(root, ast.Attribute):
            root = root.value
        return self._names.scope_of[root] if isinstance(root, ast.Name) else self._names.module


def _launch(
    kernel: Kernel,
    call: ast.Call,
    grid: ast.expr,
    launcher: Function | None,
    keywords: Mapping[str, ast.expr],
    module: Module,
    chosen_by: ast.Call | None,
) -> Launch:
    """A launch, with what reaches each parameter; `keywords` are those that say no grid."""
    slots = [p.name for p in kernel.parameters if p.kind.startswith("positional")]
    names = {p.name for p in kernel.parameters}
    displays = Displays(module, call)
    positional, hidden = displays.positional
    arguments = dict(zip(slots, positional, strict=False))
    arguments.update((name, value) for name, value in keywords.items() if name in names)
    named = displays.named or {}
    hides_options = displays.named is None or not named.keys() <= names
    if named.keys().isdisjoint(arguments):
        arguments.update((name, value) for name, value in named.items() if name in names)
    hidden = hidden or len(positional) > len(slots) or (hides_options and names > set(arguments))
    return Launch(
        kernel=kernel,
        call=call,
        grid=grid,
        launcher=launcher,
        arguments=arguments,
        options={name: value for name, value in keywords.items() if name not in names},
        complete=not hidden,
        module=module,
        chosen_by=chosen_by,
        hides_options=hides_options,
        apart={v: displays.apart[v] for v in arguments.values() if v in displays.apart},
    )


def _last(reference: Reference) -> str:
    return reference.id if isinstance(reference, ast.Name) else reference.attr


def _place(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def only_asks(reference: Reference, module: Module) -> bool:
    """Whether something of the kernel is read there that neither launches nor changes it.

    `k.configs` and `k.best_config` are read of, and what comes of it is a number or a text, or
    goes to a function that only looks at it: a configuration can be changed. `k.fn` is the
    kernel again, without what stands above it.
    """
    parents = module.names.parents
    node: ast.expr = reference
    attribute = ""
    around = parents.get(node)
    while isinstance(around, ast.Attribute) and around.attr in ("fn", "base_fn"):
        node, around = around, parents.get(around)
    if isinstance(around, ast.Attribute) and isinstance(around.ctx, ast.Load):
        node, attribute, around = around, around.attr, parents.get(around)
        if attribute in _TEXTS:
            return True
        if attribute not in _TABLES:
            return False
    while isinstance(around, ast.Attribute | ast.Subscript) and attribute:
        if around.value is not node or not isinstance(around.ctx, ast.Load):
            return False
        last = around.attr if isinstance(around, ast.Attribute) else attribute
        plain = isinstance(around, ast.Subscript) and attribute == "kwargs"
        node, attribute, around = around, last, parents.get(around)
        if plain or attribute in _NUMBERS:
            return True
        if attribute not in (*_TABLES, "kwargs"):
            return False
    return _only_looks(node, around, module)


def _only_looks(node: ast.expr, around: ast.AST | None, module: Module) -> bool:
    match around:
        case ast.Call(func=called, args=arguments) if node in arguments:
            name = module.builtin(called) or module.resolve(called)
            return name in _LOOKING
        case ast.Compare(ops=ops) if all(isinstance(op, ast.Is | ast.IsNot) for op in ops):
            return True
        case ast.FormattedValue() | ast.Expr():
            return isinstance(node, ast.Attribute) and node.attr in _TABLES
        case ast.Assert() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            return test is node
    return False
