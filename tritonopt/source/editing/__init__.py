"""Changes to the text of a file.

What is to change is said in terms of its syntax tree; everything else stays byte for byte.
"""
