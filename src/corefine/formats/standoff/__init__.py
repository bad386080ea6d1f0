"""Formats that keep annotations beside the text: brat, CCL, i2b2, LitBank."""
