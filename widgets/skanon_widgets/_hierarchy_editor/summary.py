"""What stands in the editor's place where no front end runs."""

from __future__ import annotations

from html import escape

from skanon.hierarchies import Hierarchy
from skanon_widgets._hierarchy_editor.document import Document, words
from skanon_widgets._hierarchy_editor.tree import ROOT, MutableTree, Node

SHOWN, GROUPS = 12, 200
"""How many values of a group, and how many groups, are named."""


def summary(document: Document, name: str) -> str:
    """Describe a hierarchy as static HTML, every name and value in it escaped.

    Parameters
    ----------
    document : Document
    name : str
        The column's.

    Returns
    -------
    str
    """
    title = f"<b>Hierarchy of {escape(name or 'a column')}</b>"
    if isinstance(document.model, Hierarchy):
        return f"<p>{title}: {escape(words(document.model))}</p>"
    faults = "".join(f"<li>{escape(x['text'])}</li>" for x in document.faults())
    wrong = f"<p>Still to do:</p><ul>{faults}</ul>" if faults else ""
    rows, hidden = _rows(document.tree.tree, ROOT, [0])
    more = f"<p>and {hidden:,} more groups</p>" if hidden else ""
    return f"<p>{title}, when this cell ran</p>{wrong}<ul>{rows}</ul>{more}"


def _rows(tree: MutableTree, i: int, told: list[int]) -> tuple[str, int]:
    """Write a group and what is in it; counts the groups that are left out."""
    nodes = tree.nodes
    node, inner, hidden = nodes[i], "", 0
    told[0] += 1
    for group in (x for x in node.children if not nodes[x].leaf):
        if told[0] >= GROUPS:
            hidden += sum(not x.leaf for x in tree.below(group))
            continue
        rows, left = _rows(tree, group, told)
        inner, hidden = inner + rows, hidden + left
    inner += _values([nodes[x] for x in node.children if nodes[x].leaf])
    about = f"{node.leaves:,} values, {node.count:,} records"
    name = f"<b>{escape(node.name)}</b> ({about})"
    return f"<li>{name}<ul>{inner}</ul></li>", hidden


def _values(leaves: list[Node]) -> str:
    if not leaves:
        return ""
    named = ", ".join(escape(leaf.name) for leaf in leaves[:SHOWN])
    more = f" and {len(leaves) - SHOWN:,} more" if len(leaves) > SHOWN else ""
    return f"<li>{named}{more}</li>"
