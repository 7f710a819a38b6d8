"""Builds the dirty sample corpus of `samples/`; text and files are ours, licence: CC0 1.0 (public domain).

    python tests/make_samples.py [DIR]

The same bytes everywhere: choices come from BLAKE2b of a record's key, and gzip members are framed here (zlib's output
depends on its version). Every file is input for the tool, so nothing else may stand in DIR.
"""

import json
import re
import struct
import sys
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from hashlib import blake2b
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # loaded by path, this file still finds its neighbour

from samples_text import FOOTERS, HTML_FRAMES, SHORT_BODIES, SHORT_TITLES, TOPICS, TRADITIONAL, WORDS, Topic

FLAWS = {3: "title_short", 8: "body_short", 13: "title_long", 18: "body_missing", 23: "body_short", 28: "title_missing"}
CYCLE = 31  # records; a prime, so that flaws meet every label of the patterns below
LABELS = {"天": "天气", "体": "体育", "财": "财经", "科": "科技"}
ZH = ("标题", "正文", "标签")
EN = ("title", "body", "label")
BIG5_PAGE = """<!DOCTYPE html><html><head>{meta}
<title>{title} - 嵐橋氣象網</title>
<style>body {{ font: 16px/1.6 serif }} .nav > li {{ float: left }}</style>
<script>var page = {n}; if (page < 10 && window.top) {{ document.write("<b>廣告</b>"); }}</script>
</head><body>
<!-- 版型 {n}：頁首 -->
<nav><a href="/">首頁</a> | <a href="/rain">降雨</a> | <a href="/wind">風力</a> | <a href="/sea">海象</a></nav>
<h1>{title}</h1>
{text}
<p>圖表&nbsp;&amp;&nbsp;資料：嵐橋氣象站</p>
<{foot}>
<p>版權所有 &copy; 2024 嵐橋氣象網</p>
<p>京ICP{filed}12345678{number}-1</p>
</{foot}>
</body></html>
"""


@dataclass(frozen=True)
class Record:
    """One record as its author meant it, or with the flaw that it has to have."""

    title: str | None
    body: str | None
    label: str | None


def number(key: str, n: int) -> int:
    """A number in 0..n-1 that depends on nothing but `key`."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big") % n


def pick(lines: Sequence[str], key: str) -> str:
    """One of the lines."""
    return lines[number(key, len(lines))]


def filled(template: str, key: str) -> str:
    """The sentence with its slots filled: a word is the same in the whole record, numbers differ."""

    def fill(slot: re.Match[str]) -> str:
        name, turn, low, high = slot.groups()
        if low:
            return str(int(low) + number(f"{key}/{template}/{slot.start()}", int(high) - int(low) + 1))
        words = WORDS[name].split()
        return words[(number(f"{key}/{name}", len(words)) + int(turn or 1) - 1) % len(words)]

    return re.sub(r"\{(?:([^\W\d]+)(\d*)|(\d+)-(\d+))\}", fill, template)


def sentences(topic: Topic, key: str) -> list[str]:
    """An opener, one to five different middles in their order, a closer."""
    middles = topic.middles.split()
    ranked = sorted(range(len(middles)), key=lambda i: number(f"{key}/middle/{i}", 1 << 32))
    chosen = [middles[i] for i in sorted(ranked[: 1 + number(f"{key}/n", 5)])]
    opener, closer = (pick(block.split(), f"{key}/{block[:9]}") for block in (topic.openers, topic.closers))
    return [filled(template, key) for template in (opener, *chosen, closer)]


def headline(topic: Topic, key: str) -> str:
    """A title of 10 to 30 characters."""
    return filled(pick(topic.titles.split(), f"{key}/title"), key)


def record(key: str, label: str, flaw: str | None = None) -> Record:
    """A record of the class `label`, good unless a flaw of `FLAWS` is asked for."""
    title, body = headline(TOPICS[label], key), "".join(sentences(TOPICS[label], key))
    match flaw:
        case "title_short":
            title = filled(pick(SHORT_TITLES, f"{key}/short"), key)
        case "title_long":
            title = f"{title}：{body}"[: 61 + number(f"{key}/long", 40)]
        case "title_missing":
            title = ""
        case "body_short":
            body = filled(pick(SHORT_BODIES.split(), f"{key}/short"), key)
        case "body_missing":
            body = ""
    return Record(title, body, label)


def records(name: str, n: int, labels: str, *, flawed: bool = True) -> list[Record]:
    """`n` records; their labels repeat the pattern `labels`, their flaws the pattern `FLAWS`."""
    flaws = FLAWS if flawed else {}
    return [record(f"{name}/{i}", LABELS[labels[i % len(labels)]], flaws.get(i % CYCLE)) for i in range(n)]


def delimited(rows: Iterable[Sequence[str | None]], delimiter: str = ",", end: str = "\n") -> str:
    """Rows as CSV or TSV; a field has quotes only where it needs them."""

    def field(text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if re.search(rf'[{delimiter}"\r\n]', text) else text

    return "".join(delimiter.join(field(cell or "") for cell in row) + end for row in rows)


def table(rows: Iterable[Record], names: Sequence[str], *, every: int, end: str = "\n") -> str:
    """A CSV file; each `every`-th record holds what needs quotes: doubled quotes, commas, a line break."""
    cells = [list(astuple(r)) for r in rows]
    for row in cells[1::every]:
        row[:2] = f'"{row[0]}"', f'{row[1]}{end}编后:"以上数字,均为初步统计"'
    return delimited([names, *cells], end=end)


def json_lines(rows: Iterable[Sequence[object]], names: Sequence[str]) -> list[str]:
    """One JSON object a row, line end included."""
    return [json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n" for row in rows]


def gzipped(data: bytes) -> bytes:
    """A gzip member of stored blocks: valid everywhere, compressed nowhere, no time stamp."""
    blocks = [data[i : i + 65535] for i in range(0, len(data), 65535)]
    body = b"".join(struct.pack("<BHH", b is blocks[-1], len(b), len(b) ^ 0xFFFF) + b for b in blocks)
    return b"\x1f\x8b\x08" + bytes(6) + b"\xff" + body + struct.pack("<II", zlib.crc32(data), len(data))


def as_html(r: Record, i: int) -> Record:
    """The body as a piece of a news page: markup, script, comment, references and a footer round the same text."""
    text = "".join(f"<p>{s}</p>\n" for s in re.findall("[^。]+。?", r.body or ""))
    text = text.replace("，", "，&nbsp;", 1).replace("百分之", "&#30334;分之")
    html = HTML_FRAMES[i % 3].format(n=i, text=text, foot=FOOTERS[i // 4 % 3])
    return replace(r, title=f"{r.title}（图&amp;文）" if r.title and i % 8 == 1 else r.title, body=html)


def daily() -> list[str]:
    """JSON lines, one in four with an HTML body; some hold markup and no text, or a label that is null."""
    lines = []
    for i, r in enumerate(records("daily", 200, "天财体财天财体财财科天财体财天财体财财财天财体财天")):
        if i % 50 == 25:
            r = replace(r, body=f"<script>player.load('/v/{i}.m3u8', {{autoplay: true, muted: true}});</script>")
        elif i % 50 == 37 or (i % 4 == 1 and r.body):
            r = as_html(record(f"daily/{i}", r.label or "", "body_short") if i % 50 == 37 else r, i)
        lines.append((f"d{i:05}", *astuple(r if i % 50 != 40 else replace(r, label=None))))
    return json_lines(lines, ("id", *EN))


def misread(text: str, wrong: str) -> str | None:
    """UTF-8 read with the codec `wrong`, as the web does it; null where that loses a byte."""
    data = text.encode()
    if wrong == "cp1252":
        return "".join(chr(b) if b in b"\x81\x8d\x8f\x90\x9d" else bytes([b]).decode("cp1252") for b in data)
    try:
        return data.decode(wrong)
    except UnicodeDecodeError:
        return None


def garbled(key: str, label: str, wrong: str) -> Record:
    """An excited post, its parts the first ones that `wrong` misreads without loss (none that ends in 。)."""

    def lossless(texts: Iterable[str]) -> str:
        return next(bad for text in texts if (bad := misread(text.replace("。", "！"), wrong)) is not None)

    topic = TOPICS[label]
    title = lossless(headline(topic, f"{key}/{attempt}") for attempt in count())
    body = [lossless(sentences(topic, f"{key}/{attempt}")[part] for attempt in count()) for part in (0, 1, -1)]
    return Record(title, "".join(body), label)


def mojibake() -> str:
    """A CSV file in which a quarter of the rows was once read with a wrong codec."""
    rows = records("mojibake", 100, "体天财体体", flawed=False)
    wrong = {2: "gb18030", 5: "latin-1", 8: "cp1252", 12: "gb18030", 18: "cp1252"}
    for i, r in enumerate(rows):
        if i % 20 in wrong:
            rows[i] = garbled(f"mojibake/{i}", r.label or "", wrong[i % 20])
    return delimited([("id", *EN), *((f"m{i:04}", *astuple(r)) for i, r in enumerate(rows))])


def lost() -> list[str]:
    """Text that nobody can repair, and three rows that only mention or touch on the damage."""
    rows = records("lost", 40, "体财天", flawed=False)
    for i, r in enumerate(rows):
        if i % 4 == 1:
            rows[i] = replace(r, body=re.sub("(.{8}).", "\\1\ufffd", r.body or ""))
        elif i % 8 == 3:
            rows[i] = replace(r, body=re.sub("(.{9}).{6}", r"\1锟斤拷锟斤拷锟斤拷", r.body or ""))
    rows[0] = replace(rows[0], body=f"文件打开之后满屏都是“锟斤拷”，编辑只好重录一遍。{rows[0].body}")
    rows[6] = replace(rows[6], body=f"{rows[6].body}\ufffd")
    rows[8] = replace(rows[8], title=f"{rows[8].title}\ufffd")
    return json_lines(((*astuple(r), "论坛存档") for r in rows), (*ZH, "来源"))


def shifted() -> str:
    """A CSV file whose lines have a field too few, a comma too many, or their values in the wrong columns."""
    lines = ["id,title,body,label"]
    for i, r in enumerate(records("shifted", 70, "体天体体", flawed=False)):
        cells = [f"s{i:04}", r.title or "", r.body or "", r.label or ""]
        match i % 10:
            case 3:
                del cells[3 if i % 20 == 3 else 1]
            case 6:
                cells[2] = cells[2].replace("，", ",", 1)
            case 8 if i % 20 == 8:
                cells = [cells[0], cells[3], cells[1], cells[2]]
        lines += [",".join(cells), *([""] if i % 14 == 4 else [])]
    return "\n".join(lines) + "\n"


def lengths() -> list[str]:
    """Titles and bodies on both sides of each bound, missing ones, and lines that are no JSON objects."""
    rows = records("lengths", 36, "体财天", flawed=False)
    bounds = [("title", n) for n in (9, 10, 60, 61)] + [("body", n) for n in (49, 50)]
    for i, (role, n) in enumerate(bounds * 2):
        cut = f"{rows[i].title}：{rows[i].body}"[:n] if role == "title" else (rows[i].body or "")[:n]
        rows[i] = replace(rows[i], **{role: cut})
    for i, (role, value) in enumerate((("title", ""), ("title", None), ("body", ""), ("body", None)), len(bounds) * 2):
        rows[i] = replace(rows[i], **{role: value})
    lines = json_lines(map(astuple, rows), EN)
    broken = ["null\n", "\n", lines[20][:-9] + "\n", f"{{'title': '{rows[21].title}'}}\n", lines[22].replace(":", "=")]
    return [*lines[:24], *broken, *lines[24:]]


def page(n: int) -> str:
    """A Big5 page in traditional characters; the last one is a stub with nearly no text, the one before undeclared."""
    key = f"page/{n}"
    text = "\n".join(f"<p>{s}</p>" for s in sentences(TRADITIONAL, key)) if n < 8 else "<p>請先登入。</p>"
    meta = "" if n == 7 else '<meta http-equiv="Content-Type" content="text/html; charset=big5">'
    filed, sign = ("&#22791;", "&#21495;") if n % 2 else ("備", "號")
    foot = "footer" if n % 3 else "div"
    title = headline(TRADITIONAL, key)
    return BIG5_PAGE.format(meta=meta, title=title, n=n, text=text, foot=foot, filed=filed, number=sign)


def briefing(key: str) -> str:
    """Plain text, one paragraph a topic."""
    return "\n\n".join("".join(sentences(topic, f"{key}/{label}")) for label, topic in TOPICS.items()) + "\n"


def picture() -> bytes:
    """What looks like the head of a PNG file."""
    noise = b"".join(blake2b(b"picture/%d" % i).digest() for i in range(8))
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x02\0\0\0\x90\x91h6\0\0\x02\0IDAT" + noise


def build() -> dict[str, bytes]:
    """Relative path → bytes of every file of the corpus."""
    league = table(records("league", 1000, "体" * 8 + "财天"), EN, every=90, end="\r\n")
    market = [(*astuple(r), "市场周刊") for r in records("market", 200, "财财财财体")]
    notes = [(f"n{i:03}", *astuple(r)) for i, r in enumerate(records("notes", 60, "体科体天天"))]
    forecast = [(*astuple(r), f"2024-05-{1 + i // 4:02}") for i, r in enumerate(records("forecast", 120, "天天天体"))]
    mixed = json_lines(map(astuple, records("mixed", 80, "体天财体体", flawed=False)), EN)
    files = {
        "archive/league.csv": league.encode("gbk"),
        "archive/market.csv": delimited([(*ZH, "来源"), *market]).encode("gbk"),
        "archive/notes.csv": delimited([("id", *EN), *notes]).encode("utf-8-sig"),
        "archive/forecast.tsv": b"\xff\xfe" + delimited([(*EN, "date"), *forecast], "\t").encode("utf-16-le"),
        "wire/daily.jsonl.gz": gzipped("".join(daily()).encode()),
        "wire/weekly.csv.gz": gzipped(table(records("weekly", 60, "体体财天"), ZH, every=20).encode()),
        "wire/mixed.jsonl": b"".join(s.encode("gbk" if i % 5 in (1, 3) else "utf-8") for i, s in enumerate(mixed)),
        "forum/mojibake.csv": mojibake().encode(),
        "forum/lost.jsonl": "".join(lost()).encode(),
        "forum/shifted.csv": shifted().encode(),
        "forum/lengths.jsonl": "".join([*lengths(), '{"title": "传到一半的一行文字，没有结尾']).encode(),
        "notes/briefing-gbk.txt": briefing("briefing-gbk").encode("gbk"),
        "notes/briefing-utf8.txt": briefing("briefing-utf8").encode(),
        "notes/empty.csv": b"",
        "notes/picture.txt": picture(),
    }
    return files | {f"web/page-{n}.html": page(n).encode("big5") for n in range(1, 9)}


def main() -> None:
    """Write the files below the folder named on the command line."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "samples"
    for name, data in build().items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


if __name__ == "__main__":
    main()
