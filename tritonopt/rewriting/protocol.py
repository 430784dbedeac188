"""What a pass is."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks import reasons
from tritonopt.rewriting import options
from tritonopt.rewriting.measured import Figure
from tritonopt.rewriting.model import Safety, Site

if TYPE_CHECKING:
    from typing_extensions import Self

    from tritonopt.facts import KernelFacts


@dataclass(frozen=True)
class Gain:
    """The measured speed of a profitable rewrite, for `tritonopt suggest`."""

    figure: Figure
    where: str
    """On what, and when it loses."""
    why: str
    """Why it is faster."""
    options: str = ""
    """The options of the measured pass, as `{programs=sm*4}`: those it has where no pass is
    named."""

    @property
    def text(self) -> str:
        return f"{self.figure} {self.where}"


@dataclass(frozen=True)
class Pass(ABC):
    """One documented rewrite: a frozen dataclass whose fields are its options.

    An option is a `bool`, an `int`, a `str`, a `Literal` or an `Enum`, and has a
    default. The docstring of a pass is its manual page, with the headings What
    it does, Why, Conditions, Numerics, Example, Measured.

    A pass is found through the entry-point group `tritonopt.passes`, under the
    same name that it gives itself here.
    """

    name: ClassVar[str]
    """In kebab-case, as it is written after `--passes`."""
    summary: ClassVar[str]
    """One line for the catalog."""
    safety: ClassVar[frozenset[Safety]] = frozenset()
    """The most that a site of it may need; a site may need less."""
    gain: ClassVar[Gain | None] = None
    """The measured speed of its profitable sites; a pass without one acts only where it is
    named."""
    finds_mistakes: ClassVar[bool] = False
    """Whether its analyses tell of code that is wrong as it stands."""
    is_tried: ClassVar[bool] = True
    """Whether `tritonopt tune` tries it where no pass is named."""
    runs_file: ClassVar[bool] = False
    """Whether, where it is named, it has the file run, so that no excerpt of it will do."""
    fixes: ClassVar[bool] = False
    """Whether it fixes mistakes, those of its analyses that bring changes: all where it is named,
    else those whose fix is safe."""
    mends: ClassVar[bool] = False
    """The name of `fixes` until version 0.3."""
    harm: ClassVar[str] = ""
    """What comes of such a mistake; read by `tritonopt suggest` and nobody else."""
    is_named: ClassVar[bool] = True
    """Whether it acts wherever it is legal; without its name, where it is profitable and where
    a fix is safe."""
    is_of_group: ClassVar[bool] = False
    """Whether a group names it, and nobody else: it leaves what is unlikely to be faster."""
    own_reasons: ClassVar[Mapping[str, str]] = {}
    """Of a pass of another package, the claims and reasons that `tritonopt.checks.reasons` does
    not have, with a sentence each."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.__dict__.get("mends") and not cls.fixes:
            text = f"{cls.__name__}: `mends` is deprecated, call it `fixes`"
            warnings.warn(text, DeprecationWarning, stacklevel=2)
            cls.fixes = True
        cls.mends = cls.fixes
        reasons.declare(getattr(cls, "name", cls.__name__), cls.__dict__.get("own_reasons", {}))

    @abstractmethod
    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        """The places in the kernel where the pass applies, or would but for a condition.

        A site whose conditions all hold brings the changes that rewrite it. Once they are made,
        the facts of the new kernel must no longer offer it: twice is once.
        """

    def may_act(self, facts: KernelFacts) -> bool:
        """A quick look before `sites`: whether the kernel may have one on which the pass acts, or
        of which it tells, where it is not named."""
        return self.gain is not None or self.finds_mistakes

    @property
    def only_tells(self) -> bool:
        """Whether none of its sites is rewritten: what there is to see is in the file as given."""
        return self.finds_mistakes and not (self.fixes or self.gain or self.is_named)

    def where_profitable(self) -> Self:
        """The same pass, not named: it runs where profitable, and where a fix is safe."""
        return self._with("is_named", False)

    def by_name(self) -> Self:
        """The same pass as one that was named: it acts wherever it is legal."""
        return self._with("is_named", True)

    def of_group(self) -> Self:
        """The same pass as one that a group names."""
        return self._with("is_of_group", True)

    def _with(self, attribute: str, value: object) -> Self:
        """A copy; what is no option is no field either."""
        changed = copy(self)
        object.__setattr__(changed, attribute, value)
        return changed

    @classmethod
    def variants(cls) -> Iterator[Self]:
        """Every legal combination of options.

        Options with finitely many values are combined, others keep their
        default; a pass that forbids a combination says so by overriding this.
        """
        for values in options.combinations(cls):
            yield cls(**values)


@dataclass(frozen=True)
class Lint(Pass):
    """A pass that finds mistakes: all of its sites are analyses."""

    finds_mistakes: ClassVar[bool] = True

    @property
    def only_tells(self) -> bool:
        return not self.fixes
