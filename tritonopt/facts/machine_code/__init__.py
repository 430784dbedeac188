"""What a kernel needs as machine code, for a GPU that need not be here."""
