"""Editing the hierarchies of a table."""
