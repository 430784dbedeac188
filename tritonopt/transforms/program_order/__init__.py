"""Which program of a grid does which tile."""
