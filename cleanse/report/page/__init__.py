"""report.html: one file that answers what happened to the data and whether it was right. Built from the run folder
alone; numbers come from its JSON files and are never counted a second time.
"""
