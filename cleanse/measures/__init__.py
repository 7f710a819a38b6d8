"""Exact numbers about a corpus: tables in, integers that merge in any order, figures out."""
