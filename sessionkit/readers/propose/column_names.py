"""What columns are called in the field: for each of our columns its usual names, the likeliest first.

Case, accents and what stands between words do not matter: ``SessionID``, ``session_id`` and ``session id`` are one name.
The names are English, and those of sheets in German, French, Spanish, Italian, Portuguese, Dutch, Finnish and Swedish.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from sessionkit.readers.judgments.graded import CORPUS, DOCUMENTS, GRADES, JUDGES, TEXTS, TOPICS

_USUAL = {
    "session_id": "session sid sessid sess sessionno sessionnr sessionnum sessionnumber sessionkey sessionuuid sessionhash "
    "searchsession gasessionid searchsessionid visitid visit conversationid conversation conversationno conversationnumber convid "
    "dialogueid dialogue dialogid dialog",
    "query_position": "qno queryno querynr querynum querynumber queryorder queryindex queryseq querypos queryrank qpos qnum qnr "
    "qidx qindex qorder queryordinal interaction interactionno interactionnum iteration turn turnno step round",
    "rank": "position pos resultrank resultposition resultpos resultno docrank docposition itemrank itemposition serprank "
    "serpposition displayrank rankposition ranking slot place ordinal",
    "doc_id": "uri link resulturl resultid resultdoc docurl docname documentno item product asin pmid doi isbn article articleid "
    "paper paperid page pageid pageurl passageid objectid entity documenturl shown",
    "user_id": "user userpseudoid uid participant participantid participantno subject subjectid searcher searcherid ppt person anonid "
    "worker workerid student username userhash usertoken member memberid clientid visitorid anonymousid distinctid deviceid client visitor "
    "cookie cookieid profileid accountid pid proband",
    "topic_id": "topic topicno topicnum topicnumber scenario scenarioid searchtask searchtaskid worktask simulatedtask task "
    "taskid informationneed needid assignment",
    "system_id": "system condition interface searchengine engine algorithm algo variant arm treatment ranker run runid runtag "
    "bucket experiment model ui version",
    "query_text": "query querystring searchquery searchtext searchstring searchterms searchterm keywords keyword userquery rawquery q "
    "qtext terms text",
    "query_id": "qid queryuuid searchid serpid",
    "session_order": "sessionposition taskorder taskposition taskno tasknumber trial order sequence task",
    "started_at": "start starttime started sessionstart startdate began begin begintime timestamp time datetime date",
    "ended_at": "end endtime ended sessionend finished finish stop",
    "duration_seconds": "durationsecs durationsec sessionseconds sessionsecs",
    "issued_at": "issued querytime querytimestamp searchtime timestamp time datetime ts eventtime servertime date createdat",
    "elapsed_seconds": "elapsed timeinsession secondssincestart relativetime seconds timestamp time",
    "score": "retrievalscore rsv bm25 similarity",
    "clicked": "click isclicked isclick wasclicked hasclick clickedyn opened isopened visited",
    "clicked_at": "clicktime clicktimestamp timeclicked clicked click",
    "click_elapsed_seconds": "clickelapsed clicktime",
    "dwell_seconds": "dwell dwelltime dwells dwellsecs dwelltimeseconds timeonpage readingtime viewtime secondsonpage",
    "clicks": "clickcount nclicks numclicks click clicked",
    "examined": "viewed seen fixated looked inspected",
    "saved": "bookmarked bookmark marked save",
    "known": "familiar knownbefore",
    "user_grade": "userrelevance userrating perceivedrelevance searchergrade selfassessment usefulness userjudgment",
    "words": "wordcount doclength doclen nwords numwords",
    "grade": "relevancegrade relevancelevel rellevel relevancelabel relgrade qrel usefulness stars relevant",
    "subtopic_id": "subtopic aspect aspectid facet intent nugget",
    "passage_id": "passage",
    "nugget_id": "",
    "judge_id": "coder",
    "results_status": "",
    "judgment_key": "",
    "event": "action eventtype eventname actionname actiontype activity type kind",
    "event_order": "sequence seq seqno seqnr sequenceno sequencenumber eventno eventnr eventnumber eventindex eventseq logindex",
    "time": "timestamp eventtimestamp datetime ts eventtime servertime date createdat",
    "results": "resultlist shownresults resultids documents serp hits",
    "results_count": "nresults numresults resultcount hitcount",
}
_ABROAD = {
    "event": "ereignis ereignistyp aktion aktionstyp evenement typeevenement evento tipoevento tipo accion azione acao gebeurtenis "
    "actie tapahtuma toiminto handelse",
    "session_id": "sitzung sitzungsnummer sitzungsid suchsitzung seance sesion idsesion sessione sessao sessie sessio istunto "
    "hakuistunto sokning soksession",
    "rank": "rang rangplatz trefferrang trefferposition platz rangs posicion rango orden posizione posto posicao ordem positie "
    "rangnummer plek sija sijoitus plats placering rangordning",
    "doc_id": "dokument dokumentid doknr dokumentnr dokumentname treffer seite webseite artikel docs documents fichier lien "
    "documento enlace pagina articulo iddocumento ficha collegamento articolo artigo ligacao documentnr resultaat "
    "dokumentti asiakirja sivu linkki dokumentet sida lank",
    "user_id": "versuchsperson vp vpnr vpn vpid teilnehmer teilnehmerin teilnehmernr nutzer nutzerid benutzer testperson "
    "probandin probandnr person personid sujet utilisateur participante usuario sujeto partecipante soggetto utente "
    "utilizador sujeito deelnemer deelnemernr proefpersoon ppn pp gebruiker osallistuja osallistujanumero koehenkilo "
    "kayttaja deltagare deltagarnr forsoksperson anvandare",
    "topic_id": "aufgabe aufgabennr suchaufgabe thema szenario tache sujetderecherche theme scenariu tarea tema escenario compito "
    "argomento attivita tarefa topico taak zoektaak onderwerp opdracht tehtava hakutehtava aihe uppgift sokuppgift amne",
    "system_id": "systeme interfaz sistema bedingung suchsystem suchmaschine oberflache variante moteur systemes condicion "
    "condizione condicao buscador motore systeem conditie zoekmachine jarjestelma kayttoliittyma hakukone ehto betingelse "
    "villkor sokmotor gransnitt",
    "query_text": "anfrage suchanfrage suchtext suche suchbegriff suchbegriffe suchworte abfrage anfragetext requete "
    "textederequete recherche consulta busqueda textodebusqueda textoconsulta ricerca testo testoricerca interrogazione "
    "pesquisa textodaconsulta zoekvraag zoekopdracht zoekterm zoektermen haku kysely hakulause hakusanat sokfraga "
    "sokning sokord fraga",
    "session_order": "reihenfolge aufgabenfolge ordre ordine volgorde jarjestys ordning",
    "started_at": "sessionstarttime beginn startzeit anfang debut heuredebut inicio horainicio inizio orainizio inicioem "
    "starttijd aanvang alku aloitus alkuaika borjan starttid",
    "ended_at": "ende endzeit fin heurefin horafin fine orafine fim eindtijd einde loppu lopetus slut sluttid",
    "issued_at": "zeit zeitpunkt zeitstempel uhrzeit datum horodatage heure date fecha hora fechayhora dataeora data ora datahora "
    "datumentijd tijdstip aikaleima aika kellonaika tidpunkt tid datumochtid querystart",
    "clicked": "klick angeklickt geklickt geoffnet aufgerufen ouvert abierto aperto aberto geopend avattu oppnad "
    "clic clique cliquee clicado clicou cliccato selezionato geklikt "
    "aangeklikt klikkaus klikattu klickad klickat",
    "dwell_seconds": "verweildauer lesedauer lesezeit dauer zeit betrachtungsdauer dureedelecture tempsdelecture duree temps "
    "tempspasse tiempolectura tiempodelectura tiempo duracion tempodilettura tempo durata tempodeleitura duracao leestijd "
    "verblijftijd tijd lukuaika viipymisaika kesto lastid visningstid seconds",
    "clicks": "klicks anzahlklicks nombredeclics clics clicks cliques klikken klikkaukset",
    "user_grade": "nutzerurteil selbsteinschatzung",
    "grade": "relevanz relevanzurteil relevanzgrad urteil bewertung note pertinence jugement relevancia juicio rilevanza giudizio "
    "pertinenza voto avaliacao nota relevantie oordeel beoordeling relevanssi arvio relevans bedomning assessment judgement "
    "usefulness nutzlichkeit utilite utilidad utilita utilidade bruikbaarheid hyodyllisyys nytta",
    "results_count": "anzahltreffer trefferzahl nombrederesultats nresultados nrisultati numerorisultati aantalresultaten "
    "tulosmaara antaltraffar",
}
"""Names in other languages, without accents."""
NUMBERED = (
    "query requery search anfrage suchanfrage suche abfrage requete recherche consulta busqueda ricerca interrogazione "
    "pesquisa zoekvraag zoekopdracht haku kysely sokfraga sokning fraga"
)
"""Words for a query, which with a number are its position."""
NUMBERS = ("nr", "no", "n", "nro", "num", "nummer", "numero", "number")
_OF_CONDITIONS = (
    "group groups cohort bucket arm variant variants variation condition treatment ab abtest experiment experimental exp interface ui "
    "version layout design mode ranker model algorithm algo engine system gruppe versuchsgruppe testgruppe groupe grupo gruppo groep "
    "ryhma grupp bedingung versuchsbedingung variante ehto villkor condizione condicion condicao conditie"
)
CONDITIONS = frozenset(_OF_CONDITIONS.split())
"""Words in the name of a column that may say under which condition a session was."""
TRAITS = {"age", "alter", "gender", "sex", "user", "topic", "task", "doc", "result", "document"}
"""Words in a name that say that a group is of something else."""
_LEVELS = (
    "a b c d e control treatment treated test baseline experimental experiment variant variation old new alt neu kontrolle "
    "kontrollgruppe control1 temoin ancien nouveau viejo nuevo vecchio nuovo"
)
LEVELS_OF_CONDITIONS = frozenset(_LEVELS.split())
"""What conditions are called, in small letters."""
SEARCHERS = {
    "user",
    "users",
    "searcher",
    "participant",
    "nutzer",
    "benutzer",
    "teilnehmer",
    "proband",
    "utilisateur",
    "participante",
    "usuario",
    "utente",
    "partecipante",
    "utilizador",
    "gebruiker",
    "deelnemer",
    "kayttaja",
    "osallistuja",
    "anvandare",
    "deltagare",
    "self",
}
"""Words that say of a grade that the searcher gave it."""
OF_SEARCHERS = ("user_grade", "grade", "user_id")
"""Columns of ours that a grade which the searcher gave could be taken for."""
PERSON = "pid"
"""The product or passage of a table of judgments, but the participant of a log."""
_OTHERS = {
    "query_position": [
        name for word in NUMBERED.split() for number in NUMBERS for name in (word + number, number + word)
    ],
    "doc_id": [name for name in DOCUMENTS if name not in (CORPUS, PERSON)],
    "query_text": TEXTS,
    "topic_id": [name for name in TOPICS if "quer" not in name and name != "qid"],
    "query_id": [name for name in TOPICS if "quer" in name or name == "qid"],
    "grade": GRADES,
    "judge_id": JUDGES,
}
"""Names that readers of judgments know."""
LIKELY = 0.5
"""How much a name must be like one of ours to be a usual one: such a column is not asked about, but for others like it."""
NEUTRAL = (
    "id", "ids", "no", "nr", "n", "num", "number", "nummer", "numero", "nro", "code", "key", "name", "hash", "uuid",
    "s", "sec", "secs", "seconds", "sek", "seg", "sekunden", "segundos", "secondi", "secondes", "ms", "msec", "millis",
    "milliseconds", "min", "minutes", "h", "y", "yes", "ja", "nein", "nee", "nej", "oui", "non", "si", "sim", "nao", "kylla", "ei",
)  # fmt: skip
"""Words at the end of a name that do not say what it is of."""
FILLERS = {
    "in",
    "of",
    "the",
    "per",
    "der",
    "des",
    "de",
    "du",
    "la",
    "le",
    "del",
    "di",
    "della",
    "da",
    "do",
    "van",
    "het",
    "i",
}
"""Words within a name that do not say what it is of."""


def plain(name: str) -> str:
    """Return a name without accents, with signs for a number as words.

    >>> plain("Durée"), plain("Query #"), plain("N° requête")
    ('Duree', 'Query no', 'No requete')
    """
    marked = re.sub(r"[nN][°º]", lambda sign: f"{sign[0][0]}o", name).replace("#", "no").replace("№", "no")
    return "".join(sign for sign in unicodedata.normalize("NFKD", marked) if not unicodedata.combining(sign))


def folded(name: str) -> str:
    """Return a name without case and accents and without what stands between words.

    >>> folded("Session ID"), folded("docNo."), folded("Tâche")
    ('sessionid', 'docno', 'tache')
    """
    return re.sub(r"[\W_]+", "", plain(name)).casefold()


USUAL: dict[str, tuple[str, ...]] = {
    ours: tuple(
        dict.fromkeys(
            [folded(ours), *names.split(), *map(folded, _OTHERS.get(ours, ())), *_ABROAD.get(ours, "").split()]
        )
    )
    for ours, names in _USUAL.items()
}
"""For each of our columns its usual names, folded."""
EVERY = frozenset(name for names in USUAL.values() for name in names)
"""All usual names, folded."""


def words(name: str) -> list[str]:
    """Return the words of a name.

    >>> words("resultDocURL_2")
    ['result', 'doc', 'url', '2']
    """
    return [part.casefold() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+", plain(name))]


@lru_cache(maxsize=50_000)
def likeness(name: str, ours: str) -> float:
    """Return how much a column's name is one of ours: 1 where it is usual, less for a rarer name or a part of one, else 0.

    >>> likeness("SessionID", "session_id"), likeness("grade", "rank")
    (1.0, 0.0)
    >>> 0 < likeness("lab session", "session_id") < 0.5 < likeness("subject no.", "user_id") < likeness("qno", "query_position")
    True
    >>> likeness("user age", "user_id"), likeness("relevance to the user", "user_grade")
    (0.0, 0.6)
    """
    usual, given = USUAL[ours], folded(name)
    if given in usual:
        return 1.0 - 0.4 * usual.index(given) / len(usual)
    parts = words(name)
    if ours in OF_SEARCHERS and SEARCHERS & set(parts) and set(USUAL["grade"]) & set(parts):
        return 0.6 if ours == "user_grade" else 0.0
    while len(parts) > 1 and (parts[-1] in NEUTRAL or parts[-1].isdigit()):
        parts = parts[:-1]
    bare = [part for at, part in enumerate(parts) if part not in FILLERS or at == 0]
    if "".join(parts) in usual or "".join(bare) in usual:
        return 0.55
    # what a name is of stands at its end: a "lab session" is a session, the "user age" is no user
    ends = ["".join(parts[-size:]) for size in (3, 2, 1) if size <= len(parts)]
    often = {*usual[:12], *_ABROAD.get(ours, "").split()}
    return 0.3 if any(end in often for end in ends if len(end) > 2) else 0.0
