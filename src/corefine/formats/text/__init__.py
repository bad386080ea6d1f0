"""Brackets, nesting and plain text, shared by formats."""
