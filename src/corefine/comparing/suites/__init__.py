"""Suites: a system judged on many data sets, as shared tasks do it."""
