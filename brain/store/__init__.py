"""SQLite store: connection, schema, records, index rows. All SQL of the engine lives here."""
