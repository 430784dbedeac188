"""What the decorator of a tuner lists: configurations, and the names in its key."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.atoms import Param, PowerOfTwo, TensorSize
from tritonopt.facts.algebra.polynomial import ONE
from tritonopt.facts.host.tuner_choices import bound
from tritonopt.rewriting.model import Site
from tritonopt.source.trees import walk


def keys_of_nothing(facts: KernelFacts, decorator: ast.Call) -> Iterator[Site]:
    """Names in the key that are no parameters, which Triton passes over without a word."""
    given, key = _key_of(decorator)
    claim, harm = "launches-can-be-tuned", "a configuration tuned for one size is used for all"
    parameters = {p.name: p for p in facts.kernel.parameters}
    for wrong in sorted(key - set(parameters)):
        message = f"{wrong} in the key is not a parameter, so the tuner ignores it"
        yield Site.of_mistake(given[0], claim, "key-of-nothing", message, harm)
    for name in sorted(facts.extents - key) if key else ():
        for values in (binding.values for binding in facts.launches.bindings):
            size = values.get(Param(name), ONE).sole_atom
            size = size.form.sole_atom if isinstance(size, PowerOfTwo) else size
            leaves = [a for other in key for a in values.get(Param(other), ONE).leaves()]
            known = {a for a in leaves if isinstance(a, TensorSize)}
            strides = {a.tensor for a in known if a.method != "size"}
            if not isinstance(size, TensorSize) or size.method != "size":
                continue
            if size not in known and size.tensor not in strides:
                message = f"{name} is as long as a tile, and is not in the key"
                yield Site.of_mistake(given[0], claim, "size-not-in-key", message, harm)
                break


def repeated(facts: KernelFacts, decorator: ast.Call) -> Iterator[Site]:
    """A configuration that stands in the list twice."""
    given = [k.value for k in decorator.keywords if k.arg == "configs"] or decorator.args[:1]
    configs = bound(facts.kernel.module, given[0]) if given else None
    seen: dict[str, ast.expr] = {}
    for config in configs.elts if isinstance(configs, ast.List | ast.Tuple) else ():
        first = seen.setdefault(ast.dump(config), config)
        if first is not config and isinstance(config, ast.Call):
            message = f"this configuration repeats that of line {first.lineno}"
            harm = "it is compiled and timed twice"
            anchor = config if config in set(walk(decorator)) else decorator
            claim, reason = "launches-can-be-tuned", "configuration-is-repeated"
            yield replace(Site.of_mistake(anchor, claim, reason, message, harm), is_note=True)


def keys_in_vain(facts: KernelFacts, decorator: ast.Call) -> Iterator[Site]:
    """Lengths in the key that neither the kernel nor the grid reads."""
    given, key = _key_of(decorator)
    read = {node.id for node in facts.kernel.nodes if isinstance(node, ast.Name)}
    for name in sorted({p.name for p in facts.kernel.parameters} & key - read):
        for binding in facts.launches.bindings:
            size = binding.values.get(Param(name), ONE).sole_atom
            if not isinstance(size, TensorSize) or size.method != "size":
                continue
            # More programs may ask for another configuration.
            if any(form is None or size in set(form.leaves()) for form in binding.grid):
                continue
            message = f"the kernel does not read {name}, which is in the key"
            harm = "the tuner runs again for each value, with the same result"
            site = Site.of_mistake(given[0], "launches-can-be-tuned", "key-in-vain", message, harm)
            yield replace(site, is_note=True)
            break


def _key_of(decorator: ast.Call) -> tuple[list[ast.expr], set[str]]:
    """Where the key stands, and its names; no names where it cannot be read."""
    given = [k.value for k in decorator.keywords if k.arg == "key"] or decorator.args[1:2]
    return given, (texts_of(given[0]) or set()) if given else set()


def texts_of(node: ast.expr | None) -> set[str] | None:
    """The texts of a list; None where it cannot be read."""
    match node:
        case None | ast.Constant(value=None):
            return set()
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            found = {e.value for e in elements if isinstance(e, ast.Constant)}
            texts = {text for text in found if isinstance(text, str)}
            return texts if len(texts) == len(elements) else None
    return None
