"""The operations that values are made by, with their operands and [attribute].

    const [TYPE, VALUE, TEXT]           a Python constant, also one that a module binds
    param, constexpr, global [NAME]     what the kernel is given
    dtype [NAME]                        an element type
    program_id, num_programs AXIS
    lane EXTENT                         the numbers from 0 to the extent, along one axis
    add, sub, ..., lt, le, ...          Python's operators, lane by lane: LEFT RIGHT, or OPERAND
    both, either LEFT RIGHT             `a and b`, `a or b`
    is, is not LEFT RIGHT
    where CONDITION THEN OTHER          chosen lane by lane
    phi CONDITION THEN OTHER            chosen where two ways of the program meet
    in_branch OPERAND [CONDITION, HOLDS]  bound in one branch only
    minimum, maximum LEFT RIGHT         [the options that were given]
    cast OPERAND TARGET                 the TARGET is a dtype, or what it is asked of
    elementwise ... [FUNCTION]          another function that is applied lane by lane
    full OPERAND [SHAPE, DTYPE]         a tile of one value
    broadcast_to OPERAND [SHAPE]
    insert_axes OPERAND [PATTERN]       `value[:, None]`
    widened OPERAND ...                 the same, where it is not known which axes are new
    reduce OPERAND [Reduction]
    reshaped ... [FUNCTION]             computed from its operands, in another order of lanes
    part OPERAND [INDEX]                one of several results
    tuple ...                           element TUPLE INDEX
    attribute OWNER ... [NAME]
    one_of ... [NUMBER]                 the result of one of several functions
    block_pointer ... [FUNCTION]
    load POINTER MASK OTHER [ORDER]     the ORDER is that of its effect
    iteration [LOOP]                    the canonical induction variable: 0, 1, 2, ...
    carried, result [Carrier]           of a loop: at the start of an iteration; after it
    opaque [NUMBER, REASON, LOOPS]      not understood

`Value.op` says which operation it is. Where operands are asked for by name, ask for the
class instead, which has a property for each: `isinstance(value, Load)` and `value.mask`.
"""

from __future__ import annotations

from enum import Enum


class Op(Enum):
    """What a value is; its string is how it is printed."""

    CONST = "const"
    PARAM = "param"
    CONSTEXPR = "constexpr"
    GLOBAL = "global"
    DTYPE = "dtype"
    PROGRAM_ID = "program_id"
    NUM_PROGRAMS = "num_programs"

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    FLOORDIV = "floordiv"
    MOD = "mod"
    POW = "pow"
    NEG = "neg"
    POS = "pos"
    CAST = "cast"

    AND = "and"
    OR = "or"
    XOR = "xor"
    SHL = "shl"
    SHR = "shr"
    INVERT = "invert"
    NOT = "not"
    BOTH = "both"
    EITHER = "either"

    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    EQ = "eq"
    NE = "ne"
    IS = "is"
    IS_NOT = "is not"

    WHERE = "where"
    PHI = "phi"
    IN_BRANCH = "in_branch"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"

    LANE = "lane"
    FULL = "full"
    BROADCAST_TO = "broadcast_to"
    INSERT_AXES = "insert_axes"
    WIDENED = "widened"
    REDUCE = "reduce"
    RESHAPED = "reshaped"

    TUPLE = "tuple"
    PART = "part"
    ELEMENT = "element"
    ATTRIBUTE = "attribute"

    ELEMENTWISE = "elementwise"
    ONE_OF = "one_of"
    BLOCK_POINTER = "block_pointer"
    LOAD = "load"

    ITERATION = "iteration"
    CARRIED = "carried"
    RESULT = "result"

    OPAQUE = "opaque"

    def __str__(self) -> str:
        return self.value

    # A member is equal to itself alone. Enum's own hash is a call of Python in each look-up.
    __hash__ = object.__hash__


COMPARISONS = frozenset({Op.LT, Op.LE, Op.GT, Op.GE, Op.EQ, Op.NE})
ARITHMETIC = frozenset(
    {Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.FLOORDIV, Op.MOD, Op.POW, Op.NEG, Op.POS, Op.CAST}
)
BITS = frozenset({Op.AND, Op.OR, Op.XOR, Op.SHL, Op.SHR, Op.INVERT, Op.NOT})
FUNCTIONS = frozenset({Op.WHERE, Op.MINIMUM, Op.MAXIMUM, Op.ELEMENTWISE})
ELEMENTWISE = ARITHMETIC | BITS | COMPARISONS | FUNCTIONS
COMMUTATIVE = frozenset({Op.ADD, Op.MUL, Op.AND, Op.OR, Op.XOR, Op.EQ, Op.NE})
