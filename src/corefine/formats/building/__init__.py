"""From rows, spans and links to corpora, and from corpora to plain documents."""
