"""What corefine costs, measured beside a floor and beside other scorers in the same run.

Times are CPU seconds (user and system), because a busy machine stretches wall-clock time. Every
measurement runs in a process of its own, so that no peak of memory leaks into the next.
"""
