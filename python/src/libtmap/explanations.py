"""Explains what went wrong: the rule of a finding, an error, a result of CUDA, a symptom."""
from __future__ import annotations

import itertools
import re
from typing import Any, NamedTuple

from ._checked import integer_of, reads_objects, shown
from ._names import text_of
from ._native import ffi, lib
from .findings import SEVERITIES, Finding, MapError, Report, findings_of


class Rule(NamedTuple):
    """A rule of the library: its title, its enforcer, its reason, and examples as specs. `found` has the findings that
    :func:`explain` was asked about."""

    name: str
    title: str
    severity: str
    enforced_by: str
    symptom: str
    reference: str
    why: str
    bad: str
    good: str
    found: str = ""

    def __str__(self) -> str:
        parts = [self.found] if self.found else []
        parts += [f"rule {self.name}: {self.title}", f"{self.severity}, enforced by {self.enforced_by}", self.why]
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

    what: the name of a rule or of a fact; a finding, or the worst finding of a report, of a list or of a
    :class:`MapError`; a CUresult by number, name or enum, or the tuple that a call of cuda.bindings returns; any other
    exception, warning or text of a program: the rule or the CUresult that the text names; or a symptom: "hang", "zeros",
    "slow", "expect_tx", … Returns a :class:`Rule`, or an :class:`Explanation` for what is not a rule. Raises ValueError for
    a text or a number without explanation, and TypeError for an object that reports nothing.
    """
    explained = _explained(_worst(what))
    found = str(what) if isinstance(what, (Finding, Report, BaseException)) else ""
    return explained._replace(found=found) if found and isinstance(explained, Rule) else explained


def _explained(what: Any) -> Rule | Explanation:
    if isinstance(what, (Rule, Explanation)):
        return what
    if isinstance(what, Report):
        return Explanation("no finding", "The input breaks no rule. If the kernel is wrong all the same, explain its symptom.",
                           tuple(f"libtmap.explain({name!r})" for name in ("wrong-tile", "zeros", "hang", "slow")))
    if isinstance(what, Finding):
        return _named(what.rule or "") or _in_text(what.message) or Explanation("wrong input", str(what))
    if isinstance(what, BaseException):
        return _of_error(what)
    if isinstance(what, str):
        return _of_text(what)
    try:
        number = integer_of(what, "a CUresult")
    except TypeError:
        raise TypeError(f"cannot explain {shown(what)}; pass the name of a rule or of a symptom, a finding, an error or a CUresult") from None
    return _caused(_result_in(str(number)), "") or _unknown(f"{number} is not a CUresult of cuda.h 13.5")


def _worst(what: Any) -> Any:
    """What is to be explained of an object that contains it: the worst finding, the exception of a record of warnings or
    of pytest.raises, the first exception of a group, the first item of a tuple."""
    if isinstance(what, (Finding, Rule, Explanation, str)):
        return what
    found = getattr(what, "findings", what)
    if isinstance(found, (list, tuple)) and all(isinstance(item, Finding) for item in found):
        return min(found, key=lambda item: (not item.rule, -SEVERITIES.index(item.severity)), default=Report())
    if isinstance(what, (list, tuple)) and what:
        return _worst(what[0])
    held = (getattr(what, name, None) for name in ("report", "value", "message", "exceptions"))
    inner = next((item for item in held if isinstance(item, (Report, BaseException, tuple))), None)
    return what if inner is None else _worst(inner)


def _of_error(error: BaseException) -> Rule | Explanation:
    """The explanation of an exception, or of the exception that it followed. An exception of a call of this package
    without a finding is about an argument of the call."""
    name, text = type(error).__name__, str(error)
    if symptom := getattr(error, "symptom", ""):
        found: Explanation = _caused(-1, symptom) or _unknown(symptom)
        return found._replace(text="\n\n".join(filter(None, (getattr(error, "cause", ""), found.text))))
    if not isinstance(error, (Warning, RuntimeError)) and _is_raised_here(error):
        return Explanation(name, f"{text}\n\nThis is about an argument of the call; no rule of tensor maps is broken.")
    said = "\n".join(str(part) for part in (text, getattr(error, "stderr", ""), getattr(error, "output", "")) if part)
    symptom = "hang" if re.match("Timeout|KeyboardInterrupt", name) else "wrong-tile" if isinstance(error, AssertionError) else ""
    if known := _in_text(said) or (_caused(-1, symptom) if symptom else None):
        return known
    before = error.__cause__ or error.__context__
    return _of_error(before) if before else Explanation(name, f"{text}\n\nThis text names no rule and no CUresult; {_symptoms()}")


def _is_raised_here(error: BaseException) -> bool:
    """Whether a function of this package raised the exception, or called the function that did."""
    trace = error.__traceback__
    while trace and str(trace.tb_frame.f_globals.get("__name__")).split(".")[0] != __package__:
        trace = trace.tb_next
    return trace is not None


def _symptoms() -> str:
    return f"the symptoms are {', '.join(text_of(row.name) for row in _rows(lib.tmap_symptom_get))}"


def _of_text(text: str) -> Rule | Explanation:
    """The explanation of a name, else of a rule or a result that a text names, else of a symptom."""
    return _named(text) or _in_text(text) or _caused(-1, text) or _unknown(
        f"{shown(text)} is not a rule, a fact, a CUresult or a symptom; libtmap.rules() lists the rules; {_symptoms()}")


def _in_text(text: str) -> Rule | Explanation | None:
    """The rule that a text names or whose message it is (tmap import), or the result that it names."""
    for word in re.findall(r"\[([a-z0-9-]+)\]", text):
        if rule := _named(word):
            return rule
    return _refused(text) or _caused(_result_in(text), "")


def _refused(text: str) -> Rule | Explanation | None:
    """The rule of a message of a library or a tool that refuses a map or a copy, or that the parameters of a map break."""
    content, path = ffi.new("char[]", _chars(text)), ffi.new("char[]", b"text")
    reader, found = ffi.new("tmap_import *", {"text": content, "size": len(content) - 1, "path": path}), ffi.new("tmap_imported *")
    while lib.tmap_import_next(reader, ffi.NULL, found):
        if found.rule:
            return _named(text_of(found.rule))
        diags = ffi.new("tmap_diags *")
        refused = found.whole and found.usable and lib.tmap_check_map(ffi.addressof(found, "params"), ffi.NULL, diags) != lib.TMAP_OK
        if (findings := findings_of(diags)) and refused:
            return explain(_worst(findings))
    return None


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
    return list(itertools.takewhile(bool, map(get, itertools.count())))


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
    hint = text_of(lib.tmap_cuda_error_hint(result)) or ("cuda.h describes this result" if result else "the call succeeded") if called else ""
    causes, commands, related = ((text_of(text) for text in (symptom.text, symptom.commands, symptom.related)) if symptom
                                 else ("", "", ""))
    return Explanation(called or text_of(symptom.name), "\n\n".join(filter(None, (hint, causes))),
                       tuple(commands.splitlines()), tuple(related.split()))


def rules() -> list[str]:
    """The names of all rules."""
    return [text_of(row.slug) for row in _rows(lib.tmap_rule_get)]
