"""Where tasks run. Engines know no stage: they get a function, small tasks, and give results in task order."""
