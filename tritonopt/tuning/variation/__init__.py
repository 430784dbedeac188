"""What can be tried in place of a text: passes and their compositions, and launch parameters."""
