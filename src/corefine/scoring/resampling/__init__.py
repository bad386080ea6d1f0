"""Documents drawn anew: the statistics of systems by document, and intervals of what they give."""
