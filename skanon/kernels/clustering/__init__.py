"""Kernels of the clustering algorithms."""
