"""Formats of judgments, one file each: which document of which topic, or of which text of a query, has which grade.

A new format is one file here and one entry in ``JUDGMENTS`` below; ``read_rre`` in ``ratings.py`` is a short one to go by.

1. ``read(file, config)`` returns Raws of the table judgments (``raw_of`` in ``../records.py`` makes them): judgment_key, doc_id and
   grade as text, and judge_id, subtopic_id or passage_id where it has them. ``ratings.rowless`` and ``ratings.idle`` account for
   what has no row.
2. ``fits(glimpse)`` recognizes the format by content; two formats must not fit one file.
3. ``"name": Judgments(description, module.read, fits=..., keys=..., tried=...)`` goes into ``JUDGMENTS``; ``keys=TEXT`` where
   judgments are keyed by texts of queries, ``takes=`` what [judgments] may say of its table, which is in ``config.of_judgments``.
"""

from sessionkit.readers.format import TEXT, Judgments
from sessionkit.readers.io.delimited import holds_qrels
from sessionkit.readers.judgments import qrels, quepid, ratings, tables
from sessionkit.readers.judgments import quepid as ltr
from sessionkit.readers.judgments import tables as graded

TABLE = (
    *("separator", "quote", "header", "name_pattern", "constants", "columns", "null"),
    *("trim", "values", "decimal", "thousands"),
)
"""What may be said of a table that is recognized by the names of its columns."""
SHEET = (*TABLE, "skip", "sheet", "list", "list_separator", "fill_down")
"""What may be said of a table that is described."""
JUDGMENTS: dict[str, Judgments] = {
    "tables": Judgments(
        "a table with our column names: judgment_key, doc_id, grade; or as study.toml describes it",
        tables.read,
        parquet=True,
        takes=SHEET,
    ),
    "qrels": Judgments(
        "TREC qrels: topic, iteration or subtopic, document, grade between blanks",
        qrels.read,
        fits=lambda glimpse: holds_qrels(glimpse.head),
        tried=qrels.QRELS_TRIED,
        takes=TABLE,
    ),
    "participant_qrels": Judgments(
        "judgments of a participant in TREC RAG: topic, Q0, document, grade, confidence, run between blanks",
        qrels.read_participant_qrels,
        fits=lambda glimpse: qrels.holds_participant_qrels(glimpse.head),
        tried="the organizers' example of TREC RAG 2025",
    ),
    "ntcir_qrels": Judgments(
        "judgments of NTCIR: topic, perhaps an iteration, document and a level (L0, L1, ...) between blanks",
        qrels.read_levels,
        fits=qrels.fits_levels,
        tried="never on a whole file of a task; built from the documentation of NTCIR's tools and sample.rel of pyNTCIREVAL, which "
        "names no topic and is refused",
    ),
    "json_qrels": Judgments(
        'JSON of grades by topic and document, {"q1": {"d1": 2}}, as pytrec_eval and ranx write it',
        qrels.read_json,
        fits=qrels.fits_json,
        tried="files that ranx wrote",
    ),
    "prels": Judgments(
        "judgments of a sample, with probabilities or strata, which are refused: measures here need grades of a whole pool",
        qrels.refuse_samples,
        fits=qrels.fits_samples,
    ),
    "prefs": Judgments(
        "preferences of trec_eval, which are refused: measures here need grades",
        qrels.refuse_preferences,
        fits=qrels.fits_preferences,
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
        ratings.read_srw,
        fits=ratings.fits_srw,
        keys=TEXT,
        tried=ratings.SRW_TRIED,
    ),
    "rre": Judgments(
        "ratings of the Rated Ranking Evaluator: JSON of topics, groups of queries, and queries",
        ratings.read_rre,
        fits=ratings.fits_rre,
        keys=TEXT,
        tried=ratings.RRE_TRIED,
    ),
    "rank_eval": Judgments(
        "ratings of a request to _rank_eval of Elasticsearch or OpenSearch: JSON, keyed by the ids of its requests",
        ratings.read_rank_eval,
        fits=ratings.fits_rank_eval,
        tried=ratings.RANK_EVAL_TRIED,
    ),
    "letor": Judgments(
        "judgments of LETOR: grade, qid and features, with #docid = after them",
        ltr.read_letor,
        fits=ltr.fits_letor,
        tried="nine lines of MQ2007 in LETOR 4.0 that the source of a program quotes, with fewer features; never on a whole file",
    ),
    "graded": Judgments(
        "any CSV, TSV, NDJSON or Parquet with the text of a query, a document and a grade, such as ESCI's examples",
        graded.read_texts,
        fits=graded.fits_texts,
        keys=TEXT,
        tried=graded.TRIED,
        parquet=True,
        takes=TABLE,
    ),
    "graded_topics": Judgments(
        "any CSV, TSV, NDJSON or Parquet with a topic, a document and a grade",
        graded.read_topics,
        fits=graded.fits_topics,
        tried=graded.TRIED,
        parquet=True,
        takes=TABLE,
    ),
    "dd_qrels": Judgments(
        "qrels of TREC Dynamic Domain: topic, subtopic, document, passage and rating between blanks",
        qrels.read_qrels,
        fits=qrels.fits_qrels,
        tried=qrels.DYNAMIC_DOMAIN_TRIED,
    ),
    "dd_topics": Judgments(
        "topics of TREC Dynamic Domain: XML with the passages of each subtopic",
        qrels.read_topics,
        fits=qrels.fits_topics,
        tried=qrels.DYNAMIC_DOMAIN_TRIED,
    ),
}
"""The formats of judgments, by name."""
