"""Disk and processes: a stage and a folder become tasks, tasks run on an engine, results become a ledger."""
