"""Code for whether a loop runs at all."""

from __future__ import annotations

from tritonopt.emit.writing import NotExpressible, Writer
from tritonopt.facts import Loop
from tritonopt.facts.algebra.atoms import CeilDiv
from tritonopt.facts.interpretation import Environment


def runs(writer: Writer, loop: Loop, environment: Environment) -> str:
    """A condition under which there is an iteration. Raises NotExpressible."""
    forms = writer.facts.forms
    count = forms.trip_count(loop)
    assert count is not None and loop.start is not None and loop.stop is not None
    expressions = list(writer.facts.values)
    match count.sole_atom:
        case CeilDiv(length, tile) if forms.is_positive(tile):
            return f"{writer.find_form(length, environment, expressions)} > 0"
    if loop.step is None or not forms.is_positive(forms.of(loop.step)):
        raise NotExpressible("it is not known in which direction the loop counts")
    ends = (forms.of(end) for end in (loop.stop, loop.start))
    stop, start = (writer.find_form(end, environment, expressions) for end in ends)
    return f"{stop} > {start}"
