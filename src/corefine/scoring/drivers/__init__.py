"""Engines: where the counting is done. The same statistics, in windows, processes or a cluster."""
