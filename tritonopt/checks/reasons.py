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

from tritonopt.checks.renamed import RENAMED


class Reason(NamedTuple):
    """Why a site is left alone, or what is reported there."""

    means: str
    advice: str
    """What to do, for whoever wants the rewrite, or wants the mistake gone; after the `->`."""


_CLAIMS = """
accumulators-are-wide: Each accumulator, and what is added to it, is of a type of 32 bits or more
    that holds the result.
accumulators-can-be-combined: The partial results of several programs can be stored and combined
    into what one program found.
accumulators-are-sums: What the loop carries is a reduction that starts at its identity and is
    updated by its operation alone.
order-is-made-sure-of: A tensor that is read in the order of memory is contiguous.
grid-is-known: The launches show how many programs they start, and another number of programs can do
    the same.
arguments-are-understood: The arguments of the call are seen, and of the types that it needs.
elements-are-not-boolean: The tensor is not one of booleans, which are bytes in memory.
programs-share-tiles: Programs of one row, and those of one column, load the same tiles.
programs-are-numbered-in-rows: The program ids are the row and the column of a tile, in whole rows.
block-pointers-are-followed: Each block pointer is followed from where it is made to each load and
    store through it.
hint-is-useful: The hint about a number improves the compiled code, and has the form that the
    compiler takes.
squares-of-deviations: The second loop adds squared deviations from the mean of the first, unrounded
    and without weights.
condition-can-move: The condition is the same in every iteration and can be evaluated before the
    loop.
constant-is-plain: One operand is a name and the other an ordinary constant, so that both can be
    written twice.
code-is-small: The new code, or its tiles, stay within the limit of the pass and of the hardware.
type-stays: Each value has the type that it had, or one in which the result is the same.
result-is-used: The result of each statement is used.
lanes-are-ordered: What one lane stores and another loads has a barrier between, or one warp does
    both.
data-is-unchanged: Nothing stores to what is read, or orders memory, from the first read to the
    last.
sizes-are-positive: Sizes are at least 1 where they divide or bound a loop, or an empty row gives
    what it gave.
rounding-is-free: Nobody relies on the bits, the order or the formula of the sums, and what is
    computed instead fits their types.
effects-are-known: Every effect of the kernel is understood.
loops-are-plain: The loops are counted and run to their ends, and nothing leaves the kernel early.
exponents-are-below-the-maximum: Exponentials are of elements less a maximum of theirs, which may be
    one of another loop.
nothing-else-is-lost: With the old code no comment, no effect and no other result is lost.
parameter-can-be-added: The kernel can take one more parameter, and a heuristic for it, wherever it
    is named.
hint-is-true: What the hint promises holds in every program and every iteration.
is-expressible: What the new code needs has a name where it would stand.
iterations-are-independent: No iteration touches what another one stores, and each can be computed
    lane by lane.
parts-are-independent: No program and no part of the kernel reads, overwrites or waits for what
    another one writes.
is-understood: The expressions at the site are small enough to be compared.
infinite-rows-are-the-same: A row of nothing but -inf gives what it gave.
launches-are-seen: Every launch of the kernel is in the files that were given.
launches-can-be-tuned: A tuner can run the kernel many times, and choose for every launch.
length-is-known-at-the-launch: The launch shows how long the row and the tile are, and may make the
    tile longer.
recorded-launches: Launches pass what those of the user's own run did (`-- COMMAND` or `--launches
    FILE`).
reads-nothing-more: The new code reads no element that the old code would not have read.
loads-run-ahead: Something that the loop loads can be loaded some iterations ahead.
mask-is-true-for-whole-tiles: Where the new branch is not taken, the mask is true for each element
    of the tile.
masked-off-lanes-add-nothing: Lanes that a mask turns off hold a value that does not change
    the result.
nan-is-dropped: A NaN in the operand gives the constant, as a comparison does.
nan-rows-are-the-same: A row of nothing but NaN gives what it gave.
names-start-afresh: Nothing that one tile binds is read by the next.
no-int32-overflow: Index arithmetic stays below 2**31; a rewrite takes this to hold, as the kernel
    does.
no-other-launches: Files that were not given do not launch the kernel in another way.
offset-fits: An offset that is computed in 32 bits fits them, for every tensor.
pair-is-private: The two kernels are launched in pairs, and nothing else sees the buffers between
    them.
rows-can-be-lifted: A program handles one row or tile, and could handle it in another shape or
    several of them.
same-arguments: The accesses agree on everything but their addresses and values.
same-range: Both loops run over the same numbers in the same order, and reduce along the same axes.
same-elements: A later loop reads the elements that an earlier one reads.
shape-stays: The value has the same shape after the rewrite.
stays-in-its-buffer: An access is only to elements that its tensor has.
tile-fits-the-registers: What a thread keeps of a tile through a loop fits its registers.
"""

_REASONS = """
bits: The rewrite may change the last bits of compiled results, and only rewrites were asked for
    that do not (`--careful`).
    -> Leave `--careful` out, or say with `--safety` what is allowed.
safety: The site needs a safety level that was not allowed.
    -> Allow it with `--safety`, or with `safety` in pyproject.toml.
not-profitable: The rewrite is legal, and the launches do not show that it is faster here: it was
    measured to be slower, or as fast, at some of the sizes that the kernel may have.
    -> Record launches (`-- COMMAND`, `--launches`), or name the pass in `--passes` and measure.
profitable-at-some-sizes: The rewrite is legal, and all but one of the conditions under which it was
    measured to be faster are shown.
    -> Record launches (`-- COMMAND`, `--launches`), or name the pass in `--passes` and measure, or
    give a size that is a kernel parameter: `--assume 'N <= 512'`.
gave-up: The kernel exceeds the step limit of the pass; the limit counts steps, not time, so it is
    the same on every machine.
    -> Split the kernel, or leave the pass out of `--passes`.
internal-error: The pass failed; the kernel is left as it was.
    -> Report it to the maintainers of the pass, with the kernel and the remark.
unknown-decorator: A decorator may look at the parameters or replace the text of the kernel in a way
    that is not known.
    -> Put it above `@triton.jit`, or make it a function of this file; see `jit-decorators`.
no-pass: A `# tritonopt: ignore[...]` names a pass that is not installed.
    -> Correct the name, or take it out.
suppresses-nothing: A `# tritonopt: ignore` stands where no pass has anything to say.
    -> Take it out.
left-alone: `tritonopt.optimize` kept the kernel, or this place of it, as it was.
    -> The message of the remark says what prevents it.
nothing-found: The passes that `tritonopt.optimize` ran have no site in the kernel.
    -> Ask for others with `passes=`.
unused-fact: No rewrite rests on a fact that was given to `tritonopt.optimize`.
    -> Take it out of `assume=`, or see in the other remarks what is missing.
shapes-differ: A value would have another shape, or the shapes of two values that are combined
    differ or are not known.
    -> Use tiles of one shape, reduced along the same axes.
dependence-between-iterations: An iteration may load or store an element that another iteration
    stores.
    -> Make each iteration store to elements of its own, and mask by the bounds of the array.
no-such-reduction: No reduction of the language combines the lanes of a tile in the way in which the
    loop combines its iterations.
    -> Use an operation that `tl.sum`, `tl.max`, `tl.min` or `tl.reduce` has; of equal elements keep
    the first.
last-value-is-used: What the last iteration leaves in a name is used after the loop.
    -> Compute it after the loop.
not-a-recurrence: What the loop carries is no reduction that is understood: an iteration uses the
    value of the one before in another way.
    -> Carry sums, products, extremes or the index of an extreme, and update them by that operation
    alone.
not-lane-by-lane: Something is not known to do for each lane of a new axis what it does without that
    axis.
    -> Nothing, where that is meant.
order-is-seen: Something in the loop or next to it shows in which order the iterations run.
    -> Take the print, the assertion or the atomic out of the loop.
threads-exchange-data: The kernel touches elsewhere what the loop stores, or stores what the loop
    reads. A single element is stored by one thread, those of a tile by many.
    -> Put a `tl.debug_barrier()` in between; or, where these are other buffers, say so: `--assume
    'disjoint(X, Y)'`.
differs-between-iterations: A trip count or a branch depends on the iteration of a loop around it.
    -> Compute it before the loops where it is the same for all iterations.
loop-options: A loop has options (`warp_specialize`, `flatten`, `disable_licm`, ...) that the new
    code could not keep, or that forbid it.
    -> Remove the option where it is not needed.
loop-does-more: A loop or a statement that would go does something else too.
    -> Do it in a loop or a statement of its own.
length-matters: The result would depend on the length of the tile.
    -> Mask every load and store by the length of the row.
name-is-bound-elsewhere: A name is bound in more places than the rewrite can keep: in a branch,
    after the loop, or before a `return`.
    -> Use another name for the other value.
tile-is-not-passed: A launch does not pass a tile length that could follow the row: a tuner, a
    heuristic or the kernel chooses it, or it is one constant.
    -> Pass the tile length at the launch, as in `BLOCK=triton.next_power_of_2(n)`.
effect-inside: The removed expression has a side effect: it loads, stores or binds a name.
    -> Compute it into a name first.
shape-changes: The rewrite would give the value other axes or another number of lanes.
    -> Nothing: what gives it this shape is needed.
not-expressible: What the new code needs has no name where it would stand, or cannot be written
    there.
    -> Give it a name before that place.
opaque-value: A value or an element's address comes from something that is not understood, or is too
    large to be compared.
    -> Simplify the index arithmetic; pass what is loaded or computed elsewhere as an argument.
comment-inside: The rewrite would lose a comment in the middle of the expression.
    -> Move the comment above the statement.
data-may-change: Something may store to what is read, between the reads that would become one.
    -> Where the buffers are known to lie apart, say so: `--assume 'disjoint(X, Y)'`.
early-exit: A `return`, `break` or `continue` may leave before all of the code has run.
    -> Guard the rest by an `if`, or use a mask.
volatile-load: A load is volatile: its author wants it to read each time.
    -> Take `volatile=True` out if nothing else writes there.
loop-is-not-plain: A loop is not a `for` over `range` or `tl.range` with one end: it is a `while`,
    has an `else`, or is unrolled.
    -> Write it as `for i in range(...)` without an `else`.
digits-may-cancel: Multiplied out, two sums are subtracted that may be large and alike.
    -> Where that is no matter: `--passes 'fuse-stats{formula=moments}'`.
masked-off-lanes-count: Lanes that a mask turns off take part in a reduction.
    -> Load with `other=` the identity of the reduction, or clear the lanes with `tl.where`.
accumulator-is-narrow: A sum is kept in a type of fewer than 32 bits, in an unsigned one, or in two
    types.
    -> Accumulate in fp32 or int32: cast what is added.
accumulator-is-read: An accumulator, or a part of it, is used before the reduction is complete, or
    other than by its sum.
    -> Use the result after the loop only.
accumulator-starts-elsewhere: A reduction starts at another number than its identity: 0 for a sum,
    -inf for a maximum.
    -> Start it at the identity, and add the rest after the loop.
memory-order: A barrier, an atomic or a volatile load orders memory there, and no access may move
    across it.
    -> Remove it where no other thread or program relies on it.
center-is-not-the-mean: Deviations are taken from something other than the unrounded mean of the
    same elements.
    -> Subtract the mean of just these elements, in fp32.
data-is-integer: The sums are of integers, which the shifted formula is not for.
    -> Cast the data to fp32 when it is loaded, if that is meant.
different-elements: Two loops read different elements, or it is not shown that they read the same.
    -> Read the same elements of the same buffer in both.
different-mask: The two masks are not the same, and neither follows from the other.
    -> Mask both alike, if they are meant to be.
different-range: Two loops run over different numbers, or it is not shown that they run over the
    same, or as many as the divisor says.
    -> Give both the same start, end and step.
not-a-square: The second sweep adds something other than the square of one deviation.
    -> Nothing, where that is meant; it is no variance then.
already-done: The kernel has been written in this way already.
    -> Nothing.
pinned-bits: The kernel rounds on purpose (`div_rn`, a round trip through a narrow type), so as to
    have the bits of another library, which a merged sweep would not have.
    -> Use the plain operators where those bits do not matter.
rounded-differently: The sweeps do different arithmetic in a type of less than 32 bits.
    -> Cast the data to fp32 where it is loaded, in both.
called-from-a-kernel: Another kernel calls this one, and may pass tiles for its parameters.
    -> Nothing, where the other kernel needs it.
length-is-computed: The trip count of a loop is computed in the kernel, or from what it loads.
    -> Pass the length of the row as an argument, and the tile as a constexpr.
nothing-read-twice: No sweep loads again what was loaded before, with nothing stored there in
    between.
    -> Where a store in between goes to another buffer, say so: `--assume 'disjoint(X, Y)'`.
type-changes: The rewrite would give a value another type, or compare it in another type.
    -> Cast to the type that is meant, on both sides.
arguments-differ: Two accesses that would become one differ in their `other=` or their cache
    options.
    -> Give both the same arguments.
arguments-are-not-seen: An argument is hidden by `*args` or `**kwargs`, or is left out.
    -> Write the arguments out.
not-tunable: A tuner cannot run the kernel many times, or cannot choose for all launches at once.
    -> Restore what the kernel changes, and leave warps and stages to the tuner at every launch.
may-run-zero-times: The loop may have no iteration, and the new code would do something then.
    -> Guard it by a test, or assume a size with `--assume 'N >= 1'`.
row-may-be-longer: The row may be longer than a tile, and the loops are needed then.
    -> Launch with `BLOCK=triton.next_power_of_2(N)`, or give `--assume 'N <= BLOCK'`.
assertion-in-the-loop: A device assertion in the loop must fail before anything is loaded.
    -> Move the assertion above the loop, if it is the same in every iteration.
condition-is-not-plain: The condition cannot be evaluated before the loop: it loads, has an effect,
    may divide by zero, or is not understood.
    -> Compute it before the loop.
may-divide-by-zero: The condition divides by what may be 0, and would do so where it is not asked
    today.
    -> Say that it is not 0, with `tl.assume` or `--assume 'N >= 1'`.
compiler-knows: The compiler does as much by itself.
    -> Nothing.
too-many-statements: The copies of the loop would have more statements than the option
    `max_statements` says.
    -> Give a larger number, as the message shows it, if the result is still readable.
under-a-condition: The code runs under a condition only, and would always run, or under another one,
    after the rewrite.
    -> Nothing, where the condition is needed.
unknown-call: A call may do something to memory, or ask for the program id: what it does is not
    known.
    -> Call a function that is a kernel of a file that was given.
unrolled-loop: The compiler unrolls the loop (`tl.static_range`), which leaves none.
    -> Nothing.
captured-in-a-graph: The file captures CUDA graphs, during which a tuner cannot time anything.
    -> Have `tritonopt tune` write the best options into the launches.
compiler-is-not-told: The compiler does not know whether 16 divides a size or a stride, or whether
    it is 1, and accesses are narrower for it.
    -> Take the parameter out of `do_not_specialize`, or its annotation away.
recompiles-for-nothing: The kernel is compiled again for values on which nothing in its code
    depends.
    -> List the parameter in `do_not_specialize`.
tile-is-spilled: A tile does not fit into registers at the size that is launched, and part of it
    goes to memory and back.
    -> Take what the remark names: more warps, or a shorter tile and a loop.
not-compiled: It takes a compiled kernel to decide, and there is no compiler, or the kernel does not
    compile there.
    -> Install `tritonopt[verify]`, and give a file that can be imported.
dot-in-the-loop: The loop multiplies matrices: the `num_stages` of the launch pipelines it already.
    -> Change `num_stages` at the launch.
one-iteration: The loop has one iteration, and none that could be loaded ahead or unrolled.
    -> Nothing. `one-tile` removes such a loop.
tile-is-long: A tile is so long that a program has enough to do with one, or that no more of them
    fit into shared memory.
    -> Nothing, unless rows are short: then use a shorter tile.
grid-ends-within-a-row: The number of programs is not known to be a multiple of the number of tile
    columns.
    -> Let the grid be the product of the rows and the columns, as the kernel computes them.
tiles-are-not-shared: No load depends on the row alone, or none on the column alone, as in a matrix
    product.
    -> Nothing: another order of the programs shares no more.
program-ids-are-not-plain: The row and the column of a tile are not plainly the program's ids.
    -> Give each a name of its own, bound once at the top of the kernel.
rows-differ: Programs of different rows may take another branch or another number of iterations, or
    a name has one value for all rows in one place and one for each in another.
    -> Nothing, where rows differ.
mask-is-not-boolean: A mask may be something other than true or false, and is to be joined to
    another.
    -> Compare it with something, as in `mask != 0`.
one-place-for-all-rows: All programs store to one address; one with several rows would do it once
    for all.
    -> Sum up over the rows by hand, and write that.
few-rows: Each launch says that it has one row, so a program cannot handle several.
    -> Nothing.
axis-is-taken: The grid has no axis left for the programs of a row, or its axes are not known.
    -> Give every launch a tuple of one or two numbers for its grid.
done-by-every-part: Something is stored, printed or asserted before or in the loop, which every
    program that shares the row would do.
    -> Do it after the loop.
several-sweeps: The kernel has more than two loops over the row, or one of them is inside another
    statement.
    -> Merge them first, as `fuse-stats` and `online-softmax` do.
kernel-does-more: One of two kernels, or of two parts of a kernel, does more than the rewrite can
    keep.
    -> Do the rest in a kernel of its own.
launches-are-not-paired: The two kernels are not launched right after each other, in one block, with
    nothing between.
    -> Launch the second right after the first.
lock-is-not-understood: Under the lock the kernel does more than add to memory.
    -> Keep the lock to the sums, and begin them with zeros.
partials-do-not-match: It is not shown that the second kernel reads each partial result that the
    first one stores, once.
    -> Store one partial result for each program, unconditionally, and read as many.
output-may-hold-something: The results go to memory that may hold something already, or that others
    may see.
    -> Let the launcher make it by `torch.empty`.
partials-are-used-elsewhere: Something else may see the buffer between the two kernels, or what was
    in it before.
    -> Allocate it in the launcher, with `torch.empty`, and use it for nothing else.
grid-of-processors: No launch starts more programs than there are multiprocessors: all of them run
    at once, and none has a second tile.
    -> Nothing.
other-axes-are-unlimited: A limit along one axis of the grid does not bound how many programs there
    are along the others, and nothing is saved.
    -> Name the limit, as in `grid-stride{programs=sm*8}`.
parameter-cannot-be-added: Something sees all parameters of the kernel and would see one more: a
    heuristic, a hook, a function that prunes configurations, or a compilation ahead of time.
    -> Let it look at the arguments that it needs, by name.
axis-is-not-known: The axis of `tl.program_id` is not a literal number.
    -> Write 0, 1 or 2 there.
grid-depends-on-the-configuration: How many programs are started depends on what a tuner chooses.
    -> Compute the number of tiles in the kernel, from its parameters.
grid-is-not-readable: The number of programs along an axis cannot be read from the launch, or cannot
    be changed there.
    -> Write the grid as a tuple, or as a function that returns one.
program-ids-are-used: The kernel uses its program ids, or their number, for something else than to
    find its tile.
    -> Compute what is needed from the index of the tile.
launch-in-another-file: A launch in another file would have to change with the kernel.
    -> Move the function that launches into the kernel's file.
unseen-launches: The files that were given do not show every launch of the kernel, or a launch is
    kept and used again.
    -> Give the files that launch it, also with `--context`.
tiles-race: A tile reads, or may read, what another tile of the same launch writes.
    -> Write to another tensor.
waits-for-other-programs: A loop waits for what another program does, and would wait forever for its
    own.
    -> Nothing: such a kernel needs a program for each tile.
hint-can-be-false: There are numbers for which the hint is false; the message shows them.
    -> Drop the hint; or assert what makes it true, or give that with `--assume`.
hint-is-malformed: The number in a hint is no power of two, or is larger than the tile.
    -> Write a power of two of at most the tile's length.
hint-narrows: The hint promises less than the compiler knows, or so few lanes that loads could
    become narrower.
    -> Remove the hint.
not-shown: Nothing shows that the hint would be true of these offsets, or they are not consecutive
    offsets of an access.
    -> Say what is known of the sizes with `--assume`.
block-pointer-is-lost: A block pointer is not followed from where it is made to where it is used, or
    its axes are not written out there.
    -> Make and use it in one function, with tuples written out.
elements-are-boolean: The tensor is one of booleans, which are bytes in memory.
    -> Pass a tensor of another type.
axis-is-a-float: `tl.max(x, 0.0)` reduces along an axis that is a float, `tl.max(x, y)` along a tile
    or a computed number: that does not compile.
    -> Write `tl.maximum(x, 0.0)`, or the axis as an integer.
computed-twice: An expression would be written, and computed, twice.
    -> Give it a name first.
constant-is-special: A constant is NaN or -0.0, of which a comparison says something else than
    `tl.maximum`.
    -> Nothing, where that is meant.
nan-is-propagated: The call propagates NaN.
    -> Take `propagate_nan` out, if it is not needed.
no-constant: Neither operand is a constant that is known.
    -> Nothing.
type-is-unknown: The type of a value is not known, and the rewrite is not right for every type.
    -> Cast it, as in `.to(tl.float32)`, or give the launcher with the kernel.
function-is-rounded: What the masked-off lanes become depends on how the hardware computes a
    function.
    -> Nothing: the `tl.where` is needed.
load-is-not-masked: A load has no mask, so the lanes are not known where the `tl.where` clears them.
    -> Mask the load, if lanes beyond the end must not be read.
no-other: A masked load says no `other=`, so its masked-off lanes have no value.
    -> Add `other=0.0`, or `float("-inf")` for a maximum.
value-is-not-known: It is not known what the masked-off lanes are before the `tl.where`.
    -> Nothing: the `tl.where` is needed.
reduction-is-cast: The reduction of a tile is cast before the accumulator takes it.
    -> Cast the tile, or leave the cast out where the types agree.
reduction-may-overflow: One tile is reduced in a narrower type than the accumulator's, and might not
    fit it.
    -> Cast the tile to the type of the accumulator before it is reduced.
factor-may-be-negative: The differences to the maximum are multiplied by something that may be
    negative, and then the largest element is not the one with the largest exponent.
    -> Take the maximum of the products, or make the factor a constant.
extremes-are-not-known: A part of the mask is no comparison of sums of lanes and scalars, whose
    least and greatest elements scalars before the mask give.
    -> Write the positions as scalars plus `tl.arange`.
maximum-is-not-subtracted: The exponent is not known to be an element less a running maximum that
    starts at -inf.
    -> Carry `tl.maximum(m, tl.max(x, axis))` from -inf on, and subtract that.
tiny-results-count: Results below 2**-126 would be 0, and may go where no sum of at least 1 hides
    them.
    -> Nothing: these results have to stay.
maximum-is-changed: The maximum goes into the exponents rounded, or in another way than by a
    difference.
    -> Subtract the maximum itself, and do what else is to be done after it.
not-an-exponential: The second loop adds something other than the exponential of each element less
    the running maximum.
    -> Add `tl.exp(x - m)`, with `m` the maximum of the first loop, unrounded, and a factor that is
    positive.
other-axes: The maximum is taken along other axes than the exponentials are summed.
    -> Reduce both along the same axes.
rounded-before-the-sum: Terms are computed in the narrow type of what is loaded, and added to a wide
    accumulator.
    -> Cast what is loaded: `x.to(tl.float32) * w.to(tl.float32)`.
accumulator-is-too-small: A loop adds to an accumulator of 8 or 16 bits, which wraps around.
    -> Make the accumulator `tl.int32`, and cast what is added to it.
masked-after-the-exponential: An exponential is multiplied by 0 where a mask is false; where it is
    inf, that is NaN.
    -> Mask the exponent: `tl.exp(tl.where(mask, a - b, -float('inf')))`.
pointer-is-ahead: A loop moved a pointer by whole tiles, past the place where the next loop's tiles
    begin.
    -> Compute the address from the loop's position instead of moving the pointer.
maximum-drops-nan: `tl.max` and `tl.min` pass over NaN, which `torch.amax` gives where an element is
    NaN.
    -> Store NaN where `x != x` for some element, if callers expect what torch does.
assumes-contiguity: A kernel reads a tensor of a caller in the order of memory, whatever its strides
    are.
    -> Call `.contiguous()` in the launcher, or check `is_contiguous()` there.
grid-ends: A length of a tensor is the number of programs along axis 1 or 2, which ends at 65535.
    -> Swap the axes of the grid: axis 0 ends at 2**31 - 1.
configuration-is-repeated: A tuner compiles and times the same configuration twice.
    -> Remove one of them.
key-in-vain: The key of a tuner has a length that the kernel does not read: each value is timed.
    -> Take it out of the key.
size-not-in-key: A tile is as long as a tensor, and the key of the tuner does not name its length.
    -> Name the parameter in `key=`.
key-of-nothing: The key of a tuner names what is no parameter; Triton leaves such a name out.
    -> Name the parameter with the size; add one where there is none.
leaves-elements: Under one of the tuner's configurations the grid is too small for the tiles, and
    elements are left out that are stored under another.
    -> Make the grid a function of the tile: `lambda meta: (triton.cdiv(n, meta['BLOCK']),)`.
leaves-its-buffer: There are sizes for which an access is outside of its tensor; the message shows
    them.
    -> Mask it by the length of that tensor.
index-is-below-zero: An index that is loaded is compared with 0 or -1, and an access that it is in
    the address of lets -1 by.
    -> Add the comparison to the mask of the access.
reads-what-others-write: A program reads what another program of the same launch writes; the message
    shows two.
    -> Write to another tensor, or launch twice.
state-is-not-restored: A tuner runs the kernel many times to measure it, and each run changes what
    the next one reads.
    -> Name the buffer in `reset_to_zero=` or `restore_value=` of `triton.autotune`.
product-may-overflow: The number of a row and a stride are multiplied in 32 bits, in a kernel whose
    launches are not among the files.
    -> Cast the row to tl.int64.
offset-is-too-large: There are sizes for which an offset does not fit 32 bits; the message shows
    them.
    -> Cast what it is computed from: `row = tl.program_id(0).to(tl.int64)`.
lanes-hand-over: A lane loads what another lane of the same program stores, or stores what another
    one loads, and nothing orders the two.
    -> Put `tl.debug_barrier()` between the two accesses.
undefined-lanes-reduced: A reduction includes lanes that a masked load without `other=` leaves
    undefined; GPUs read 0 there today, which does not change the result as far as is known.
    -> Add `other=` with a value that does not change the reduction.
no-such-name: No supported version of Triton has this name in `triton.language`.
    -> Use what the message names instead.
no-such-axis: A launch has three axes at most, and this is none of 0, 1 and 2.
    -> Split one of the three: `tl.program_id(2) // n` and `tl.program_id(2) % n`.
result-is-dropped: A statement computes a value that nothing takes.
    -> Assign the result, or remove the statement.
other-changes-the-result: A reduction includes lanes outside a mask, and their `other=` changes the
    result.
    -> Give the identity of the reduction, or clear the lanes with `tl.where`.
zero-changes-the-result: A reduction includes lanes that a masked load without `other=` leaves
    undefined; GPUs read 0 there today, which changes the result.
    -> Add `other=` with a value that does not change the reduction.
"""


def _parts(table: str) -> Iterator[list[str]]:
    """Of each entry of a table its name, and what is said of it, part by part."""
    for entry in table.strip().replace("\n    ", " ").splitlines():
        name, _, said = entry.partition(": ")
        yield [name, *said.split(" -> ")]


CLAIMS: Mapping[str, str] = {name: said[0] for name, *said in _parts(_CLAIMS)}
"""What a rewrite claims of a site, a sentence each."""

REASONS: Mapping[str, Reason] = {name: Reason(*said) for name, *said in _parts(_REASONS)}


_elsewhere: dict[str, dict[str, str]] = {}
"""What passes of other packages declare: of each name, what it means in which pass."""


def declare(home: str, reasons: Mapping[str, str]) -> None:
    """Let a pass say names that this table does not have; it explains each in a sentence."""
    for name, sentence in reasons.items():
        if name in CLAIMS or name in REASONS:
            raise ValueError(f"{home} declares {name!r}, which tritonopt explains already")
        _elsewhere.setdefault(name, {})[home] = sentence


def current(name: str) -> str:
    """Return the name that a claim or reason has now, by any name that it had before."""
    return name if name in _elsewhere else RENAMED.get(name, name)


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
    if current(name) != name:
        lines.append(f"{name} is now called {current(name)}")
        name = current(name)
    if name in CLAIMS:
        lines += [f"{name}: a claim, which must hold at a site", f"  {CLAIMS[name]}"]
    if name in REASONS:
        means, advice = REASONS[name]
        lines += [f"{name}: a reason", f"  {means}", f"  What to do: {advice}"]
    for home, sentence in sorted(_elsewhere.get(name, {}).items()):
        lines += [f"{name}: said by {home}", f"  {sentence}"]
    return lines
