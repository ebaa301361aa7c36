"""Findings of tmap about an input, and the exceptions and warnings that contain findings."""
from __future__ import annotations

import functools
import re
import sys
import warnings
from typing import Any, Iterator, NamedTuple

from ._checked import counted
from ._names import ARCHS, bits_of, names_of, text_of
from ._native import ffi, lib
from .fixes import Given, in_python, note_in_python

SEVERITIES = ("advice", "warning", "error")


class Finding(NamedTuple):
    """One error in an input, or one property that is probably unintended.

    `rule` is the name for :func:`explain`, or None. `box[1]` in a text is the entry of the argument of the call. `dim` is
    the number of the dimension, from 0 for the innermost, and `axis` its number in the order of the map's arguments; both
    are None if the finding is not about one dimension. `archs` names the architectures for which the finding is true;
    empty: all. `fix` is a text in the argument names of the call. `changes` has the alternatives of the fix as keyword
    arguments of the call, the best first: a call with ``**{**arguments, **finding.changes[0]}`` has the fix applied. It
    is empty if the fix has a condition, or must change more than arguments of the call.
    """

    rule: str | None
    severity: str
    message: str
    given: str = ""
    allowed: str = ""
    fix: str = ""
    symptom: str = ""
    evidence: str = ""
    enforced_by: str = "nobody"
    field: str | None = None
    dim: int | None = None
    axis: int | None = None
    archs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    changes: tuple[dict[str, Any], ...] = ()
    text: str = ""

    def __eq__(self, other: object) -> bool:  # `changes` and `text` follow from the other members
        return self[:-2] == other[:-2] if isinstance(other, Finding) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self[:-2])

    def __repr__(self) -> str:
        return f"Finding({', '.join(f'{name}={value!r}' for name, value in zip(self._fields[:-1], self))})"

    def __str__(self) -> str:
        return self.text or f"{self.severity}: {self.message}"


class MapError(ValueError):
    """The rules reject a map, a copy or a layout. `findings` has every finding, including warnings."""

    def __init__(self, *findings: Finding):
        super().__init__(*findings)
        self.findings = findings

    def __str__(self) -> str:
        return "\n".join(str(finding) for finding in self.findings)


class MapWarning(UserWarning):
    """A warning of the rules: the result may be unexpected, or some architectures reject the map or the copy."""


class MapAdvice(MapWarning):
    """Advice of the rules: the map or the copy is slow, or is probably not the intended one."""


class Report:
    """The result of :func:`libtmap.check`: true if no finding is an error."""

    def __init__(self, findings: tuple[Finding, ...] = ()):
        self.findings = findings

    def __bool__(self) -> bool:
        return not any(finding.severity == "error" for finding in self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __str__(self) -> str:
        return "\n".join(str(finding) for finding in self.findings) or "ok"

    def __repr__(self) -> str:
        return f"<Report: {counted(len(self.findings), 'finding')}>"


def new_finding(severity: str, message: str, rule: str | None = None, given: str = "", allowed: str = "", fix: str = "",
                changes: tuple[dict[str, Any], ...] = ()) -> Finding:
    """A finding about an argument of Python, with the text that the library gives its own findings."""
    text = f"{severity}: {message}" + (f" [{rule}]" if rule else "")
    text += f"\n   given: {given}    allowed: {allowed}" if given else ""
    text += f"\n   fix: {fix}" if fix else ""
    return Finding(rule, severity, message, given, allowed, fix, changes=changes, text=text)


def written(write: Any) -> str:
    """The text that the function `write` writes to its sink."""
    text = ffi.new("tmap_text *")
    sink = ffi.new("tmap_sink *")
    sink[0] = lib.tmap_text_sink(text)
    try:
        write(sink)
        if sink.failed:
            raise MemoryError("not enough memory for a text")
        return ffi.buffer(text.data, text.size)[:].decode() if text.size else ""
    finally:
        lib.tmap_text_free(text)


def _rendered(diag: Any) -> str:
    diags = ffi.new("tmap_diags *", {"items": diag, "count": 1, "capacity": 1, "fixed": True})
    return written(lambda sink: lib.tmap_emit_diags(sink, diags, ffi.new("tmap_render *"))).rstrip("\n")


def _fix_text(diag: Any) -> str:
    text = ffi.new("char[]", lib.TMAP_FIX_TEXT_MAX)
    return text_of(lib.tmap_fix_text(diag, text, len(text)))


def finding_of(diag: Any, rank: int = 0, order: str = "inner", given: Given | None = None) -> Finding:
    """A record of the library as a finding. `rank` and `order` are those of the map that the finding concerns. `given`
    has the arguments of the call; None if the arguments are from a spec or from the driver."""
    field = lib.tmap_field_get(diag.field) if diag.field >= 0 else ffi.NULL
    per = field.per if field else lib.TMAP_PER_DIM  # strides[0] is of dimension 1; rows have no dimension
    dim = None if diag.dim < 0 or per == lib.TMAP_PER_ROWS else diag.dim + (per in (lib.TMAP_PER_OUTER_DIM, lib.TMAP_PER_SPATIAL))
    axis = dim if dim is None or order == "inner" else rank - 1 - dim
    changes: tuple[dict[str, Any], ...] = ()
    fix, text = _fix_text(diag), _rendered(diag)
    source = (f"from {text_of(diag.source)}:{diag.source_line}",) if diag.source else ()
    notes = source + tuple(text_of(note.text) for note in diag.notes[0:diag.notes_n])
    option, fix = fix, fix.replace("more instructions by --instructions, or ", "")  # Python has no such options
    fix = re.sub(r"-D (\S+)=VALUE(, or .*)?", r"launch={'\1': VALUE}", fix)
    text = text.replace(f"fix: {option}", f"fix: {fix}")
    if given is not None:
        before = (f"fix: {fix}", *notes)
        (fix, changes), notes = in_python(diag, given), tuple(note_in_python(note, given) for note in notes)
        if diag.severity == lib.TMAP_WARNING and text_of(diag.rule).endswith("-arch") and given.words.names.get("arch") != "":
            fix, changes = _or_arch(fix, diag.archs, given), ()
        for old, new in zip(before, (f"fix: {fix}", *notes)):
            text = text.replace(old if new else f"\n   note: {old}", new, 1)
    return Finding(
        rule=text_of(diag.rule) or None, severity=SEVERITIES[diag.severity], message=text_of(diag.message),
        given=text_of(diag.given), allowed=text_of(diag.allowed), fix=fix,
        symptom=text_of(diag.symptom), evidence=text_of(lib.tmap_diag_evidence(diag)),
        enforced_by=text_of(lib.tmap_enforcer_name(diag.enforced_by)),
        field=text_of(diag.key) or (text_of(field.name) if field else None), dim=dim, axis=axis,
        archs=names_of(diag.archs, ARCHS),
        notes=tuple(filter(None, notes)), changes=changes, text=text)


def _or_arch(fix: str, archs: int, given: Given) -> str:
    """The fix of a finding about some architectures, where the call names none: or an architecture that has no such
    finding."""
    others = [name for number, name in enumerate(ARCHS.names) if not archs >> number & 1]
    said = f"arch={next((name for name in others if name.endswith('a')), others[0])!r}"
    return f"{fix}; or {said if given.copy is None else f'map.replace({said})'}, for a kernel of this architecture"


def findings_of(diags: Any, rank: int = 0, order: str = "inner", given: Given | None = None) -> tuple[Finding, ...]:
    """The findings of a list. Frees the list."""
    try:
        return tuple(finding_of(diags.items + i, rank, order, given) for i in range(diags.count))
    finally:
        lib.tmap_diags_free(diags)


def warn_of(findings: tuple[Finding, ...]) -> None:
    """Emits the findings that are not errors as Python warnings. The place of a warning is the caller of this package."""
    level = _callers_level() if findings else 0
    for finding in findings:
        warnings.warn(str(finding), MapAdvice if finding.severity == "advice" else MapWarning, stacklevel=level)


def _callers_level() -> int:
    """The level of the first caller outside this package, counted from the caller of this function."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and str(frame.f_globals.get("__name__")).split(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    return level


def raise_for(status: int, what: str, refusal: Any = None, findings: tuple[Finding, ...] = ()) -> None:
    """Raises the exception of a status that is not TMAP_OK; `refusal` is the record that the call filled in, `findings`
    are those of the call."""
    if status == lib.TMAP_OK:
        return
    if status in (lib.TMAP_REFUSED, lib.TMAP_UNAVAILABLE) and findings:
        raise MapError(*findings)
    if status == lib.TMAP_NO_MEMORY:
        raise MemoryError(what)
    message = text_of(refusal.message) if refusal is not None else ""
    if status == lib.TMAP_REFUSED and message:
        raise MapError(finding_of(refusal))
    kind = ValueError if status in (lib.TMAP_REFUSED, lib.TMAP_BAD_ARGUMENT) else RuntimeError
    raise kind(f"{what}: {message or text_of(lib.tmap_status_name(status))}")


@functools.lru_cache(maxsize=256)
def judge_of(arch: tuple[str, ...] | None, axes: tuple[str, ...] = (), order: str = "inner") -> Any:
    """The settings of the rules for a map: its architectures (None: any), the names of its dimensions, and its order."""
    names = [ffi.new("char[]", axis.encode(errors="replace")) for axis in (axes[::-1] if order == "outer" else axes)]
    table = ffi.new("char *[]", names + [ffi.NULL] * (lib.TMAP_RANK_MAX - len(names)))
    judge = ffi.new("tmap_judge *", {"archs": bits_of(arch, ARCHS), "outer_first": order == "outer", "names": lib.TMAP_NAMES_PYTHON})
    judge.axes = ffi.cast("const char *const *", table)
    _kept[judge] = (names, table)
    return judge


_kept: dict[Any, Any] = {}
