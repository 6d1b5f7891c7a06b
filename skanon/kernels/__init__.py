"""Compiled kernels: arrays and scalars in, arrays out. Imported when first needed.

Importing this package costs nothing; its modules import numba.
"""
