"""Read tables from files, and repair their types, before they are anonymized."""

from skanon.cleaning._reading import FileFormat, read_table, recognize_format
from skanon.cleaning._repairs import (
    MarksAsMissing,
    NamesAsText,
    NumbersAsText,
    OneSpelling,
    Repair,
    TextAsDates,
    TextAsNumbers,
    clean,
    repair_from_dict,
)
from skanon.cleaning._suggesting import Suggestion, suggest_repairs

__all__ = [
    "FileFormat",
    "MarksAsMissing",
    "NamesAsText",
    "NumbersAsText",
    "OneSpelling",
    "Repair",
    "Suggestion",
    "TextAsDates",
    "TextAsNumbers",
    "clean",
    "read_table",
    "recognize_format",
    "repair_from_dict",
    "suggest_repairs",
]
