"""How much of a run one call does."""

from dataclasses import dataclass

from cleanse.stages import ORDER


@dataclass(frozen=True)
class Extent:
    """How much of a run one call does. `first`: the stage from which on all is made anew, those before it being whole;
    `last`: the one it ends behind; `share`: (k, n), every n-th part from the k-th on, 1-based; `force`: make all anew.
    """

    first: str | None = None
    last: str | None = None
    share: tuple[int, int] | None = None
    force: bool = False

    @property
    def is_whole(self) -> bool:
        """True when there is a result at its end."""
        return self.last in (None, ORDER[-1]) and self.share is None

    def has_part(self, number: int) -> bool:
        """True for a part that this call makes; `number` is 0-based."""
        return self.share is None or number % self.share[1] == self.share[0] - 1


WHOLE = Extent()
