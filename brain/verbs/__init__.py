"""What a Brain can do, by subject: each class is a part of :class:`brain.engine.Brain`."""
