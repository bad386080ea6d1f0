"""CoNLL-U with the attribute Entity of CorefUD."""
