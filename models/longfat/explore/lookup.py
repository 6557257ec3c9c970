"""Lookup of laws to explore, among the laws of longfat or in a user's file."""

from __future__ import annotations

from longfat.base.domains import unknown
from longfat.base.user_files import names_file
from longfat.base.user_files import read as read_file
from longfat.handbook import javascript, law_records
from longfat.law import Law


def find(text: str) -> Law:
    """Return the law with the name `text`, or the law that the file with this name defines.

    >>> find("md1_wait").name, find("queues.md1_wait").name
    ('md1_wait', 'md1_wait')
    """
    if names_file(text):
        law: Law = read_file(text, Law, what="law")
        try:
            javascript.entry(law)
        except Exception as error:  # a user's formula may raise any error for values that are not numbers
            raise ValueError(f"law {text!r} cannot be shown in a browser: {type(error).__name__}: {error}") from None
        return law
    every = law_records.laws()
    for law in every:
        if text in (law.public_name, law.name):
            return law
    raise unknown("law", text, [law.public_name for law in every])


def chosen(text: str = "") -> dict[str, Law]:
    """Return a dict from public names to laws: the law in the file that `text` names, otherwise all laws of longfat.

    >>> "queues.mm1_wait" in chosen()
    True
    """
    return {law.public_name: law for law in ([find(text)] if names_file(text) else law_records.laws())}
