"""What a rewrite claims of a site, a sentence each."""

from __future__ import annotations

from collections.abc import Mapping

CLAIMS: Mapping[str, str] = {
    "accumulators-are-wide": (
        "Each accumulator, and what is added to it, is of a type of 32 bits or more that holds the "
        "result."
    ),
    "accumulators-can-be-combined": (
        "The partial results of several programs can be stored and combined into what one program "
        "found."
    ),
    "accumulators-are-sums": (
        "What the loop carries is a reduction that starts at its identity and is updated by its "
        "operation alone."
    ),
    "order-is-made-sure-of": "A tensor that is read in the order of memory is contiguous.",
    "grid-is-known": (
        "The launches show how many programs they start, and another number of programs can do the "
        "same."
    ),
    "arguments-are-understood": (
        "The arguments of the call are seen, and of the types that it needs."
    ),
    "block-is-a-descriptor": "A tensor descriptor can stand for the block.",
    "programs-share-tiles": "Programs of one row, and those of one column, load the same tiles.",
    "programs-are-numbered-in-rows": (
        "The program ids are the row and the column of a tile, in whole rows."
    ),
    "block-pointers-are-followed": (
        "Each block pointer is followed from where it is made to each load and store through it."
    ),
    "hint-is-useful": (
        "The hint about a number improves the compiled code, and has the form that the compiler "
        "takes."
    ),
    "squares-of-deviations": (
        "The second loop adds squared deviations from the mean of the first, unrounded and without "
        "weights."
    ),
    "condition-can-move": (
        "The condition is the same in every iteration and can be evaluated before the loop."
    ),
    "constant-is-plain": (
        "One operand is a name and the other an ordinary constant, so that both can be written "
        "twice."
    ),
    "code-is-small": (
        "The new code, or its tiles, stay within the limit of the pass and of the hardware."
    ),
    "type-stays": "Each value has the type that it had, or one in which the result is the same.",
    "result-is-used": "The result of each statement is used.",
    "lanes-are-ordered": (
        "What one lane stores and another loads has a barrier between, or one warp does both."
    ),
    "data-is-unchanged": (
        "Nothing stores to what is read, or orders memory, from the first read to the last."
    ),
    "sizes-are-positive": (
        "Sizes are at least 1 where they divide or bound a loop, or an empty row gives what it "
        "gave."
    ),
    "rounding-is-free": (
        "Nobody relies on the bits, the order or the formula of the sums, and what is computed "
        "instead fits their types."
    ),
    "effects-are-known": "Every effect of the kernel is understood.",
    "loops-are-plain": (
        "The loops are counted and run to their ends, and nothing leaves the kernel early."
    ),
    "exponents-are-below-the-maximum": (
        "Exponentials are of elements less a maximum of theirs, which may be one of another loop."
    ),
    "nothing-else-is-lost": "With the old code no comment, no effect and no other result is lost.",
    "parameter-can-be-added": (
        "The kernel can take one more parameter, and a heuristic for it, wherever it is named."
    ),
    "hint-is-true": "What the hint promises holds in every program and every iteration.",
    "is-expressible": "What the new code needs has a name where it would stand.",
    "iterations-are-independent": (
        "No iteration touches what another one stores, and each can be computed lane by lane."
    ),
    "parts-are-independent": (
        "No program and no part of the kernel reads, overwrites or waits for what another one "
        "writes."
    ),
    "is-understood": "The expressions at the site are small enough to be compared.",
    "infinite-rows-are-the-same": "A row of nothing but -inf gives what it gave.",
    "launches-are-seen": "Every launch of the kernel is in the files that were given.",
    "launches-can-be-tuned": "A tuner can run the kernel many times, and choose for every launch.",
    "length-is-known-at-the-launch": (
        "The launch shows how long the row and the tile are, and may make the tile longer."
    ),
    "recorded-launches": (
        "Launches pass what those of the user's own run did (`-- COMMAND` or `--launches FILE`)."
    ),
    "reads-nothing-more": "The new code reads no element that the old code would not have read.",
    "loads-run-ahead": "Something that the loop loads can be loaded some iterations ahead.",
    "mask-is-true-for-whole-tiles": (
        "Where the new branch is not taken, the mask is true for each element of the tile."
    ),
    "masked-off-lanes-add-nothing": (
        "Lanes that a mask turns off hold a value that does not change the result."
    ),
    "nan-is-dropped": "A NaN in the operand gives the constant, as a comparison does.",
    "nan-rows-are-the-same": "A row of nothing but NaN gives what it gave.",
    "names-start-afresh": "Nothing that one tile binds is read by the next.",
    "no-int32-overflow": (
        "Index arithmetic stays below 2**31; a rewrite takes this to hold, as the kernel does."
    ),
    "no-other-launches": "Files that were not given do not launch the kernel in another way.",
    "offset-fits": "An offset that is computed in 32 bits fits them, for every tensor.",
    "pair-is-private": (
        "The two kernels are launched in pairs, and nothing else sees the buffers between them."
    ),
    "rows-can-be-lifted": (
        "A program handles one row or tile, and could handle it in another shape or several of "
        "them."
    ),
    "same-arguments": "The accesses agree on everything but their addresses and values.",
    "same-range": (
        "Both loops run over the same numbers in the same order, and reduce along the same axes."
    ),
    "same-elements": "A later loop reads the elements that an earlier one reads.",
    "shape-stays": "The value has the same shape after the rewrite.",
    "stays-in-its-buffer": "An access is only to elements that its tensor has.",
    "tile-fits-the-registers": "What a thread keeps of a tile through a loop fits its registers.",
    "type-has-infinities": "The data is not of a type without inf, such as fp8e4nv.",
}
