"""What is HTML: names, the grammar of a tag, and the gate. Patterns only, in the common subset of Rust's regex and
Python's `re` (spelled-out classes; no look-around, no back-reference; `\\z` is Python's `\\Z`).
"""

BLOCK = (
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main menu nav ol "
    "optgroup option p plaintext pre search section summary table tbody tfoot thead title tr ul xmp "
    "rss channel item description pubdate guid feed entry"
).split()
CELL = ["td", "th"]
CODE = "code kbd samp tt".split()
_INLINE = (
    "a abbr acronym applet area audio b base basefont bdi bdo bgsound big blink button canvas cite col colgroup data "
    "datalist del dfn em embed font frame i iframe image img input ins isindex keygen label link map mark marquee "
    "menuitem meta meter nobr noembed noframes noscript object output param picture progress q rb rp rt rtc ruby s "
    "script select slot small source spacer span strike strong style sub sup svg template textarea time track u var "
    "video wbr "
    "circle clippath defs ellipse foreignobject g line lineargradient path polygon polyline radialgradient rect stop "
    "symbol text tspan use "  # of svg
    "math mfrac mi mn mo mover mroot mrow ms mspace msqrt msub msubsup msup mtable mtd mtext mtr munder munderover"
).split()
KNOWN = [*BLOCK, *CELL, *CODE, *_INLINE]
_BARE_TAGS = "p|br|hr|div|li|td|tr|ul|ol|h[1-6]|table|script|style|html|body|head|iframe|svg"
_BARE_ATTRIBUTES = (  # names that may stand without a value; any name with a hyphen may, too
    "align allowfullscreen alt async autofocus autoplay bgcolor border charset checked class clear color colspan "
    "compact content contenteditable controls coords crossorigin data datetime declare default defer dir disabled "
    "download draggable enctype face for frameborder headers height hidden href hreflang hspace id inert ismap "
    "itemprop itemscope itemtype kind lang language loop media multiple muted name nohref nomodule noresize noshade "
    "novalidate nowrap onclick onload open pattern playsinline placeholder poster preload property readonly rel "
    "required reversed role rowspan scope scrolling seamless selected shape size sizes span spellcheck src srcset "
    "start style tabindex target text title translate type usemap valign value vspace width xmlns"
).split()


def either(names: list[str]) -> str:
    """An alternation of names, longest first.

    >>> either(["b", "br"])
    'br|b'
    """
    return "|".join(sorted(names, key=lambda name: (-len(name), name)))


SPACE = r" \t\n\x01-\x04"  # for a class: white space inside a tag, also as the marks of strip (text/marks.py)
_NAME = "[!#-&(-.0-;?-~]+"  # of an attribute: ASCII that is no blank, quote, slash, = or bracket
_VALUE = rf"(?:\"[^\"]*\"|'[^']*'|[^{SPACE}\"'<>]+)"
_HYPHENED = "[A-Za-z_][A-Za-z0-9_]*-[A-Za-z0-9_-]+"
_ATTRIBUTES = (  # in any number, also stray quotes
    rf"(?:[{SPACE}/\"']|{_NAME}[{SPACE}]*=[{SPACE}]*{_VALUE}|{either(_BARE_ATTRIBUTES)}|{_HYPHENED})*"
)
REST = rf"(?:[{SPACE}/]{_ATTRIBUTES})?"  # of a tag, after its name
LOOSE = rf"(?:[{SPACE}/][^<>]*)?"  # where what follows decides, not the attributes


def tag(names: list[str], rest: str = REST) -> str:
    """A pattern of an open or end tag of one of the names. `rest`: of the tag, after its name.

    >>> tag(["b"], "[ ]*")
    '</?(?:b)[ ]*>'
    """
    return f"</?(?:{either(names)}){rest}>"


GATE = (
    rf"(?i)<!doctype|<!--|<!\[CDATA\[|</(?:{either(KNOWN)})[ \t\r\n]*>|<(?:{_BARE_TAGS})[ \t\r\n]*/?>"
    rf"|<(?:{either(KNOWN)})[ \t\r\n]+[a-z_:@][a-z0-9_:.@-]*[ \t\r\n]*="
)
CODE_REGIONS = (  # in Markdown; one kind a pass: together they are quadratic
    r"```(?s:.*?)(?:```|\z)",
    r"~~~(?s:.*?)(?:~~~|\z)",
    r"`[^`\n]+`",
)
CODE_SIGN = "`|~~~"
HAS_BLOCK = rf"(?i)</?(?:{either([*BLOCK, *CELL])})[ \t\n/>]"
IS_PAGE = r"(?i)<(?:!doctype|html|body)[ \t\n/>]"
MARKDOWN_LINE = r"(?m)^(?:#{1,6} |[-*>] |[0-9]+\. |\||```|~~~)"
MARKDOWN_LINES = 2  # at least, for a cell whose line breaks are the writer's own
