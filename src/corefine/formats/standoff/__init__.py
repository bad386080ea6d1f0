"""Standoff and XML formats."""
