"""What every widget shares: messages, errors in words, a static summary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget

from skanon_widgets._shared.lean import lean
from skanon_widgets._shared.process import in_words

_PACKAGE = Path(__file__).parents[1]


def front_end(*names: str) -> str:
    """Put a front end together: the shared helpers, then its own files.

    A front end is loaded as one module that cannot import its neighbours, and there
    is no build step, so the files follow one another in one text, without comments and
    indentation. The last one ends with ``export default { render }``.

    Parameters
    ----------
    *names : str
        Files of this package without ``.js``, such as ``"_studio/studio"``.

    Returns
    -------
    str
    """
    return lean(_joined(("_shared/shared", *names), "js"))


def style_sheet(*names: str) -> str:
    """Put a style sheet together, as :func:`front_end` does.

    Parameters
    ----------
    *names : str
        Files of this package without ``.css``.

    Returns
    -------
    str
    """
    return _joined(("_shared/shared", *names), "css")


def _joined(names: tuple[str, ...], ending: str) -> str:
    files = [_PACKAGE / f"{name}.{ending}" for name in names]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


class SkanonWidget(anywidget.AnyWidget):
    """The base of all widgets.

    The front end sends ``{"do": "name", ...}``; the method ``_do_name`` gets the rest
    as keywords. What it raises is shown in the widget, which stays usable. Python
    answers by ``self.send({"kind": ..., ...})``. A view that was just opened sends
    ``{"do": "open"}`` and is told everything. Nothing but aggregates may stand in a
    synced trait, since traits are written into the notebook file.
    """

    _esm = front_end()
    _css = style_sheet()

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(self._on_message)

    def _on_message(self, _widget: Any, content: Any, _buffers: Any) -> None:
        try:
            rest = dict(content)
            name = rest.pop("do")
            method = getattr(self, f"_do_{name}", None)
            if method is None:
                raise LookupError(f"this widget cannot {name!r}")
            method(**rest)
        except Exception as error:
            self.show_error(error)

    def show_error(self, error: Exception) -> None:
        """Show an error in every view of the widget.

        Parameters
        ----------
        error : Exception
        """
        self.send({"error": in_words(error)})

    def _do_open(self) -> None:
        """Tell a new view everything; widgets that have something to tell override."""
        self.send({"kind": "state"})

    def _summary(self) -> str:
        """Write what stands in place of the widget where no front end runs.

        Returns
        -------
        str
            Static HTML, every name and value in it escaped.
        """
        return f"<p>{type(self).__name__}: run this cell in JupyterLab to use it.</p>"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        data, metadata = bundle
        data["text/html"] = self._summary()
        return data, metadata

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"
