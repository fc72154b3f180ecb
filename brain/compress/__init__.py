"""Extractive compression of one text to what a question needs, with an account of everything left
out.

Pure functions: bytes in, text and account out; nothing is stored here. The rules hold for every
kind of text. What the query asks for stays first. A text that fits the budget, a short one without
a budget, and one that would not get smaller come back unchanged. What was compressed before is
left alone as long as it fits, and its marks are never cut, so compressing twice changes nothing.
"""
