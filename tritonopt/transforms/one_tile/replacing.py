"""The straight-line code in the text of the kernel."""

from __future__ import annotations

from tritonopt.source import Change, Enclose, InsertBefore, Remove
from tritonopt.source.editing import excerpts
from tritonopt.source.editing.changes import ELSE
from tritonopt.transforms.one_tile.question import Asked
from tritonopt.transforms.one_tile.row_legality import OneTile


def in_place_of_the_loops(proof: OneTile) -> tuple[Change, ...]:
    """The code where the loops stood. Raises NotExpressible where a comment would get lost."""
    statements = proof.sweeps.statements
    changes: list[Change] = [InsertBefore(statements[0], proof.stretch.code)]
    changes += [Remove(statement, keep_comments=False) for statement in statements]
    gone = proof.stretch.gone
    excerpts.check_comments(proof.sweeps.facts.kernel.module, changes, gone)
    return tuple(changes)


def beside_the_loops(proof: OneTile, asked: Asked) -> tuple[Change, ...]:
    """The code where one tile holds the row, and the loops where it does not."""
    statements = proof.sweeps.statements
    inside = excerpts.indented(proof.stretch.code, "    ")
    return (
        *asked.changes,
        InsertBefore(statements[0], f"if {asked.test}:\n{inside}"),
        Enclose(statements[0], statements[-1], f"{ELSE}\n    ..."),
    )
