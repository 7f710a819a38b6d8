"""Where the command begins: what must be set first, then all else."""

import cleanse.run.engines.prepared  # noqa: F401  # before polars, numpy and all of ours are loaded


def main() -> None:
    """The entry point."""
    from cleanse.cli.app import main as run  # late: typer, and with it nearly everything

    run()
