"""What texts are made of: numbers, brackets, tokens, tags."""
