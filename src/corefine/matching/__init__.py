"""Matching: which mention of the key is which mention of the response."""
