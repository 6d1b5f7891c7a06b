"""Permissible subsets, their costs and their closures."""
