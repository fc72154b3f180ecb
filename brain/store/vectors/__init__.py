"""Vector index: quantized codes in blocks propose, exact cosine in SQLite decides."""
