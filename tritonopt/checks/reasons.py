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
accumulators-can-be-combined: The partial results of several programs can be stored, and combining
    them gives the result of one program.
accumulators-are-sums: Each loop-carried name is a reduction that starts at its identity and is only
    updated by its operation.
order-is-made-sure-of: A tensor that the kernel reads as contiguous is contiguous.
grid-is-known: The launches show the number of programs, and another number of programs can compute
    the same result.
arguments-are-understood: The arguments of the call are visible, and have the types that the call
    needs.
elements-are-not-boolean: The tensor is not boolean: booleans are bytes in memory.
programs-share-tiles: Programs of one row, and those of one column, load the same tiles.
programs-are-numbered-in-rows: The program ids are the row and the column of a tile, and the grid
    has only complete rows.
block-pointers-are-followed: All uses of each block pointer are known, from `make_block_ptr` to each
    load and store.
hint-is-useful: The hint improves the compiled code, and has the form that the compiler accepts.
squares-of-deviations: The second loop adds squared deviations from the mean of the first, unrounded
    and without weights.
condition-can-move: The condition is the same in every iteration and can be evaluated before the
    loop.
constant-is-plain: One operand is a name and the other an ordinary constant, so both can be written
    twice.
code-is-small: The new code and its tiles stay within the limits of the pass and of the hardware.
type-stays: Each value keeps its type, or gets a type in which the result is the same.
result-is-used: The value of each statement is used.
lanes-are-ordered: If one lane stores an element and another loads it, there is a barrier between,
    or only one warp.
data-is-unchanged: From the first read to the last there is no store to the data, and no operation
    that orders memory.
sizes-are-positive: Sizes that divide or bound a loop are at least 1, or an empty row keeps its
    result.
rounding-is-free: No code depends on the bits, the order or the formula of the sums, and the new
    intermediate results fit their types.
effects-are-known: All effects of the kernel are known.
loops-are-plain: The loops are over `range`, have no early exit, and the kernel does not return
    between them.
exponents-are-below-the-maximum: Each exponential is of an element minus a maximum over these
    elements, possibly computed in another loop.
nothing-else-is-lost: The removed code contains no comment, no effect and no other result.
parameter-can-be-added: The kernel can get another parameter, and a heuristic for it, at every use
    of its name.
hint-is-true: The hint is true in every program and every iteration.
is-expressible: All values that the new code needs have a name at its place.
iterations-are-independent: No iteration accesses elements that another iteration stores, and each
    iteration can be computed lane by lane.
parts-are-independent: No program, and no part of the kernel, reads, overwrites or waits for data
    that another one writes.
is-understood: The expressions at the site are small enough to be compared.
infinite-rows-are-the-same: The result for a row of only -inf stays the same.
launches-are-seen: Every launch of the kernel is in the files that were given.
launches-can-be-tuned: A tuner can run the kernel many times, and choose for every launch.
length-is-known-at-the-launch: The launch shows the length of the row and of the tile, and the tile
    may become longer.
recorded-launches: All launches are like those recorded from the user's run (`-- COMMAND` or
    `--launches FILE`).
reads-nothing-more: The new code reads no element that the old code does not read.
loads-run-ahead: The loop has a load that can be executed some iterations early.
mask-is-true-for-whole-tiles: If the new branch is not taken, the mask is true for each element of
    the tile.
masked-off-lanes-add-nothing: The values of inactive lanes do not change the result.
nan-is-dropped: If the operand is NaN, the result is the constant, as with a comparison.
nan-rows-are-the-same: The result for a row of only NaN stays the same.
names-start-afresh: No name that is bound for one tile is read for the next tile.
no-int32-overflow: Index arithmetic stays below 2**31, which the original also needs.
no-other-launches: Files that were not given do not launch the kernel in another way.
offset-fits: For every tensor, an offset computed in 32 bits is below 2**31.
pair-is-private: The two kernels are launched in pairs, and no other code accesses the buffers
    between them.
rows-can-be-lifted: Each program handles one row or tile, and its code can handle another shape, or
    several rows.
same-arguments: The accesses have the same arguments, except for addresses and stored values.
same-range: Both loops run over the same numbers in the same order, and reduce along the same axes.
same-elements: A later loop reads the same elements as an earlier loop.
shape-stays: The value has the same shape after the rewrite.
stays-in-its-buffer: An access is only to elements of its tensor.
tile-fits-the-registers: The elements of a tile that a thread keeps during a loop fit into its
    registers.
"""

_REASONS = """
bits: The rewrite may change the last bits of compiled results, which `--careful` does not permit.
    -> Remove `--careful`, or permit it with `--safety`.
safety: The rewrite needs a safety level that is not permitted.
    -> Permit it with `--safety`, or with `safety` in pyproject.toml.
not-profitable: The rewrite is legal, but the launches do not show that it is faster: at some of the
    possible sizes it was measured to be slower, or as fast.
    -> Record launches (`-- COMMAND`, `--launches`), or name the pass in `--passes` and measure.
profitable-at-some-sizes: The rewrite is legal, and it was measured to be faster for some values of
    one size that the launches do not show.
    -> Record launches (`-- COMMAND`, `--launches`), or name the pass in `--passes` and measure, or
    give the size if it is a kernel parameter: `--assume 'N <= 512'`.
gave-up: The kernel exceeds the step limit of the pass. The limit is a number of steps, not a time,
    so it is the same on every machine.
    -> Split the kernel, or leave the pass out of `--passes`.
internal-error: The pass failed with an internal error; the kernel was not changed.
    -> Report it to the maintainers of the pass, with the kernel and the message.
unknown-decorator: An unknown decorator may read the kernel's parameters or change its source.
    -> Put the decorator above `@triton.jit`, define it in this file, or list it in
    `jit-decorators`.
no-pass: A `# tritonopt: ignore[...]` names a pass that is not installed.
    -> Correct the name, or remove the comment.
suppresses-nothing: A `# tritonopt: ignore` suppresses nothing.
    -> Remove it.
left-alone: `tritonopt.optimize` did not rewrite the kernel, or this site of it.
    -> The message gives the reason.
nothing-found: The passes that `tritonopt.optimize` ran have no site in the kernel.
    -> Name other passes with `passes=`.
unused-fact: No rewrite uses a fact that was given to `tritonopt.optimize`.
    -> Remove the fact from `assume=`, or read in the other remarks which condition failed.
shapes-differ: A value would get another shape, or two combined values have different or unknown
    shapes.
    -> Use tiles of one shape, reduced along the same axes.
dependence-between-iterations: An iteration may load or store an element that another iteration
    stores.
    -> Let each iteration store to its own elements, and mask by the bounds of the array.
no-such-reduction: Triton has no reduction over lanes for the operation by which the loop combines
    its iterations.
    -> Use an operation of `tl.sum`, `tl.max`, `tl.min` or `tl.reduce`; for an argmax, keep the
    first of equal elements.
last-value-is-used: The value of a name after the last iteration is used after the loop.
    -> Compute the value after the loop.
not-a-recurrence: A loop-carried name is not a known kind of reduction: an iteration uses its value
    from the previous iteration in another way.
    -> Carry only sums, products, extremes or the index of an extreme, and update them only by that
    operation.
not-lane-by-lane: An operation may not do for each lane of a new axis what it does without that
    axis.
    -> Nothing, if the operation is needed.
order-is-seen: A print, an assertion or an atomic in the loop or next to it depends on the order of
    iterations.
    -> Move it out of the loop.
threads-exchange-data: The kernel accesses elements that the loop stores, or stores elements that
    the loop reads. One thread stores a single element, many threads store a tile.
    -> Put a `tl.debug_barrier()` between; or, if these are different buffers: `--assume
    'disjoint(X, Y)'`.
differs-between-iterations: A trip count or a branch depends on the iteration of an outer loop.
    -> If it is the same in all iterations, compute it before the loops.
loop-options: A loop has an option (`warp_specialize`, `flatten`, `disable_licm`, ...) that the new
    code cannot have, or that forbids the rewrite.
    -> Remove the option if it is not needed.
loop-does-more: A loop or a statement that the rewrite would remove also does other work.
    -> Move the other work to a separate loop or statement.
length-matters: The result would depend on the length of the tile.
    -> Mask every load and store by the length of the row.
name-is-bound-elsewhere: A name is bound again where the rewrite cannot keep it: in a branch, after
    the loop, or before a `return`.
    -> Use another name for the other value.
tile-is-not-passed: A launch does not pass a tile length that can become as long as the row: a
    tuner, a heuristic or the kernel chooses it, or it is a constant.
    -> Pass the tile length at the launch, as in `BLOCK=triton.next_power_of_2(n)`.
effect-inside: The removed expression has a side effect: it loads, stores or binds a name.
    -> Assign it to a name first.
shape-changes: The rewrite would give the value other axes or another number of lanes.
    -> Nothing: the shape is needed.
not-expressible: A value that the new code needs has no name at that place, or cannot be written
    there.
    -> Bind it to a name before that place.
opaque-value: A value or an address is computed in an unknown way, or by too large an expression.
    -> Simplify the index arithmetic, or pass the value as an argument.
comment-inside: The rewrite would lose a comment in the middle of the expression.
    -> Move the comment above the statement.
data-may-change: Between two reads that would become one, a store may change the data.
    -> If the buffers are disjoint: `--assume 'disjoint(X, Y)'`.
early-exit: A `return`, `break` or `continue` may skip a part of the code.
    -> Put the rest under an `if`, or use a mask.
volatile-load: A load is volatile, so each execution must read memory.
    -> Remove `volatile=True` if no other program writes there.
loop-is-not-plain: A loop is not a `for` over `range` or `tl.range` with one end: it is a `while`,
    has an `else`, or is unrolled.
    -> Write it as `for i in range(...)` without an `else`.
digits-may-cancel: The expanded sum subtracts two sums that may be large and almost equal, which
    loses digits.
    -> If that does not matter: `--passes 'fuse-stats{formula=moments}'`.
masked-off-lanes-count: Inactive lanes enter a reduction.
    -> Load with `other=` the identity of the reduction, or set the lanes with `tl.where`.
accumulator-is-narrow: A sum has a type of fewer than 32 bits, an unsigned type, or two types.
    -> Accumulate in fp32 or int32: cast the addend.
accumulator-is-read: An accumulator, or a part of it, is used before the reduction is complete, or
    not only by its sum.
    -> Use the result only after the loop.
accumulator-starts-elsewhere: A reduction does not start at its identity: 0 for a sum, -inf for a
    maximum.
    -> Start at the identity, and add the rest after the loop.
memory-order: A barrier, an atomic or a volatile load orders memory there, so no access may move
    across it.
    -> Remove it if no other thread or program needs it.
center-is-not-the-mean: The deviations are not from the unrounded mean of the same elements.
    -> Subtract the fp32 mean of exactly these elements.
data-is-integer: The sums are of integers; the shifted formula needs floats.
    -> Cast the data to fp32 when it is loaded, if that is meant.
different-elements: Two loops read different elements, or are not proved to read the same ones.
    -> Read the same elements of the same buffer in both.
different-mask: The two masks differ, and neither implies the other.
    -> Use the same mask in both, if that is meant.
different-range: Two loops run over different numbers, or are not proved to run over the same ones,
    or over as many as the divisor.
    -> Give both the same start, end and step.
not-a-square: The second loop does not add the square of one deviation.
    -> Nothing, if that is meant: it is no variance.
already-done: The kernel already has the form that the pass produces.
    -> Nothing.
pinned-bits: The kernel rounds on purpose (`div_rn`, a round trip through a narrow type) to have the
    bits of another library; the rewrite would change these bits.
    -> Use the plain operators if the bits do not matter.
rounded-differently: The loops compute the value differently in a type of fewer than 32 bits.
    -> Cast the data to fp32 when it is loaded, in both loops.
called-from-a-kernel: Another kernel calls this one, and may pass tiles as arguments.
    -> Nothing, if the other kernel needs it.
length-is-computed: The trip count of a loop is computed in the kernel, or from loaded values.
    -> Pass the length of the row as an argument, and the tile length as a constexpr.
nothing-read-twice: No loop loads data again that an earlier loop loaded, without a store to it
    between.
    -> If a store between goes to another buffer: `--assume 'disjoint(X, Y)'`.
type-changes: The rewrite would change the type of a value, or of a comparison.
    -> Cast both sides to the intended type.
arguments-differ: Two accesses that would be merged have different `other=` or cache options.
    -> Give both the same arguments.
arguments-are-not-seen: An argument is hidden by `*args` or `**kwargs`, or is omitted.
    -> Write out the arguments.
not-tunable: A tuner cannot run the kernel many times, or cannot choose for all launches at once.
    -> Restore the buffers that the kernel changes, and do not pass warps and stages at launches.
may-run-zero-times: The loop may have no iteration, and the new code would then still have an
    effect.
    -> Guard it by an `if`, or assume a size with `--assume 'N >= 1'`.
row-may-be-longer: The row may be longer than a tile, so the loops are needed.
    -> Launch with `BLOCK=triton.next_power_of_2(N)`, or give `--assume 'N <= BLOCK'`.
assertion-in-the-loop: A device assertion in the loop must fail before data is loaded.
    -> Move the assertion before the loop, if it is the same in every iteration.
condition-is-not-plain: The condition cannot be evaluated before the loop: it loads, has an effect,
    may divide by zero, or is not understood.
    -> Compute it before the loop.
may-divide-by-zero: The condition divides by a value that may be 0. Before the loop it would be
    evaluated even if the loop has no iteration.
    -> State that the value is not 0, with `tl.assume` or `--assume 'N >= 1'`.
compiler-knows: The compiler already does this.
    -> Nothing.
too-many-statements: The copies of the loop would have more statements than the option
    `max_statements` permits.
    -> Increase it to the number in the message, if the result is still readable.
under-a-condition: The code runs only under a condition; after the rewrite it would always run, or
    under another condition.
    -> Nothing, if the condition is needed.
unknown-call: The effects of a call are unknown: it may access memory or read the program id.
    -> Call a function that is a kernel in a given file.
unrolled-loop: The compiler unrolls the loop (`tl.static_range`), so there is no loop to change.
    -> Nothing.
captured-in-a-graph: The file captures CUDA graphs, and a tuner cannot time launches during a
    capture.
    -> Let `tritonopt tune` write the best options into the launches.
compiler-is-not-told: The compiler does not know whether a size or stride is a multiple of 16, or 1,
    so accesses are narrower.
    -> Remove the parameter from `do_not_specialize`, or remove its annotation.
recompiles-for-nothing: The kernel is compiled again for values that do not change its code.
    -> List the parameter in `do_not_specialize`.
tile-is-spilled: At the launched size a tile does not fit into the registers, so a part of it is
    stored to memory and loaded again.
    -> Use the setting that the remark gives: more warps, or a shorter tile and a loop.
not-compiled: The decision needs a compiled kernel, but there is no compiler, or the kernel does not
    compile there.
    -> Install `tritonopt[verify]`, and give a file that can be imported.
dot-in-the-loop: The loop multiplies matrices, so the `num_stages` of the launch already pipelines
    it.
    -> Change `num_stages` at the launch.
one-iteration: The loop has one iteration, so there is no other iteration to prefetch for or to
    unroll.
    -> Nothing. `one-tile` removes such a loop.
tile-is-long: The tile is so long that one tile is enough work for a program, or that several do not
    fit into shared memory.
    -> Nothing, unless rows are short: then use a shorter tile.
grid-ends-within-a-row: The number of programs is not proved to be a multiple of the number of tile
    columns.
    -> Let the grid be the product of the rows and the columns, as the kernel computes them.
tiles-are-not-shared: No load depends on the tile row alone, or none on the tile column alone, as in
    a matrix product.
    -> Nothing: another order of the programs would not share more tiles.
program-ids-are-not-plain: The row and the column of a tile are not simply program ids.
    -> Bind each to a name of its own, once, at the top of the kernel.
rows-differ: Programs of different rows may take different branches or have different trip counts,
    or a name has one value for all rows in one place and one per row in another.
    -> Nothing, if rows differ.
mask-is-not-boolean: A mask that must be combined with another may have values other than true and
    false.
    -> Compare it, as in `mask != 0`.
one-place-for-all-rows: All programs store to one address; a program with several rows would store
    only once.
    -> Sum over the rows by hand, and store the sum.
few-rows: Every launch has one row, so a program cannot handle several.
    -> Nothing.
axis-is-taken: The grid has no free axis for the programs of a row, or its axes are unknown.
    -> Give every launch a grid that is a tuple of one or two numbers.
done-by-every-part: A store, print or assertion is before or in the loop, and every program that
    shares the row would execute it.
    -> Move it after the loop.
several-sweeps: The kernel has more than two loops over the row, or one of them is inside another
    statement.
    -> Merge loops first, with `fuse-stats` or `online-softmax`.
kernel-does-more: One of two kernels, or of two parts of a kernel, does other work that the rewrite
    cannot keep.
    -> Move the other work to a separate kernel.
launches-are-not-paired: The two kernels are not launched one after the other in one block.
    -> Launch the second right after the first.
lock-is-not-understood: Under the lock the kernel does more than add to memory.
    -> Only add under the lock, and start with zeros.
partials-do-not-match: It is not proved that the second kernel reads each partial result of the
    first exactly once.
    -> Store one partial result per program, unconditionally, and read as many.
output-may-hold-something: The output buffer may already have contents, or other code may access it.
    -> Allocate it in the launcher by `torch.empty`.
partials-are-used-elsewhere: Other code may access the buffer between the two kernels, or its
    earlier contents.
    -> Allocate it in the launcher by `torch.empty`, and use it only there.
grid-of-processors: No launch starts more programs than there are multiprocessors, so no program
    would get a second tile.
    -> Nothing.
other-axes-are-unlimited: A limit along one axis of the grid does not limit the number of programs
    along the others, and the loop would save no work.
    -> Give the limit, as in `grid-stride{programs=sm*8}`.
parameter-cannot-be-added: A heuristic, a hook, a function that prunes configurations, or a
    compilation ahead of time gets all parameters of the kernel, and would get the new one.
    -> Let it take only the arguments that it needs, by name.
axis-is-not-known: The axis of `tl.program_id` is not a literal number.
    -> Write 0, 1 or 2.
grid-depends-on-the-configuration: The number of programs depends on the configuration that a tuner
    chooses.
    -> Compute the number of tiles in the kernel, from its parameters.
grid-is-not-readable: The number of programs along an axis cannot be read from the launch, or cannot
    be changed there.
    -> Write the grid as a tuple, or as a function that returns one.
program-ids-are-used: The kernel uses its program ids, or their number, not only to find its tile.
    -> Compute the value from the index of the tile.
launch-in-another-file: The rewrite would have to edit a launch in another file.
    -> Move the launcher into the kernel's file.
unseen-launches: The given files do not show every launch of the kernel, or a launch is stored and
    used again.
    -> Give the files that launch it, also with `--context`.
tiles-race: A tile may read data that another tile of the same launch writes.
    -> Write to another tensor.
waits-for-other-programs: A loop waits for another program; in one loop over tiles, a program could
    wait for itself forever.
    -> Nothing: such a kernel needs one program per tile.
hint-can-be-false: For some numbers the hint is false; the message gives an example.
    -> Remove the hint; or add an assertion of what makes it true; or give that with `--assume`.
hint-is-malformed: The number in a hint is no power of two, or is larger than the tile.
    -> Write a power of two of at most the tile's length.
hint-narrows: The hint promises less than the compiler knows, or so few lanes that loads could
    become narrower.
    -> Remove the hint.
not-shown: The hint is not proved for these offsets, or they are not consecutive offsets of an
    access.
    -> Give facts about the sizes with `--assume`.
block-pointer-is-lost: Not all uses of a block pointer are known, or its axes are not written out.
    -> Make and use it in one function, with tuples written out.
elements-are-boolean: The tensor is boolean: booleans are bytes in memory.
    -> Pass a tensor of another type.
axis-is-a-float: `tl.max(x, 0.0)` has a float as its axis, `tl.max(x, y)` a tile or a computed
    number; neither compiles.
    -> Write `tl.maximum(x, 0.0)`, or an integer axis.
computed-twice: An expression would be written, and computed, twice.
    -> Bind it to a name first.
constant-is-special: The constant is NaN or -0.0, for which a comparison and `tl.maximum` differ.
    -> Nothing, if that is meant.
nan-is-propagated: The call propagates NaN.
    -> Remove `propagate_nan`, if it is not needed.
no-constant: Neither operand is a known constant.
    -> Nothing.
type-is-unknown: The type of a value is unknown, and the rewrite is not right for every type.
    -> Cast the value, as in `.to(tl.float32)`, or give the launcher with the kernel.
function-is-rounded: The values of inactive lanes depend on how the hardware computes a function.
    -> Nothing: the `tl.where` is needed.
load-is-not-masked: A load has no mask, so its values in the lanes that `tl.where` clears are
    unknown.
    -> Mask the load, if lanes past the end must not be read.
no-other: A masked load has no `other=`, so its inactive lanes are undefined.
    -> Add `other=0.0`, or `float("-inf")` for a maximum.
value-is-not-known: The values of inactive lanes before the `tl.where` are unknown.
    -> Nothing: the `tl.where` is needed.
reduction-is-cast: The reduction of a tile is cast before it is combined with the accumulator.
    -> Cast the tile, or remove the cast if the types agree.
reduction-may-overflow: One tile is reduced in a narrower type than that of the accumulator, which
    may overflow.
    -> Cast the tile to the type of the accumulator before the reduction.
factor-may-be-negative: The difference from the maximum is multiplied by a factor that may be
    negative; then the largest element does not have the largest exponent.
    -> Take the maximum of the products, or make the factor a constant.
extremes-are-not-known: A part of the mask is not a comparison of sums of lanes and scalars, so its
    first and last element are unknown.
    -> Write the positions as scalars plus `tl.arange`.
maximum-is-not-subtracted: The exponent is not proved to be an element minus a running maximum that
    starts at -inf.
    -> Start `m` at -inf, update it by `tl.maximum(m, tl.max(x, axis))`, and subtract it.
tiny-results-count: Results below 2**-126 would become 0, and may be used other than in a sum of at
    least 1.
    -> Nothing: these results must stay.
maximum-is-changed: The maximum is rounded, or not simply subtracted, in the exponent.
    -> Subtract the maximum itself, and do other operations after the subtraction.
not-an-exponential: The second loop does not add the exponential of each element minus the running
    maximum.
    -> Add `tl.exp(x - m)`, with `m` the unrounded maximum of the first loop, and a positive factor.
other-axes: The maximum and the sum of exponentials are along different axes.
    -> Reduce both along the same axes.
rounded-before-the-sum: Terms are computed in the narrow type of the loaded data, and then added to
    a wide accumulator.
    -> Cast the loaded data: `x.to(tl.float32) * w.to(tl.float32)`.
accumulator-is-too-small: A loop adds to an accumulator of 8 or 16 bits, which wraps around.
    -> Make the accumulator `tl.int32`, and cast the addend.
masked-after-the-exponential: An exponential is multiplied by 0 where a mask is false; if it is inf
    there, the product is NaN.
    -> Mask the exponent: `tl.exp(tl.where(mask, a - b, -float('inf')))`.
pointer-is-ahead: A loop advanced a pointer by whole tiles, past the element at which the next loop
    starts.
    -> Compute the address from the loop's position instead of advancing the pointer.
maximum-drops-nan: `tl.max` and `tl.min` ignore NaN; `torch.amax` returns NaN if an element is NaN.
    -> If callers expect torch's result, store NaN if `x != x` for some element.
assumes-contiguity: A kernel reads a tensor of a caller as contiguous, whatever its strides are.
    -> Call `.contiguous()` in the launcher, or check `is_contiguous()` there.
grid-ends: A length of a tensor is the number of programs along axis 1 or 2, which CUDA limits to
    65535.
    -> Swap the axes of the grid: axis 0 may have 2**31 - 1 programs.
configuration-is-repeated: A tuner compiles and times the same configuration twice.
    -> Remove one of them.
key-in-vain: The `key` of a tuner has a length that the kernel does not read, so each value is tuned
    again.
    -> Remove it from `key`.
size-not-in-key: A tile is as long as a tensor, and the `key` of the tuner does not have that
    length.
    -> Add the parameter to `key=`.
key-of-nothing: The `key` of a tuner has a name that is no parameter; Triton ignores it.
    -> Write the name of the parameter with the size; add such a parameter if there is none.
leaves-elements: With one of the tuner's configurations the grid has too few programs, so elements
    are not stored.
    -> Make the grid a function of the tile: `lambda meta: (triton.cdiv(n, meta['BLOCK']),)`.
leaves-its-buffer: For some sizes an access is outside of its tensor; the message gives an example.
    -> Mask the access by the length of that tensor.
index-is-below-zero: The kernel compares a loaded index with 0 or -1, but the mask of an access with
    this index does not exclude -1.
    -> Add the comparison to the mask of the access.
reads-what-others-write: A program reads data that another program of the same launch writes; the
    message gives two programs.
    -> Write to another tensor, or launch twice.
state-is-not-restored: A tuner runs the kernel many times to time it, and each run changes the input
    of the next.
    -> List the buffer in `reset_to_zero=` or `restore_value=` of `triton.autotune`.
product-may-overflow: A row number and a stride are multiplied in 32 bits, in a kernel without a
    launch in the given files.
    -> Cast the row number to tl.int64.
offset-is-too-large: For some sizes an offset does not fit into 32 bits; the message gives an
    example.
    -> Cast an operand: `row = tl.program_id(0).to(tl.int64)`.
lanes-hand-over: One lane stores an element that another lane of the same program loads, in either
    order, without a barrier between.
    -> Put `tl.debug_barrier()` between the two accesses.
undefined-lanes-reduced: A reduction includes inactive lanes of a load without `other=`, which are
    undefined. GPUs read 0 there today, which does not change the result as far as we know.
    -> Add `other=` with a value that does not change the reduction.
no-such-name: No supported version of Triton has this name in `triton.language`.
    -> Use the name in the message instead.
no-such-axis: A launch has axes 0, 1 and 2 only.
    -> Split one of them: `tl.program_id(2) // n` and `tl.program_id(2) % n`.
result-is-dropped: The value of a statement is not used.
    -> Assign the value, or remove the statement.
other-changes-the-result: A reduction includes inactive lanes of a load, and their `other=` changes
    the result.
    -> Use the identity of the reduction as `other=`, or set the lanes with `tl.where`.
zero-changes-the-result: A reduction includes inactive lanes of a load without `other=`, which are
    undefined. GPUs read 0 there today, which changes the result.
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
