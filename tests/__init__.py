"""The tests: a folder for each room of ``brain``, what other memories got wrong, and helpers."""
