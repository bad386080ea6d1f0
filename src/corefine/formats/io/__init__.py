"""Shared parts of formats: sources, lines, XML, brackets, token rows, JSON records."""
