"""The panel of the studio: what its front end says to Python, and the other way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skanon._table.containers import as_frame
from skanon_widgets._shared.widget import SkanonWidget, front_end, style_sheet
from skanon_widgets._studio import steps
from skanon_widgets._studio.files import make_file
from skanon_widgets._studio.preview import preview_of
from skanon_widgets._studio.state import offers

if TYPE_CHECKING:
    from skanon_widgets._studio.widget import AnonymizationStudio


class StudioPanel(SkanonWidget):
    """What the studio itself draws: the steps, the forms, and the downloads.

    Parameters
    ----------
    studio : AnonymizationStudio
        It decides; the panel passes on what the user does.
    """

    _esm = front_end("_studio/studio")
    _css = style_sheet("_studio/studio")

    def __init__(self, studio: AnonymizationStudio) -> None:
        self._studio = studio
        super().__init__()

    def tell(self) -> None:
        """Show in all views how things are."""
        with self._studio._telling:  # what is older must not be sent later
            self.send({"kind": "state", **self._studio._state()})

    def _do_open(self) -> None:
        self.send({"kind": "offers", **offers()})
        self.tell()
        self._studio.prepare()

    def _do_step(self, to: int) -> None:
        self._studio.step = to

    def _do_role(self, at: int, role: str) -> None:
        names = list(self._studio.roles)
        self._told(self._studio.set_role, names[at], role)

    def _do_suggest(self) -> None:
        self._told(self._studio.use_suggestions)

    def _do_repair(self, at: int) -> None:
        self._told(lambda: self._studio.repair(self._studio._suggested()[at].repair))

    def _do_repair_all(self) -> None:
        self._told(self._studio.repair)

    def _do_unrepair(self, at: int) -> None:
        """Take a repair back, and all that came after it."""
        self._told(self._studio._repair_with, self._studio.repairs[:at])

    def _do_undo(self) -> None:
        self._told(self._studio.undo)

    def _do_redo(self) -> None:
        self._told(self._studio.redo)

    def _do_set(self, name: str, value: Any) -> None:
        self._told(self._studio.set, **{name: value})

    def _do_constrain(self, at: int, kind: str, level: Any, column: int) -> None:
        """Set the constraint in a place, or add one at the end."""
        sensitive = self._studio._settings.columns("sensitive")
        about = None if column < 0 else sensitive[column]
        listed = list(self._studio._settings.constraints)

        def change() -> None:
            wanted = level
            if wanted is None:
                columns = sensitive if about is None else [about]
                known = [self._studio._levels(x) for x in columns]
                wanted = steps.first_level(kind, known)
            listed[at : at + 1] = [steps.constraint_from(kind, wanted, about)]
            self._studio.set(constraints=listed)

        self._told(change)

    def _do_release(self, at: int) -> None:
        """Take a constraint away."""
        listed = list(self._studio._settings.constraints)
        del listed[at]
        self._studio.set(constraints=listed)

    def _do_run(self) -> None:
        self._told(self._studio.run)

    def _do_cancel(self) -> None:
        self._studio.cancel()

    def _do_download(self, what: str, view: str) -> None:
        name, kind, content = self._file(what)
        about = {"kind": "file", "view": view, "name": name, "type": kind}
        self.send(about, [content])

    def _do_preview(self, view: str, order: str, start: int) -> None:
        """Show a view some rows; unlike the state, a message is never saved."""
        with self._studio._telling:
            number, made = self._studio._number(), self._studio._result()
        shown = preview_of(
            made.anonymizer,
            made.release,
            as_frame(made.table),
            self._studio._record_losses(),
            order,
            start,
        )
        about = {"kind": "preview", "view": view, "number": number, "order": order}
        self.send(about | shown)

    def _do_code(self, view: str) -> None:
        with self._studio._telling:
            number, code = self._studio._number(), self._file("code")[2].decode()
            self.send({"kind": "code", "view": view, "number": number, "code": code})

    def _file(self, what: str) -> tuple[str, str, bytes]:
        made = self._studio._result()
        return make_file(
            what,
            made.anonymizer,
            made.release,
            made.table,
            preparation=self._studio._table.preparation(made.wish[0].repairs),
            keep_index=self._studio._keep_index,
        )

    def _told(self, change: Any, *given: Any, **named: Any) -> None:
        """Do something; where it is refused, show what is still so."""
        try:
            change(*given, **named)
        except Exception:
            self.tell()
            raise
