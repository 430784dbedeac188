"""What the names in a remark mean: claims that a rewrite asks for, reasons why it is not made.

Both are public: JSON has them as `conditions[].claim` and `reason`, cases as what they expect,
`tritonopt explain NAME` prints what stands here. Only what is declared can be said: by this table,
or by the `own_reasons` of a pass that comes with another package.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from typing import NamedTuple


class Reason(NamedTuple):
    """Why a site is left alone, or what is reported there."""

    means: str
    advice: str
    """What to do, for whoever wants the rewrite, or wants the mistake gone."""


CLAIMS: Mapping[str, str] = {
    "accumulator-is-wide": "The accumulator is of a type of 32 bits or more.",
    "accumulators-can-be-combined": (
        "What several programs have accumulated can be stored, and put together as if one had."
    ),
    "accumulators-are-sums": "In a sweep an accumulator is added to, and used for nothing else.",
    "accumulators-are-wide": "Both sums are kept in one float type of 32 bits or more.",
    "accumulators-start-at-zero": "Both sums start at 0.",
    "any-grid-is-right": "The kernel gives the same results however many programs are started.",
    "arguments-are-understood": "It is seen which argument of the call is which.",
    "axis-is-an-integer": "A reduction is told its axis as an integer.",
    "block-is-a-descriptor": "The block is one that a tensor descriptor can stand for.",
    "strides-are-aligned": "Each stride but the last is a multiple of 16 bytes.",
    "tensors-are-aligned": "What is passed begins at a multiple of 16 bytes, as a new tensor does.",
    "programs-are-numbered-in-rows": "A program's ids are the row and the column of its tile.",
    "rows-are-whole": "Every launch starts whole rows of programs.",
    "block-pointers-are-followed": (
        "Each block pointer is followed from where it is made to each load and store through it."
    ),
    "bounds-are-integers": "What lanes are compared with is an integer.",
    "cannot-narrow": "The hint cannot make a load narrower than the compiler would by itself.",
    "carries-a-reduction": (
        "What an iteration takes over from the one before is a reduction, a running sum, or what a "
        "search has found."
    ),
    "center-is-the-mean": (
        "Deviations are taken from the first sweep's sum over the number of its elements."
    ),
    "center-is-unrounded": "The mean is not rounded to another type before it is subtracted.",
    "compiler-is-told": "The compiler is told of a size or a stride what makes an access wide.",
    "compiler-does-not-know": "The compiler does not find out by itself what the hint says.",
    "condition-can-move": (
        "The condition can be computed above the loop, also where the loop would not come to it."
    ),
    "condition-is-invariant": "The condition is the same in every iteration of the loop.",
    "condition-is-open": "Nothing around the loop has decided the condition already.",
    "constant-is-ordinary": "The constant is neither NaN nor -0.0, and is in the range of fp32.",
    "constant-is-plain": "The constant can be written twice without computing anything twice.",
    "copies-are-readable": "The copies of the loop have at most `max_statements` statements.",
    "data-is-float": "What is loaded or summed is of a float type.",
    "data-is-unchanged": "Nothing stores to what is read, from the first read to the last.",
    "elements-are-not-boolean": "What is loaded or stored is no tensor of booleans.",
    "empty-row-is-the-same": "A row of no elements gives what it gave, or keeps its loops.",
    "digits-are-kept": "What is subtracted in the end is not large against the result.",
    "effects-are-known": "Nothing in the kernel has an effect that is not understood.",
    "every-tile-ends-alone": "A tile that is done early can be skipped without ending the program.",
    "exponents-are-below-the-maximum": (
        "The second sweep adds exponentials of elements less the maximum, and nothing else."
    ),
    "first-sweep-only-keeps": "The first sweep keeps the maximum and does nothing else.",
    "grid-is-known": "It is read from every launch how many programs it starts.",
    "hint-does-not-narrow": "A hint promises no less than the compiler knows.",
    "hint-fits-the-tile": "A hint promises no more lanes than its tile has.",
    "heuristic-can-be-added": "A heuristic above the kernel is asked at every launch of it.",
    "hint-is-a-power-of-two": "The number in a hint is a power of two.",
    "hint-is-true": "What a hint promises holds in every program and every iteration.",
    "is-an-address": "The offsets are those of a load or a store.",
    "is-contiguous-in-memory": "Offsets that go up by one are neighboring elements in memory.",
    "is-expressible": "What the new code needs has a name where it would stand.",
    "iterations-are-independent": "No iteration touches an element that another one stores.",
    "is-not-negative": "What is divided by `%` is at least 0, so that the rest is too.",
    "is-not-seen-twice": "Up to the end of the loop nothing is done that may not be done twice.",
    "is-told-for-a-reason": "What the compiler is told of a number makes its code better.",
    "is-understood": "The values at the site are small enough to be compared.",
    "infinite-rows-are-the-same": "A row of nothing but -inf gives what it gave.",
    "lanes-do-the-same": "What an iteration computes can be computed lane by lane, under masks.",
    "lanes-are-consecutive": "The offsets go up by one from lane to lane.",
    "launches-are-seen": "Every launch of the kernel is in the files that were given.",
    "launches-are-timed": "A tuner can run and time the kernel where it is first launched.",
    "launches-can-follow-the-row": "Each launch can make the tile as long as the row.",
    "launched-as-usual": "Files that were not given only launch the kernel.",
    "length-is-known-at-the-launch": "How long the row and the tile are is told by arguments.",
    "load-always-runs": "Every iteration of the loop comes to the load, or would read nothing.",
    "loads-run-ahead": "Something that the loop loads can be loaded some turns ahead.",
    "loop-multiplies-no-matrices": "The loop has no `tl.dot`: the launch pipelines those.",
    "loops-are-plain": "The loops are counted, run to their ends, and have no `else`.",
    "loops-end-by-themselves": "No loop that updates the accumulator is left early.",
    "masked-lanes-add-nothing": "Lanes that the mask turns off add 0 to both sums.",
    "masked-lanes-are-equal": "Lanes that the mask turns off are what `tl.where` makes them.",
    "maximum-is-of-the-elements": "The maximum is of just what is exponentiated.",
    "maximum-is-running": "The first sweep keeps the largest element so far.",
    "more-tiles-than-processors": "A launch may have more tiles than there are multiprocessors.",
    "nan-rows-are-the-same": "A row of nothing but NaN gives what it gave.",
    "names-keep-their-types": "Each name has one type, in the loop and behind it.",
    "names-start-afresh": "Nothing that one tile binds is read by the next.",
    "nan-is-dropped": "A NaN in the operand gives the constant, as a comparison would.",
    "no-early-exit": "Nothing between the two sweeps may leave the kernel.",
    "no-int32-overflow": (
        "Index arithmetic stays below 2**31; a rewrite takes this to hold, as the kernel does."
    ),
    "no-other-launches": "Files that were not given do not launch the kernel in another way.",
    "no-volatile-load": "No load in the sweeps is volatile.",
    "nothing-else-goes": "With the old code no comment and no effect would be lost.",
    "nothing-in-between": "From sweep to sweep there is no exit, barrier, atomic or unknown call.",
    "nothing-orders-memory": "The loop has no atomic, barrier, volatile load or unknown call.",
    "offset-fits": "An offset that is computed in 32 bits fits them, for every tensor.",
    "one-operand-is-a-constant": "One of the two operands is a constant that is known.",
    "atomics-fit-the-type": (
        "The partial results are of a type of which there are atomics of all kinds."
    ),
    "final-kernel-only-reduces": (
        "All that the second kernel does is to reduce what the first has stored, and store that."
    ),
    "partials-are-stored-once": (
        "Each program stores each of its partial results once, whatever happens."
    ),
    "launches-come-in-pairs": (
        "Behind each launch of the first kernel stands one of the second, and nothing between."
    ),
    "nobody-else-reads": ("Nothing but the second kernel sees the partial results."),
    "output-is-new-memory": (
        "The results go to memory that the launcher has made, and that nobody has used before."
    ),
    "partials-are-met": (
        "The second kernel takes in each partial result once, for the element that it belongs to."
    ),
    "results-are-numbers": (
        "No partial result of which the largest or the least is wanted is NaN."
    ),
    "tuner-resets": ("A tuner puts back what the kernel adds to before it runs it again."),
    "nothing-else-is-done": (
        "All that the kernel does is to load, to compute, and to write at its end or in its loops."
    ),
    "parts-are-independent": (
        "Neither part of the kernel reads or overwrites what the other one writes."
    ),
    "parts-are-launched-alike": ("Both parts of the kernel can be launched as the whole one is."),
    "one-atomic-is-enough": "All that is done with the result can be one atomic.",
    "one-program-has-the-row": "One program goes through the whole row, in one loop.",
    "one-tile-per-program": "Each program handles the one tile that its program id names.",
    "only-reductions-are-added": "A loop combines its accumulator with reductions only.",
    "only-the-full-sum-is-used": "Behind its loop only the sum over the whole tile is used.",
    "options-can-be-left-to-a-tuner": (
        "Nothing but numbers stands at the launches for what a tuner would choose."
    ),
    "operand-is-a-name": "The operand is a name, so that writing it twice computes nothing twice.",
    "operand-is-fp32": "The operand is of a type in which both spellings give the same result.",
    "operations-agree": "The loop combines with the operation that the reduction is of.",
    "order-is-free": "Nobody relies on the order in which the kernel adds.",
    "parameter-can-be-added": "The kernel can take one more parameter, wherever it is named.",
    "parameters-are-scalars": "No other kernel calls this one with tiles for its parameters.",
    "reads-its-own": "A program reads only what no other program of its launch writes.",
    "reads-nothing-more": "The new code reads no element that the old code would not have read.",
    "reduced-lanes-are-defined": "A reduction includes only lanes that have a value.",
    "rows-are-short": "A tile is short, and rows are many, so that a program can hold several.",
    "rows-can-be-lifted": "What a program does for one row can be done for several at once.",
    "rounding-is-not-pinned": "Nobody wrote the kernel to get the bits of another library.",
    "tile-fits-into-registers": "The longest tile that is launched needs no memory but its own.",
    "runs-twice-like-once": "A tuner may run the kernel many times on the same memory.",
    "same-arguments": "The accesses agree on everything but their addresses and values.",
    "same-axes": "What is reduced is reduced along the same axes in both sweeps.",
    "same-elements": "The second sweep reads the elements that the first one reads.",
    "row-fits-one-tile": "No loop takes a second turn: one tile is as long as the row.",
    "sum-is-linear": (
        "Numbers that the first sweep gives go into the second one's sum as factors, each once."
    ),
    "row-is-read-again": "A later sweep loads elements that an earlier one has loaded.",
    "same-mask": "What becomes one is masked alike.",
    "same-range": "Both sweeps run over the same numbers, in the same order.",
    "same-rounding": "Both sweeps do the same arithmetic in types of less than 32 bits.",
    "second-sweep-only-sums": "The second sweep adds up squares and does nothing else.",
    "shape-stays": "The value has the same shape after the rewrite.",
    "sizes-are-not-negative": "No loop counts to a number below 0.",
    "sizes-are-positive": "What divides or bounds a loop is at least 1.",
    "squares-of-deviations": "The second sweep adds squared deviations, each with weight 1.",
    "stays-in-its-buffer": "A store writes only to elements that its tensor has.",
    "stores-do-not-overlap": "Each iteration stores to elements of its own.",
    "sums-stay-finite": "What is multiplied out stays in the range of its type, as the sum did.",
    "sums-are-not-read": "What is added to atomically is not read by the same launch.",
    "the-compiler-takes-it": "No assertion of the compiler is known to fail at the result.",
    "threads-share-nothing": (
        "What the loop stores is not read or written elsewhere in the kernel, by another thread."
    ),
    "tile-is-known": "Each launch says how long a tile is.",
    "tiles-are-independent": "No tile reads what another tile of the launch writes.",
    "tiles-fit-shared-memory": "What is loaded ahead fits into shared memory.",
    "tiles-may-be-longer": "The kernel computes the same whatever the length of its tiles is.",
    "tiles-are-of-one-shape": "What is reduced has one shape in all iterations.",
    "tiles-stay-in-range": "The reduction of one tile fits the type that it is made in.",
    "turns-are-independent": (
        "What a turn of the loop brings to an accumulator does not depend on the turns before."
    ),
    "type-does-not-matter": "The constant is exact in every type, and the result is only stored.",
    "type-is-free": "How wide the number is matters to addresses and comparisons alone.",
    "type-has-infinities": "The data is not of a type without inf, such as fp8e4nv.",
    "type-stays": "The value has the same type after the rewrite.",
    "waits-for-no-other-tile": "No program waits for what another one does.",
    "weight-is-one": "The squared deviations are not weighted.",
}
"""What must hold at a site. Where a claim does not, it or one of the reasons below is given."""


REASONS: Mapping[str, Reason] = {
    # The settings of a run, and what stands around the passes
    "bits": Reason(
        "The rewrite may change the last bits of compiled results, and only rewrites were asked "
        "for that do not (`--careful`).",
        "Leave `--careful` out, or say with `--safety` what is allowed.",
    ),
    "safety": Reason(
        "The site needs a safety level that was not allowed.",
        "Allow it with `--safety`, or with `safety` in pyproject.toml.",
    ),
    "does-not-pay": Reason(
        "The rewrite is allowed, but was not measured to be faster in this place.",
        "Name the pass in `--passes` to have it wherever it is allowed, and measure.",
    ),
    "depends-on-the-shape": Reason(
        "The rewrite is allowed, and was measured to be faster for some shapes and slower for "
        "others; no launch that is seen tells which ones the kernel gets.",
        "Name the pass in `--passes` to have it, and measure on your own shapes.",
    ),
    "nothing-to-save": Reason(
        "The rewrite is allowed, but there is no work here that it would save.",
        "Name the pass in `--passes` to have it wherever it is allowed, and measure.",
    ),
    "gave-up": Reason(
        "The kernel is so large that the pass came to no end with it; the bound is counted, so "
        "it is the same on every machine.",
        "Split the kernel, or leave the pass out of `--passes`.",
    ),
    "internal-error": Reason(
        "The pass failed; the kernel is left as it was.",
        "Report it to the maintainers of the pass, with the kernel and the remark.",
    ),
    "other-text": Reason(
        "A decorator below `@triton.jit` returns the function that is compiled, maybe with "
        "another text than the file shows.",
        "Put it above `@triton.jit`, or let it be a function of the same file that returns what "
        "it is given.",
    ),
    "no-pass": Reason(
        "A `# tritonopt: ignore[...]` names a pass that is not installed.",
        "Correct the name, or take it out.",
    ),
    "suppresses-nothing": Reason(
        "A `# tritonopt: ignore` stands where no pass has anything to say.",
        "Take it out.",
    ),
    "left-alone": Reason(
        "`tritonopt.optimize` kept the kernel, or this place of it, as it was.",
        "The message of the remark says what stands in the way.",
    ),
    "nothing-found": Reason(
        "The passes that `tritonopt.optimize` ran have no site in the kernel.",
        "Ask for others with `passes=`.",
    ),
    "part-of-a-pass": Reason(
        "The pass that was named means another one too for now, which was a part of it.",
        "Name both, or the one that is meant.",
    ),
    "unused-fact": Reason(
        "No rewrite rests on a fact that was given to `tritonopt.optimize`.",
        "Take it out of `assume=`, or see in the other remarks what is missing.",
    ),
    # scalar-loop
    "branches-differ": Reason(
        "A name would be a tile after one branch of an `if`, and a single number after the other.",
        "Bind it on both ways to something that depends on the iteration, or use `tl.where`.",
    ),
    "iterations-share-memory": Reason(
        "An iteration may load or store what another one stores.",
        "Where the buffers are known to lie apart, say so: `--assume 'disjoint(X, Y)'`.",
    ),
    "last-of-equals": Reason(
        "Of equal elements the index of the last one is wanted, not of the first.",
        "Compare with `>` or `<`, if either will do.",
    ),
    "last-value-is-used": Reason(
        "What the last iteration leaves in a name is used behind the loop.",
        "Compute it behind the loop.",
    ),
    "may-be-the-start": Reason(
        "What is searched for may be what the name begins with, so that it is not seen which "
        "lanes have found something.",
        "Begin with a number below, or above, all that can be found: -1 for an index.",
    ),
    "needs-the-iteration-before": Reason(
        "An iteration computes with what the one before has left, other than by adding up, "
        "multiplying or choosing.",
        "Nothing: such a loop goes from element to element.",
    ),
    "no-such-reduction": Reason(
        "The language has no function that puts the lanes of such a tile together.",
        "Reduce it by hand, with `tl.reduce` and a function of your own.",
    ),
    "not-lane-by-lane": Reason(
        "Something in the loop is not known to do for each lane of a tile what it does for a "
        "single element.",
        "Use operators and functions of `triton.language` that work on tiles.",
    ),
    "order-is-seen": Reason(
        "Something in the loop or beside it shows in which order the iterations run.",
        "Take the print, the assertion or the atomic out of the loop.",
    ),
    "store-is-scattered": Reason(
        "It is not shown that every iteration stores to another element, as where the index is "
        "loaded.",
        "Nothing, where two iterations may store to the same element: the last one is to win.",
    ),
    "stores-may-overlap": Reason(
        "A loop around this one may store to the same elements, by other lanes.",
        "Give its turns elements of their own, as by `row * N + i` with `i` in `range(N)`.",
    ),
    "stores-overlap": Reason(
        "Every iteration stores to the same element, and the last one wins.",
        "Keep the value in a name, and store it once behind the loop.",
    ),
    "stride-may-be-zero": Reason(
        "The iterations store to elements a stride apart which might be 0.",
        "Say that it is not: `--assume 'stride >= 1'`.",
    ),
    "threads-exchange-data": Reason(
        "The kernel touches elsewhere what the loop stores, or stores what the loop reads. A "
        "single element is stored by one thread, those of a tile by many.",
        "Put a `tl.debug_barrier()` in between; or, where these are other buffers, say so: "
        "`--assume 'disjoint(X, Y)'`.",
    ),
    "works-on-tiles": Reason(
        "The loop may compute with tiles already, and these would get one more axis.",
        "Nothing, if it does: that is another rewrite.",
    ),
    # collapse-loops
    "branch-on-the-index": Reason(
        "Whether something is done depends on the turn of a loop, or on the place in a row.",
        "Write the condition into the masks, or use `tl.where`.",
    ),
    "extent-changes": Reason(
        "An inner loop has another number of turns in each turn of the one around it.",
        "Nothing, where rows are of different lengths; else bind the number above the loops.",
    ),
    "loop-says-more": Reason(
        "A loop has options that would mean something else for one loop in place of several.",
        "Leave them out, if they were not measured to be worth anything.",
    ),
    "nest-does-more": Reason(
        "Between the loops something is done beside computing indices.",
        "Move it into the innermost loop, where it is masked, or out of the nest.",
    ),
    "row-is-not-masked": Reason(
        "A load or a store is not masked by the end of the row.",
        "Mask it by the comparison that the others have.",
    ),
    "tile-is-used": Reason(
        "A tile, or its length, is used for more than going through the elements of a row.",
        "Use the place in the row, and reduce a tile with one reduction of its kind.",
    ),
    # split-columns
    "bound-again": Reason(
        "A name of which tiles are made is bound once more behind them.",
        "Use another name for the second one.",
    ),
    "branch-reduces": Reason(
        "Within an `if` a tile is reduced, or the `if` asks for a tile.",
        "Reduce it above the `if`.",
    ),
    "statement-does-more": Reason(
        "One statement has to do with tiles, and with other things beside.",
        "Write it as several statements.",
    ),
    "tile-is-fixed": Reason(
        "A launch passes one length of a tile for rows of all lengths.",
        "Pass the next power of two of the length of the row.",
    ),
    # What several passes ask for
    "effect-inside": Reason(
        "What would go does something beside giving its value: it loads, stores or binds a name.",
        "Compute it into a name first.",
    ),
    "shape-changes": Reason(
        "The rewrite would give the value other axes or another number of lanes.",
        "Nothing: what gives it this shape is needed.",
    ),
    "not-expressible": Reason(
        "What the new code needs has no name where it would stand, or cannot be written there.",
        "The message says what; give that a name above.",
    ),
    "opaque-value": Reason(
        "A value at the site comes from something that is not understood.",
        "The message says what; write it with operations of `triton.language`, or give the file "
        "that defines it with `--context`.",
    ),
    "comment-inside": Reason(
        "The rewrite would lose a comment that stands in the middle of the expression.",
        "Move the comment above the statement.",
    ),
    "data-may-change": Reason(
        "Something may store to what is read, between the reads that would become one.",
        "Where the buffers are known to lie apart, say so: `--assume 'disjoint(X, Y)'`.",
    ),
    "early-exit": Reason(
        "A `return`, `break` or the like may leave before all of it has run.",
        "Let it run to its end, with a mask for what must not count.",
    ),
    "volatile-load": Reason(
        "A load is volatile: its author wants it to read each time.",
        "Take `volatile=True` out if nothing else writes there.",
    ),
    "loop-has-else": Reason("A loop has an `else`.", "Write the `else` behind the loop."),
    "loop-is-not-understood": Reason(
        "A loop is over something other than `range` or `tl.range`.",
        "Write it as a `for` over `range` with one name.",
    ),
    "unknown-decorator": Reason(
        "A decorator of the kernel may look at its parameters in a way that is not known.",
        "Give the file that defines it with `--context`, or write its arguments in their place.",
    ),
    # fuse-stats
    "digits-may-cancel": Reason(
        "Multiplied out, two sums are subtracted that may be large and alike.",
        "Where that is no matter: `--passes 'fuse-stats{formula=moments}'`.",
    ),
    "lanes-may-all-be-off": Reason(
        "Where no lane is on nothing is added; multiplied out, something infinite would be.",
        "Clear the lanes behind the end of the row by a factor that is 0 there.",
    ),
    "accumulator-is-narrow": Reason(
        "A sum is kept in a type of less than 32 bits, or the two sums in different types.",
        "Start both with `tl.zeros(..., dtype=tl.float32)`.",
    ),
    "accumulator-is-read": Reason(
        "An accumulator is used inside its loop, before the sum is complete.",
        "Use another name for what is needed in the loop.",
    ),
    "accumulator-is-unsigned": Reason(
        "An accumulator is of an unsigned type, which partial results are not kept in.",
        "Count in `tl.int32` or `tl.int64`.",
    ),
    "accumulator-starts-elsewhere": Reason(
        "A sum starts at another number than 0.", "Start it at 0, and add the number behind."
    ),
    "barrier-between": Reason(
        "A barrier or an atomic stands in between, and orders memory.",
        "Move it before the first or behind the last, if it does not belong there.",
    ),
    "center-is-not-the-mean": Reason(
        "The deviations are taken from something other than the mean of the same elements.",
        "Nothing, where that is meant: the shifted formula would give another result.",
    ),
    "center-is-rounded": Reason(
        "The mean is rounded to another type before it is subtracted.",
        "Keep it in the type of the sums, and cast what is stored.",
    ),
    "data-is-integer": Reason(
        "The sums are of integers, which the shifted formula is not for.",
        "Cast the data to fp32 when it is loaded, if that is meant.",
    ),
    "different-buffer": Reason(
        "The two sweeps read different buffers.",
        "Nothing, where that is meant; a variance and its mean are of the same data.",
    ),
    "different-elements": Reason(
        "The two sweeps read different elements of the buffer.",
        "Compare the offsets of both loads; the message shows them.",
    ),
    "different-mask": Reason(
        "The two masks are not the same, and neither follows from the other.",
        "Mask both alike, if they are meant to be.",
    ),
    "different-range": Reason(
        "The two sweeps run over different numbers, or it is not shown that these are the same.",
        "Give both loops the same bounds.",
    ),
    "different-step": Reason(
        "The two sweeps go on in different steps.", "Give both loops the same step."
    ),
    "extent-unknown": Reason(
        "It cannot be counted how many elements the sum has, so not whether they are the divisor.",
        "Mask the loads by the length, or say that tiles are full: `--assume 'N % BLOCK == 0'`.",
    ),
    "not-a-square": Reason(
        "The second sweep adds something other than the square of one deviation.",
        "Nothing, where that is meant; it is no variance then.",
    ),
    "one-sweep-in-two-loops": Reason(
        "The second loop goes on where the first one ends: together they are one sweep.",
        "Nothing: there is only one.",
    ),
    "padding-lanes-count": Reason(
        "Lanes that the mask turns off add something to a sum.",
        "Load with `other=0.0`, and clear the deviations with `tl.where(mask, d, 0.0)`.",
    ),
    "partial-sums-escape": Reason(
        "The tile of partial sums is used other than through its sum, or summed along other axes.",
        "Reduce it once, right behind the loop, along the axes of the mean.",
    ),
    "pinned-bits": Reason(
        "The kernel rounds on purpose (`div_rn`, a round trip through a narrow type), so as to "
        "have the bits of another library, which a merged sweep would not have.",
        "Use the plain operators where those bits do not matter.",
    ),
    "rounded-differently": Reason(
        "The sweeps do different arithmetic in a type of less than 32 bits.",
        "Cast the data to fp32 where it is loaded, in both.",
    ),
    "second-sweep-does-more": Reason(
        "The second sweep stores or prints, or leaves another result that is used later.",
        "Move that into a loop of its own.",
    ),
    "weighted": Reason(
        "The squared deviations are weighted.",
        "Nothing, where that is meant: the shifted formula is for weight 1.",
    ),
    "weights-may-vanish": Reason(
        "The squared deviations are weighted by what is loaded: where the first tile weighs "
        "little, merging would lose all digits.",
        "Keep the two sweeps; or load a row once, where one tile holds it: `one-tile`.",
    ),
    # licm, loop-unswitch
    "bound-in-one-branch": Reason(
        "The accumulator has a value before the loop in one branch of an `if` only; a reduction "
        "behind the loop would read it in the other one too.",
        "Bind it before the `if`.",
    ),
    "bound-in-both-branches": Reason(
        "Without the loops both branches of an `if` would bind a name, which the compiler takes "
        "for one.",
        "Give the two different names.",
    ),
    "called-from-a-kernel": Reason(
        "Another kernel calls this one, and Triton allows that of no kernel below a heuristic.",
        "Let the other kernel call a helper that both share.",
    ),
    "length-is-computed": Reason(
        "How often the loops turn is computed in the kernel, or from what it loads.",
        "Pass the length of the row as an argument, and the tile as a constexpr.",
    ),
    "nothing-read-twice": Reason(
        "No sweep loads again what was loaded before, with nothing stored there in between.",
        "Where a store in between goes to another buffer, say so: `--assume 'disjoint(X, Y)'`.",
    ),
    "computed-out-of-sight": Reason(
        "The number is computed in a function that the kernel calls, or by an assignment such as "
        "`offset *= stride`.",
        "Cast what it is computed from by hand.",
    ),
    "number-becomes-a-tensor": Reason(
        "A loop makes a tensor of a Python number that it adds to; without the loop the result "
        "may be of a narrower type.",
        "Begin with a tensor: `tl.full([], 0.0, tl.float32)`, or cast what is added.",
    ),
    "number-is-used-otherwise": Reason(
        "A number that would be of 64 bits is also stored, carried by a loop or given to a "
        "function, where its type may matter.",
        "Cast it by hand where it becomes an offset.",
    ),
    "read-behind-its-loop": Reason(
        "A name that a loop binds for itself, or counts with, is read behind the loop.",
        "Give the name another one behind the loop.",
    ),
    "length-matters": Reason(
        "Something that the kernel does may depend on the length of its tiles.",
        "Mask every access behind the end of the row, with an `other` that changes nothing.",
    ),
    "tile-is-chosen": Reason(
        "A tuner or a heuristic may choose the length of the tile, or what goes with it.",
        "Let the tuner try a tile as long as the row.",
    ),
    "arguments-differ": Reason(
        "Two accesses that would be one pad differently, or tell the cache different things.",
        "Give both the same `other`, `cache_modifier` and `eviction_policy`.",
    ),
    "arguments-are-not-seen": Reason(
        "A launch passes `*args` or `**kwargs`, or leaves the length of the tile out.",
        "Pass it by name.",
    ),
    "warps-are-computed": Reason(
        "A launch computes its number of warps, for the tile that it has.",
        "Compute it from the length of the tile, and make that as long as the row.",
    ),
    "row-may-be-empty": Reason(
        "A loop over no elements does nothing; without the loop something would be computed.",
        "Mask the loads, with an `other` that changes nothing, or do not launch for empty rows.",
    ),
    "row-may-be-longer": Reason(
        "The row may be longer than a tile, and the loops are needed then.",
        "Launch with `BLOCK=triton.next_power_of_2(N)`, where rows are short enough for it.",
    ),
    "already-decided": Reason(
        "An `if` around the loop asks the same and has decided it.",
        "Take the inner `if` out by hand: it always goes one way.",
    ),
    "assertion-in-the-loop": Reason(
        "A device assertion in the loop is to fail before anything is loaded.",
        "Move the assertion above the loop, if it is the same in every iteration.",
    ),
    "atomic-in-the-loop": Reason(
        "An atomic in the loop orders memory, which a load must not be moved across.",
        "Move the load above the loop by hand, if what it reads cannot change.",
    ),
    "barrier-in-the-loop": Reason(
        "A barrier in the loop orders memory, which a load must not be moved across.",
        "Move the load above the loop by hand, if what it reads cannot change.",
    ),
    "condition-has-effects": Reason(
        "Asking the condition does something that belongs to every iteration.",
        "Ask once above the loop, and use the name.",
    ),
    "condition-is-not-understood": Reason(
        "The compiler may know the condition, and then leaves out the branch that is not taken; "
        "or it is no single number.",
        "Make its parameters `tl.constexpr`, if they never change.",
    ),
    "condition-loads": Reason(
        "The condition needs a load, which would then read even where the loop does not run.",
        "Load it into a name above the loop.",
    ),
    "induction-name-is-taken": Reason(
        "The loop's own variable is bound before the loop too, maybe with another type.",
        "Give one of them another name.",
    ),
    "licm-is-disabled": Reason(
        "The loop says `disable_licm=True`.", "Take it out, if it is not needed anymore."
    ),
    "may-divide-by-zero": Reason(
        "The condition divides by what may be 0, and would do so where it is not asked today.",
        "Say that it is not 0, with `tl.assume` or `--assume 'N >= 1'`.",
    ),
    "may-run-zero-times": Reason(
        "The loop may run no time at all, and no mask can keep the moved load from reading then.",
        "Say that it runs: `--assume 'N >= 1'`, or a `tl.assume` in the kernel.",
    ),
    "name-is-read-later": Reason(
        "A name that is first bound in the loop is read behind it.",
        "Bind it before the loop.",
    ),
    "name-of-another-type": Reason(
        "A name may be of different types in two branches.", "Use two names."
    ),
    "the-compiler-does-this": Reason(
        "The loop stores nothing, so the compiler moves the load by itself.", "Nothing."
    ),
    "too-many-statements": Reason(
        "The copies of the loop would have more statements than the option `max_statements` says.",
        "Give a larger number, as the message shows it, if the result is still readable.",
    ),
    "under-a-condition": Reason(
        "The load reads only in some iterations, and would always read above the loop.",
        "Put the condition into its mask.",
    ),
    "under-another-condition": Reason(
        "The `if` is asked only where another condition holds, or stands in another statement.",
        "Ask the one that does not change first.",
    ),
    "unknown-call": Reason(
        "What a call in the loop does to memory is not known.",
        "Give the file that defines it with `--context`.",
    ),
    "unrolled-loop": Reason(
        "The compiler unrolls the loop (`tl.static_range`), which leaves none.", "Nothing."
    ),
    "warp-specialized-loop": Reason(
        "The loop says `warp_specialize=True`: the compiler divides its body over warps.",
        "Move the load by hand and measure.",
    ),
    # autotune-configs
    "captured-in-a-graph": Reason(
        "The file captures CUDA graphs, during which a tuner cannot time anything.",
        "Have `tritonopt tune` write the best options into the launches.",
    ),
    "buffer-may-be-a-part": Reason(
        "A tuner copies the tensors that the kernel changes, and what is passed may be a part of "
        "one, beside which the kernel writes too.",
        "Give the tensor a name, and pass that.",
    ),
    "buffer-may-be-none": Reason(
        "A tuner copies the buffers that the kernel changes, and this one may be None.",
        "Pass a buffer at every launch, or tune the kernel by hand, with a `pre_hook`.",
    ),
    "effects-are-not-restored": Reason(
        "A tuner runs the kernel many times, and something that it does cannot be put back.",
        "Tune it with `tritonopt tune`, which leaves no tuner in the program.",
    ),
    "launches-ask-for-different-options": Reason(
        "The launches say different numbers of warps, stages or blocks of threads.",
        "Tune each launch with `tritonopt tune`.",
    ),
    # specialization
    "compiler-is-not-told": Reason(
        "The compiler is not told whether 16 divides a size or a stride, or whether it is 1, and "
        "accesses are narrower for it.",
        "Take the parameter out of `do_not_specialize`, or its annotation away.",
    ),
    "recompiles-for-nothing": Reason(
        "The kernel is compiled anew for numbers of which nothing in its code depends.",
        "List the parameter in `do_not_specialize`.",
    ),
    # spills
    "tile-is-spilled": Reason(
        "A tile does not fit into registers at the size that is launched, and part of it goes to "
        "memory and back.",
        "Take what the remark names: more warps, or a shorter tile and a loop.",
    ),
    "no-compiler": Reason(
        "It is decided by what the compiler makes of the kernel, and there is none here.",
        "Install it: `pip install 'tritonopt[verify]'`. No GPU is needed.",
    ),
    "is-not-compiled": Reason(
        "The kernel could not be compiled: its file cannot be imported, or it took too long.",
        "See that `python FILE` works here.",
    ),
    # pipeline-loads
    "dot-in-the-loop": Reason(
        "The loop multiplies matrices: the `num_stages` of the launch pipelines it already.",
        "Change `num_stages` at the launch.",
    ),
    "loop-is-remade": Reason(
        "The loop, or one around it, says `flatten` or `warp_specialize`: the compiler makes "
        "another loop of it.",
        "Write the option by hand, and measure.",
    ),
    "nothing-runs-ahead": Reason(
        "The compiler loads tiles ahead that every turn of a loop comes to, and there is none.",
        "Take the load out of the `if`, with a mask in its place; or load tiles.",
    ),
    "tiles-are-long": Reason(
        "What would be loaded ahead does not fit into the shared memory of every GPU.",
        "Ask for fewer stages, or make the tiles shorter.",
    ),
    # group-programs
    "grid-ends-within-a-row": Reason(
        "The number of programs is not seen to be a multiple of the columns of tiles.",
        "Let the grid be the product of the rows and the columns, as the kernel computes them.",
    ),
    "program-ids-are-not-plain": Reason(
        "The row and the column of a tile are not plainly the program's ids.",
        "Give each a name of its own, bound once at the top of the kernel.",
    ),
    # row-batch
    "branch-on-the-row": Reason(
        "What a branch asks may hold for some rows only.",
        "Write it as a `tl.where`, or as a part of a mask.",
    ),
    "helper-cannot-be-lifted": Reason(
        "A helper does more for a row than to compute lane by lane.",
        "Write what it does into the kernel, or give it tiles of one kind.",
    ),
    "lifting-is-not-known": Reason(
        "How something is done for several rows at once is not known.",
        "Write it with operations on tiles of any rank, or lift the kernel by hand.",
    ),
    "loop-depends-on-the-row": Reason(
        "How often a loop turns depends on the row.",
        "Let it run to the longest row, and mask the loads by the row's own length.",
    ),
    "mask-is-not-boolean": Reason(
        "A mask may be something other than true or false, and is to be joined to another.",
        "Compare it with something, as in `mask != 0`.",
    ),
    "one-and-many": Reason(
        "A name has one value for all rows in one place, and one for each row in another.",
        "Use two names, or let both be computed from the row.",
    ),
    "one-place-for-all-rows": Reason(
        "All programs write to one place, which a program would do fewer times.",
        "Sum up over the rows by hand, and write that.",
    ),
    "reduced-in-a-loop": Reason(
        "With several rows, the compiler would fail an assertion at a reduction in a loop.",
        "Reduce once behind the loop: name `defer-reduction` before `row-batch`.",
    ),
    "several-rows-already": Reason(
        "A program handles several rows already, in tiles of two axes.",
        "Compute at the launch how many: some thousand elements to a program.",
    ),
    "few-rows": Reason(
        "Each launch says that it has few rows, which a program each handles at once.",
        "Nothing; or let fewer programs remain: `row-batch{programs=128}`.",
    ),
    "tile-is-long": Reason(
        "A program has enough to do with one tile, which is not seen to be right if it is shorter.",
        "Nothing; or make the tile as long as the row: `BLOCK=triton.next_power_of_2(n)`.",
    ),
    "tile-is-not-passed": Reason(
        "A launch leaves the length of a tile to a tuner, a heuristic or the kernel.",
        "Pass it at the launch.",
    ),
    "two-axes-already": Reason(
        "A tile of a row has two axes already, or nobody knows how many.",
        "Add an axis for the rows by hand.",
    ),
    # split-reduce
    "axis-is-taken": Reason(
        "The grid has no axis left for the programs of a row, or it is not seen which it has.",
        "Give every launch a tuple of one or two numbers for its grid.",
    ),
    "done-by-every-part": Reason(
        "Before or in the loop something is stored, printed or asserted, which every program that "
        "has a part of the row would do.",
        "Do it behind the loop, or in a kernel of its own.",
    ),
    "not-one-atomic": Reason(
        "An atomic would not leave in memory what a store behind the loop leaves.",
        "Let a second kernel put the results together: `split-reduce{combine=kernel}`.",
    ),
    "several-sweeps": Reason(
        "The kernel goes through the row in more loops than one that finds something and one that "
        "uses it, or not in its own block.",
        "Merge them first, as `fuse-stats` and `online-softmax` do.",
    ),
    # merge-kernels
    "epilogue-is-not-linear": Reason(
        "The second kernel does more with the result than to store it.",
        "Do the rest in a kernel or an operation of torch behind it.",
    ),
    "final-kernel-does-more": Reason(
        "The second kernel does more than to reduce partial results and to store them.",
        "Leave it the reduction alone, and do the rest in another kernel.",
    ),
    "launched-without-the-other": Reason(
        "A launch of the first kernel has none of the second one behind it.",
        "Launch another kernel there, or both.",
    ),
    "launches-in-two-blocks": Reason(
        "The two launches stand in two blocks: one may run alone, or on another stream.",
        "Put one right behind the other.",
    ),
    "lock-is-not-understood": Reason(
        "What the kernel does under a lock is more than to add to what stands there.",
        "Keep the lock to the sums, and begin them with zeros.",
    ),
    "other-slots": Reason(
        "It is not shown that the second kernel takes in all that the first one stores, each once.",
        "Compute both from the same sizes, and pass these by name.",
    ),
    "other-work-between": Reason(
        "Between the two launches something is done that is not understood.",
        "Do it before or behind both.",
    ),
    "output-may-hold-something": Reason(
        "The results go to memory that may hold something already, or that others may see.",
        "Let the launcher make it by `torch.empty`.",
    ),
    "partials-are-used": Reason(
        "The first kernel does more with the partial results than to store them.",
        "Keep what it needs of them in registers.",
    ),
    "partials-are-used-elsewhere": Reason(
        "Somebody else may see the partial results.",
        "Nothing; or let that use what the second kernel stores.",
    ),
    "place-is-not-understood": Reason(
        "It is not understood which elements an access goes to.",
        "Write the index as a sum of numbers, each times its stride; compare these in the mask.",
    ),
    "slots-in-a-tile": Reason(
        "A program stores several partial results for one element of the output.",
        "Reduce them in the program first.",
    ),
    "stored-in-a-branch": Reason(
        "A partial result is stored under a condition, in a loop, or in a helper.",
        "Store it once, in the kernel's own block.",
    ),
    # split-kernel
    "done-by-both": Reason(
        "Both parts of the kernel would do something that may be done once only.",
        "Take it out of the kernel, or divide the kernel by hand.",
    ),
    "parts-share-memory": Reason(
        "One part of the kernel may access what the other one writes.",
        "Let the launcher make the outputs, or say `--assume 'disjoint(X, Y)'`.",
    ),
    # grid-stride
    "already-divided": Reason(
        "The kernel divides the work by the number of its programs already.", "Nothing."
    ),
    "grid-of-processors": Reason(
        "Each launch starts a program for each multiprocessor at most: all of them run at once, "
        "and none has a second tile.",
        "Nothing.",
    ),
    "already-strided": Reason(
        "The kernel goes from tile to tile by the number of its programs already.",
        "Nothing, or set how many there are: `grid-stride{programs=sm*4}`.",
    ),
    "arguments-are-counted": Reason(
        "A heuristic or a hook takes all arguments of a launch, and would see one more.",
        "Let it read only the arguments that it names.",
    ),
    "axis-is-not-known": Reason(
        "The axis of `tl.program_id` is not a number that is seen.", "Write 0, 1 or 2 there."
    ),
    "bound-across-a-return": Reason(
        "A name is bound before a `return` and again after it, maybe with another type.",
        "Give the second another name.",
    ),
    "compiled-ahead": Reason(
        "Something may ask what parameters the kernel has, as compiling ahead of time does.",
        "Add the parameter by hand, in both places.",
    ),
    "constexpr-in-the-body": Reason(
        "The body binds a constexpr, which a loop cannot do again.",
        "Pass it as a parameter, or give it another name.",
    ),
    "early-return": Reason(
        "A `return` stands where it cannot become a guard around the rest of the tile.",
        "Return from the top level of the kernel, or guard the rest with an `if`.",
    ),
    "grid-depends-on-the-configuration": Reason(
        "How many programs are started depends on what a tuner chooses.",
        "Compute the number of tiles in the kernel, from its parameters.",
    ),
    "grid-has-effects": Reason(
        "What the grid of a launch calls may do more than compute a number.",
        "Compute it into a name before the launch.",
    ),
    "grid-is-not-readable": Reason(
        "The grid of a launch is not written so that its extent can be read.",
        "Write the grid as a tuple, or as a lambda that returns one, at the launch.",
    ),
    "helper-reads-program-id": Reason(
        "A helper asks for the program id itself, which is no longer that of its tile.",
        "Pass it to the helper as an argument.",
    ),
    "helper-returns-early": Reason(
        "A helper returns before its end, which does not compile in a loop.",
        "Let it return once, at its end.",
    ),
    "heuristic-is-not-seen": Reason(
        "What a heuristic or a hook does with one more argument is in a file that was not given.",
        "Give that file with `--context`.",
    ),
    "launch-in-another-file": Reason(
        "A launch in another file would have to change with the kernel.",
        "Move the function that launches into the kernel's file, or use "
        "`grid-stride{unseen_launches=keep}`.",
    ),
    "launch-is-an-expression": Reason(
        "What a launch returns is used, and can be launched again.",
        "Launch in a statement of its own.",
    ),
    "num-programs-is-used": Reason(
        "The kernel uses the number of its programs for something else than its next tile.",
        "Pass that number as an argument.",
    ),
    "opaque-call": Reason(
        "What a call does is not known; it may ask for the program id.",
        "Give the file that defines it with `--context`.",
    ),
    "prints-the-program-id": Reason(
        "`tl.device_print` begins each line with the program id, which would be another one.",
        "Take the print out.",
    ),
    "pruned-configurations": Reason(
        "A function that prunes the tuner's configurations may not take one more argument.",
        "Let it take `**kwargs`, and read of them what it names.",
    ),
    "tiles-race": Reason(
        "A tile reads, or may read, what another tile of the same launch writes.",
        "Write to another tensor.",
    ),
    "unknown-parameters": Reason(
        "The kernel takes `*args`, `**kwargs` or parameters behind a `*`, which Triton does not.",
        "Name its parameters, and pass them by place or name.",
    ),
    "unseen-launches": Reason(
        "The files that were given do not show every launch of the kernel.",
        "Give the others with `--context`, or use `grid-stride{unseen_launches=keep}`.",
    ),
    "waits-for-other-programs": Reason(
        "A loop waits for what another program does, and would wait forever for its own.",
        "Nothing: such a kernel needs a program for each tile.",
    ),
    "warp-specialized": Reason(
        "A loop says `warp_specialize`: the compiler divides its body over warps.",
        "Take it out if the loop over tiles is worth more, and measure.",
    ),
    # contiguity-hints
    "compiler-knows": Reason(
        "The compiler knows as much by itself, from a constexpr or from a multiple.", "Nothing."
    ),
    "hint-can-be-false": Reason(
        "There are numbers for which the hint is false; the message shows them.",
        "Drop the hint; or assert what makes it true, or give that with `--assume`.",
    ),
    "hint-exceeds-the-tile": Reason(
        "A hint promises more lanes than its tile has.", "Write the extent of the tile."
    ),
    "hint-is-not-a-power-of-two": Reason(
        "The number in a hint is no power of two, which Triton asks for.",
        "Write the next smaller power of two.",
    ),
    "hint-narrows": Reason(
        "A hint promises less than the compiler knows, and replaces that.", "Drop the hint."
    ),
    "lanes-are-not-consecutive": Reason(
        "It is not seen that the offsets go up by one from lane to lane.",
        "Start from `tl.arange` and add what is the same for all lanes.",
    ),
    "may-be-negative": Reason(
        "What is divided by `%` may be negative, and leaves a negative rest then.",
        "Say that it is not: `tl.assume(start >= 0)` or `--assume 'start >= 0'`.",
    ),
    "not-an-address": Reason("No load or store takes its address from the offsets.", "Nothing."),
    "not-shown": Reason(
        "Nothing shows that the hint would be true, and nothing that it would be false.",
        "Assert in the launcher what makes it true, or give that with `--assume`.",
    ),
    "parameters-may-be-tiles": Reason(
        "Another kernel calls this one, and may pass tiles for its parameters.",
        "Nothing; the hint can be written where it is called.",
    ),
    "stride-is-not-one": Reason(
        "The offsets are multiplied before they are added to a pointer.",
        "Where the stride is always 1, say so: `--assume 'stride == 1'`.",
    ),
    "would-narrow": Reason(
        "Only a few lanes are shown to be contiguous, and a hint of so few could make loads "
        "narrower.",
        "Allow it with the option `least`, and measure.",
    ),
    # block-pointer
    "axes-are-not-written-out": Reason(
        "The shape, strides, offsets or checked axes of a block pointer have no expression each.",
        "Write them as a tuple of one expression for each axis, where the block pointer is made.",
    ),
    "asks-for-more": Reason(
        "A tensor descriptor asks for more of a block than a block pointer does.",
        "Say what the remark names: by an `assert` in the launcher, or with `--assume`; or have "
        "pointers and masks.",
    ),
    "tensor-may-be-a-part": Reason(
        "A tensor that is a part of another one may begin at any address.",
        "Check it before the launch: `assert x.data_ptr() % 16 == 0`.",
    ),
    "read-and-written": Reason(
        "The kernel reads what it writes, and what goes through descriptors is not in order with "
        "other accesses.",
        "Have pointers and masks.",
    ),
    "block-pointer-is-lost": Reason(
        "A block pointer goes where it is not followed: into a tuple, a choice, a function whose "
        "calls are not all seen or do not agree.",
        "Load and store through the name that it is made under.",
    ),
    "elements-are-boolean": Reason(
        "The elements of a boolean tensor would be converted in another way.",
        "Pass the tensor as int8: `x.view(torch.int8)`.",
    ),
    "made-in-another-function": Reason(
        "A block pointer that is loaded or stored through is made by a caller or by a helper.",
        "Make it in the function that uses it.",
    ),
    # max-to-where
    "arguments-are-hidden": Reason(
        "An argument of the call is hidden behind `*` or `**`.", "Write the arguments out."
    ),
    "axis-is-a-float": Reason(
        "`tl.max(x, 0.0)` reduces along an axis that is a float, `tl.max(x, y)` along a tile or a "
        "computed number: that does not compile.",
        "Write `tl.maximum(x, 0.0)`, or the axis as an integer.",
    ),
    "constant-is-boolean": Reason("The constant is True or False.", "Write a number."),
    "constant-is-computed-twice": Reason(
        "The constant is an expression, and would be computed twice.", "Give it a name."
    ),
    "constant-is-nan": Reason("The constant is NaN.", "Nothing: the result is always NaN."),
    "constant-is-negative-zero": Reason(
        "The constant is -0.0, of which a comparison does not tell 0.0.", "Write 0.0, if meant."
    ),
    "constant-is-rounded": Reason(
        "The operand is fp64, and the constant is rounded to fp32 in the old spelling only.",
        "Nothing: the two spellings differ.",
    ),
    "constant-out-of-range": Reason(
        "The constant is not in fp32, so the comparison is made in another type.",
        "Nothing: the two spellings differ.",
    ),
    "nan-is-propagated": Reason(
        "The call asks for NaN to be kept.", "Take `propagate_nan` out, if it is not needed."
    ),
    "no-constant": Reason("Neither operand is a constant that is known.", "Nothing."),
    "operand-is-an-integer": Reason("The operand is an integer.", "Nothing."),
    "operand-is-computed-twice": Reason(
        "The operand is an expression, and would be computed twice.", "Give it a name."
    ),
    "operand-is-constexpr": Reason("The compiler computes the operand.", "Nothing."),
    "operand-is-narrow": Reason(
        "The operand is fp16, bf16 or fp8, for which `tl.maximum` returns fp32 and `tl.where` "
        "does not.",
        "Cast it to fp32 when it is loaded.",
    ),
    "operand-may-be-an-integer": Reason(
        "The operand may be an integer, as the constant is.",
        "Cast it to fp32 when it is loaded, or write the constant with a point.",
    ),
    "operand-may-be-narrow": Reason(
        "The operand is computed from fp16, bf16 or fp8, and may be of such a type itself.",
        "Cast it to fp32 when it is loaded.",
    ),
    # drop-redundant-where
    "function-is-rounded": Reason(
        "What the masked-off lanes become depends on how the hardware computes a function.",
        "Nothing: the `tl.where` is needed.",
    ),
    "load-is-not-masked": Reason(
        "A load has no mask, so the lanes are not known where the `tl.where` clears them.",
        "Mask the load, if lanes beyond the end must not be read.",
    ),
    "no-other": Reason(
        "A masked load says no `other=`, so its masked-off lanes have no value.",
        'Add `other=0.0`, or `float("-inf")` for a maximum.',
    ),
    "not-a-number": Reason(
        "The masked-off lanes are NaN before the `tl.where`.",
        "Nothing: the `tl.where` is needed.",
    ),
    "nothing-would-remain": Reason(
        "The statement is all that its block has.", "Take the block out by hand."
    ),
    "other-value": Reason(
        "The masked-off lanes are another number before the `tl.where`.",
        "Nothing: the `tl.where` is needed, or give the load that number as `other=`.",
    ),
    "shape-is-not-known": Reason(
        "It is not known how many lanes the value has.",
        "Give the file that defines what is called with `--context`.",
    ),
    "type-changes": Reason(
        "The other branch makes the value another type.",
        "Cast the value, and then leave the `tl.where` out.",
    ),
    "type-may-change": Reason(
        "The other branch may make the value another type.",
        "Cast the data to fp32 when it is loaded, or annotate the pointer.",
    ),
    "value-is-not-known": Reason(
        "It is not known what the masked-off lanes are before the `tl.where`.",
        "Nothing: the `tl.where` is needed.",
    ),
    # defer-reduction
    "accumulator-type-unknown": Reason(
        "The type of an accumulator is not known before its loop.",
        "Start it with `tl.zeros(..., dtype=tl.float32)`, or cast what it starts with.",
    ),
    "adds-something-else": Reason(
        "Beside reductions, the loop brings something to the accumulator that is none.",
        "Keep what is no reduction in a name of its own, and combine the two after the loop.",
    ),
    "chosen-by-a-condition": Reason(
        "The loop chooses its accumulator by a condition, as the index that goes with a maximum is "
        "chosen by the maximum.",
        "Keep a tile of values and a tile of indices in the loop, and reduce both after it.",
    ),
    "comes-with-its-index": Reason(
        "What is combined comes with the index of the lane that has it; of equal ones a later tile "
        "must not win.",
        "Keep a tile of values and a tile of indices in the loop, and reduce both after it.",
    ),
    "combination-is-not-known": Reason(
        "What the function of a `tl.reduce` makes of two lanes is not understood.",
        "Let it return one operation on its two parameters, as in `return a * b`.",
    ),
    "operations-differ": Reason(
        "The loop combines the results of a reduction with another operation than its own.",
        "Nothing: which lanes come together matters then.",
    ),
    "reduction-is-cast": Reason(
        "The reduction of a tile is cast before the accumulator takes it.",
        "Cast the tile, or leave the cast out where the types agree.",
    ),
    "reduction-is-used": Reason(
        "The reduction of one tile is used for something beside the accumulator.", "Nothing."
    ),
    "reduction-may-overflow": Reason(
        "One tile is reduced in a narrower type than the accumulator's, and might not fit it.",
        "Cast the tile to the type of the accumulator before it is reduced.",
    ),
    "tiles-differ": Reason(
        "The loop reduces tiles of different shapes, or to another shape than the accumulator's.",
        "Use an accumulator for each shape.",
    ),
    # online-softmax
    "factor-may-be-negative": Reason(
        "The differences to the maximum are multiplied by something that may be negative, and then "
        "the largest element is not the one with the largest exponent.",
        "Take the maximum of the products, or make the factor a constant.",
    ),
    "masked-rows-differ": Reason(
        "A row in which no lane counts has another sum than one of -inf alone, and behind the loop "
        "the two look alike.",
        'Load with `other=-float("inf")`, and add the exponentials of all lanes.',
    ),
    "maximum-is-changed": Reason(
        "The maximum goes into the exponents rounded, or in another way than by a difference.",
        "Subtract the maximum itself, and do what else is to be done behind it.",
    ),
    "maximum-of-other-values": Reason(
        "The maximum is of something else than what is exponentiated.",
        "Nothing, where that is meant; a softmax takes the maximum of its exponents.",
    ),
    "maximum-starts-elsewhere": Reason(
        "The maximum starts with something else than -inf or a finite number.",
        'Start it with `-float("inf")`, or with `tl.full` of that.',
    ),
    "no-running-maximum": Reason(
        "What is subtracted in the exponents is not a maximum that the first sweep carries.",
        "Nothing, where that is meant.",
    ),
    "not-an-exponential": Reason(
        "The second sweep adds something else than one exponential of each element.",
        "Add the plain exponentials in a loop of their own.",
    ),
    "other-axes": Reason(
        "The maximum is taken along other axes than the exponentials are summed.",
        "Reduce both along the same axes.",
    ),
    # The lints
    "leaves-its-buffer": Reason(
        "There are sizes for which a store writes beyond its tensor; the message shows them.",
        "Mask it by the length of that tensor.",
    ),
    "reads-what-others-write": Reason(
        "A program reads what another program of the same launch writes; the message shows two.",
        "Write to another tensor, or launch twice.",
    ),
    "state-is-not-restored": Reason(
        "A tuner runs the kernel many times to measure it, and each run changes what the next "
        "one reads.",
        "Name the buffer in `reset_to_zero=` or `restore_value=` of `triton.autotune`.",
    ),
    "offset-is-too-large": Reason(
        "There are sizes for which an offset does not fit 32 bits; the message shows them.",
        "Cast what it is computed from: `row = tl.program_id(0).to(tl.int64)`.",
    ),
    "undefined-lanes-reduced": Reason(
        "A reduction includes lanes that a masked load without `other=` leaves undefined; GPUs "
        "read 0 there today, which is not seen to change the result.",
        "Add `other=` with a number that the reduction does not notice.",
    ),
    "zero-changes-the-result": Reason(
        "A reduction includes lanes that a masked load without `other=` leaves undefined; GPUs "
        "read 0 there today, which changes the result.",
        "Add `other=` with a number that the reduction does not notice.",
    ),
}
"""Why a site is left alone, or what is reported there, and what to do about it."""


_elsewhere: dict[str, dict[str, str]] = {}
"""What passes of other packages declare: of each name, what it means in which pass."""


def declare(home: str, reasons: Mapping[str, str]) -> None:
    """Let a pass say names that this table does not have; it explains each in a sentence."""
    for name, sentence in reasons.items():
        if name in CLAIMS or name in REASONS:
            raise ValueError(f"{home} declares {name!r}, which tritonopt explains already")
        _elsewhere.setdefault(name, {})[home] = sentence


def check(name: str) -> None:
    """Raises ValueError for a name that nobody declares: nobody could look it up."""
    if name not in REASONS and name not in CLAIMS and name not in _elsewhere:
        raise ValueError(
            f"{_who_says_so()}: the claim or reason {name!r} is not declared: explain it in "
            "tritonopt/checks/reasons.py, or in the `own_reasons` of a pass of another package"
        )


def _who_says_so() -> str:
    """The file and line that wants to say something: the innermost frame outside of this room."""
    frame = sys._getframe(1)
    room = os.path.dirname(__file__)
    # What dataclasses generate has no file.
    while frame.f_back is not None and frame.f_code.co_filename.startswith((room, "<")):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def names() -> list[str]:
    """All that can be said, by what is loaded so far."""
    return sorted({*CLAIMS, *REASONS, *_elsewhere})


def listed() -> Iterator[tuple[str, str, str]]:
    """Of all that can be said the name, what it is, and a sentence."""
    for name in names():
        if name in CLAIMS:
            yield name, "claim", CLAIMS[name]
        if name in REASONS:
            yield name, "reason", REASONS[name].means
        for home, sentence in sorted(_elsewhere.get(name, {}).items()):
            yield name, f"of {home}", sentence


def explained(name: str) -> list[str]:
    """The lines that explain a claim or a reason; none where there is none of that name."""
    lines = []
    if name in CLAIMS:
        lines += [f"{name}: a claim, which must hold at a site", f"  {CLAIMS[name]}"]
    if name in REASONS:
        means, advice = REASONS[name]
        lines += [f"{name}: a reason", f"  {means}", f"  What to do: {advice}"]
    for home, sentence in sorted(_elsewhere.get(name, {}).items()):
        lines += [f"{name}: said by {home}", f"  {sentence}"]
    return lines
