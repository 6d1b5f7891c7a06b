"""The home of skanon's JupyterLab widgets; this version exports none."""
