"""Servers: MCP over stdio and HTTP, and the small client that reaches them."""
