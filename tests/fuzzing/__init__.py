"""Damaged files of the formats, read beside plain independent readings."""
