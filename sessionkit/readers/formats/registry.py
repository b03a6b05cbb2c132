"""The formats of logs by name."""

import inspect
import re
from dataclasses import replace
from functools import partial

from sessionkit.errors import UsageError, warn
from sessionkit.plugins import Blame, Registry, file_of, module_of
from sessionkit.readers.format import Format, Glimpse
from sessionkit.readers.formats import (
    aol,
    core_sessions,
    coveo,
    events,
    quepid,
    simiir,
    sogou,
    srw,
    tables,
    trec_dd,
    trec_run,
    trec_session,
    ubi,
    webis_smc,
    yandex_personalized,
)
from sessionkit.readers.records import inputs, reader

OWN_FORMATS: dict[str, Format] = {
    "tables": Format(
        "delimited, NDJSON or Parquet tables, plain, .gz or .zst, as study.toml describes them",
        reader("tables", tables.take, files=tables.files),
        fits=tables.fits,
        options=tables.OPTIONS,
        tried=tables.TRIED,
    ),
    "core": Format(
        "sessions of the CORE search engine (Sim4IA): CSV with lists and clicks as text, JSON of queries",
        reader("core", core_sessions.take),
        fits=core_sessions.fits,
        options=core_sessions.OPTIONS,
        tried=core_sessions.TRIED,
    ),
    "simiir": Format(
        "runs of the SimIIR framework 1 to 3: folders or .log files",
        reader("simiir", simiir.take),
        fits=simiir.fits,
        options=simiir.OPTIONS,
        tried=simiir.TRIED,
    ),
    "quepid": Format(
        "lists exported by Quepid: CSV in detail, or of snapshots; its ratings are judgments",
        reader("quepid", quepid.take),
        fits=quepid.fits,
        tried=quepid.TRIED,
    ),
    "srw": Format(
        "query sets, experiments and evaluations of the OpenSearch Search Relevance Workbench: JSON",
        reader("srw", srw.take),
        fits=srw.fits,
        tried=srw.TRIED,
    ),
    "trec_session": Format(
        "logs of the TREC Session Track 2011 to 2014: XML",
        reader("trec_session", trec_session.take),
        fits=trec_session.fits,
        options=trec_session.OPTIONS,
        tried=trec_session.TRIED,
    ),
    "ubi": Format(
        "User Behavior Insights: query and event records, bulk or plain NDJSON, _search exports, CSV (with JSON in cells too) or Parquet",
        reader("ubi", ubi.take, files=partial(inputs, parquet=True)),
        fits=ubi.fits,
        options=ubi.OPTIONS,
        tried=ubi.TRIED,
    ),
    "aol": Format(
        "the AOL query log of 2006: tab-separated, a line per click",
        reader("aol", aol.take),
        fits=aol.fits,
        options=aol.OPTIONS,
        tried=aol.TRIED,
    ),
    "webis_smc": Format(
        "Webis-SMC-12: queries of the AOL log, sorted into search missions",
        reader("webis_smc", webis_smc.take),
        fits=webis_smc.fits,
        options=webis_smc.OPTIONS,
        tried=webis_smc.TRIED,
    ),
    "yandex_personalized": Format(
        "Yandex' Personalized Web Search Challenge (2014): tab-separated",
        reader("yandex_personalized", yandex_personalized.take),
        fits=yandex_personalized.fits,
        options=yandex_personalized.OPTIONS,
        tried=yandex_personalized.TRIED,
    ),
    "sogou": Format(
        "logs of the search engine Sogou of 2008 and 2012: tab-separated, in GBK, a line per click",
        reader("sogou", sogou.take),
        fits=sogou.fits,
        options=sogou.OPTIONS,
        tried=sogou.TRIED,
    ),
    "coveo": Format(
        "SIGIR eCom data challenge 2021 (Coveo): search_train.csv, or the folder that has it",
        reader("coveo", coveo.take),
        fits=coveo.fits,
        options=coveo.OPTIONS,
        tried=coveo.TRIED,
        beside=coveo.beside,
    ),
    "events": Format(
        "a private log with one row per event, as study.toml describes it: delimited, NDJSON or Parquet",
        reader("events", events.take, files=partial(inputs, parquet=True)),
        options=events.OPTIONS,
        tried=events.TRIED,
    ),
    "trec_run": Format(
        "runs of TREC and MS MARCO, JSON of scores by topic and document, tables of PyTerrier and ranx; several are several systems",
        reader("trec_run", trec_run.take, files=partial(inputs, parquet=True)),
        fits=trec_run.fits,
        options=trec_run.OPTIONS,
        tried=trec_run.TRIED,
    ),
    "trec_dd": Format(
        "runs of TREC Dynamic Domain: topic, iteration, document, score, on topic, ratings of subtopics",
        reader("trec_dd", trec_dd.take),
        fits=trec_dd.fits,
        tried=trec_dd.TRIED,
        missing_positions="empty",
    ),
}
"""The formats of sessionkit."""


def accepted(name: str, given: object) -> Format:
    """Return what is given for a name as a format of others; what fails when it looks at a file does not recognize it.

    Raises
    ------
    UsageError
        It is no format, or the name is none.
    """
    if not isinstance(given, Format):
        raise UsageError(f"{given!r:.80} is no format; give sk.bases.Format(what it is, its reader)")
    if not re.fullmatch("[a-z][a-z0-9_]*", name):
        raise UsageError(
            f"a format cannot be called {name!r}; use small letters, digits and underscores, such as my_log"
        )
    try:
        inspect.signature(given.read, follow_wrapped=False).bind(None, (), strict=False, memory=None)
    except (TypeError, ValueError):
        raise UsageError(
            f"the format {name} needs a reader that sk.bases.frames_reader makes of a function, not {given.read!r:.80}"
        ) from None
    return given if given.fits is None else replace(given, fits=partial(_fits, name, given))


def _fits(name: str, given: Format, glimpse: Glimpse) -> bool:
    """Whether a file looks like a format of others."""
    try:
        with Blame(
            f"the format {name!r} (module {module_of(given.fits)}) fails to look at {glimpse.name}",
            file=file_of(given.fits),
        ):
            return bool(given.fits is not None and given.fits(glimpse))
    except UsageError as error:
        warn(f"{error}; it is taken for another format")
        return False


FORMATS: Registry[Format] = Registry("format", "sessionkit.readers", OWN_FORMATS, accepted)
"""The formats of logs, by name; also those of other packages, see `sessionkit.plugins`."""
