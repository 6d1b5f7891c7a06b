"""The demonstration that ``skanon demo`` runs on a real census table."""

from skanon._demo.run import run_demo

__all__ = ["run_demo"]
