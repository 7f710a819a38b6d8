"""Which columns become the vectors that smote draws between."""

from dataclasses import dataclass
from typing import Literal

FORMS = "svd, embedding:COLUMN, cols:A,B or mixed:A,B"


@dataclass(frozen=True)
class Features:
    """`columns`: those that hold the numbers; none for `svd`, which is made of title and body."""

    kind: Literal["svd", "embedding", "cols", "mixed"]
    columns: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Features":
        """From the setting. Raises ValueError that names the forms.

        >>> Features.parse("cols:a, b").columns
        ('a', 'b')
        """
        kind, _, rest = text.partition(":")
        names = tuple(name.strip() for name in rest.split(",") if name.strip())
        if text == "svd":
            return cls("svd")
        if kind == "embedding" and rest:
            return cls("embedding", (rest,))
        if kind == "cols" and names:
            return cls("cols", names)
        if kind == "mixed" and names:
            return cls("mixed", names)
        raise ValueError(f"features are {FORMS}, got '{text}'")
