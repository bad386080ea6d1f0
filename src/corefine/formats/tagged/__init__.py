"""Text that a language model wrote again, with tags around the mentions."""
