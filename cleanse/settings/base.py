"""What a setting is, and the bounds that sections share."""

from dataclasses import field
from typing import Annotated, Any

from annotated_types import Ge, Le

ROLES = ("title", "body", "label")  # what a column can be
TEXTS = ("title", "body")  # the roles that hold text; a label is a name
STRICT = {"extra": "forbid"}  # pydantic's name for it; unknown keys are errors

Count = Annotated[int, Ge(0)]
Positive = Annotated[int, Ge(1)]
Share = Annotated[float, Ge(0), Le(1)]


def key(default: Any, meaning: str, **more: Any) -> Any:
    """A setting with its default and its meaning, which is also the flag's help and the schema's description."""
    return field(default=default, metadata={"description": meaning, **more})
