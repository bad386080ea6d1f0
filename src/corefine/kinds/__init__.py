"""Mention kinds: names, nominals, pronouns and zeros, and where they are known from."""
