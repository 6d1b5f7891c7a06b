"""skanon's JupyterLab widgets."""

from skanon_widgets.hierarchies_editor import HierarchiesEditor
from skanon_widgets.hierarchy_editor import HierarchyEditor
from skanon_widgets.metric_inspector import MetricInspector
from skanon_widgets.risk_utility_explorer import RiskUtilityExplorer
from skanon_widgets.studio import AnonymizationStudio

__all__ = [
    "AnonymizationStudio",
    "HierarchiesEditor",
    "HierarchyEditor",
    "MetricInspector",
    "RiskUtilityExplorer",
]
