"""Scoring: one way from two sides to a score."""
