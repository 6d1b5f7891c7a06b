"""The papers' tables and figures, one function each; see reproduce.py."""
