"""Names of claims and reasons before version 0.2, by the names that they have now."""

from __future__ import annotations

_MERGED = """
accumulator-is-narrow: accumulator-is-unsigned
accumulator-is-read: partial-sums-escape reduction-is-used
accumulator-starts-elsewhere: maximum-starts-elsewhere
accumulators-are-sums: accumulators-start-at-zero carries-a-reduction turns-are-independent
    only-reductions-are-added operations-agree tiles-are-of-one-shape sum-is-linear
accumulators-are-wide: accumulator-is-wide atomics-fit-the-type tiles-stay-in-range
accumulators-can-be-combined: one-atomic-is-enough partials-are-stored-once partials-are-met
    results-are-numbers
already-done: several-rows-already already-strided already-divided already-decided
    one-sweep-in-two-loops
arguments-are-not-seen: arguments-are-hidden
arguments-are-understood: axis-is-an-integer bounds-are-integers
block-pointer-is-lost: made-in-another-function axes-are-not-written-out
called-from-a-kernel: parameters-may-be-tiles
center-is-not-the-mean: center-is-rounded
code-is-small: copies-are-readable tiles-fit-shared-memory tile-fits-into-registers
compiler-knows: the-compiler-does-this nothing-runs-ahead
computed-twice: constant-is-computed-twice operand-is-computed-twice
condition-can-move: condition-is-invariant condition-is-open
condition-is-not-plain: condition-has-effects condition-is-not-understood condition-loads
constant-is-plain: constant-is-ordinary one-operand-is-a-constant operand-is-a-name
constant-is-special: constant-is-nan constant-is-negative-zero not-a-number
data-is-unchanged: nothing-in-between no-volatile-load nothing-orders-memory
dependence-between-iterations: iterations-share-memory store-is-scattered stores-may-overlap
    stores-overlap stride-may-be-zero
different-elements: different-buffer maximum-of-other-values weighted weights-may-vanish
different-range: different-step extent-unknown
differs-between-iterations: extent-changes branch-on-the-index
done-by-every-part: done-by-both
early-exit: early-return helper-returns-early
effects-are-known: nothing-else-is-done
elements-are-boolean: not-a-descriptor asks-for-more tensor-may-be-a-part read-and-written
elements-are-not-boolean: block-is-a-descriptor strides-are-aligned tensors-are-aligned
exponents-are-below-the-maximum: maximum-is-running maximum-is-of-the-elements
grid-is-known: any-grid-is-right more-tiles-than-processors
grid-is-not-readable: grid-has-effects
hint-is-malformed: hint-exceeds-the-tile hint-is-not-a-power-of-two
hint-is-true: is-not-negative lanes-are-consecutive is-contiguous-in-memory is-an-address
hint-is-useful: cannot-narrow compiler-does-not-know hint-does-not-narrow hint-fits-the-tile
    hint-is-a-power-of-two is-told-for-a-reason compiler-is-told
hint-narrows: would-narrow
iterations-are-independent: stores-do-not-overlap threads-share-nothing lanes-do-the-same
kernel-does-more: final-kernel-does-more epilogue-is-not-linear
launches-are-not-paired: launched-without-the-other launches-in-two-blocks other-work-between
launches-are-seen: launched-as-usual parameters-are-scalars
launches-can-be-tuned: launches-are-timed options-can-be-left-to-a-tuner tuner-resets
    runs-twice-like-once
length-is-known-at-the-launch: launches-can-follow-the-row tile-is-known tiles-may-be-longer
length-matters: row-is-not-masked
loads-run-ahead: loop-multiplies-no-matrices
loop-does-more: second-sweep-does-more nest-does-more statement-does-more
loop-is-not-plain: loop-is-not-understood loop-has-else
loop-options: warp-specialized-loop warp-specialized loop-says-more loop-is-remade licm-is-disabled
loops-are-plain: loops-end-by-themselves no-early-exit every-tile-ends-alone
masked-off-lanes-add-nothing: masked-lanes-add-nothing masked-lanes-are-equal
    reduced-lanes-are-defined
masked-off-lanes-count: padding-lanes-count masked-rows-differ lanes-may-all-be-off
may-run-zero-times: row-may-be-empty
memory-order: barrier-between barrier-in-the-loop atomic-in-the-loop
name-is-bound-elsewhere: bound-again bound-in-one-branch bound-in-both-branches
    induction-name-is-taken name-is-read-later read-behind-its-loop bound-across-a-return
    constexpr-in-the-body
no-such-reduction: last-of-equals comes-with-its-index combination-is-not-known
not-a-recurrence: needs-the-iteration-before may-be-the-start chosen-by-a-condition
    adds-something-else operations-differ
not-an-exponential: no-running-maximum
not-compiled: no-compiler is-not-compiled
not-expressible: nothing-would-remain
not-lane-by-lane: helper-cannot-be-lifted lifting-is-not-known works-on-tiles branch-reduces
    tile-is-used reduced-in-a-loop two-axes-already
not-profitable: does-not-pay nothing-to-save
not-shown: lanes-are-not-consecutive stride-is-not-one not-an-address may-be-negative
not-tunable: buffer-may-be-a-part buffer-may-be-none effects-are-not-restored
    launches-ask-for-different-options warps-are-computed
nothing-else-is-lost: nothing-else-goes first-sweep-only-keeps second-sweep-only-sums
    final-kernel-only-reduces only-the-full-sum-is-used
opaque-value: too-large computed-out-of-sight place-is-not-understood
pair-is-private: launches-come-in-pairs nobody-else-reads output-is-new-memory
parameter-can-be-added: heuristic-can-be-added
parameter-cannot-be-added: arguments-are-counted compiled-ahead heuristic-is-not-seen
    pruned-configurations unknown-parameters
partials-are-used-elsewhere: partials-are-used
partials-do-not-match: other-slots slots-in-a-tile stored-in-a-branch
parts-are-independent: parts-are-launched-alike is-not-seen-twice tiles-are-independent
    sums-are-not-read reads-its-own waits-for-no-other-tile
profitable-at-some-sizes: depends-on-the-shape
program-ids-are-used: num-programs-is-used prints-the-program-id helper-reads-program-id
programs-are-numbered-in-rows: rows-are-whole
reads-nothing-more: load-always-runs
rounding-is-free: rounding-is-not-pinned same-rounding order-is-free digits-are-kept
    sums-stay-finite
rows-can-be-lifted: rows-are-short one-program-has-the-row one-tile-per-program row-fits-one-tile
rows-differ: branch-on-the-row one-and-many loop-depends-on-the-row
same-arguments: same-mask
same-elements: row-is-read-again
same-range: same-axes
shapes-differ: tiles-differ shape-is-not-known branches-differ
sizes-are-positive: sizes-are-not-negative empty-row-is-the-same
squares-of-deviations: center-is-the-mean center-is-unrounded weight-is-one
tile-is-long: tiles-are-long
tile-is-not-passed: tile-is-chosen tile-is-fixed
type-changes: name-of-another-type number-becomes-a-tensor number-is-used-otherwise
    operand-is-narrow operand-is-an-integer operand-is-constexpr constant-is-rounded
    constant-is-boolean constant-out-of-range
type-is-unknown: accumulator-type-unknown operand-type-unknown type-may-change
    operand-may-be-an-integer operand-may-be-narrow
type-stays: names-keep-their-types type-does-not-matter operand-is-fp32 data-is-float type-is-free
under-a-condition: under-another-condition
unknown-call: opaque-call
unknown-decorator: other-text
unseen-launches: launch-is-an-expression
"""

RENAMED = {
    old: new
    for new, _, names in (
        entry.partition(": ") for entry in _MERGED.strip().replace("\n    ", " ").splitlines()
    )
    for old in names.split()
}
"""The name now, by the old one."""
