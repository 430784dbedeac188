"""Loops over single elements become loops over tiles: what was an iteration is a lane.

`scalar_loops` finds the loops. `loop_bodies` shows that what they compute can be computed lane by
lane, `updates_of_lanes` and `carried_names` what an iteration takes over from the one before,
`memory_order` that iterations share no memory; `vector_proof` puts that together.
`loop_headers`, `lane_code` and `lane_statements` write the parts of the loop,
`vector_loop` the whole.
"""
