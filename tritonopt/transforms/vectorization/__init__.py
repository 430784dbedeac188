"""Loops over single elements become loops over tiles: iteration i becomes a lane.

`scalar_loops` finds the loops, `loop_bodies` shows that what they compute can be computed lane by
lane, `carried_names` what an iteration takes over from the one before, `memory_order` that the
iterations share no memory, `vector_proof` puts that together, `lane_code` and `vector_loop` write
the loop, and `turns_saved` says whether it pays.
"""
