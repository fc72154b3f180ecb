"""HTTP server: Starlette routes over the catalogue of calls, with authentication and error
bodies."""
