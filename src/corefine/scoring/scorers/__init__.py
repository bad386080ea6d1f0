"""ScorerProfile: scoring as other scorers do, and why their numbers differ."""

SCORERS = ("perl-8.01", "coval", "corefud", "e2e", "ua")
"""Names of the scorers, in the order of their profiles."""
