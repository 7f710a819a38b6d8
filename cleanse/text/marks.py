"""One-byte marks that the rules of strip leave in a text for later rules: C0 controls, which no cell holds by then.

The first rule deletes all controls and a reference to one decodes to nothing, so none can come from the input.
"""

LINE = "\x01"  # a line break in <pre> or in a fence; where one stands, no rule takes the line
BLANK = "\x02"  # a blank there
TAB = "\x03"  # a tab there
BREAK = "\x04"  # a line break that a block element or a blank line of the source makes
HOLE = "\x05"  # something went here: what it stood between must not become a tag
KEEP = "\x06"  # this line is code: no rule takes it
LINK = "\x07"  # where a link begins, and where it ends
LESS = "\x0e"  # a < that is text
AMP = "\x0f"  # an & that is text
REGION = "\x10"  # where a region begins and where it ends
HEADING = "\x11"  # this line is a heading
CODE_LINE = LINE + BLANK + TAB + KEEP  # a line with one of these is code
CHARACTERS = {LINE: "\n", BLANK: " ", TAB: "\t", LESS: "<", AMP: "&", KEEP: "", HEADING: ""}  # what becomes of them
