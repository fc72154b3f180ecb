"""MCP server: the tools over stdio and Streamable HTTP."""
