"""Kernels that generalize records one by one."""
