"""Reading the one-line language of arguments (see `argument_language`), and what is wrong in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from tritonopt.facts.host import torch_api
from tritonopt.source.parsing import parsed
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.signature.argument_language import (
    DTYPES,
    FLOAT_CLASSES,
    FLOATS,
    FUNCTIONS,
    LONG_NAMES,
    MADE_OF_VALUES,
    VALUE_CLASSES,
    WHOLE_CLASSES,
    Argument,
    Bound,
    ChoiceArgument,
    Dimension,
    FormulaArgument,
    Origin,
    RangeArgument,
    SameArgument,
    SequenceArgument,
    Signature,
    SizeArgument,
    TensorArgument,
    TorchType,
    ValuesArgument,
    names_of,
    tensors_of,
)
from tritonopt.verification.signature.size_facts import Fact, fitted, hold, is_comparison, strange

EXAMPLE = "--args 'x: f32[m, n], w: f32[n], eps: 1e-5'"


def parse(text: str, origin: Origin | None = None) -> Signature:
    """Read the one-line language; raise VerificationError that points at the mistake."""
    origin = replace(origin or Origin(), text=text)
    parser = _Parser(text, origin)
    arguments = parser.arguments()
    signature = Signature(arguments, (), origin, tuple(parser.facts), parser.columns)
    _check(signature)
    return signature


def _check(signature: Signature) -> None:
    by_name = {a.name: a for a in signature.arguments}
    dimensions = {name for t in signature.tensors for d in t.shape for name in names_of(d)}
    compared = {name for fact in signature.facts for name in fact.names}
    for fact in signature.facts:
        unknown = set(fact.names) - set(signature.size_names)
        if unknown:
            at = signature.origin.text.index(fact.text)
            raise signature.origin.error(at, _no_size(fact, unknown, signature))
    if nothing := _contradiction(signature.facts, signature):
        at = signature.origin.text.rindex(signature.facts[-1].text)
        raise signature.origin.error(at, nothing)
    for argument in signature.arguments:
        if isinstance(argument, (SameArgument, ValuesArgument)) and not isinstance(
            by_name.get(argument.of), TensorArgument
        ):
            raise signature.error(
                argument.name, f"`{argument}` names `{argument.of}`, which is no tensor"
            )
        wanted: tuple[Bound | None, ...] = tuple(
            bound for tensor in tensors_of(argument) for bound in (tensor.low, tensor.high)
        )
        shaped = any(tensor.shape for tensor in signature.tensors)
        if isinstance(argument, SizeArgument) and shaped and not argument.as_tuple:
            # A tuple may be the shape of what is made; without a tensor any size may be.
            wanted = tuple(size for size in argument.sizes if size not in compared)
        for size in (name for bound in wanted for name in names_of(bound or 0)):
            if size not in dimensions:
                raise signature.error(
                    argument.name,
                    f"`{argument}` uses `{size}`, which is no dimension of a tensor. "
                    f"Dimensions here: {', '.join(sorted(dimensions)) or 'none'}. "
                    f"Text is written in quotes ('{size}').",
                )


def _no_size(fact: Fact, unknown: set[str], signature: Signature) -> str:
    sizes = ", ".join(signature.size_names) or "none"
    return f"`{fact}` names {', '.join(sorted(unknown))}: sizes here are {sizes}"


def _contradiction(facts: Sequence[Fact], signature: Signature) -> str:
    """That no sizes were found of which the facts hold; "" where some were."""
    sizes = dict.fromkeys(signature.size_names, 1)
    if hold(facts, fitted(facts, sizes)):
        return ""
    holds = "hold" if len(facts) > 1 else "holds"
    return f"no sizes were found for which {' and '.join(f'`{fact}`' for fact in facts)} {holds}"


def assumed(signature: Signature, texts: Sequence[str]) -> Signature:
    """With facts about sizes that are given apart; VerificationError for what is none."""
    facts = []
    for text in texts:
        origin = Origin("--assume", text)
        wrong = strange(text)
        if wrong is None and not is_comparison(text):
            wrong = 0, "a comparison of sizes is expected, as in `n % 16 == 0`"
        if wrong is not None:
            raise origin.error(*wrong)
        fact = Fact(text.strip())
        unknown = set(fact.names) - set(signature.size_names)
        if unknown:
            raise origin.error(0, f"{_no_size(fact, unknown, signature)} (in: {signature})")
        facts.append(fact)
    known = (*signature.facts, *facts)
    if nothing := _contradiction(known, signature) if facts else "":
        raise Origin("--assume", texts[-1]).error(0, nothing)
    return replace(signature, facts=known)


_TOKEN = re.compile(
    r"""\s*(?:
        (?P<range>\.\.(?!\.))
      | (?P<dots>\.\.\.)
      | (?P<number>[-+]?(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:inf|nan)\b)
      | (?P<type>torch\.\w+)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<text>'[^']*'|"[^"]*")
      | (?P<mark>[:\[\](),|=])
      | (?P<bad>\S)
    )""",
    re.VERBOSE,
)


def check_formula(text: str, origin: Origin, start: int = 0) -> ast.expr:
    """The expression; an error points at the first thing that formulas do not have."""
    try:
        # In brackets, because a line may begin with a space.
        tree = parsed(f"({text})", mode="eval").body
    except SyntaxError as error:
        at = start + max((error.offset or 1) - 2, 0)
        raise origin.error(at, f"this is no expression: {error.msg}") from None
    for node in ast.walk(tree):
        if isinstance(node, (ast.operator, ast.unaryop, ast.expr_context, ast.Name, ast.Tuple)):
            continue
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            continue
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Subscript)):
            continue
        if isinstance(node, ast.Attribute) and node.attr in torch_api.EXTENTS | {"shape"}:
            continue
        if isinstance(node, ast.Call) and not node.keywords:
            function = node.func
            if isinstance(function, ast.Attribute):
                continue
            if isinstance(function, ast.Name) and function.id in FUNCTIONS:
                continue
        column = getattr(node, "col_offset", 1) - 1
        raise origin.error(
            start + column,
            f"`{ast.unparse(node)}` has no place in a formula; there are names of sizes and "
            f"arguments, + - * // %, x.stride(0), x.size(0), x.shape[0], x.numel() and "
            f"{', '.join(f'{f}()' for f in FUNCTIONS)}",
        )
    return tree


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    column: int


def _made_of_values(name: str, rest: Sequence[_Token]) -> ValuesArgument | None:
    words = [token.text for token in rest]
    is_made = len(words) == 4 and words[0] in MADE_OF_VALUES and words[2].isidentifier()
    return ValuesArgument(name, words[0], words[2]) if is_made else None


def _is_formula(rest: Sequence[_Token]) -> bool:
    """Whether there is an operator, a call or an attribute: no other form has one."""
    if any(t.kind == "bad" and t.text in "+-*/%." for t in rest):
        return True
    return any(
        one.kind == "name" and one.text != "in" and (two.text == "(" or two.kind == "number")
        for one, two in zip(rest, rest[1:], strict=False)
    )


class _Parser:
    """Recursive descent; every error carries the column it was found at."""

    def __init__(self, text: str, origin: Origin) -> None:
        self.origin = origin
        self.columns: dict[str, int] = {}
        self.facts: list[Fact] = []
        self.position = 0
        self.tokens = [
            _Token(str(m.lastgroup), m.group(str(m.lastgroup)), m.start(str(m.lastgroup)))
            for m in _TOKEN.finditer(text)
        ] + [_Token("end", "", len(text))]

    @property
    def token(self) -> _Token:
        return self.tokens[self.position]

    def fail(self, wanted: str, token: _Token | None = None) -> NoReturn:
        token = token or self.token
        found = f"`{token.text}`" if token.text else "the end"
        error = self.origin.error(token.column, f"expected {wanted}, found {found}")
        raise VerificationError(f"{error}\nWrite for example: {EXAMPLE}")

    def take(self) -> _Token:
        token = self.token
        self.position += 1
        return token

    def accept(self, text: str) -> bool:
        if self.token.kind in ("mark", "range", "dots", "name") and self.token.text == text:
            self.position += 1
            return True
        return False

    def expect(self, text: str, wanted: str) -> None:
        if not self.accept(text):
            self.fail(wanted)

    def name(self, wanted: str) -> str:
        if self.token.kind != "name":
            self.fail(wanted)
        return self.take().text

    def arguments(self) -> tuple[Argument, ...]:
        found = []
        while self.token.kind != "end":
            if self.is_fact():
                self.facts.append(self.fact())
                if not self.accept(","):
                    break
                continue
            start = self.token
            name = self.name("the name of a parameter")
            if name in self.columns:
                raise self.origin.error(start.column, f"`{name}` is given twice")
            self.columns[name] = start.column
            self.expect(":", f"`:` after `{name}`")
            found.append(self.argument(name))
            if self.token.kind == "end":
                break
            self.expect(",", f"`,` or the end after `{found[-1]}`")
        if self.token.kind != "end":
            self.fail("`,` or the end")
        if not found and not self.facts:
            self.fail("at least one argument")
        return tuple(found)

    def is_fact(self) -> bool:
        """Whether a comparison stands here: everything else begins with `NAME:`."""
        rest = self.rest()
        return not any(t.text == ":" for t in rest[1:2]) and any(t.text in "<>=!" for t in rest)

    def fact(self) -> Fact:
        start = self.token.column
        text = self.sizes_until(len(self.rest()), start)
        if not is_comparison(text):
            raise self.origin.error(start, "a comparison of sizes is expected here: `n % 16 == 0`")
        return Fact(text)

    def sizes_until(self, count: int, start: int) -> str:
        """An expression of sizes, of so many tokens."""
        self.position += count
        text = self.origin.text[start : self.token.column].strip()
        wrong = strange(text)
        if wrong is not None:
            raise self.origin.error(start + wrong[0], wrong[1])
        return text

    def argument(self, name: str) -> Argument:
        if self.begins_tensors():
            return self.tensors(name)
        if self.is_tensor() and LONG_NAMES.get(self.token.text, self.token.text) in DTYPES:
            return self.tensor(name)
        if made := _made_of_values(name, self.rest()):
            self.position += 4
            return made
        if _is_formula(self.rest()):
            return FormulaArgument(name, self.formula())
        if self.accept("="):
            return SameArgument(name, self.name("the name of the tensor to pass again"))
        if self.token.text in ("(", "[") and self.is_tensor(self.position + 1):
            return self.tensors(name)
        if self.accept("("):
            return self.tuple_of_sizes(name)
        if self.token.kind == "name":
            word = self.token.text
            if word == "int":
                self.take()
                return self.whole_number(name)
            if word in ("None", "True", "False"):
                return self.choice(name)
            if self.is_tensor():
                return self.tensor(name)
            self.take()
            if word == "bool":
                return ChoiceArgument(name, (False, True))
            if word == "float":
                return ChoiceArgument(name, (0.5, 1.0, 2.0))
            return SizeArgument(name, (word,))
        return self.choice(name)

    def rest(self) -> list[_Token]:
        """The tokens up to the comma that ends the argument."""
        depth = 0
        for at in range(self.position, len(self.tokens)):
            text = self.tokens[at].text
            depth += (text in ("(", "[")) - (text in (")", "]"))
            if self.tokens[at].kind == "end" or (text == "," and depth == 0):
                return self.tokens[self.position : at]
        return []

    def begins_tensors(self) -> bool:
        if self.token.text not in ("(", "[") or not self.is_tensor(self.position + 1):
            return False
        word = self.tokens[self.position + 1].text
        return LONG_NAMES.get(word, word) in DTYPES

    def formula(self) -> str:
        start = self.token.column
        for _ in self.rest():
            self.take()
        text = self.origin.text[start : self.token.column].rstrip()
        check_formula(text, self.origin, start)
        return text

    def is_tensor(self, at: int | None = None) -> bool:
        """A type name followed, after alternatives, by `[`."""
        at = self.position if at is None else at
        while self.tokens[at].kind == "name" and self.tokens[at + 1].text == "|":
            at += 2
        return self.tokens[at].kind == "name" and self.tokens[at + 1].text == "["

    def tensor(self, name: str) -> TensorArgument:
        dtypes = [self.dtype()]
        while self.accept("|"):
            dtypes.append(self.dtype())
        self.expect("[", "`[` and the dimensions")
        shape: list[Dimension] = []
        while not self.accept("]"):
            if shape:
                self.expect(",", "`,` or `]`")
            if self.token.kind == "dots":
                if shape:
                    self.fail("`...` as the first dimension only")
                self.take()
                shape.append("...")
            else:
                shape.append(self.size_or_formula((",", "]")))
        low: Bound = 0
        high: Bound | None = None
        kind = ""
        if self.accept("in"):
            if self.token.text not in VALUE_CLASSES:
                low = self.size_or_formula(("..",))
                self.expect("..", f"`..` between the bounds, or one of {', '.join(VALUE_CLASSES)}")
                high = self.size_or_formula((",", "]", ")", "|", *VALUE_CLASSES))
            kind = self.value_class(dtypes)
        instead = []
        while self.accept("|"):
            if self.token.kind != "number" and self.token.text != "None":
                self.fail("`None` or a number: a tensor has one form")
            instead.append(self.plain())
        found = TensorArgument(name, tuple(dtypes), tuple(shape), low=low, high=high, kind=kind)
        numbers = tuple(v for v in instead if isinstance(v, (int, float)))
        return replace(found, optional=None in instead, numbers=numbers)

    def value_class(self, dtypes: list[str]) -> str:
        """The class of values that stands here, if one does."""
        token = self.token
        if token.text not in VALUE_CLASSES:
            return ""
        known = FLOAT_CLASSES if all(d in FLOATS for d in dtypes) else WHOLE_CLASSES
        if token.text not in known:
            self.fail(f"what {dtypes[0]} can be: {', '.join(known)}")
        return self.take().text

    def size_or_formula(self, ends: tuple[str, ...]) -> Dimension:
        """A size, a name, or a formula up to one of the tokens that may end it."""
        start, depth, count = self.token.column, 0, 0
        for token in self.tokens[self.position :]:
            if token.kind == "end" or (depth == 0 and token.text in ends):
                break
            depth += (token.text == "(") - (token.text == ")")
            count += 1
        if count < 2 or not any(
            t.kind in ("bad", "number") or t.text == "("
            for t in self.tokens[self.position + 1 : self.position + count]
        ):
            return self.dimension()
        return self.sizes_until(count, start)

    def tensors(self, name: str) -> SequenceArgument:
        as_tuple = self.take().text == "("
        end = ")" if as_tuple else "]"
        found: list[TensorArgument] = []
        more = False
        while not self.accept(end):
            if found:
                self.expect(",", f"`,` or `{end}`")
                more = self.accept("...")
                if more:
                    self.expect(end, f"`{end}`: after `...` nothing else can stand")
                if more or self.accept(end):
                    break
            start = self.token
            found.append(self.tensor(name))
            if found[-1].instead:
                self.fail("a tensor alone: those of a list are all there", start)
        return SequenceArgument.of(name, found, more=more, as_tuple=as_tuple)

    def dtype(self) -> str:
        token = self.token
        word = LONG_NAMES.get(token.text, token.text)
        if word not in DTYPES:
            self.fail(f"a type of tensor ({', '.join(DTYPES)})")
        self.take()
        return word

    def dimension(self) -> Dimension:
        if self.token.kind == "number":
            return self.integer()
        return self.name("a dimension: a name or an integer")

    def integer(self) -> int:
        try:
            value = int(self.token.text)
        except ValueError:
            self.fail("an integer")
        self.take()
        return value

    def whole_number(self, name: str) -> RangeArgument:
        self.expect("in", "`in LOW..HIGH` after `int` (as in `dim: int in 0..1`)")
        low = self.integer()
        self.expect("..", "`..` between the bounds")
        start = self.token
        high = self.integer()
        if high < low:
            self.fail(f"a number of at least {low}", start)
        return RangeArgument(name, low, high)

    def tuple_of_sizes(self, name: str) -> SizeArgument:
        sizes: list[Dimension] = []
        while not self.accept(")"):
            if sizes:
                self.expect(",", "`,` or `)`")
                if self.accept(")"):
                    break
            sizes.append(self.dimension())
        return SizeArgument(name, tuple(sizes), as_tuple=True)

    def choice(self, name: str) -> ChoiceArgument:
        values = [self.plain()]
        while self.accept("|"):
            values.append(self.plain())
        return ChoiceArgument(name, tuple(values))

    def plain(self) -> object:
        token = self.token
        if token.kind == "number" and token.text.lstrip("+-") in ("inf", "nan"):
            self.take()
            return float(token.text)
        if token.kind == "type":
            word = token.text.partition(".")[2]
            if LONG_NAMES.get(word, word) not in DTYPES:
                self.fail(f"a type of torch ({', '.join(DTYPES)} and their long names)")
            self.take()
            return TorchType(LONG_NAMES.get(word, word))
        if token.kind in ("number", "text") or token.text in ("None", "True", "False"):
            self.take()
            value: object = ast.literal_eval(token.text.lstrip("+"))
            return value
        self.fail("a type with dimensions (f32[m, n]), a value, `bool`, `int in 0..1` or `=other`")
