"""The statements that take together what the programs of one row have found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tritonopt.facts import Value
from tritonopt.transforms.code_edits import on_lines
from tritonopt.transforms.splitting.split_launches import NewNames
from tritonopt.transforms.splitting.split_sums import Accumulator
from tritonopt.transforms.writing import Writer


@dataclass(frozen=True)
class PartsTogether:
    """For one kernel."""

    writer: Writer
    tile: str
    """Code for the number of the row."""
    names: NewNames
    extent: Callable[[Value], str]
    """Code for the extent of a tile. Raises NotExpressible."""
    width: int
    """Of a line."""

    def statements(self, accumulators: Sequence[Accumulator]) -> Iterator[str]:
        """What each accumulator is, by its name in the kernel."""
        parts, arange = self.writer.fresh("parts"), self.writer.language("arange")
        yield f"{parts} = {self.tile} * {self.names.size} + {arange}(0, {self.names.size})"
        for accumulator, partial in zip(accumulators, self.names.partials, strict=True):
            place = f"{partial} + {parts}"
            if accumulator.left:
                extent = self.extent(accumulator.left[0])
                of_parts, of_lanes = "[:, None]", "[None, :]"
                if accumulator.reduction is not None and accumulator.axis == 1:
                    of_parts, of_lanes = of_lanes, of_parts
                place += f"{of_parts} * {extent} + {arange}(0, {extent}){of_lanes}"
            loaded = f"{accumulator.name} = {self.writer.language('load')}({place})"
            yield on_lines(loaded, self.width)
        with_partner = [a for a in accumulators if a.partner is not None]
        for accumulator in with_partner:
            yield from self._beside_its_partner(accumulator)
        for accumulator in accumulators:
            if accumulator.reduction is None and accumulator.partner is None:
                name, function = accumulator.name, accumulator.combining.reduction
                yield f"{name} = {self.writer.language(function)}({name}, axis=0)"

    def _beside_its_partner(self, accumulator: Accumulator) -> Iterator[str]:
        """What an index, or a sum of exponentials, is by what the extremes of all parts are."""
        partner, name, language = accumulator.partner, accumulator.name, self.writer.language
        assert partner is not None
        extreme = f"{language(partner.kind.reduction)}({partner.name}, axis=0)"
        if partner.guarded:
            shift = self.writer.fresh("shift")
            yield f"{shift} = {extreme}"
            yield "# Where all is -inf there is nothing to subtract: -inf - -inf is NaN."
            yield f'{shift} = {language("where")}({shift} == -float("inf"), 0.0, {shift})'
            extreme = shift
        if accumulator.left:
            extreme += "[None, :]"
        if partner.exponential:
            power = f"{language(partner.exponential)}({partner.name} - {extreme})"
            yield f"{name} = {language('sum')}({name} * {power}, axis=0)"
            return
        last = "2**31 - 1" if accumulator.dtype == "int32" else "2**63 - 1"
        yield "# Of equal elements, the first."
        best = f"{language('where')}({partner.name} == {extreme}, {name}, {last})"
        yield f"{name} = {language('min')}({best}, axis=0)"
