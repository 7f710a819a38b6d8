import codecs

from hypothesis import given
from hypothesis import strategies as st

from cleanse.stages.reading import is_utf8
from cleanse.text.evidence import look

PIECES = st.sampled_from(
    [*(text.encode() for text in ("a", "é", "天", "😀", "\0")), *(bytes([n]) for n in range(0x80, 0x100))]
)


def by_decoder(data: bytes) -> bool:
    """Strict UTF-8; an incomplete last character only after a whole one."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        text = decoder.decode(data.replace(b"\0", b""))
    except UnicodeDecodeError:
        return False
    return not text.isascii() or not decoder.getstate()[0]


@given(st.lists(PIECES, max_size=5).map(b"".join), st.integers(0, 3), st.integers(1, 4))
def test_utf8_is_known_whatever_the_blocks(text: bytes, cut: int, size: int) -> None:
    data = text[: len(text) - cut]
    blocks = [data[at : at + size] for at in range(0, len(data), size)]
    assert look(lambda: blocks).utf8 is look(lambda: blocks, is_utf8).utf8 is by_decoder(data)
