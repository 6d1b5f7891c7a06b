"""Editing the hierarchy of one column."""
