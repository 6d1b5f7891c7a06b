"""skanon's JupyterLab widgets."""

from skanon_widgets._hierarchies_editor.widget import HierarchiesEditor
from skanon_widgets._hierarchy_editor.widget import HierarchyEditor
from skanon_widgets._metric_inspector.widget import MetricInspector
from skanon_widgets._risk_utility_explorer.widget import RiskUtilityExplorer
from skanon_widgets._studio.widget import AnonymizationStudio

__all__ = [
    "AnonymizationStudio",
    "HierarchiesEditor",
    "HierarchyEditor",
    "MetricInspector",
    "RiskUtilityExplorer",
]
