"""Error analysis: errors, the F1 lost to each error type, and scores per entity."""
