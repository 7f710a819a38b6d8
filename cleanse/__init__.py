"""cleanse: a dirty text corpus in, training data one can defend out. Holds the version only."""

__version__ = "0.1.0"
