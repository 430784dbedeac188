"""What the functions of `triton.language` that only compute make of their arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tritonopt.facts import language
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Reduction, Shape, Value, ValueTable, broadcast_shapes

_OTHER_TYPE = re.compile(
    r"is[a-z]+|finite[fd]|\w*signbit\w*|ilogb|ll(rint|round)|\w+2\w+_r[nzud]|\w+_as_\w+"
    r"|double2\w+|hiloint2double|popc|clz|ffs"
)
"""Functions of libdevice whose result is of another type than their arguments."""


_OPCODE = re.compile(r"(?:@!?[\w$]+\s+)?([a-z]+\d*)\b")

_COMPUTING = frozenset(
    ["abs", "add", "and", "bfe", "bfi", "brev", "clz", "cnot", "cos", "cvt", "div", "ex2", "fma"]
    + ["lg2", "lop3", "mad", "max", "min", "mov", "mul", "mul24", "neg", "not", "or", "popc"]
    + ["prmt", "rcp", "rem", "rsqrt", "selp", "set", "setp", "shf", "shl", "shr", "sin", "sqrt"]
    + ["sub", "tanh", "xor"]
)
"""Instructions of PTX that compute from registers alone."""


@dataclass(frozen=True)
class Arguments:
    """Of one call; a method's receiver is the first."""

    positional: Sequence[Value]
    keywords: Mapping[str, Value]

    def get(self, position: int, keyword: str) -> Value | None:
        """What is passed for a parameter, in either way."""
        if position < len(self.positional):
            return self.positional[position]
        return self.keywords.get(keyword)

    @property
    def everything(self) -> list[Value]:
        return [*self.positional, *self.keywords.values()]


@dataclass(frozen=True)
class Operations:
    """Makes the values that calls return."""

    table: ValueTable

    def result(self, name: str, arguments: Arguments) -> Value | None:
        """What a function below `triton.language` returns; None where it is not known as pure."""
        table, get = self.table, arguments.get
        everything = arguments.everything
        first = get(0, "input") or (everything[0] if everything else table.constant(None))
        match name:
            case "program_id" | "num_programs":
                axis = get(0, "axis") or table.constant(0)
                return table.make(Op(name), (axis,), dtype="int32")
            case "arange":
                return self._arange(get(0, "start"), get(1, "end"))
            case "zeros" | "full":
                return self._filled(name, arguments)
            case "zeros_like":
                return table.make(
                    Op.FULL,
                    (table.constant(0), first),
                    "like",
                    shape=first.shape,
                    dtype=first.dtype,
                )
            case "constexpr" | "to_tensor" if everything:
                return first
            case "cast" if len(arguments.positional) >= 2 or arguments.keywords:
                return self._cast(first, arguments)
            case "expand_dims" if (position := get(1, "axis")) is not None:
                return self._expand_dims(first, position)
            case "broadcast_to":
                given = [v for k, v in arguments.keywords.items() if k == "shape"]
                shape = self._shape(arguments.positional[1:] or given)
                return table.make(
                    Op.BROADCAST_TO, (first,), _shape_key(shape), shape=shape, dtype=first.dtype
                )
        if name in language.BLOCK_POINTERS:
            return self._block_pointer(name, arguments)
        if name in language.HINTS:
            return first
        if name in language.OPERATORS or language.is_lane_by_lane(name):
            return self._lane_by_lane(name, arguments)
        if name in language.REDUCTIONS:
            return self._reduction(name, arguments)
        if name in language.COMPILE_TIME:
            return table.constant(None)
        if name == "inline_asm_elementwise":
            return self._assembly(arguments)
        if name in language.DTYPES and everything:  # `tl.float32(0.0)`
            return table.make(Op.RESHAPED, everything, (name, ()), shape=first.shape)
        if name in language.SHAPE_CHANGES | language.SCANS | language.MATRIX | language.RANDOM:
            attribute = (name, tuple(arguments.keywords))
            shape = self._rearranged_shape(name, first, arguments)
            dtype = first.dtype if name in language.SHAPE_CHANGES - {"gather"} else None
            return table.make(Op.RESHAPED, everything, attribute, shape=shape, dtype=dtype)
        return None

    def _block_pointer(self, name: str, arguments: Arguments) -> Value | None:
        """Each that is made is like no other one: where it was made is known wherever it goes."""
        table = self.table
        parts = [arguments.get(i, part) for i, part in enumerate(language.BLOCK_POINTERS[name])]
        if parts[0] is None:
            return None
        operands = [part or table.constant(None) for part in parts]
        number = table.opaque("a block pointer").serial if name == "make_block_ptr" else 0
        pointer = table.make(Op.BLOCK_POINTER, operands, (name, number), shape=None)
        shape = self._shape(operands[4:5]) if number else table.blocks.get(operands[0])
        table.blocks |= {pointer: shape} if shape else {}
        return pointer

    def _assembly(self, arguments: Arguments) -> Value | None:
        """Assembly that only computes is lane by lane; all other has unknown effects.

        What is said to be pure may still ask for the program's index, the lane or the clock.
        """
        text, inputs = arguments.get(0, "asm"), arguments.get(2, "args")
        pure = arguments.get(4, "is_pure")
        if inputs is None or inputs.op is not Op.TUPLE or pure is None or pure.constant is not True:
            return None
        if text is None or not _only_computes(text.constant):
            return None
        results = arguments.get(3, "dtype")
        several = results is None or results.op is not Op.DTYPE
        shape = None if several else broadcast_shapes([value.shape for value in inputs.operands])
        attribute = ("inline_asm_elementwise", tuple(arguments.keywords))
        return self.table.make(Op.RESHAPED, arguments.everything, attribute, shape=shape)

    def _rearranged_shape(self, name: str, first: Value, arguments: Arguments) -> Shape:
        """The shape of the result where it follows from that of the arguments."""
        rest = arguments.positional[1:]
        match name:
            case "reshape" | "view":
                given = [v for k, v in arguments.keywords.items() if k == "shape"]
                return self._shape(rest or given)
            case "trans" | "permute" if first.shape is not None:
                return self._permuted(first.shape, self._shape(rest) if rest else None, arguments)
            case "flip" | "cumsum" | "cumprod" | "sort" | "softmax":
                return first.shape
            case "associative_scan" if first.op is not Op.TUPLE:
                return first.shape
            case "dot" if rest:
                one, other = (self._loaded_shape(value) or () for value in (first, rest[0]))
                return (one[0], other[1]) if len(one) == len(other) == 2 else None
            case "rand" | "randn" | "randint" if (offset := arguments.get(1, "offset")) is not None:
                return broadcast_shapes([first.shape, offset.shape])
        return None

    def _loaded_shape(self, tile: Value) -> Shape:
        block = self.table.blocks.get(tile.operands[0]) if tile.op is Op.LOAD else None
        return tile.shape or block

    @staticmethod
    def shape_of_part(value: Value) -> Shape:
        """The shape of each of several results."""
        if value.op is not Op.RESHAPED or not value.operands:
            return None
        if value.function == "split":
            shape = value.operand.shape
            return shape[:-1] if shape else None
        if value.function in ("rand4x", "randn4x", "randint4x") and len(value.operands) > 1:
            return broadcast_shapes([operand.shape for operand in value.operands[:2]])
        return None

    def _permuted(self, shape: tuple[Value, ...], order: Shape, arguments: Arguments) -> Shape:
        if order is None:
            plain = len(shape) == 2 and len(arguments.everything) == 1
            return tuple(reversed(shape)) if plain else None
        places = [axis.constant for axis in order]
        if sorted(str(p) for p in places) != [str(i) for i in range(len(shape))]:
            return None
        return tuple(shape[p] for p in places if isinstance(p, int))

    def _cast(self, value: Value, arguments: Arguments) -> Value:
        table, everything = self.table, arguments.everything
        dtype = arguments.get(1, "dtype")
        rounding, bitcast = arguments.get(2, "fp_downcast_rounding"), arguments.get(3, "bitcast")
        if rounding is not None and not rounding.is_none:
            return table.make(Op.RESHAPED, everything, "cast", shape=value.shape)
        if dtype is None or (bitcast is not None and bitcast.constant is not False):
            return table.make(Op.RESHAPED, everything, "bitcast", shape=value.shape)
        known = dtype.name if dtype.op is Op.DTYPE else None
        return table.make(Op.CAST, (value, dtype), shape=value.shape, dtype=known)

    def _lane_by_lane(self, name: str, arguments: Arguments) -> Value:
        """The operands in the order of the parameters, whichever way they were passed."""
        positional, keywords = arguments.positional, arguments.keywords
        names = language.PARAMETERS.get(name, ("x",))
        operands = list(positional)
        while len(operands) < len(names) and names[len(operands)] in keywords:
            operands.append(keywords[names[len(operands)]])
        options = {k: v for k, v in keywords.items() if k not in names}
        missing = len(operands) + len(options) != len(positional) + len(keywords)
        operator = language.OPERATORS.get(name)
        if missing or (operator is not None and len(operands) != len(names)):
            return self.table.opaque(f"{name} with arguments that are not understood")
        modes = tuple(sorted((k, v.serial) for k, v in options.items()))
        if operator is not None:
            return self.table.elementwise(operator, operands, modes or None)
        attribute = (name, *modes) if modes else name
        if _OTHER_TYPE.fullmatch(name.rpartition(".")[2]):
            shape = broadcast_shapes([o.shape for o in operands])
            return self.table.make(Op.ELEMENTWISE, operands, attribute, shape=shape)
        return self.table.elementwise(Op.ELEMENTWISE, operands, attribute)

    def _arange(self, start: Value | None, end: Value | None) -> Value:
        if start is None or end is None:
            return self.table.opaque("arange without bounds")
        extent = end if start.constant == 0 else self.table.elementwise(Op.SUB, (end, start))
        lanes = self.table.make(Op.LANE, (extent,), shape=(extent,), dtype="int32")
        return lanes if start.constant == 0 else self.table.elementwise(Op.ADD, (start, lanes))

    def _filled(self, name: str, arguments: Arguments) -> Value:
        shape_value = arguments.get(0, "shape")
        shape = self._shape([shape_value]) if shape_value is not None else None
        given = arguments.get(1, "value")
        if name == "zeros":
            given = self.table.constant(0)
        dtype = arguments.get(1 if name == "zeros" else 2, "dtype")
        known = dtype.name if dtype is not None and dtype.op is Op.DTYPE else None
        filler = given if given is not None else self.table.opaque("filler")
        return self.table.make(
            Op.FULL,
            (filler,),
            (_shape_key(shape), None if dtype is None else dtype.serial),
            shape=shape,
            dtype=known,
        )

    def _shape(self, values: Sequence[Value]) -> tuple[Value, ...] | None:
        if not values:
            return None
        if len(values) == 1 and values[0].op is Op.TUPLE:
            values = values[0].operands
        elif len(values) == 1 and not isinstance(values[0].constant, int):
            return None  # a number, or a tuple that is passed as one constexpr
        return tuple(values)

    def _expand_dims(self, value: Value, axis: Value) -> Value:
        table, position = self.table, axis.constant
        if value.rank is None or not isinstance(position, int):
            return table.make(Op.WIDENED, (value, axis), "expand_dims", shape=None)
        rank = value.rank + 1
        if not -rank <= position < rank:
            return table.opaque("expand_dims out of range")
        return table.insert_axes(value, tuple(i == position % rank for i in range(rank)))

    def _reduction(self, name: str, arguments: Arguments) -> Value:
        table, positional = self.table, arguments.positional
        if name == "reduce":
            return self._reduced_with_a_function(arguments)
        names = language.REDUCTION_PARAMETERS.get(name, ())
        given = {**dict(zip(names, positional, strict=False)), **arguments.keywords}
        value, axis = given.get("input"), given.get("axis")
        position = axis.constant if axis is not None else None
        unknown = value is None or len(positional) > len(names) or set(given) - set(names)
        if axis is not None and position is None and not axis.is_none:
            unknown = True  # an axis that the launch chooses
        if name in ("argmax", "argmin") and (axis is None or "tie_break_left" in given):
            unknown = True
        if "return_indices" in given and given["return_indices"].constant is not False:
            unknown = True
        if unknown or value is None or not isinstance(position, int | None):
            attribute = (name, tuple(arguments.keywords))
            return table.make(Op.RESHAPED, arguments.everything, attribute, shape=None)
        if value.shape is None:
            return table.make(Op.RESHAPED, (value,), (name, tuple(sorted(given))), shape=None)
        if position is not None and not -len(value.shape) <= position < len(value.shape):
            return table.opaque("reduction over an axis that is not there")
        dtype = given.get("dtype")
        if dtype is not None and not dtype.is_none:
            known = dtype.name if dtype.op is Op.DTYPE else None
            value = table.make(Op.CAST, (value, dtype), shape=value.shape, dtype=known)
        assert value.shape is not None
        keep = given.get("keep_dims")
        keep_dims = keep is not None and keep.constant is not False
        if keep is not None and not isinstance(keep.constant, bool):
            return table.opaque("reduction that may or may not keep its axes")
        rank = len(value.shape)
        axes = tuple(range(rank)) if position is None else (position % rank,)
        kept = [d for i, d in enumerate(value.shape) if i not in axes]
        if keep_dims:
            one = table.constant(1)
            kept = [one if i in axes else d for i, d in enumerate(value.shape)]
        result = "int32" if name in ("argmax", "argmin") else value.dtype
        if name == "sum" and value.dtype in ("bool", "int1", "int8", "int16"):
            result = "int32"
        kind = Reduction(name, axes, keep_dims)
        return table.make(Op.REDUCE, (value,), kind, shape=tuple(kept), dtype=result)

    def _reduced_with_a_function(self, arguments: Arguments) -> Value:
        """`tl.reduce`: what its function makes of the lanes is not followed, but their shape is."""
        tile, axis = arguments.get(0, "input"), arguments.get(1, "axis")
        shape: Shape = None
        if tile is not None and tile.shape is not None and axis is not None:
            rank, place, keep = len(tile.shape), axis.constant, arguments.get(3, "keep_dims")
            if keep is None or keep.constant is False:
                if axis.is_none:
                    shape = ()
                elif isinstance(place, int) and -rank <= place < rank:
                    shape = tuple(d for i, d in enumerate(tile.shape) if i != place % rank)
        attribute = ("reduce", tuple(arguments.keywords))
        return self.table.make(Op.RESHAPED, arguments.everything, attribute, shape=shape)


def _only_computes(assembly: object) -> bool:
    """Whether PTX computes with its operands and asks for nothing else."""
    if not isinstance(assembly, str) or "%" in assembly:
        return False
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", assembly, flags=re.DOTALL)
    statements = (part.strip() for part in re.split(r"[;{}\n]", text))
    opcodes = (_OPCODE.match(part) for part in statements if part and not part.startswith(".reg"))
    return all(opcode is not None and opcode[1] in _COMPUTING for opcode in opcodes)


def _shape_key(shape: tuple[Value, ...] | None) -> tuple[int, ...] | None:
    return None if shape is None else tuple(d.serial for d in shape)
