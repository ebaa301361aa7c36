"""Explains what went wrong: the rule of a finding, an error, a result of CUDA, a symptom."""
from __future__ import annotations

import re
from typing import Any, NamedTuple

from ._checked import integer_of, reads_objects, shown
from ._names import text_of
from ._native import ffi, lib
from .findings import SEVERITIES, Finding, MapError, Report


class Rule(NamedTuple):
    """A rule of the library: its title, its enforcer, its reason, and examples as specs."""

    name: str
    title: str
    severity: str
    enforced_by: str
    symptom: str
    reference: str
    why: str
    bad: str
    good: str

    def __str__(self) -> str:
        parts = [f"rule {self.name}: {self.title}", f"{self.severity}, enforced by {self.enforced_by}", self.why]
        parts += [f"symptom: {self.symptom}"] if self.symptom else []
        parts += [f"reference: {self.reference}"]
        parts += [f"refused:\n{self.bad}"] if self.bad else []
        parts += [f"accepted:\n{self.good}"] if self.good else []
        return "\n\n".join(part.rstrip("\n") for part in parts)


class Explanation(NamedTuple):
    """What is known of a CUresult, a symptom or a fact about the hardware: the usual causes, the commands that find the
    cause, and the rules and facts to read, for :func:`explain`."""

    name: str
    text: str
    commands: tuple[str, ...] = ()
    related: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [f"{self.name}: {self.text}"]
        parts += ["commands:\n" + "\n".join(f"  {command}" for command in self.commands)] if self.commands else []
        parts += [f"rules and facts: {', '.join(self.related)}"] if self.related else []
        return "\n\n".join(parts)


@reads_objects
def explain(what: Any) -> Rule | Explanation:
    """Explains what went wrong.

    what: the name of a rule or of a fact; a finding, a report or a :class:`MapError`, for the rule of the first error;
    a CUresult by number, name or enum, or the tuple that a call of cuda.bindings returns; another exception, for the
    CUresult or the rule that its text names; or a symptom: "hang", "zeros", "slow", "expect_tx", … Returns a
    :class:`Rule`, or an :class:`Explanation` for what is not a rule. Raises ValueError for a name without explanation.
    """
    if isinstance(what, (MapError, Report)) and what.findings:
        what = min(what.findings, key=lambda found: (not found.rule, found.severity != "error"))
    if isinstance(what, Finding):
        what = what.rule or what.message
    if isinstance(what, tuple) and what:
        what = what[0]
    if isinstance(what, BaseException):
        return _of_text(getattr(what, "symptom", str(what)))
    if isinstance(what, str):
        return _of_text(what)
    try:
        number = integer_of(what, "a CUresult")
    except TypeError:
        raise TypeError(f"this is {shown(what)}; pass the name of a rule or of a symptom, a finding, an error or a CUresult") from None
    return _caused(_result_in(str(number)), "") or _unknown(f"{number} is not a CUresult of cuda.h 13.5")


def _of_text(text: str) -> Rule | Explanation:
    """The explanation of a name, else of a rule or a result that a text names, else of a symptom."""
    for word in (text, *re.findall(r"\[([a-z0-9-]+)\]", text)):
        if named := _named(word):
            return named
    return _caused(_result_in(text), text) or _unknown(
        f"{shown(text)} is not a rule, a fact, a CUresult or a symptom; libtmap.rules() lists the rules; the symptoms are "
        f"{', '.join(text_of(row.name) for row in _rows(lib.tmap_symptom_get))}")


def _unknown(message: str) -> Any:
    raise ValueError(message)


def _result_in(text: str) -> int:
    """The CUresult that is a text, or that the text names; -1: none."""
    result = ffi.new("int *", lib.tmap_cuda_error_of_word(_chars(text)))
    if result[0] < 0:
        lib.tmap_cuda_error_of_text(_chars(text), result)
    return int(result[0])


def _chars(text: str) -> bytes:
    return text.encode(errors="replace").replace(b"\0", b"?")


def _rows(get: Any) -> list[Any]:
    """The rows of a table of the library."""
    rows: list[Any] = []
    while row := get(len(rows)):
        rows.append(row)
    return rows


def _named(word: str) -> Rule | Explanation | None:
    """The rule or the fact with this name."""
    name = _chars(word)
    if row := lib.tmap_rule_get(lib.tmap_rule_find(name)):
        return Rule(name=text_of(row.slug), title=text_of(row.title), severity=SEVERITIES[row.severity],
                    enforced_by=text_of(lib.tmap_enforcer_name(row.enforced_by)), symptom=text_of(row.symptom),
                    reference=text_of(row.reference), why=text_of(row.why), bad=text_of(row.bad), good=text_of(row.good))
    fact = lib.tmap_fact_get(lib.tmap_fact_find(name))
    return Explanation(text_of(fact.id), text_of(fact.statement)) if fact else None


def _caused(result: int, phrase: str) -> Explanation | None:
    """The causes of a CUresult or, for the result -1, of the symptom that a phrase names."""
    called = text_of(lib.tmap_cuda_error_name(result)) if result >= 0 else ""
    symptom = lib.tmap_symptom_get(lib.tmap_symptom_find(_chars(called or phrase)))
    if not called and not symptom:
        return None
    hint = text_of(lib.tmap_cuda_error_hint(result)) or "cuda.h describes this result" if called else ""
    causes, commands, related = ((text_of(text) for text in (symptom.text, symptom.commands, symptom.related)) if symptom
                                 else ("", "", ""))
    return Explanation(called or text_of(symptom.name), "\n\n".join(filter(None, (hint, causes))),
                       tuple(commands.splitlines()), tuple(related.split()))


def rules() -> list[str]:
    """The names of all rules."""
    return [text_of(row.slug) for row in _rows(lib.tmap_rule_get)]
