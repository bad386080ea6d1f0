"""Drivers: windows, processes, clusters: ways to obtain pairs of documents; all yield Counts."""
