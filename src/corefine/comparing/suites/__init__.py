"""Suites: systems scored on many data sets, as in multilingual shared tasks."""
