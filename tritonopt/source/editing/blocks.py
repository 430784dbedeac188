"""Statements put in, exchanged and taken out of blocks, with libcst.

The syntax tree of `ast` and the one of libcst are walked side by side: their
blocks hold the same statements in the same order, so nothing is looked up by
its place and no metadata is computed. What no change touches is the very node
that libcst parsed.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import libcst as cst

from tritonopt.source.editing import comments
from tritonopt.source.editing.changes import ELSE, Enclose, Remove, StatementPlan
from tritonopt.source.errors import EditConflict
from tritonopt.source.suppressions import is_suppression

_Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement

_ONE_BODY = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.With, ast.AsyncWith)
_TWO_BODIES = (ast.If, ast.For, ast.AsyncFor, ast.While)
_NOTHING = StatementPlan()
_RARELY_KEPT = re.compile(r"[^\n -~]|\\\n")
"""Of a text without these, all is kept; to write a tree takes longer than to read it."""


def rewrite(
    text: str,
    node: ast.FunctionDef | ast.Module,
    *,
    plans: Mapping[ast.stmt, StatementPlan],
    parents: Mapping[ast.AST, ast.AST],
    indent: str,
) -> str:
    """`text` is that of `node` in whole lines; its expressions and parameters may differ."""
    newline = _newline(text)
    # An indented function parses inside a block.
    shell = f"if 1:{newline}" if text[:1] in (" ", "\t") else ""
    tree = _parse(shell + text)
    if _RARELY_KEPT.search(text) and tree.code != shell + text:
        raise EditConflict("form feeds or lone carriage returns in the kernel would not be kept")
    rebuild = _Rebuild(plans, parents, indent, newline)
    if isinstance(node, ast.Module):
        return rebuild.module(node, tree).code
    outer = tree.body[0]
    if shell and isinstance(outer, cst.If) and isinstance(outer.body, cst.IndentedBlock):
        function = rebuild.function(node, outer.body.body[0])
        block = outer.body.with_changes(body=[function, *outer.body.body[1:]])
        outer = outer.with_changes(body=block)
    else:
        outer = rebuild.function(node, outer)
    return tree.with_changes(body=[outer, *tree.body[1:]]).code[len(shell) :]


def _newline(text: str) -> str:
    """The newline that most lines end with."""
    windows = text.count("\r\n")
    return "\r\n" if windows > text.count("\n") - windows else "\n"


def _parse(text: str) -> cst.Module:
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        raise EditConflict(f"does not parse: {error.message}") from error


class _Block:
    """A block as it grows."""

    def __init__(self) -> None:
        self.statements: list[_Statement] = []
        self.pending: list[cst.EmptyLine] = []
        """Comments and blank lines for whatever comes next."""

    def add(self, statement: _Statement) -> None:
        own = list(statement.leading_lines)
        only_blank = all(line.comment is None for line in self.pending)
        if self.pending and not (only_blank and own and own[0].comment is None):
            statement = statement.with_changes(leading_lines=[*self.pending, *own])
        self.pending = []
        self.statements.append(statement)

    def wait(self, lines: Sequence[cst.EmptyLine]) -> None:
        """Lines for whatever comes next; where blank lines meet, those of one side are enough."""
        if self.pending and self.pending[-1].comment is None:
            lines = lines[len(_blank(lines)) :]
        self.pending += lines

    def add_all(self, statements: Sequence[_Statement], footer: Sequence[cst.EmptyLine]) -> None:
        for statement in statements:
            self.add(statement)
        self.pending += footer

    @property
    def footer(self) -> list[cst.EmptyLine]:
        """What is left for the end of the block; blank lines alone are not."""
        return self.pending if any(line.comment is not None for line in self.pending) else []


class _Rebuild:
    """One function or module, block by block."""

    def __init__(
        self,
        plans: Mapping[ast.stmt, StatementPlan],
        parents: Mapping[ast.AST, ast.AST],
        indent: str,
        newline: str,
    ) -> None:
        self._plans = dict(plans)
        self._new = _NewCode(indent, newline)
        self._touched: set[ast.AST] = set()
        """Every node with a change in it."""
        self._heads: set[ast.stmt] = set()
        """Statements that go, though what stands above them is about more."""
        for statement in plans:
            node: ast.AST | None = statement
            while node is not None and node not in self._touched:
                self._touched.add(node)
                node = parents.get(node)

    def module(self, node: ast.Module, tree: cst.Module) -> cst.Module:
        block = self._lines(node.body, tree.body)
        return tree.with_changes(body=block.statements, footer=[*block.footer, *tree.footer])

    def function(self, node: ast.stmt, tree: cst.CSTNode) -> _Statement:
        if not isinstance(tree, cst.FunctionDef):
            raise EditConflict("the text of the kernel holds more than the kernel")
        return self._compound(node, tree)

    # Blocks

    def _suite(self, nodes: Sequence[ast.stmt], tree: cst.BaseSuite) -> cst.BaseSuite:
        if not any(node in self._touched for node in nodes):
            return tree
        if isinstance(tree, cst.SimpleStatementSuite):
            return self._one_line_suite(nodes, tree)
        if not isinstance(tree, cst.IndentedBlock):
            raise EditConflict(f"a block of an unknown kind, {type(tree).__name__}")
        block = self._lines(nodes, tree.body)
        if not block.statements:
            raise EditConflict(f"the block in line {nodes[0].lineno} would be empty")
        return tree.with_changes(body=block.statements, footer=[*block.footer, *tree.footer])

    def _one_line_suite(
        self, nodes: Sequence[ast.stmt], tree: cst.SimpleStatementSuite
    ) -> cst.BaseSuite:
        """`if x: y` stays on its line as long as simple statements are all it holds."""
        if any(p.opened or p.closed for node in nodes if (p := self._plans.get(node))):
            line = cst.SimpleStatementLine(tree.body, trailing_whitespace=tree.trailing_whitespace)
            below = self._lines(nodes, [line])
            return self._new.block(below.statements, below.footer)
        block = _Block()
        self._line(block, nodes, tree.body, [], tree.trailing_whitespace)
        if not block.statements:
            raise EditConflict(f"the block in line {nodes[0].lineno} would be empty")
        only = block.statements[0]
        several = len(block.statements) > 1 or block.footer
        if isinstance(only, cst.SimpleStatementLine) and not only.leading_lines and not several:
            return tree.with_changes(body=only.body, trailing_whitespace=only.trailing_whitespace)
        return self._new.block(block.statements, block.footer)

    def _lines(self, nodes: Sequence[ast.stmt], lines: Sequence[cst.CSTNode]) -> _Block:
        block = _Block()
        around: list[tuple[_Block, Enclose]] = []
        pairs = [
            piece for pair in _with_their_nodes(nodes, lines) for piece in self._at_bounds(*pair)
        ]
        for place, (line, part) in enumerate(pairs):
            if not any(node in self._touched for node in part):
                block.add(line)
                continue
            self._find_heads(part, pairs[place + 1 :])
            line, block = self._open(line, part[0], block, around)
            after = self._taken_outside(part[-1])
            if isinstance(line, cst.SimpleStatementLine):
                leading = list(line.leading_lines)
                self._line(block, part, line.body, leading, line.trailing_whitespace)
            else:
                self._compound_line(block, part[0], line)
            block = self._close(part[-1], block, around)
            for code in after:
                self._new.insert(block, code)
        if around:
            raise EditConflict("statements of different blocks cannot be enclosed together")
        return block

    def _find_heads(
        self, part: Sequence[ast.stmt], below: Sequence[tuple[_Statement, Sequence[ast.stmt]]]
    ) -> None:
        """Notes whether what stands above a line is about more than what goes of it."""
        first = part[0]
        if self._plans.get(first, _NOTHING).removal is None:
            return
        attached = itertools.takewhile(lambda pair: not pair[0].leading_lines, below)
        others = [*part[1:], *(node for _, nodes in attached for node in nodes)]
        gone = [n for n in others if self._plans.get(n, _NOTHING).removal is not None]
        if any(n not in gone for n in part[1:]) or comments.heads_more(first, others, gone):
            self._heads.add(first)

    # Statements that are enclosed in a new one

    def _at_bounds(
        self, line: _Statement, part: Sequence[ast.stmt]
    ) -> Iterator[tuple[_Statement, Sequence[ast.stmt]]]:
        """A line in pieces, where what encloses statements begins or ends within it."""
        plans = [self._plans.get(node, _NOTHING) for node in part]
        inner = range(1, len(part))
        cuts = [i for i in inner if plans[i].opened or plans[i - 1].closed]
        if not cuts or not isinstance(line, cst.SimpleStatementLine):
            yield line, part
            return
        for first, end in itertools.pairwise([0, *cuts, len(part)]):
            piece = line.with_changes(body=_joined(line.body[first:end], line.body[-1]))
            if first:
                piece = piece.with_changes(leading_lines=[])
            if end < len(part):
                piece = piece.with_changes(trailing_whitespace=self._new.line_end)
            yield piece, part[first:end]

    def _open(
        self,
        line: _Statement,
        node: ast.stmt,
        block: _Block,
        around: list[tuple[_Block, Enclose]],
    ) -> tuple[_Statement, _Block]:
        """The line with the comments that go in with it, and the block that is filled now."""
        plan = self._plans.get(node, _NOTHING)
        if not plan.opened:
            return line, block
        leading = self._new.insert_before(block, plan, line.leading_lines)
        self._plans[node] = replace(plan, before=[])
        blank = _blank(leading)
        block.wait(blank)
        for enclosing in plan.opened:
            around.append((block, enclosing))
            block = _Block()
        return line.with_changes(leading_lines=leading[len(blank) :]), block

    def _taken_outside(self, node: ast.stmt) -> list[str]:
        """What comes after a statement and after what ends with it."""
        plan = self._plans.get(node, _NOTHING)
        if not plan.closed:
            return []
        self._plans[node] = replace(plan, after=[])
        return plan.after

    def _close(self, node: ast.stmt, block: _Block, around: list[tuple[_Block, Enclose]]) -> _Block:
        for _ in range(self._plans.get(node, _NOTHING).closed):
            if not around or around[-1][1].last is not node:
                raise EditConflict(f"two changes enclose a part of each other, line {node.lineno}")
            outer, enclosing = around.pop()
            self._new.enclose(outer, enclosing.code, block)
            block = outer
        return block

    def _compound_line(
        self, block: _Block, node: ast.stmt, tree: cst.BaseCompoundStatement
    ) -> None:
        plan = self._plans.get(node)
        if plan is None:
            block.add(self._compound(node, tree))
            return
        leading = self._new.insert_before(block, plan, tree.leading_lines)
        if plan.removal is not None:
            block.wait(_left_over(leading, plan.removal, node in self._heads))
        elif plan.replacement is not None:
            block.wait(leading)
            self._new.insert(block, plan.replacement)
        else:
            block.add(self._compound(node, tree.with_changes(leading_lines=leading)))
        for code in plan.after:
            self._new.insert(block, code)

    def _line(
        self,
        block: _Block,
        nodes: Sequence[ast.stmt],
        smalls: Sequence[cst.BaseSmallStatement],
        leading: Sequence[cst.EmptyLine],
        trailing: cst.TrailingWhitespace,
    ) -> None:
        """One line of simple statements, `a; b  # c`, on as few lines as its changes allow."""
        if len(nodes) != len(smalls):
            raise EditConflict("ast and libcst see different statements")
        waiting: list[cst.BaseSmallStatement] = []
        last_line: int | None = None
        last_replacement: int | None = None

        def flush() -> None:
            nonlocal last_line
            if waiting:
                last_line = len(block.statements)
                line = cst.SimpleStatementLine(
                    body=_joined(waiting, smalls[-1]), trailing_whitespace=self._new.line_end
                )
                block.add(line)
                waiting.clear()

        for index, (node, small) in enumerate(zip(nodes, smalls, strict=True)):
            plan = self._plans.get(node, _NOTHING)
            above = leading if index == 0 else []
            if plan.before:
                flush()
                above = self._new.insert_before(block, plan, above)
            if plan.removal is not None:
                above = _left_over(above, plan.removal, node in self._heads)
            block.wait(above)
            last_replacement = None
            if not plan.gone:
                waiting.append(small)
            elif plan.replacement is not None:
                statements, footer = self._new.statements(plan.replacement)
                plain = _plain_line(statements, footer)
                if plain is not None:
                    waiting.extend(plain.body)
                else:
                    flush()
                    last_replacement = len(block.statements)
                    block.add_all(statements, footer)
            for code in plan.after:
                flush()
                self._new.insert(block, code)
        flush()
        if last_line is not None:
            line = block.statements[last_line]
            block.statements[last_line] = line.with_changes(trailing_whitespace=trailing)
        elif last_replacement is not None and trailing.comment is not None:
            # What stood behind the one line stands above the several.
            statement = block.statements[last_replacement]
            comment = cst.EmptyLine(comment=trailing.comment, newline=trailing.newline)
            lines = [*statement.leading_lines, comment]
            block.statements[last_replacement] = statement.with_changes(leading_lines=lines)

    # Compound statements

    def _compound(
        self, node: ast.stmt, tree: cst.BaseCompoundStatement
    ) -> cst.BaseCompoundStatement:
        if node not in self._touched:
            return tree
        if isinstance(node, _ONE_BODY):
            return tree.with_changes(body=self._suite(node.body, tree.body))
        if isinstance(node, _TWO_BODIES) and isinstance(tree, (cst.If, cst.For, cst.While)):
            return tree.with_changes(
                body=self._suite(node.body, tree.body),
                orelse=self._orelse(node.orelse, tree.orelse),
            )
        if isinstance(node, ast.Match) and isinstance(tree, cst.Match):
            pairs = zip(node.cases, tree.cases, strict=True)
            cases = [c.with_changes(body=self._suite(n.body, c.body)) for n, c in pairs]
            return tree.with_changes(cases=cases)
        if isinstance(tree, (cst.Try, cst.TryStar)):
            return self._try(node, tree)
        raise EditConflict(f"a statement of an unknown kind in line {node.lineno}")

    def _try(self, node: ast.stmt, tree: cst.Try | cst.TryStar) -> cst.BaseCompoundStatement:
        # ast.TryStar came with Python 3.11; it has the fields of ast.Try.
        handlers: list[ast.ExceptHandler] = getattr(node, "handlers", [])
        body: list[ast.stmt] = getattr(node, "body", [])
        orelse: list[ast.stmt] = getattr(node, "orelse", [])
        finalbody: list[ast.stmt] = getattr(node, "finalbody", [])
        old: Sequence[cst.ExceptHandler | cst.ExceptStarHandler] = tree.handlers
        pairs = zip(handlers, old, strict=True)
        last = tree.finalbody
        return tree.with_changes(
            body=self._suite(body, tree.body),
            handlers=[t.with_changes(body=self._suite(n.body, t.body)) for n, t in pairs],
            orelse=self._orelse(orelse, tree.orelse),
            finalbody=last and last.with_changes(body=self._suite(finalbody, last.body)),
        )

    def _orelse(
        self, nodes: Sequence[ast.stmt], tree: cst.If | cst.Else | None
    ) -> cst.If | cst.Else | None:
        if tree is None or not any(node in self._touched for node in nodes):
            return tree
        if isinstance(tree, cst.Else):
            return tree.with_changes(body=self._suite(nodes, tree.body))
        if nodes[0] not in self._plans:
            branch = self._compound(nodes[0], tree)
            return branch if isinstance(branch, cst.If) else tree
        # An `elif` has no place before or after it: it becomes an `if` inside an `else`.
        inner = self._new.block([tree.with_changes(leading_lines=[])], [])
        return cst.Else(body=self._suite(nodes, inner), leading_lines=tree.leading_lines)


class _NewCode:
    """New code, which says itself what libcst would take from the start of the text."""

    def __init__(self, indent: str, newline: str) -> None:
        self._indent = indent
        self._newline = newline
        self._tidy = _Tidy(indent, newline)

    @property
    def line_end(self) -> cst.TrailingWhitespace:
        return cst.TrailingWhitespace(newline=cst.Newline(value=self._newline))

    def block(
        self, body: Sequence[_Statement], footer: Sequence[cst.EmptyLine]
    ) -> cst.IndentedBlock:
        return cst.IndentedBlock(
            body=body, footer=footer, indent=self._indent, header=self.line_end
        )

    def statements(self, code: str) -> tuple[list[_Statement], list[cst.EmptyLine]]:
        """The statements of new code, and the comment lines behind the last of them."""
        lines = code.replace("\r\n", "\n").replace("\n", self._newline)
        tree = _parse(lines).visit(self._tidy)
        if not isinstance(tree, cst.Module) or not tree.body:
            raise EditConflict(f"no statement in the new code {code!r}")
        first, *rest = tree.body
        first = first.with_changes(leading_lines=[*tree.header, *first.leading_lines])
        return [first, *rest], list(tree.footer)

    def insert(self, block: _Block, code: str) -> None:
        if code and all(line.startswith("#") for line in code.splitlines()):
            # Comments alone are about the statement below them.
            block.pending += [
                cst.EmptyLine(comment=cst.Comment(line), newline=self.line_end.newline)
                for line in code.splitlines()
            ]
            return
        block.add_all(*self.statements(code))

    def insert_before(
        self, block: _Block, plan: StatementPlan, leading: Sequence[cst.EmptyLine]
    ) -> list[cst.EmptyLine]:
        """What comes before a statement; the lines above the statement that are left to it."""
        blank = _blank(leading) if plan.before else []
        block.wait(blank)
        for code in plan.before:
            self.insert(block, code)
        return list(leading[len(blank) :])

    def enclose(self, outer: _Block, code: str, inside: _Block) -> None:
        """A block inside a new statement, or as the `else` of the one that stands before it."""
        if code.startswith(ELSE):
            self._add_else(outer, code, inside)
            return
        statements, _ = self.statements(code)
        only = statements[0]
        if len(statements) != 1 or not isinstance(only, (cst.For, cst.If, cst.While)):
            raise EditConflict(f"{code!r} is not one compound statement")
        outer.add(only.with_changes(body=_filled(only.body, code, inside)))

    def _add_else(self, outer: _Block, code: str, inside: _Block) -> None:
        """A block as the `else` of the `if` that stands right before it."""
        decision = outer.statements[-1] if outer.statements else None
        if not isinstance(decision, cst.If) or decision.orelse is not None:
            raise EditConflict("no `if` without `else` stands before what is to be its `else`")
        statements, _ = self.statements(f"if 1:\n    pass\n{code}")
        shell = statements[0]
        if len(statements) != 1 or not isinstance(shell, cst.If) or shell.orelse is None:
            raise EditConflict(f"{code!r} is not one `else`")
        body = _filled(shell.orelse.body, code, inside)
        outer.statements[-1] = decision.with_changes(orelse=shell.orelse.with_changes(body=body))
        outer.pending = []  # blank lines that parted the two


class _Tidy(cst.CSTTransformer):
    """Makes new code look like the file: its indentation, its newlines, nothing on blank lines."""

    def __init__(self, indent: str, newline: str) -> None:
        super().__init__()
        self._indent = indent
        self._newline = newline

    def leave_Newline(self, original_node: cst.Newline, updated_node: cst.Newline) -> cst.Newline:
        return updated_node.with_changes(value=self._newline)

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        return updated_node.with_changes(indent=self._indent)

    def leave_EmptyLine(
        self, original_node: cst.EmptyLine, updated_node: cst.EmptyLine
    ) -> cst.EmptyLine:
        if updated_node.comment is not None:
            return updated_node
        return updated_node.with_changes(indent=False, whitespace=cst.SimpleWhitespace(""))

    def leave_ParenthesizedWhitespace(
        self,
        original_node: cst.ParenthesizedWhitespace,
        updated_node: cst.ParenthesizedWhitespace,
    ) -> cst.ParenthesizedWhitespace:
        levels, rest = divmod(len(updated_node.last_line.value), 4)
        if rest or self._indent == "    " or updated_node.last_line.value.strip(" "):
            return updated_node
        return updated_node.with_changes(last_line=cst.SimpleWhitespace(self._indent * levels))


def _plain_line(
    statements: Sequence[_Statement], footer: Sequence[cst.EmptyLine]
) -> cst.SimpleStatementLine | None:
    """New code that is one line without comments of its own."""
    if len(statements) != 1 or footer:
        return None
    only = statements[0]
    if not isinstance(only, cst.SimpleStatementLine) or only.leading_lines:
        return None
    return only if only.trailing_whitespace.comment is None else None


def _filled(shell: cst.BaseSuite, code: str, inside: _Block) -> cst.IndentedBlock:
    """The body of a new statement with a block in the place of its `...`."""
    if not isinstance(shell, cst.IndentedBlock) or not _is_ellipsis(shell.body[-1]):
        raise EditConflict(f"{code!r} does not end with `...`")
    if not inside.statements:
        raise EditConflict("nothing is left to enclose")
    first, *rest = inside.statements
    # Blank lines above the first parted it from what stays outside.
    leading = first.leading_lines[len(_blank(first.leading_lines)) :]
    body = [*shell.body[:-1], first.with_changes(leading_lines=leading), *rest]
    return shell.with_changes(body=body, footer=inside.footer)


def _is_ellipsis(statement: cst.CSTNode) -> bool:
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return False
    only = statement.body[0]
    return isinstance(only, cst.Expr) and isinstance(only.value, cst.Ellipsis)


def _joined(
    smalls: Sequence[cst.BaseSmallStatement], last_of_old: cst.BaseSmallStatement
) -> list[cst.BaseSmallStatement]:
    """The statements of one line; a semicolon behind the last only if the old line had it."""
    *before, last = smalls
    if last is not last_of_old:
        last = last.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
    return [*before, last]


def _with_their_nodes(
    nodes: Sequence[ast.stmt], lines: Sequence[cst.CSTNode]
) -> Iterator[tuple[_Statement, Sequence[ast.stmt]]]:
    """The lines of a block, and the statements in each."""
    index = 0
    for line in lines:
        if not isinstance(line, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
            raise EditConflict("ast and libcst see different statements")
        count = len(line.body) if isinstance(line, cst.SimpleStatementLine) else 1
        part = nodes[index : index + count]
        index += count
        if len(part) != count:
            raise EditConflict("ast and libcst see different statements")
        yield line, part
    if index != len(nodes):
        raise EditConflict("ast and libcst see different statements")


def _left_over(lines: Sequence[cst.EmptyLine], removal: Remove, heads: bool) -> list[cst.EmptyLine]:
    """What stays of the lines above a statement that goes; `heads` says that they head more."""
    if not removal.keep_comments:
        return _blank(lines)
    above = [(line.comment.value if line.comment else "", _in_column(line)) for line in lines]
    own = comments.explaining(above)
    return [
        line
        for line, (text, _), goes in zip(lines, above, own, strict=True)
        if not goes
        or text in removal.headings
        or (heads and not removal.moved and not is_suppression(text))
    ]


def _in_column(line: cst.EmptyLine) -> bool:
    return line.indent and not line.whitespace.value


def _blank(lines: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """The blank lines above the first comment."""
    return list(itertools.takewhile(lambda line: line.comment is None, lines))
