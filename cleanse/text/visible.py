"""What a reader sees of a text."""

BLANK = r"^[\s\p{C}\p{M}]*$"  # nothing: only white space, format and control characters, marks
_NO_LETTERS = bytes(code for code in range(0xC0) if not chr(code).isalpha() or code >= 0x80)


def letters(text: str) -> int:
    """ASCII letters and all characters beyond ASCII, counted: quick, for a share of a page's letters.

    Of a character in UTF-8 only the first byte is not between 80 and BF.

    >>> letters("1 <b>天气"), letters("")
    (3, 0)
    """
    return len(text.encode().translate(None, _NO_LETTERS))
