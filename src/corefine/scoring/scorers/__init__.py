"""ScorerProfile: scoring as other scorers do, and why their numbers differ."""
