"""How a kernel is launched, as far as its file shows it, and how its launches change with it.

Above `facts`: what stands at a launch is read there, and a launch may decline a site.
"""
