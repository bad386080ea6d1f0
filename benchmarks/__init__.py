"""Benchmark: the cost of corefine, compared with a floor and other scorers in the same run.

Times are CPU seconds (user and system), since wall-clock time depends on the load. Every
measurement runs in its own process, so that memory peaks are independent.
"""
