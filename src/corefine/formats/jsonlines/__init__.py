"""JSON lines: one document a line, in the dialects of several tools."""
