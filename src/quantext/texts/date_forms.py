"""Forms of dates: how a date may be written, and which day a cell that is written so says."""

import re
from dataclasses import dataclass
from datetime import date
from functools import cache

import polars as pl

from quantext.texts.labels import TEXT, stripped

__all__ = ["EXCEL", "FORMS", "ISO", "Form", "as_cells", "form", "written_day"]

ISO, EXCEL = "iso", "excel"

# English, German, French, Spanish, Italian; the English name in full is the second, but of May.
_MONTHS = (
    "jan january januar jänner jän janvier janv enero ene gennaio gen",
    "feb february februar feber février fevrier févr fév fev febrero febbraio",
    "mar march märz maerz mär mrz mars marzo",
    "apr april avril avr abril abr aprile",
    "may mai mayo maggio mag",
    "jun june juni juin junio giugno giu",
    "jul july juli juillet juil julio luglio lug",
    "aug august août aout agosto ago",
    "sep september sept septembre septiembre setiembre settembre set",
    "oct october oktober okt octobre octubre ottobre ott",
    "nov november novembre noviembre",
    "dec december dezember dez décembre déc diciembre dicembre dic",
)
_MONTH_NUMBERS = {name: i for i, names in enumerate(_MONTHS, start=1) for name in names.split()}
_WEEKDAYS = (
    "monday mon tuesday tues tue wednesday wed thursday thurs thur thu friday fri saturday sat "
    "sunday sun montag mo dienstag di mittwoch mi donnerstag do freitag fr samstag sonnabend sa "
    "sonntag so lundi lun mardi mar mercredi mer jeudi jeu vendredi ven samedi sam dimanche dim "
    "lunes martes miércoles mié jueves jue viernes vie sábado sáb domingo dom lunedì martedì "
    "mercoledì giovedì gio venerdì sabato sab domenica"
)


def _any_of(names: str) -> str:
    """A pattern of any of the names, the longest first, perhaps cut short by a full stop."""
    return rf"(?:{'|'.join(sorted(names.split(), key=len, reverse=True))})\.?"


_WEEKDAY, _MONTH = _any_of(_WEEKDAYS), _any_of(" ".join(_MONTHS))
_HALF = r"[ap]\.?\s?m\.?"
_SHIFT = r"(?:utc|gmt)?[+-][0-9]{1,2}(?::?[0-9]{2})?"
_ZONE = rf"(?:(?:z|[a-z]{{2,5}}|[a-z]+/[a-z_]+|{_SHIFT})(?:\s?\([^)]*\))?)"
_CLOCK = (
    rf"[0-9]{{1,2}}(?::[0-9]{{2}}){{1,2}}(?:[.,:][0-9]+)?(?:\s?{_HALF})?|[0-9]{{1,2}}\s?{_HALF}"
)
# After a date: its time, which is passed over.
_TIME = (
    rf"(?:(?:t[0-9]{{4}}(?:[0-9]{{2}})?|(?:[t:]|,?\s+(?:at\s+|um\s+|-\s+)?)(?:{_CLOCK}))"
    rf"(?:\s?{_ZONE})?)?"
)

_DIRECTIVES = {
    "Y": "(?P<year>[0-9]{4})",
    "y": "(?P<year>[0-9]{2})",
    "m": "(?P<month>[0-9]{1,2})",
    "d": "(?P<day>[0-9]{1,2})",
    "b": f"(?P<name>{_MONTH})",
    "a": _WEEKDAY,
    "H": "[0-9]{1,2}",
    "M": "[0-9]{2}",
    "S": "[0-9]{2}",
    "f": "[0-9]+",
    "p": _HALF,
    "z": _ZONE,
    "%": "%",
}
_SAME = {"e": "d", "B": "b", "h": "b", "A": "a", "I": "H", "Z": "z"}
_SHORT = {"%T": "%H:%M:%S", "%R": "%H:%M", "%F": "%Y-%m-%d", "%D": "%m/%d/%y"}
_LAST_TIME = r"[\sT,]*%[HI][^%]*(?:%[MSfpzZ][^%]*)*$"

# Of spreadsheets: days since 30 December 1899; before March 1900 they count a day that never was.
_SERIAL = r"^([0-9]{2,7})(?:[.,][0-9]+)?$"
_FIRST_SERIAL, _LAST_SERIAL = 61, 2_958_465
_DAYS_TO_1970 = 25_569

FORMS = (
    ISO,
    *("%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%Y-%m", "%Y/%m", "%m/%Y"),
    *(f"%{d}{s}%{m}{s}%{y}" for s in "/-." for y in "Yy" for d, m in ("dm", "md")),
    *("%y/%m/%d", "%y-%m-%d"),
    *("%d %b %Y", "%d-%b-%Y", "%d-%b-%y", "%d/%b/%Y", "%d%b%Y", "%d %b %y"),
    *("%b %d, %Y", "%Y %b %d", "%Y-%b-%d", "%b %Y", "%b-%Y", "%b-%y"),
    "%a %b %d %H:%M:%S %z %Y",
    "%a %b %d %H:%M:%S %Y",
    EXCEL,
)
"""Formats that are known without being told, an ordinary one first."""


@dataclass(frozen=True)
class Form:
    """A way to write dates.

    Parameters
    ----------
    format
        What it is called: as ``strftime`` has it, or iso or excel.
    pattern
        What a cell must match, with a group for each of year, month (or its name) and day.
    """

    format: str
    pattern: str

    def days(self, cells: pl.Series) -> pl.Series:
        """Days of cells that `as_cells` gave, null where one is not written so.

        Of a month it is the first day. A year of two digits is from 1969 to 2068, as POSIX has it.

        Examples
        --------
        >>> form("%d/%m/%y").days(pl.Series(["24/02/15", "24/02/69", "31/02/15"])).to_list()
        [datetime.date(2015, 2, 24), datetime.date(1969, 2, 24), None]
        """
        name = cells.name
        if self.format == EXCEL:
            serial = cells.str.extract(self.pattern).cast(pl.Int32)
            known = pl.select(
                pl.when(serial.is_between(_FIRST_SERIAL, _LAST_SERIAL)).then(serial)
            ).to_series()
            return (known - _DAYS_TO_1970).cast(pl.Date).alias(name)
        # To match is cheap and to find groups is not, so it is done once for cells that are alike.
        alike = _one_time(cells)
        distinct = alike.unique()
        groups = distinct.str.extract_groups(self.pattern).struct.unnest()
        days = groups.select(self._iso().str.to_date("%Y-%m-%d", strict=False)).to_series()
        return alike.replace_strict(distinct, days).cast(pl.Date).alias(name)

    def _iso(self) -> pl.Expr:
        """The groups as 2015-02-24."""
        year = pl.col("year")
        if _DIRECTIVES["y"] in self.pattern:
            number = year.cast(pl.Int32)
            year = (number + pl.when(number < 69).then(2000).otherwise(1900)).cast(pl.String)
        month, day = pl.lit("01"), pl.lit("01")
        if "?P<month>" in self.pattern:
            month = pl.col("month")
        if "?P<name>" in self.pattern:
            named = pl.col("name").str.to_lowercase().str.strip_suffix(".")
            numbers = {name: str(number) for name, number in _MONTH_NUMBERS.items()}
            month = named.replace_strict(numbers, default=None, return_dtype=pl.String)
        if "?P<day>" in self.pattern:
            day = pl.col("day")
        return pl.concat_str(year, month, day, separator="-")


def _one_time(cells: pl.Series) -> pl.Series:
    """The cells with midnight in place of any other time."""
    seconds = cells.str.replace("[T ][0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?", " 0:00:00")
    return seconds.str.replace("[T ][0-9]{1,2}:[0-9]{2}", " 0:00")


@cache
def form(format: str) -> Form:  # noqa: A002 (the natural word)
    """The form of a format.

    Parameters
    ----------
    format
        As ``strftime`` has it; or iso, or excel, the serial numbers of spreadsheets. Times after
        the date are passed over, whether the format has them or not.

    Examples
    --------
    >>> form("%d.%m.%Y").days(pl.Series(["24.2.2015 11:35"])).to_list()
    [datetime.date(2015, 2, 24)]
    """
    if format == EXCEL:
        return Form(format, _SERIAL)
    plain = "%Y-%m-%d" if format == ISO else format
    for short, long in _SHORT.items():
        plain = plain.replace(short, long)
    plain = re.sub(r"%-", "%", re.sub(_LAST_TIME, "", plain))
    tokens = re.findall(r"%.|\s+|,\s*|.", plain, flags=re.DOTALL)
    kinds = [_SAME.get(t[1], t[1]) if len(t) == 2 and t[0] == "%" else "" for t in tokens]
    _check(format, kinds)
    named = "b" in kinds
    pattern = "".join(
        _piece(token, kind, kinds[i - 1 : i] + kinds[i + 1 : i + 2], named)
        for i, (token, kind) in enumerate(zip(tokens, kinds, strict=True))
    )
    weekday = "" if "a" in kinds else rf"(?:{_WEEKDAY},?\s+)?"
    time = "" if "H" in kinds else _TIME
    return Form(format, f"^(?i:{weekday}{pattern}{time})$")


def _piece(token: str, kind: str, around: list[str], named: bool) -> str:
    """The pattern of a token, given the kinds of its neighbours; with names there are fillers."""
    if not kind:
        if token.isspace() or token.startswith(","):
            return r"(?:[\s.,]+(?:(?:de|del|of)\s+)?)" if named else r",?\s+"
        return re.escape(token)
    if kind in "md" and any(other and other in "Yymd" for other in around):
        return _DIRECTIVES[kind].replace("{1,2}", "{2}")
    if kind == "d" and named:
        return _DIRECTIVES[kind] + "(?:st|nd|rd|th|er|º|°)?"
    return _DIRECTIVES[kind]


def _check(format: str, kinds: list[str]) -> None:  # noqa: A002
    """Raise unless the directives say a year, a month or a day, each once and without gaps."""
    what = f"date format {format!r}"
    if "%" not in format and format != ISO:
        raise ValueError(f"{what} is unknown; write {_suggested(format)}, or iso or excel")
    known = [*_DIRECTIVES, *_SAME, ""]
    if unknown := [kind for kind in kinds if kind not in known]:
        raise ValueError(
            f"{what} has %{unknown[0]}, which is unknown; of a date there are %Y and %y (year), "
            "%m (month), %b (its name) and %d (day)"
        )
    parts = [*(["Y"] * (kinds.count("Y") + kinds.count("y")))]
    parts += ["m"] * (kinds.count("m") + kinds.count("b")) + ["d"] * kinds.count("d")
    if parts not in (["Y"], ["Y", "m"], ["Y", "m", "d"]):
        raise ValueError(
            f"{what} must have a year (%Y or %y), and may have a month (%m or %b) and then a day "
            "(%d), each once: as %d/%m/%Y"
        )


def _suggested(format: str) -> str:  # noqa: A002
    """The format, if it was written as spreadsheets have it: dd/mm/yyyy."""
    words = {"y": "%Y", "yy": "%y", "yyyy": "%Y", "m": "%m", "mm": "%m", "mmm": "%b", "mmmm": "%b"}
    words |= {"d": "%d", "dd": "%d", "j": "%d", "jj": "%d", "t": "%d", "tt": "%d", "aaaa": "%Y"}
    words |= {"jjjj": "%Y", "a": "%Y", "aa": "%y"}
    parts = re.split(r"([^a-z]+)", format.lower())
    made = "".join(words.get(part, part) for part in parts)
    return made if made.count("%") == len(parts[::2]) else "%d/%m/%Y"


def as_cells(column: pl.Series) -> pl.Series | None:
    """The column's texts, or numbers as texts, null where blank; None if it has other things."""
    if column.dtype.is_float() and (column.drop_nans() % 1 == 0).all():
        column = column.fill_nan(None).cast(pl.Int64, strict=False)  # 20150224.0
    if column.dtype.is_numeric() or column.dtype in TEXT:
        return stripped(column)
    return None


def written_day(day: date) -> str:
    """A day in words.

    Examples
    --------
    >>> written_day(date(2015, 4, 3)), written_day(date(2015, 9, 1))
    ('3 April 2015', '1 September 2015')
    """
    name = _MONTHS[day.month - 1].split()[1] if day.month != 5 else "may"
    return f"{day.day} {name.capitalize()} {day.year}"
