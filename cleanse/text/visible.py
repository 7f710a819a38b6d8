"""What a reader sees of a text."""

BLANK = r"^[\s\p{C}\p{M}]*$"  # nothing: only white space, format and control characters, marks
