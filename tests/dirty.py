"""Dirty texts and bytes for tests of any bytes."""

from hypothesis import strategies as st

PARTS = ["天气很好", "한국어", "カナ", "привет", "é", "a", ",", '"', " ", "\ufffd", "\ufeff", "\0", "<p>", "</p>"]
LINES = ["\n", "\n", "\r\n", "\n\n", "\r", '{"a": 1, "body": "天"}\n', "title,body\n", '"一\n二",三\n']
TEXT = st.lists(st.sampled_from([*PARTS, *LINES]), max_size=60).map("".join)
ENCODINGS = ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-be", "utf-32", "big5", "cp932", "cp1251", "iso2022_jp"]
DAMAGE = st.lists(
    st.tuples(st.floats(0, 0.999), st.binary(max_size=6).map(lambda put: put.replace(b"_", b"-"))), max_size=6
)
# a column that begins with _ is an error


def damaged(data: bytes, at: list[tuple[float, bytes]]) -> bytes:
    """The same bytes with some of them put in the place of others."""
    for where, put in at:
        place = int(where * len(data))
        data = data[:place] + put + data[place + len(put) :]
    return data
