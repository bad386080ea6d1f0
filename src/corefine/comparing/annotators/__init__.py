"""Agreement of annotators, none of whom is the key."""
