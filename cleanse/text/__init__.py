"""Functions on bytes and str: no files, no tables. They raise ValueError; what it means is the caller's business."""
