"""HTTP client: the Brain that ``BRAIN_URL`` names, behind the same methods."""
