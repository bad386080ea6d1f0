"""Formats of one token a line with brackets in the last column: CoNLL and SemEval."""
