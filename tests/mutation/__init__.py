"""Random mutants of the source, which the tests of their package must notice."""
