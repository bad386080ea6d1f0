"""What formats share: sources, lines, XML, brackets, token rows, JSON records."""
