"""Sweeping k."""
