"""What passes do to the code of a kernel, where two of them could share it."""
