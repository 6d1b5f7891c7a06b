"""Kernels of certified lower bounds."""
