"""Comparing systems: significance, intervals, ranks, and how far the metrics agree."""
