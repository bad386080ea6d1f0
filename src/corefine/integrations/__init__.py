"""Integrations: other packages' data as corpora, and scores where those packages look for them.

Each module needs its package only when it is used; it is an extra of the same name.
"""
