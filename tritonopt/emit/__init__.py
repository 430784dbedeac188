"""Changed code: names and statements of a kernel, new kernels, and what several passes ask."""
