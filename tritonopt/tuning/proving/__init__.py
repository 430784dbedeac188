"""Whether a text is the same function: what is asked, of whom, and what the answers come to."""
