"""The command line: options to settings, settings to a run, results to a terminal."""
