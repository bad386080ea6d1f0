"""Showing: tables and figures as data, and their writers. Knows nothing of scores."""
