"""What a column is about, by its name and its values: who it names, what others know.

Names are looked up in English, German, French, Spanish and Italian. Short words have to
be a whole word of the name, longer ones may be a part of it (``Geburtsdatum``).
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import pandas as pd

_PART = 5
"""A word of at least so many letters counts within a longer one."""

_MOST = 1000
"""Values that are looked at."""

_NAMES = """
    name names surname lastname firstname forename fullname givenname username login
    nachname vorname familienname nom prenom apellido apellidos nombre cognome nome
    email mail phone telephone telefon telefono tel mobile handy fax ssn passport
    passeport pasaporte iban bic account konto kontonummer compte cuenta conto card
    license licence plate mrn nhs ahv insee dni nif codicefiscale uuid guid id ident
    identifier identifiant identificador patientid userid url website ip ipaddress
    street strasse hausnummer adresse address direccion indirizzo socialsecurity
    versichertennummer sozialversicherung versicherungsnummer
"""

_SENSITIVE = """
    disease illness ill sick diagnosis diagnose diagnostic diagnostico diagnosi icd
    krankheit erkrankung maladie enfermedad malattia hiv condition disorder symptom
    medication medikament medicament drug therapy therapie treatment behandlung outcome
    income salary wage wages earnings gehalt lohn einkommen revenu salaire ingreso
    ingresos salario reddito stipendio debt schulden credit wealth vermoegen vermogen
    religion konfession faith political partei party vote orientation conviction crime
    offence offense addiction alcohol smoking smoker pregnant
"""

_KNOWN = """
    age alter edad eta birth birthday birthdate born dob geburt geboren naissance
    nacimiento nascita year jahrgang sex gender geschlecht sexe sexo genero sesso genere
    zip zipcode postcode postal plz postleitzahl cap city town village place ort stadt
    wohnort ville ciudad citta county district region province state bundesland kreis
    canton kanton country land pays pais paese nation nationality nationalitat
    native citizenship race ethnic ethnicity ethnie origin education school schooling
    degree bildung schulabschluss abschluss etudes educacion istruzione job occupation
    profession work workclass employer employment beruf arbeitgeber metier emploi
    profesion trabajo lavoro marital married civil family familienstand zivilstand
    relationship spouse children child kinder enfants hijos figli household haushalt
    hours height weight admission discharge visit aufnahme entlassung
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LISTS = {
    "identifier": _words(_NAMES),
    "sensitive": _words(_SENSITIVE),
    "quasi-identifier": _words(_KNOWN),
}


def meant_by(name: Any) -> str | None:
    """Tell which role a column's name speaks for.

    Parameters
    ----------
    name : column label

    Returns
    -------
    {"identifier", "sensitive", "quasi-identifier"} or None
        Where it speaks for several, what others know comes first (``country name``,
        ``birth place of the disease``), then what names a person.

    Examples
    --------
    >>> [meant_by(x) for x in ["Geburtsdatum", "patient_id", "Diagnose", "x7"]]
    ['quasi-identifier', 'identifier', 'sensitive', None]
    """
    words = _split(str(name))
    joined = "".join(words)
    for role in ("quasi-identifier", "identifier", "sensitive"):
        for word in _LISTS[role]:
            inside = len(word) >= _PART and word in joined
            if word in words or word == joined or inside:
                return role
    return None


def _split(name: str) -> list[str]:
    """Split a name at signs and at capitals, without accents, in small letters."""
    spaced = re.sub(r"(?<=[a-z\d])(?=[A-Z])", " ", name).replace("ß", "ss")
    plain = unicodedata.normalize("NFKD", spaced)
    plain = "".join(x for x in plain if not unicodedata.combining(x)).lower()
    return re.findall(r"[a-z]+", plain)


def names_people(column: pd.Series, n_unique: int, distinct: int) -> str:
    """Say why values name people; "" where they do not seem to.

    Parameters
    ----------
    column : Series of shape (n,)
    n_unique : int
        Records that nobody shares the value of.
    distinct : int
        Values.
    """
    n = len(column)
    text = pd.api.types.is_string_dtype(column.dtype) or column.dtype == object
    if n > 1 and n_unique == n and (text or _counts(column)):
        return f"Each of the {n:,} records has a value of its own: it names them."
    if not text or n < 2:
        return ""
    few = column.dropna().head(_MOST).astype(str)
    if len(few) and few.str.fullmatch(r"[^@\s]+@[^@\s]+\.\w+").mean() > 0.5:
        return "Its values are addresses of e-mail: they name people."
    if n_unique > 0.9 * n and distinct > 20:
        return (
            f"{n_unique:,} of its {n:,} texts are there only once: they name the "
            "records, or describe them freely."
        )
    return ""


def _counts(column: pd.Series) -> bool:
    """Tell whether values are whole numbers, as accounts have, and no measurements."""
    return pd.api.types.is_integer_dtype(column.dtype)
