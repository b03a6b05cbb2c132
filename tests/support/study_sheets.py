# ruff: noqa: DTZ001, PLR0917, RUF001, S311 - times of sheets have no zone, and the rows are made up
"""Twelve small interactive-search user studies, written as colleagues export them, by someone who never saw the code.

Each study is simulated once (participants, tasks, queries, result lists, clicks, grades) and then written with the
habits of one spreadsheet or survey export.  ``Truth`` is what a careful human reads in the files:

- `session` is None unless the sheet has its own id; elsewhere participant x task is the session.
- `position` and `rank` count from 1, also where the file counts from 0.  An empty list is a query without results.
- `dwell_seconds` is in seconds whatever the unit of the file; `clicks` is 1 or 0 for yes or no.
- Numbers asked once of a participant (Age, Ikä) are repeated on each of the participant's sessions.
- A relevance column of the results is an assessor's: it is in `judgments`, once per task and document.
- Rows of `bad_cells` count from 1, data records only.

All content is invented, nothing is random between runs, and nothing is read from the network.
"""

from __future__ import annotations

import csv
import io
import random
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from xml.sax.saxutils import escape

import xlsxwriter

Cell = str | int | float | datetime | None
Table = list[list[Cell]]
Row = dict[str, object]


# --- what is handed over ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Truth:
    """What a careful human reads in the files of one study; each list has only what the files have."""

    sessions: list[Row] = field(default_factory=list)
    queries: list[Row] = field(default_factory=list)
    results: list[Row] = field(default_factory=list)
    judgments: list[Row] = field(default_factory=list)
    bad_cells: list[tuple[str, int, str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class StudySheet:
    """One data set: how it is written and what it says."""

    name: str
    habits: str
    write: Callable[[Path], list[Path]]
    max_grade: int
    truth: Truth


# --- the simulated study ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hit:
    """One result as shown, with what the participant did with it."""

    rank: int
    doc: str
    clicks: int
    dwell: float | None
    user_grade: int | None


@dataclass(frozen=True)
class Query:
    """One query; an empty list of hits means that nothing was found."""

    position: int
    text: str
    issued_at: datetime
    hits: list[Hit]


@dataclass(frozen=True)
class Session:
    """One participant working on one task."""

    user: str
    topic: str
    system: str
    session_id: str | None
    started_at: datetime
    queries: list[Query]
    extras: dict[str, int | str | None]


@dataclass(frozen=True)
class Study:
    """All sessions, and the grades that an assessor gave."""

    sessions: list[Session]
    judged: dict[tuple[str, str], int]

    def lines(self) -> Iterator[tuple[Session, Query, Hit | None]]:
        """One item for each result shown, and one without a hit for each empty list."""
        for session in self.sessions:
            for query in session.queries:
                if not query.hits:
                    yield session, query, None
                for hit in query.hits:
                    yield session, query, hit

    def judged_and_shown(self) -> dict[tuple[str, str], int]:
        """The grades that can be seen when they are a column of the results."""
        shown = {(session.topic, hit.doc) for session, _, hit in self.lines() if hit}
        return {key: grade for key, grade in self.judged.items() if key in shown}


def simulate(
    seed: int,
    users: Sequence[str],
    topics: dict[str, list[str]],
    systems: Sequence[str],
    doc_id: Callable[[int], str],
    start: datetime,
    *,
    max_grade: int,
    step: float = 1.0,
    clock: int = 1,
    most_clicks: int = 1,
    session_id: Callable[[int], str] | None = None,
    ratings: dict[str, int] | None = None,
    user_range: dict[str, tuple[int, int]] | None = None,
) -> Study:
    """Simulate a study: every participant does every task, except for one who left before the last one.

    ``step`` is the precision of dwell times in seconds and ``clock`` that of the clock; ``ratings`` gives the top of
    each rating scale; ``user_range`` gives the range of each number asked once of a participant.
    """
    rng = random.Random(seed)
    numbers = rng.sample(range(1, 40 * len(topics)), 24 * len(topics))
    pools = {
        topic: [doc_id(number) for number in sorted(numbers[24 * i : 24 * i + 24])] for i, topic in enumerate(topics)
    }
    weights = [60, 25, 15] if max_grade == 2 else [55, 20, 15, 10]
    grades = {
        (topic, doc): rng.choices(range(max_grade + 1), weights)[0] for topic, docs in pools.items() for doc in docs
    }
    shown: set[tuple[str, str]] = set()
    sessions: list[Session] = []
    leaver = rng.randrange(len(users))
    topic_keys = list(topics)
    for number, user in enumerate(users):
        about = {name: rng.randint(*span) for name, span in (user_range or {}).items()}
        time = start + timedelta(days=number // 3, hours=2 * (number % 3))
        order = topic_keys[number % len(topic_keys) :] + topic_keys[: number % len(topic_keys)]
        for turn, topic in enumerate(order[:-1] if number == leaver else order):
            system = systems[(number + turn) % len(systems)]
            time += timedelta(seconds=clock * round(rng.uniform(60, 200) / clock))
            began, queries = time, []
            for position, text in enumerate(rng.sample(topics[topic], rng.choice([1, 2, 2, 3, 3, 4])), start=1):
                hits = [
                    _hit(rng, rank, doc, grades[topic, doc], max_grade, step, most_clicks)
                    for rank, doc in enumerate(_result_list(seed, system, text, pools[topic], grades, topic), start=1)
                ]
                shown.update((topic, hit.doc) for hit in hits)
                queries.append(Query(position, text, time, hits))
                time += timedelta(seconds=clock * max(1, round(rng.uniform(25, 150) / clock)))
            tops = (ratings or {}).items()
            given = {name: rng.randint(1, top) if rng.random() > 0.04 else None for name, top in tops}
            name = session_id(len(sessions) + 1) if session_id else None
            sessions.append(Session(user, topic, system, name, began, queries, {**about, **given}))
    judged = {key: grade for key, grade in grades.items() if rng.random() < (0.93 if key in shown else 0.25)}
    return Study(sessions, judged)


def _result_list(
    seed: int, system: str, text: str, pool: list[str], grades: dict[tuple[str, str], int], topic: str
) -> list[str]:
    """The list for a query: the same whenever the same system gets the same text; now and then empty."""
    rng = random.Random(f"{seed}/{system}/{text}")
    if rng.random() < 0.09:
        return []
    ranked = sorted(pool, key=lambda doc: rng.random() + 0.2 * grades[topic, doc], reverse=True)
    return ranked[: rng.randint(3, 10)]


def _hit(rng: random.Random, rank: int, doc: str, grade: int, max_grade: int, step: float, most_clicks: int) -> Hit:
    """A result with a click that is likelier near the top and on what is relevant."""
    if rng.random() > (0.12 + 0.5 * grade / max_grade) / rank**0.5:
        return Hit(rank, doc, 0, None, None)
    dwell = round(max(1, round(rng.lognormvariate(3.2, 0.8) / step)) * step, 3) if rng.random() < 0.95 else None
    opinion = min(max_grade, max(0, grade + rng.choice([-1, 0, 0, 0, 1])))
    return Hit(rank, doc, rng.randint(1, most_clicks), dwell, opinion)


def read_off(
    study: Study,
    judged: dict[tuple[str, str], int],
    *,
    system: bool = True,
    started: bool = False,
    issued: bool = False,
    user_grade: bool = False,
) -> Truth:
    """The truth of a study whose files have these columns."""
    truth = Truth()
    for s in study.sessions:
        key: Row = {"user": s.user, "topic": s.topic, "session": s.session_id}
        row: Row = {**key, **({"system": s.system} if system else {}), **s.extras}
        truth.sessions.append({**row, "started_at": s.started_at} if started else row)
        for q in s.queries:
            row = {**key, "position": q.position, "text": q.text}
            truth.queries.append({**row, "issued_at": q.issued_at} if issued else row)
            for h in q.hits:
                row = {**key, "position": q.position, "rank": h.rank, "doc_id": h.doc, "clicks": h.clicks}
                row["dwell_seconds"] = h.dwell
                truth.results.append({**row, "user_grade": h.user_grade} if user_grade else row)
    truth.judgments.extend({"topic": topic, "doc_id": doc, "grade": grade} for (topic, doc), grade in judged.items())
    return truth


# --- writing files ----------------------------------------------------------------------------------------------------


def number(value: float | None, mark: str = ".", missing: str = "") -> str:
    """A number as text, without needless zeros."""
    if value is None:
        return missing
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return text.replace(".", mark)


def write_text(
    path: Path, table: Iterable[Sequence[Cell]], sep: str, encoding: str = "utf-8", *, quote_all: bool = False
) -> Path:
    """Write a delimited text file with the line ends of Windows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=sep, quoting=csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL).writerows(table)
    path.write_bytes(buffer.getvalue().encode(encoding))
    return path


def new_workbook(path: Path) -> xlsxwriter.Workbook:
    """A workbook whose bytes are the same in every run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    book = xlsxwriter.Workbook(str(path), {"default_date_format": "yyyy-mm-dd hh:mm:ss"})
    book.set_properties({"author": "study team", "created": datetime(2024, 1, 1)})
    return book


def fill_sheet(sheet: xlsxwriter.worksheet.Worksheet, table: Table, top: int = 0) -> None:
    """Put typed cells into a sheet: text stays text, so ids keep their zeros."""
    for r, row in enumerate(table, start=top):
        for c, value in enumerate(row):
            if isinstance(value, str):
                sheet.write_string(r, c, value)
            elif isinstance(value, datetime):
                sheet.write_datetime(r, c, value)
            elif value is not None:
                sheet.write_number(r, c, value)


def write_xlsx(path: Path, sheets: dict[str, Table]) -> Path:
    """Write a plain workbook."""
    book = new_workbook(path)
    for name, table in sheets.items():
        fill_sheet(book.add_worksheet(name), table)
    book.close()
    return path


def write_ods(path: Path, sheets: dict[str, Table]) -> Path:
    """Write an OpenDocument spreadsheet with typed cells, padded at the right as LibreOffice does."""
    spaces = {"office": "office", "table": "table", "text": "text"}
    names = " ".join(f'xmlns:{p}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0"' for p, n in spaces.items())
    parts = [f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {names} office:version="1.3">']
    parts.append("<office:body><office:spreadsheet>")
    for name, table in sheets.items():
        parts.append(f'<table:table table:name="{escape(name)}">')
        for row in table:
            cells = "".join(_ods_cell(value) for value in row)
            parts.append(f'<table:table-row>{cells}<table:table-cell table:number-columns-repeated="6"/>')
            parts.append("</table:table-row>")
        parts.append('<table:table-row table:number-rows-repeated="3"><table:table-cell/></table:table-row>')
        parts.append("</table:table>")
    parts.append("</office:spreadsheet></office:body></office:document-content>")
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    entry = '<manifest:file-entry manifest:full-path="{}" manifest:media-type="{}"/>'
    manifest = (
        '<?xml version="1.0" encoding="UTF-8"?><manifest:manifest manifest:version="1.3" '
        'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f"{entry.format('/', kind)}{entry.format('content.xml', 'text/xml')}</manifest:manifest>"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:  # mimetype comes first and is not compressed
        for member, text in (("mimetype", kind), ("content.xml", "".join(parts)), ("META-INF/manifest.xml", manifest)):
            how = zipfile.ZIP_STORED if member == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(member, (2024, 1, 1, 0, 0, 0)), text, compress_type=how)
    return path


def _ods_cell(value: Cell) -> str:
    """One typed cell of an OpenDocument sheet."""
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, str):
        kind, shown = 'office:value-type="string"', escape(value)
    elif isinstance(value, datetime):
        kind = f'office:value-type="date" office:date-value="{value.isoformat()}"'
        shown = value.strftime("%d/%m/%Y %H:%M:%S")
    else:
        kind, shown = f'office:value-type="float" office:value="{value}"', number(value, ",")
    return f"<table:table-cell {kind}><text:p>{shown}</text:p></table:table-cell>"


# --- what people searched for -----------------------------------------------------------------------------------------


def phrases(*lines: str) -> list[list[str]]:
    """Five ways to ask for each topic."""
    return [line.split(" / ") for line in lines]


GERMAN = phrases(
    "wärmepumpe altbau / wärmepumpe kosten / luftwärmepumpe erfahrungen / förderung heizung / wärmepumpe lautstärke db",
    "höhenkrankheit / höhenkrankheit vorbeugen / akklimatisation anden / kopfweh ab 3000 m / bergsteigen tabletten",
    "bienensterben ursachen / wildbienen garten / neonicotinoide verbot / bienenfreundliche pflanzen / varroa milbe",
    "mietvertrag kündigen / kündigungsfrist wohnung / nachmieter stellen / kaution zurück / übergabeprotokoll muster",
    "sauerteig ansetzen / roggenbrot rezept / sauerteig füttern / brot ohne hefe / anstellgut aufbewahren",
)
US_ENGLISH = phrases(
    "hail damage roof / roof insurance claim / hail size chart / cost to replace shingles / roof inspection checklist",
    "college savings plan / 529 plan rules / college fund tax / unused 529 money / best 529 plans by state",
    "trail running shoes / trail shoes wide feet / rock plate shoes / waterproof trail runners / shoes for mud",
    "sleep apnea test / home sleep study / cpap alternatives / snoring vs apnea / sleep apnea symptoms",
    "rain barrel laws / rainwater harvesting diy / rain barrel legal states / first flush diverter / mosquito barrel",
)
UK_ENGLISH = phrases(
    "damp in cellar / rising damp treatment / cellar tanking cost / damp proof course / mould on basement wall",
    "allotment waiting list / council allotments / share an allotment / allotment rules sheds / grow veg small plot",
    "night train to scotland / sleeper cabin price / london to fort william overnight / sleeper dogs allowed / seat",
    "tinnitus causes / ringing in ears remedy / tinnitus and stress / white noise tinnitus / hearing test nhs",
)
FRENCH = phrases(
    "canicule ville / îlots de chaleur / végétaliser une cour / arbres et température / toits blancs efficacité",
    "vélo électrique / prime vélo / autonomie batterie vélo / vélo cargo famille / assurance vélo électrique",
    "tableaux volés / vols dans les musées / art volé retrouvé / marché noir de l'art / sécurité musée",
    "allergie au pollen / désensibilisation / pollen de bouleau / rhume des foins traitement / calendrier pollinique",
)
DUTCH = phrases(
    "zeespiegelstijging / dijken verhogen / deltaplan kosten / stormvloedkering / overstroming kans",
    "tulpenmanie / geschiedenis tulp / tulpenbollen prijs 1637 / eerste beurscrash / bollenhandel",
    "fietsenstalling station / ov-fiets huren / fiets gestolen aangifte / bewaakte stalling prijs / fietsdiefstal",
)
SPANISH = phrases(
    "sequía embalses / agua desaladora / nivel de los embalses / riego por goteo / trasvase ríos",
    "aceite de oliva / precio aceite oliva / aceite virgen extra / cosecha aceituna / fraude aceite",
    "camino de santiago / etapas camino francés / albergues camino / mochila peso camino / camino en invierno",
    "lince ibérico / reintroducción lince / atropellos lince / conejos y lince / población lince censo",
    "teletrabajo ley / gastos teletrabajo / derecho a desconexión / contrato a distancia / productividad en casa",
)
FINNISH = phrases(
    "revontulet / revontuliennuste / milloin revontulia näkyy / revontulien kuvaus / aurinkomyrsky",
    "hirvikolari / hirvivaroitus / kolarin jälkeen / hirviaita tiellä / hirvien määrä",
    "saunan kiuas / kiuaskivien vaihto / sähkökiuas teho / löylyn kosteus / puukiuas piippu",
    "järven sinilevä / sinilevä myrkyllinen / levätilanne / vesien rehevöityminen / voiko uida levässä",
)
PORTUGUESE = phrases(
    "cortiça produção / sobreiro descortiçamento / rolhas de cortiça / cortiça isolamento / preço da cortiça",
    "incêndios florestais / eucalipto e fogo / limpeza de terrenos / faixas de gestão / causas dos incêndios",
    "azulejos antigos / roubo de azulejos / restaurar azulejos / história do azulejo / museu do azulejo",
    "ondas gigantes / canhão da nazaré / surf recorde onda / previsão de ondas / fundo do mar nazaré",
)
ITALIAN = phrases(
    "acqua alta venezia / mose paratoie / maree venezia previsioni / subsidenza laguna / costo del mose",
    "parmigiano stagionatura / latte crudo formaggio / caseifici visita / contraffazione formaggi / forme marchiate",
    "terremoto sicurezza / zone sismiche / casa antisismica / sisma bonus / cosa fare terremoto",
    "tartufo bianco / cani da tartufo / licenza tartufi / prezzo tartufo / tartufaia coltivata",
)
ENGLISH_REMARKS = (
    'Found it "almost" at once, then got lost; would not use it again.',
    "Slow today, a bit confusing; the filters kept resetting.",
    "Participant asked for a break\nafter the second query,\nthen continued",
    'Said: "why is this one on top?"',
    "fine",
    "Too many old pages, e.g. from 2009 | 2011",
)
PORTUGUESE_REMARKS = ("correu bem", "muito lento; desisti", 'disse: "não percebo"', "resultados antigos, mas úteis")


def named(names: Sequence[str], lists: list[list[str]]) -> dict[str, list[str]]:
    """Topics under the keys that the sheet uses."""
    return dict(zip(names, lists, strict=True))


# --- ordinary sheets --------------------------------------------------------------------------------------------------


def german_semicolons() -> StudySheet:
    """A CSV file as German Excel saves it."""
    users = [f"VP{i:02d}" for i in range(1, 9)]
    topics = named(["Heizung", "Anden", "Bienen", "Miete"], GERMAN[:4])
    study = simulate(
        113, users, topics, ["Standard", "Facetten"], lambda n: f"DOK-{n:04d}", datetime(2023, 5, 8, 9),
        max_grade=2, step=0.1,
    )  # fmt: skip
    words = ["nicht relevant", "teilweise relevant", "relevant"]
    header = ["Versuchsperson", "Aufgabe", "System", "Anfrage-Nr.", "Anfrage", "Rang", "Dokument", "Klick"]
    table: Table = [[*header, "Verweildauer (s)", "Relevanz"]]
    for s, q, h in study.lines():
        row: list[Cell] = [s.user, s.topic, s.system, q.position, q.text]
        if h is None:
            table.append([*row, "-", "keine Treffer", "-", "-", "-"])
            continue
        grade = study.judged.get((s.topic, h.doc))
        word = "k.A." if grade is None else words[grade]
        table.append([*row, h.rank, h.doc, "ja" if h.clicks else "nein", number(h.dwell, ","), word])
    return StudySheet(
        "german_semicolons",
        "one CSV, semicolons, Windows-1252, decimal commas, word grades in the results, 'k.A.' and 'keine Treffer'",
        lambda folder: [write_text(folder / "Suchprotokoll.csv", table, ";", "cp1252")],
        2,
        read_off(study, study.judged_and_shown()),
    )


def us_three_sheets() -> StudySheet:
    """A tidy workbook: sessions, search log and relevance."""
    users = [f"P{i:02d}" for i in range(1, 11)]
    study = simulate(
        202, users, named(["1", "2", "3", "4"], US_ENGLISH[:4]), ["Baseline", "Treatment"], lambda n: f"{n:06d}",
        datetime(2024, 2, 5, 10), max_grade=3, step=0.001,
        ratings={"Satisfaction (1-7)": 7, "Difficulty (1-7)": 7}, user_range={"Age": (19, 61)},
    )  # fmt: skip
    sessions: Table = [["Participant", "Age", "Task", "System", "Start Time", "Satisfaction (1-7)", "Difficulty (1-7)"]]
    for s in study.sessions:
        age, satisfaction, difficulty = s.extras.values()
        sessions.append([s.user, age, int(s.topic), s.system, s.started_at, satisfaction, difficulty])
    log: Table = [["Participant", "Task", "Query #", "Query", "Rank", "Document ID", "Clicked", "Dwell Time (ms)"]]
    for s, q, h in study.lines():
        row: list[Cell] = [s.user, int(s.topic), q.position, q.text]
        if h:
            row += [h.rank, h.doc, "Yes" if h.clicks else "No", None if h.dwell is None else round(h.dwell * 1000)]
        log.append(row)
    grades: Table = [["Task", "Document ID", "Grade (0-3)"]]
    grades += [[int(topic), doc, grade] for (topic, doc), grade in study.judged.items()]
    return StudySheet(
        "us_three_sheets",
        "three sheets of one workbook, real Excel dates, dwell in ms, document ids with leading zeros",
        lambda folder: [
            write_xlsx(folder / "UserStudy_Data.xlsx", {"Sessions": sessions, "Search Log": log, "Relevance": grades})
        ],
        3,
        read_off(study, study.judged, started=True),
    )


def french_per_participant() -> StudySheet:
    """A folder with one CSV file for each participant, and a file of judgments."""
    users = [f"P{i}" for i in range(1, 8)]
    topics = named(["canicule", "vélo", "musées", "pollen"], FRENCH)
    study = simulate(
        303, users, topics, [""], lambda n: f"art_{n}.html", datetime(2022, 11, 14, 9), max_grade=3, most_clicks=3
    )
    words = ["non pertinent", "peu pertinent", "pertinent", "très pertinent"]
    header = ["Participant", "Tâche", "N° requête", "Requête", "Rang", "Document", "Clics", "Durée de lecture (min:s)"]
    tables: dict[str, Table] = {user: [list(header)] for user in users}
    for s, q, h in study.lines():
        row: list[Cell] = [s.user, s.topic, q.position, q.text]
        if h is None:
            tables[s.user].append([*row, "", "aucun résultat", "", ""])
        else:
            time = "" if h.dwell is None else f"{int(h.dwell) // 60:02d}:{int(h.dwell) % 60:02d}"
            tables[s.user].append([*row, h.rank, h.doc, h.clicks, time])
    grades: Table = [["Tâche", "Document", "Pertinence"]]
    grades += [[topic, doc, words[grade]] for (topic, doc), grade in study.judged.items()]

    def write(folder: Path) -> list[Path]:
        for user, table in tables.items():
            write_text(folder / "participants" / f"{user}.csv", table, ";", "utf-8-sig")
        return [folder / "participants", write_text(folder / "jugements.csv", grades, ";", "utf-8-sig")]

    habits = "one file per participant in a folder, BOM, click counts, dwell as mm:ss, word grades in their own file"
    return StudySheet("french_per_participant", habits, write, 3, read_off(study, study.judged, system=False))


def dutch_file_per_session() -> StudySheet:
    """A logger that writes one file for each session and counts from 0."""
    users = [f"pp{i:02d}" for i in range(1, 10)]
    study = simulate(
        404, users, named(["taak1", "taak2", "taak3"], DUTCH), [""], lambda n: f"nl-{n:05d}",
        datetime(2023, 9, 18, 9), max_grade=2,
    )  # fmt: skip
    tables: dict[str, Table] = {}
    for s, q, h in study.lines():
        header = ["zoekvraag_nr", "zoekvraag", "positie", "document", "geklikt", "leestijd_s"]
        table = tables.setdefault(f"{s.user}_{s.topic}.tsv", [list(header)])
        row: list[Cell] = [q.position - 1, q.text]
        table.append([*row, "-", "-", "-", "-"] if h is None else [*row, h.rank - 1, h.doc, h.clicks, number(h.dwell)])
    grades: Table = [["taak", "document", "relevantie"]]
    grades += [[topic, doc, grade] for (topic, doc), grade in study.judged.items()]

    def write(folder: Path) -> list[Path]:
        for name, table in tables.items():
            write_text(folder / "sessies" / name, table, "\t")
        return [folder / "sessies", write_text(folder / "relevantie.tsv", grades, "\t")]

    habits = "one TSV per session, participant and task only in the file name, queries and ranks counted from 0"
    return StudySheet("dutch_file_per_session", habits, write, 2, read_off(study, study.judged, system=False))


def spanish_two_weeks() -> StudySheet:
    """One table in two files; the dates of the first week could be read month first."""
    users = [f"{i:02d}" for i in range(1, 13)]
    topics = named(["T1", "T2", "T3", "T4", "T5"], SPANISH)
    start = datetime(2024, 3, 7, 9)
    study = simulate(
        505, users, topics, ["BuscaUni"], lambda n: f"DOC{n:03d}", start, max_grade=3, step=0.1, clock=60,
        session_id=lambda n: f"{n:04d}",
    )  # fmt: skip
    # March 7 and 8 are Thursday and Friday of the first week; the rest came on Wednesday and Thursday of the second.
    late = [timedelta(days=4 if s.started_at.day > 8 else 0) for s in study.sessions]
    moved = [replace(s, started_at=s.started_at + days) for s, days in zip(study.sessions, late, strict=True)]
    study = replace(study, sessions=moved)
    header: list[Cell] = ["id_sesion", "participante", "tarea", "sistema", "inicio", "n_consulta", "consulta"]
    header += ["posicion", "documento", "clic", "tiempo_lectura_seg"]
    weeks: dict[int, Table] = {1: [header], 2: [header]}
    for s, q, h in study.lines():
        started = s.started_at.strftime("%d/%m/%Y %H:%M")
        row: list[Cell] = [s.session_id, s.user, s.topic, s.system, started, q.position, q.text]
        row += ["", "sin resultados", "", ""] if h is None else [h.rank, h.doc, "Sí" if h.clicks else "No"]
        weeks[1 if s.started_at.day <= 8 else 2].append([*row, number(h.dwell)] if h else row)
    grades: Table = [["tarea", "documento", "relevancia"]]
    grades += [[topic, doc, grade] for (topic, doc), grade in study.judged.items()]

    def write(folder: Path) -> list[Path]:
        paths = [write_text(folder / f"semana_{week}.csv", table, ",") for week, table in weeks.items()]
        return [*paths, write_text(folder / "juicios.csv", grades, ",")]

    return StudySheet(
        "spanish_two_weeks",
        "one table in two files (weeks), own session ids and participants with leading zeros, day-first dates, "
        "a constant system",
        write,
        3,
        read_off(study, study.judged, started=True),
    )


def finnish_unicode_text() -> StudySheet:
    """Excel's "Unicode text" without query numbers, and a wide final questionnaire."""
    users = [f"K{i}" for i in range(1, 9)]
    keys = ["T1", "T2", "T3", "T4"]
    study = simulate(
        606, users, named(keys, FINNISH), ["A", "B"], lambda n: f"fi{n:04d}", datetime(2023, 1, 16, 9), max_grade=3,
        step=0.5, ratings={"tyytyväisyys": 5, "vaikeus": 5}, user_range={"Ikä": (20, 67)},
    )  # fmt: skip
    log: Table = [["Osallistuja", "Tehtävä", "Järjestelmä", "Kysely", "Sija", "Dokumentti", "Klikattu", "Lukuaika (s)"]]
    for s, q, h in study.lines():
        row: list[Cell] = [s.user, s.topic, s.system, q.text]
        if h is None:
            log.append([*row, "", "", "", ""])
        else:
            log.append([*row, h.rank, h.doc, "kyllä" if h.clicks else "ei", number(h.dwell, ",")])
    grades: Table = [["Tehtävä", "Dokumentti", "Relevanssi"]]
    grades += [[topic, doc, grade] for (topic, doc), grade in study.judged.items()]
    by_key = {(s.user, s.topic): s.extras for s in study.sessions}
    wide: Table = [["Osallistuja", "Ikä", *(f"{key} {item}" for key in keys for item in ("tyytyväisyys", "vaikeus"))]]
    for user in users:
        age = next(s.extras["Ikä"] for s in study.sessions if s.user == user)
        answers = [by_key.get((user, key), {}).get(item) for key in keys for item in ("tyytyväisyys", "vaikeus")]
        wide.append([user, age, *answers])
    return StudySheet(
        "finnish_unicode_text",
        "UTF-16 tab-separated .txt, decimal commas, no query number (ranks restart), questionnaire with one row per "
        "participant",
        lambda folder: [
            write_text(folder / "hakuloki.txt", log, "\t", "utf-16"),
            write_text(folder / "relevanssi.txt", grades, "\t", "utf-16"),
            write_text(folder / "loppukysely.csv", wide, ";", "utf-8-sig"),
        ],
        3,
        read_off(study, study.judged),
    )


def portuguese_pipes() -> StudySheet:
    """Pipes and minutes, with a questionnaire that has one row per participant and task."""
    users = ["Ana", "Bruno", "Carla", "Duarte", "Elsa", "Filipe", "Graça"]
    topics = named(["cortiça", "fogos", "azulejos", "ondas"], PORTUGUESE)
    study = simulate(
        719, users, topics, ["Lista", "Mosaico"], lambda n: f"https://arquivo.example/p/{n}",
        datetime(2022, 6, 6, 9), max_grade=2, step=0.6, ratings={"satisfação": 5, "dificuldade": 5},
    )  # fmt: skip
    noise = random.Random(708)
    words = ["não relevante", "parcialmente relevante", "relevante"]
    header = ["participante", "tarefa", "sistema", "consulta_n", "consulta", "posição", "documento", "clicou"]
    log: Table = [[*header, "tempo (min)"]]
    for s, q, h in study.lines():
        row: list[Cell] = [s.user, s.topic, s.system, q.position, q.text]
        if h is None:
            log.append([*row, "#N/A", "#N/A", "#N/A", "#N/A"])
        else:
            minutes = None if h.dwell is None else h.dwell / 60
            log.append([*row, h.rank, h.doc, "sim" if h.clicks else "não", number(minutes, ",", "#N/A")])
    answers: Table = [["participante", "tarefa", "satisfação", "dificuldade", "comentário"]]
    for s in study.sessions:
        remark = noise.choice(PORTUGUESE_REMARKS) if noise.random() < 0.4 else ""
        answers.append([s.user, s.topic, *s.extras.values(), remark])
        s.extras["comentário"] = remark or None
    grades: Table = [["tarefa", "documento", "relevância"]]
    grades += [[topic, doc, words[grade]] for (topic, doc), grade in study.judged.items()]
    return StudySheet(
        "portuguese_pipes",
        "pipes, dwell in minutes with decimal commas, '#N/A', questionnaire with one row per participant and task",
        lambda folder: [
            write_text(folder / "registo.txt", log, "|"),
            write_text(folder / "questionário.csv", answers, ";", "utf-8-sig"),
            write_text(folder / "avaliações.csv", grades, ";", "utf-8-sig"),
        ],
        2,
        read_off(study, study.judged),
    )


def italian_ods() -> StudySheet:
    """LibreOffice, with a title above each header and the queries in a sheet of their own."""
    users = [f"S{i:02d}" for i in range(1, 7)]
    topics = named(["Venezia", "Formaggio", "Terremoto", "Tartufo"], ITALIAN)
    study = simulate(
        808, users, topics, ["Vecchio", "Nuovo"], lambda n: f"it-{n:03d}", datetime(2023, 4, 3, 9),
        max_grade=2, step=0.5,
    )  # fmt: skip
    title: Table = [["Studio utenti – Biblioteca digitale, primavera 2023"]]
    searches: Table = [
        *title, ["Partecipante", "Compito", "Sistema", "N. ricerca", "Testo", "Data e ora", "N. risultati"]
    ]  # fmt: skip
    for s in study.sessions:
        for q in s.queries:
            searches.append([s.user, s.topic, s.system, q.position, q.text, q.issued_at, len(q.hits)])
    results: Table = [
        *title, ["Partecipante", "Compito", "N. ricerca", "Posizione", "Documento", "Clic", "Tempo di lettura (s)",
                 "Utilità per l'utente (0-2)"]
    ]  # fmt: skip
    for s, q, h in study.lines():
        if h:
            row: list[Cell] = [s.user, s.topic, q.position, h.rank, h.doc, "sì" if h.clicks else "no"]
            results.append([*row, h.dwell, h.user_grade])
    grades: Table = [*title, ["Compito", "Documento", "Rilevanza"]]
    grades += [[topic, doc, grade] for (topic, doc), grade in study.judged.items()]
    return StudySheet(
        "italian_ods",
        "three sheets of an .ods, a title row above each header, queries in their own sheet (0 results = empty list), "
        "real dates",
        lambda folder: [
            write_ods(folder / "studio.ods", {"Ricerche": searches, "Risultati": results, "Giudizi": grades})
        ],
        2,
        read_off(study, study.judged, issued=True, user_grade=True),
    )


def uk_long_questionnaire() -> StudySheet:
    """A survey tool: everything quoted, one row per answer, remarks with line breaks."""
    users = [f"R_{i}" for i in (1041, 1042, 1045, 1046, 1050, 1051, 1053, 1060)]
    study = simulate(
        925, users, named(["Damp", "Allotment", "Sleeper", "Tinnitus"], UK_ENGLISH), ["Blue", "Green"],
        lambda n: f"page{n:03d}", datetime(2023, 10, 9, 9), max_grade=2, step=0.1,
        ratings={"Satisfaction": 7, "Ease of search": 7, "Confidence": 5},
    )  # fmt: skip
    noise = random.Random(910)
    log: Table = [
        ["Participant", "Task", "Interface", "Query no", "Query", "Query time", "Rank", "Page", "Clicked", "Seconds"]
    ]
    for s, q, h in study.lines():
        row: list[Cell] = [s.user, s.topic, s.system, q.position, q.text, q.issued_at.isoformat()]
        if h is None:
            log.append([*row, "n/a", "n/a", "n/a", "n/a"])
        else:
            log.append([*row, h.rank, h.doc, "Y" if h.clicks else "N", number(h.dwell, missing="n/a")])
    answers: Table = [["Participant", "Task", "Item", "Response", "Remark"]]
    for s in study.sessions:
        for item, value in s.extras.items():
            remark = noise.choice(ENGLISH_REMARKS) if noise.random() < 0.2 else ""
            answers.append([s.user, s.topic, item, "" if value is None else value, remark])
    grades: Table = [["Task", "Page", "Assessment"]]
    grades += [[topic, doc, "NPH"[grade]] for (topic, doc), grade in study.judged.items()]
    return StudySheet(
        "uk_long_questionnaire",
        "everything quoted, one long questionnaire (one row per answer) with remarks that break lines, grades H/P/N, "
        "ISO times",
        lambda folder: [
            write_text(folder / "search_log.csv", log, ",", quote_all=True),
            write_text(folder / "questionnaire_long.csv", answers, ",", quote_all=True),
            write_text(folder / "assessments.csv", grades, ",", quote_all=True),
        ],
        2,
        read_off(study, study.judged, issued=True),
    )


# --- nasty sheets -----------------------------------------------------------------------------------------------------


def german_merged_headers() -> StudySheet:
    """A workbook made for printing: title, merged two-row header, blocks, a row of totals."""
    users = [f"Proband {i}" for i in range(1, 7)]
    topics = named(["A", "B", "C", "D"], GERMAN[1:])
    study = simulate(
        1020, users, topics, ["alt", "neu"], lambda n: f"D{n}", datetime(2021, 6, 7, 9), max_grade=2, step=0.5
    )
    upper = ["Teilnehmer", "Aufgabe", "System", "Suche", None, "Trefferliste", None, "Verhalten", None, "Relevanz"]
    lower = [None, None, None, "Nr.", "Suchtext", "Rang", "Dokument", "Klick", "Dauer (s)", "(0-2)"]
    body: Table = []
    clicks, seconds = 0, 0.0
    previous = users[0]
    for s, q, h in study.lines():
        if s.user != previous:  # a blank row between the blocks of two participants
            body.append([])
            previous = s.user
        row: list[Cell] = [s.user, s.topic, s.system, q.position, q.text]
        if h is None:
            body.append([*row, None, "keine Treffer"])
            continue
        grade = study.judged.get((s.topic, h.doc))
        body.append([*row, h.rank, h.doc, "x" if h.clicks else None, h.dwell, "-" if grade is None else grade])
        clicks, seconds = clicks + h.clicks, seconds + (h.dwell or 0.0)
    body.append([])
    body.append(["Summe", None, None, None, None, None, None, clicks, round(seconds, 1)])

    def write(folder: Path) -> list[Path]:
        path = folder / "Auswertung_Studie2.xlsx"
        book = new_workbook(path)
        sheet = book.add_worksheet("Tabelle1")
        bold = book.add_format({"bold": True, "align": "center", "valign": "vcenter", "bg_color": "#DDDDDD"})
        sheet.merge_range(0, 0, 0, 9, "Nutzerstudie 2 – Suchverhalten (Sommersemester 2021)", bold)
        for column, (first, second) in enumerate(zip(upper, lower, strict=True)):
            if second is None:
                sheet.merge_range(2, column, 3, column, first, bold)
            else:
                sheet.write_string(3, column, second, bold)
        for column in (3, 5, 7):
            sheet.merge_range(2, column, 2, column + 1, upper[column], bold)
        sheet.write_string(2, 9, str(upper[9]), bold)
        fill_sheet(sheet, body, top=4)
        for r in range(2, 4):  # formatted but empty columns at the right
            for c in range(10, 13):
                sheet.write_blank(r, c, None, bold)
        book.close()
        return [path]

    return StudySheet(
        "german_merged_headers",
        "title row, merged two-row header, clicks marked with x, blank rows between blocks, a totals row, empty "
        "columns at the right",
        write,
        2,
        read_off(study, study.judged_and_shown()),
    )


def us_everything() -> StudySheet:
    """One sheet with everything, including typing errors and remarks."""
    users = [str(i) for i in range(101, 110)]
    study = simulate(
        1111, users, named(["Roof", "College", "Shoes", "Rain"], [*US_ENGLISH[:3], US_ENGLISH[4]]), ["X", "Y"],
        lambda n: f"http://site{n % 7}.example.com/{n}?ref=a,b", datetime(2024, 2, 12, 9), max_grade=3, step=0.01,
        session_id=lambda n: f"S-{n:03d}", ratings={"Satisfaction": 7},
    )  # fmt: skip
    noise = random.Random(1112)
    errors = {  # the n-th click and the cell that went wrong
        9: ("Dwell (sec)", "x7"), 23: ("User Rating", "q1w"), 41: ("Dwell (sec)", "4w#1"),
        58: ("User Rating", "?!"), 77: ("Dwell (sec)", ".,"),
    }  # fmt: skip
    header: list[Cell] = ["Session ID", "Participant", "Task", "System", "Session Start", "Query #", "Query", "Rank"]
    header += ["Doc ID", "Clicked", "Dwell (sec)", "Relevance", "User Rating", "Satisfaction", "Comments", "", ""]
    table: Table = [header]
    bad: list[tuple[str, int, str, str]] = []
    sessions: list[Session] = []
    clicked = 0
    for s in study.sessions:
        hour = s.started_at.strftime("%I").lstrip("0")
        start = f"{s.started_at.month}/{s.started_at.day}/{s.started_at.year} {hour}:{s.started_at:%M:%S %p}"
        remark = noise.choice(ENGLISH_REMARKS) if noise.random() < 0.4 else ""
        rating = s.extras["Satisfaction"]
        queries: list[Query] = []
        first = True
        for q in s.queries:
            head: list[Cell] = [s.session_id, s.user, s.topic, s.system, start, q.position, q.text]
            tail: list[Cell] = ["N/A" if rating is None else rating]
            hits: list[Hit] = []
            for hit in q.hits:
                dwell, opinion = number(hit.dwell), number(hit.user_grade)
                clicked += hit.clicks
                if hit.clicks and clicked in errors:
                    column, text = errors[clicked]
                    bad.append(("results", len(table), column, text))
                    if column == "Dwell (sec)":
                        dwell = text
                        hits.append(replace(hit, dwell=None))
                    else:
                        opinion = text
                        hits.append(replace(hit, user_grade=None))
                else:
                    hits.append(hit)
                grade = study.judged.get((s.topic, hit.doc), "N/A")
                cells: list[Cell] = [hit.rank, hit.doc, "TRUE" if hit.clicks else "FALSE", dwell, grade, opinion]
                table.append([*head, *cells, *tail, remark if first else "", "", ""])
                first = False
            if not q.hits:
                table.append([*head, *["N/A"] * 6, *tail, remark if first else "", "", ""])
                first = False
            queries.append(replace(q, hits=hits))
        sessions.append(replace(s, queries=queries, extras={**s.extras, "Comments": remark or None}))
    truth = read_off(replace(study, sessions=sessions), study.judged_and_shown(), started=True, user_grade=True)
    return StudySheet(
        "us_everything",
        "one CSV with everything, own session ids, US 12-hour times, two kinds of grades, typing errors, remarks "
        "that break lines, empty columns",
        lambda folder: [write_text(folder / "all_data_FINAL_v2.csv", table, ",")],
        3,
        replace(truth, bad_cells=bad),
    )


def german_messy() -> StudySheet:
    """Typed by hand: stray blanks, mixed case, thousands dots, errors, a row of totals, a query asked twice."""
    users = [f"{i:03d}" for i in range(1, 9)]
    topics = named(["Heizung", "Bienen", "Miete", "Brot"], [GERMAN[0], *GERMAN[2:]])
    study = simulate(
        1222, users, topics, ["Portal"], lambda n: f"{n:05d}", datetime(2020, 2, 3, 9), max_grade=2, step=0.001
    )
    sessions = _ask_again(study.sessions)
    noise = random.Random(1213)
    errors = {7: "x7", 30: "3q.k", 52: "zz"}  # the n-th click and what was typed as its dwell time
    words = [["nicht relevant", "Nicht relevant", "nicht relevant "], ["teilweise relevant", " teilweise relevant"]]
    words.append(["relevant", "Relevant", "relevant "])
    header = ["VP-Nr.", "Aufgabe", "System", "Suchanfrage", "Rang", "Dok.-Nr.", "angeklickt?", "Lesedauer (ms)"]
    table: Table = [[*header, "Bemerkung"]]
    bad: list[tuple[str, int, str, str]] = []
    read: list[Session] = []
    clicked, total = 0, 0
    for s in sessions:
        queries: list[Query] = []
        for q in s.queries:
            hits: list[Hit] = []
            for hit in q.hits:
                clicked += hit.clicks
                h = replace(hit, dwell=1083.52) if hit.clicks and clicked == 15 else hit  # away for a coffee
                time = noise.choice(["k.A.", "", "-"]) if h.dwell is None else _dots(round(h.dwell * 1000))
                if h.clicks and clicked in errors:
                    h, time = replace(hit, dwell=None), errors[clicked]
                    bad.append(("results", len(table), "Lesedauer (ms)", time))
                total += round((h.dwell or 0) * 1000)
                yes = noise.choice(["Ja", "ja", "ja ", "JA"]) if h.clicks else noise.choice(["Nein", "nein", " nein"])
                remark = noise.choice(["", "", "", "", "", "PDF; nur Auszug", 'Titel: "Ratgeber"'])
                who = s.user + (" " if noise.random() < 0.05 else "")
                task = (" " if noise.random() < 0.05 else "") + s.topic + (" " if noise.random() < 0.05 else "")
                text = q.text + (" " if noise.random() < 0.05 else "")
                table.append([who, task, s.system, text, h.rank, h.doc, yes, time, remark])
                hits.append(h)
            if not q.hits:
                table.append([s.user, s.topic, s.system, q.text, "", "keine Treffer", "", "", ""])
            queries.append(replace(q, hits=hits))
        read.append(replace(s, queries=queries))
    table.append(["Gesamt", "", "", "", "", "", str(clicked), _dots(total), ""])
    grades: Table = [["Aufgabe", "Dok.-Nr.", "Urteil"]]
    grades += [[topic, doc, noise.choice(words[grade])] for (topic, doc), grade in study.judged.items()]
    truth = read_off(replace(study, sessions=read), study.judged)
    return StudySheet(
        "german_messy",
        "stray blanks, mixed case of yes/no, ms with thousands dots, typing errors, totals row, no query number and "
        "a query asked twice in a session, ids with leading zeros",
        lambda folder: [
            write_text(folder / "Logdaten gesamt.csv", table, ";", "cp1252"),
            write_text(folder / "Urteile.csv", grades, ";", "cp1252"),
        ],
        2,
        replace(truth, bad_cells=bad),
    )


def _ask_again(sessions: list[Session]) -> list[Session]:
    """Let two participants go back to their first query after the second, without clicking again."""
    done: list[Session] = []
    left = 2
    for s in sessions:
        if left and len(s.queries) == 2 and all(len(q.hits) > 2 for q in s.queries):
            hits = [replace(h, clicks=0, dwell=None, user_grade=None) for h in s.queries[0].hits]
            again = replace(s.queries[0], position=3, hits=hits)
            done.append(replace(s, queries=[*s.queries, again]))
            left -= 1
        else:
            done.append(s)
    return done


def _dots(value: int) -> str:
    """A whole number with dots between the thousands."""
    return f"{value:,}".replace(",", ".")


SHEETS: tuple[StudySheet, ...] = (
    german_semicolons(), us_three_sheets(), french_per_participant(), dutch_file_per_session(), spanish_two_weeks(),
    finnish_unicode_text(), portuguese_pipes(), italian_ods(), uk_long_questionnaire(), german_merged_headers(),
    us_everything(), german_messy(),
)  # fmt: skip
