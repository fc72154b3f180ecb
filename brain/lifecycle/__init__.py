"""Time and truth: how records replace, end, return and are erased, and what was held when."""
