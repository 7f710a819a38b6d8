"""Cutting text into records. Knows lines and tables, but neither files nor encodings."""
