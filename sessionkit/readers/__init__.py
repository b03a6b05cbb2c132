"""Readers: from logs and judgments as they are found to a checked Study.

A new log format is one file here and one entry in ``FORMATS`` below; ``core_sessions.py`` is a short one to go by.

1. ``take(log: Log) -> Taken`` (``records.py``) takes ``log.files`` apart. It returns unchecked rows under our column
   names, values as text: ``raw_of(file, "queries", frame, kind="query records", ...)`` for each table it has, queries or
   results at least. RECORD is the number of the line or record a row comes from, ``locate`` the way back to its text; a
   record that cannot be taken apart is a row with RULE (a sentence such as ``list_can_be_read``) and VALUE. Checking,
   rejecting, deriving missing tables, accounts, parts of large logs: all that happens afterwards, for every format.
2. What became no row is counted: ``Taken.merged`` (clicks, repeated queries), ``Taken.idle`` (events that say nothing).
   ``clicks.with_clicks`` brings clicks onto results. Why a list is not there goes to ``results_status``.
3. ``log.keep(frame)`` keeps rows that were expensive to take, on disk where the log is large (``log.is_large``).
4. ``fits(glimpse)`` recognises the format by content (``recognition.py``); two formats must not fit one file.
5. ``OPTIONS``: what study.toml may say, a name to an ``Option``; ``log.option("session_gap")`` is its value.
6. ``"name": Format(description, reader("name", module.take), fits=..., options=..., tried=...)`` goes into ``FORMATS``.

Judgments are an entry in ``JUDGMENTS``: ``read(file, config)`` returns Raws of the table judgments; ``keys=TEXT`` where they
are keyed by texts of queries. ``rre.py`` is a short one; ``ratings.rowless`` and ``ratings.idle`` account for what has no row.

==================  ================================================================================================
``reading.py``      ``sk.read``: what kind of source is this? ``describing.py``: which format, files, options;
                    ``recognition.py``: by a look at the content
``records.py``      what a format takes from its files (``inputs.py``), to a Study; ``together.py``, ``aside.py``, ``clicks.py``
                    serve it
``judging.py``      files of judgments beside a log; ``ratings.py``: those in JSON, found again by their paths
``sessionising.py`` sessions from events, by inactivity; ``requeries.py``: queries that are one query to the searcher
``listing.py``      queries, lists and clicks of logs of events put together; ``event_tables.py``: from a stream of events,
                    for ``events``, ``logui``; ``json_items.py``, ``batches.py``: JSON and lines some at a time
``unusual.py``      what is unusual though it breaks no rule; ``progress.py``: how far a reading has come
``flat.py``         logs of lines in any number of files, taken together: users or sessions whole, band by band (``bands.py``);
                    ``click_only.py``: those that tell of lists by their clicks; ``encodings.py``: those not in UTF-8
``frames.py``       ``sk.from_tables``: tables already in memory
``tables.py``       format ``tables``: what study.toml (``config.py``) describes, or one flat file
``files.py``        a file found, recognised, unpacked
``delimited.py``    and ``ndjson.py``, ``parquet.py``, ``qrels.py``: one kind of file as unchecked records (``raw.py``);
                    ``fields.py`` and ``shapes.py`` take text and JSON apart, ``keeping.py`` says where records stay
``columns.py``      the source's column names to ours
``whole.py``        unchecked records to a Study in memory
``large.py``        unchecked records to a Study in files, part by part (``sizes.py``: which logs those are): as they come
                    (``courses.py``, ``feeds.py``) or by ranges of sessions (``ranges.py``), one part ahead
``assembly.py``     the tables of whole sessions, checked, for both: with ``parts.py``, ``widening.py``, ``bases.py``
                    (counting from 0), ``zones.py`` (times without zone), ``derive.py`` (tables the log lacks),
                    ``decisions.py`` (what the whole log decides), ``counts.py`` and ``gathering.py`` (what adds up),
                    ``finishing.py`` and ``extras.py`` (columns nobody declared), ``rejection.py`` and ``notes.py``
                    (what was unusual)
==================  ================================================================================================
"""

from sessionkit.readers import (
    aol,
    core_sessions,
    coveo,
    events,
    graded,
    logui,
    quepid,
    rre,
    simiir,
    sogou,
    srw,
    tiangong_st,
    trec_dd,
    trec_qrels,
    trec_run,
    trec_session,
    tripclick,
    ubi,
    webis_smc,
    yandex_personalized,
    yandex_relevance,
    yasbil,
)
from sessionkit.readers.formats import Format, Glimpse, Option
from sessionkit.readers.frames import from_tables
from sessionkit.readers.judging import TEXT, Judgments
from sessionkit.readers.qrels import holds_qrels
from sessionkit.readers.reading import read
from sessionkit.readers.records import reader
from sessionkit.readers.tables import fits as has_our_columns
from sessionkit.readers.tables import read_file_of_judgments, read_tables

FORMATS: dict[str, Format] = {
    "tables": Format(
        "delimited, NDJSON or Parquet tables, plain, .gz or .zst, as study.toml describes them",
        read_tables,
        fits=has_our_columns,
    ),
    "core": Format(
        "sessions of the CORE search engine (Sim4IA): CSV with lists and clicks as text, JSON of queries",
        reader("core", core_sessions.take),
        fits=core_sessions.fits,
        tried=core_sessions.TRIED,
    ),
    "simiir": Format(
        "runs of the SimIIR framework 1 to 3: folders or .log files",
        reader("simiir", simiir.take),
        fits=simiir.fits,
        tried=simiir.TRIED,
    ),
    "quepid": Format(
        "lists exported by Quepid: CSV in detail, or of snapshots; its ratings are judgments",
        reader("quepid", quepid.take),
        fits=quepid.fits_log,
        tried=quepid.TRIED,
    ),
    "srw": Format(
        "query sets of the OpenSearch Search Relevance Workbench: JSON of texts of queries",
        reader("srw", srw.take),
        fits=srw.fits_query_set,
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
        "User Behavior Insights: query and event records, bulk or plain NDJSON or _search exports",
        reader("ubi", ubi.take),
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
    "tripclick": Format(
        "logs of the health search engine Trip: a JSON object per interaction",
        reader("tripclick", tripclick.take),
        fits=tripclick.fits,
        options=tripclick.OPTIONS,
        tried=tripclick.TRIED,
    ),
    "yandex_relevance": Format(
        "Yandex' Relevance Prediction Challenge (2011): tab-separated, with a file of labels or without",
        reader("yandex_relevance", yandex_relevance.take),
        fits=yandex_relevance.fits,
        options=yandex_relevance.OPTIONS,
        tried=yandex_relevance.TRIED,
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
    ),
    "events": Format(
        "a private log with one row per event, as study.toml describes it: delimited, NDJSON or Parquet",
        reader("events", events.take),
        options=events.OPTIONS,
        tried=events.TRIED,
    ),
    "logui": Format(
        "exports of LogUI: a JSON array of events per flight, as study.toml describes them",
        reader("logui", logui.take),
        fits=logui.fits,
        options=logui.OPTIONS,
        tried=logui.TRIED,
    ),
    "yasbil": Format(
        "exports of the YASBIL browser extension: a JSON object of tables per participant",
        reader("yasbil", yasbil.take),
        fits=yasbil.fits,
        tried=yasbil.TRIED,
    ),
    "trec_run": Format(
        "TREC runs: topic, iteration, document, rank, score and tag between blanks; several are several systems",
        reader("trec_run", trec_run.take),
        fits=trec_run.fits,
        options=trec_run.OPTIONS,
        tried=trec_run.TRIED,
    ),
    "trec_dd": Format(
        "runs of TREC Dynamic Domain: topic, iteration, document, score, on topic, ratings of subtopics",
        reader("trec_dd", trec_dd.take),
        fits=trec_dd.fits,
        tried=trec_dd.TRIED,
    ),
    "tiangong_st": Format(
        "sessions of TianGong-ST: XML",
        reader("tiangong_st", tiangong_st.take),
        fits=tiangong_st.fits,
        tried=tiangong_st.TRIED,
    ),
}
"""The formats of logs, by name."""

JUDGMENTS: dict[str, Judgments] = {
    "tables": Judgments("a table with our column names: judgment_key, doc_id, grade", read_file_of_judgments),
    "qrels": Judgments(
        "TREC qrels: topic, iteration or subtopic, document, grade between blanks",
        trec_qrels.read,
        fits=lambda glimpse: holds_qrels(glimpse.head),
    ),
    "prefs": Judgments(
        "preferences of trec_eval, which are refused: measures here need grades",
        trec_qrels.refuse_preferences,
        fits=trec_qrels.fits_preferences,
    ),
    "quepid": Judgments(
        "ratings exported by Quepid: CSV of cases, snapshots and books, JSON of cases and books, text for learning to rank",
        quepid.read,
        fits=quepid.fits,
        keys=TEXT,
        tried=quepid.TRIED,
    ),
    "srw": Judgments(
        "judgment lists of the OpenSearch Search Relevance Workbench: JSON, imported or exported",
        srw.read,
        fits=srw.fits_judgments,
        keys=TEXT,
        tried=srw.TRIED,
    ),
    "rre": Judgments(
        "ratings of the Rated Ranking Evaluator: JSON of topics, groups of queries, and queries",
        rre.read,
        fits=rre.fits,
        keys=TEXT,
        tried=rre.TRIED,
    ),
    "graded": Judgments(
        "any CSV, TSV or NDJSON with the text of a query, a document and a grade",
        graded.read,
        fits=graded.fits_texts,
        keys=TEXT,
        tried=graded.TRIED,
    ),
    "graded_topics": Judgments(
        "any CSV, TSV or NDJSON with a topic, a document and a grade",
        graded.read,
        fits=graded.fits_topics,
        tried=graded.TRIED,
    ),
    "dd_qrels": Judgments(
        "qrels of TREC Dynamic Domain: topic, subtopic, document, passage and rating between blanks",
        trec_dd.read_qrels,
        fits=trec_dd.fits_qrels,
        tried=trec_dd.TRIED,
    ),
    "dd_topics": Judgments(
        "topics of TREC Dynamic Domain: XML with the passages of each subtopic",
        trec_dd.read_topics,
        fits=trec_dd.fits_topics,
        tried=trec_dd.TRIED,
    ),
    "tiangong_labels": Judgments(
        "human labels of TianGong-ST: number, session, query, document and grade between blanks",
        tiangong_st.read_labels,
        fits=tiangong_st.fits_labels,
        tried=tiangong_st.TRIED,
    ),
}
"""The formats of judgments, by name."""

__all__ = ["FORMATS", "JUDGMENTS", "Format", "Glimpse", "Judgments", "Option", "from_tables", "read"]
