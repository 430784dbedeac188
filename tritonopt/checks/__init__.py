"""What must hold at a site, what of it was found to hold, and how that is said.

Below `facts`, so that facts and launches can decline a site as well as a pass can.
"""
