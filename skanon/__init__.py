"""skanon."""
