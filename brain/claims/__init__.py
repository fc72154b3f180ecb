"""Claims: what of a memory can be looked at, and looking at it, without running anything."""
