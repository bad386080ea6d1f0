"""Drivers: count documents in windows of files, in several processes or on a cluster."""
