"""Finding memories: three lanes, their fusion by rank, and the gate."""
