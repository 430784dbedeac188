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
    cdiv LEFT RIGHT                     `tl.cdiv(a, b)`, which is (a + b - 1) // b
    cast OPERAND TARGET                 the TARGET is a dtype, or what it is asked of
    elementwise ... [FUNCTION]          another function that is applied lane by lane
    full OPERAND [SHAPE, DTYPE]         a tile of one value
    broadcast_to OPERAND [SHAPE]
    insert_axes OPERAND [PATTERN]       `value[:, None]`
    widened OPERAND ...                 the same, where it is not known which axes are new
    reduce OPERAND [Reduction]
    reshaped OPERAND ... [FUNCTION]     computed from its operands, in another order of lanes
    part OPERAND [INDEX]                one of several results
    tuple ...                           element OPERAND INDEX
    attribute OPERAND ... [NAME]
    one_of ... [NUMBER]                 the result of one of several functions
    block_pointer OPERAND ... [FUNCTION, NUMBER]  of the base, and of what the function is given
    load POINTER MASK OTHER [ORDER]     the ORDER is that of its effect
    iteration [LOOP]                    the canonical induction variable: 0, 1, 2, ...
    carried, result [Carrier]           of a loop: at the start of an iteration; after it
    opaque [NUMBER, REASON, LOOPS]      not understood

`Value.op` says which operation a value is made by; the operands that have a name are properties
of the value, `load.mask`.
"""

from __future__ import annotations

from enum import Enum


class Op(Enum):
    """What a value is: the word that is printed for it, and the names of its first operands."""

    _value_: str
    operands: tuple[str, ...]

    def __new__(cls, word: str, *operands: str) -> Op:
        op = object.__new__(cls)
        op._value_, op.operands = word, operands
        return op

    CONST = "const"
    PARAM = "param"
    CONSTEXPR = "constexpr"
    GLOBAL = "global"
    DTYPE = "dtype"
    PROGRAM_ID = "program_id", "axis"
    NUM_PROGRAMS = "num_programs", "axis"

    ADD = "add", "left", "right"
    SUB = "sub", "left", "right"
    MUL = "mul", "left", "right"
    DIV = "div", "left", "right"
    FLOORDIV = "floordiv", "left", "right"
    MOD = "mod", "left", "right"
    POW = "pow", "left", "right"
    NEG = "neg", "operand"
    POS = "pos", "operand"
    CAST = "cast", "operand", "target"

    AND = "and", "left", "right"
    OR = "or", "left", "right"
    XOR = "xor", "left", "right"
    SHL = "shl", "left", "right"
    SHR = "shr", "left", "right"
    INVERT = "invert", "operand"
    NOT = "not", "operand"
    BOTH = "both", "left", "right"
    EITHER = "either", "left", "right"

    LT = "lt", "left", "right"
    LE = "le", "left", "right"
    GT = "gt", "left", "right"
    GE = "ge", "left", "right"
    EQ = "eq", "left", "right"
    NE = "ne", "left", "right"
    IS = "is", "left", "right"
    IS_NOT = "is not", "left", "right"

    WHERE = "where", "condition", "then", "other"
    PHI = "phi", "condition", "then", "other"
    IN_BRANCH = "in_branch", "operand"
    MINIMUM = "minimum", "left", "right"
    MAXIMUM = "maximum", "left", "right"
    CDIV = "cdiv", "left", "right"

    LANE = "lane", "extent"
    FULL = "full", "operand"
    BROADCAST_TO = "broadcast_to", "operand"
    INSERT_AXES = "insert_axes", "operand"
    WIDENED = "widened", "operand"
    REDUCE = "reduce", "operand"
    RESHAPED = "reshaped", "operand"

    TUPLE = "tuple"
    PART = "part", "operand"
    ELEMENT = "element", "operand", "index"
    ATTRIBUTE = "attribute", "operand"

    ELEMENTWISE = "elementwise"
    ONE_OF = "one_of"
    BLOCK_POINTER = "block_pointer", "operand"
    LOAD = "load", "pointer", "mask", "other"

    ITERATION = "iteration"
    CARRIED = "carried"
    RESULT = "result"

    OPAQUE = "opaque"

    def __str__(self) -> str:
        return self._value_

    # A member is equal to itself alone. Enum's own hash is a call of Python in each look-up.
    __hash__ = object.__hash__


COMPARISONS = frozenset({Op.LT, Op.LE, Op.GT, Op.GE, Op.EQ, Op.NE})
ARITHMETIC = frozenset(
    {Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.FLOORDIV, Op.MOD, Op.POW, Op.NEG, Op.POS, Op.CAST}
)
BITS = frozenset({Op.AND, Op.OR, Op.XOR, Op.SHL, Op.SHR, Op.INVERT, Op.NOT})
FUNCTIONS = frozenset({Op.WHERE, Op.MINIMUM, Op.MAXIMUM, Op.CDIV, Op.ELEMENTWISE})
ELEMENTWISE = ARITHMETIC | BITS | COMPARISONS | FUNCTIONS
COMMUTATIVE = frozenset({Op.ADD, Op.MUL, Op.AND, Op.OR, Op.XOR, Op.EQ, Op.NE})
NAMED = frozenset({Op.PARAM, Op.CONSTEXPR, Op.GLOBAL, Op.DTYPE, Op.ATTRIBUTE})
BY_FUNCTION = frozenset({Op.ELEMENTWISE, Op.RESHAPED, Op.BLOCK_POINTER})
"""What is computed by one of many functions, whose name is in the attribute."""
