"""What columns are called in the field: for each of our columns its usual names, the likeliest first.

Case, accents and what stands between words do not matter: ``SessionID``, ``session_id`` and ``session id`` are one name.
The names are English, and those of sheets in German, French, Spanish, Italian, Portuguese, Dutch, Finnish, Swedish, Chinese
and Japanese.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from sessionkit.readers.judgments.tables import CORPUS, DOCUMENTS, GRADES, JUDGES, TEXTS, TOPICS

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
_EAST_ASIAN = {
    "session_id": "会话 会话编号 会话id 会话号 会话标识 对话 对话编号 對話 會話 會話編號 セッション セッションid セッション番号 対話",
    "query_position": "查询序号 查询编号 查询次序 查询顺序 查询号 检索序号 检索次序 查詢序號 轮次 查询轮次 "
    "クエリ番号 クエリ順 クエリ順序 検索番号 "
    "検索順 検索回 質問番号 ターン",
    "rank": "排名 排序 位置 名次 结果排名 结果位置 结果序号 位次 順位 ランク 検索順位 表示順位 結果順位 掲載順位",
    "doc_id": "文档 文档编号 文档id 文档号 文献 文献编号 网页 网址 链接 结果 结果id 文檔 文檔編號 商品 "
    "商品编号 文書 文書id 文書番号 ドキュメント "
    "ドキュメントid ページ リンク 記事 記事id 商品id",
    "user_id": "用户 用户编号 用户id 用户号 被试 被试编号 被试号 参与者 参与者编号 受试者 受试者编号 学号 "
    "用戶 用戶編號 参加者 参加者id 参加者番号 "
    "被験者 被験者id 被験者番号 ユーザ ユーザー ユーザid ユーザーid ユーザー番号 利用者 回答者",
    "topic_id": "任务 任务编号 任务id 任务号 主题 主题编号 话题 检索任务 搜索任务 任務 課題 課題id 課題番号 "
    "タスク タスクid タスク番号 トピック 検索課題 テーマ",
    "system_id": "系统 系统编号 条件 实验条件 实验组 组别 分组 界面 检索系统 搜索引擎 算法 版本 系統 "
    "システム 実験条件 群 インタフェース インターフェース "
    "検索エンジン 検索システム",
    "query_text": "查询 查询词 查询内容 查询文本 查询语句 检索词 检索式 搜索词 关键词 关键字 查詢 查詢詞 "
    "クエリ クエリー 検索語 検索クエリ 検索文 検索キーワード "
    "キーワード クエリ文字列",
    "query_id": "查询id 查询标识 检索id クエリid",
    "session_order": "任务顺序 任务次序 课题顺序 課題順 課題順序 タスク順 タスク順序 実施順",
    "started_at": "开始时间 会话开始时间 起始时间 开始 開始時刻 開始時間 開始日時 開始",
    "ended_at": "结束时间 会话结束时间 終了時刻 終了時間 終了日時 終了",
    "issued_at": "时间 查询时间 提交时间 检索时间 搜索时间 时间戳 日期 時間 日時 時刻 検索日時 検索時刻 クエリ時刻 タイムスタンプ",
    "clicked": "点击 是否点击 已点击 被点击 點擊 クリック クリック有無 クリックの有無",
    "clicked_at": "点击时间 クリック時刻 クリック日時 クリック時間",
    "dwell_seconds": "停留时间 阅读时间 停留时长 浏览时间 停留秒数 滞在時間 閲覧時間 滞在秒数",
    "clicks": "点击次数 点击数 クリック数 クリック回数",
    "score": "得分 分数 スコア",
    "user_grade": "用户评分 自评 主観評価",
    "grade": "相关性 相关度 相关等级 相关性等级 相关性评分 评分 等级 标注 有用性 相關性 適合度 関連度 関連性 適合性 評価 評価値 判定",
    "judge_id": "评审员 评审 评审人 评判者 标注者 标注员 评估者 評審員 判定者 評価者 アノテータ アノテーター",
    "results_count": "结果数 结果数量 検索結果数 結果件数 ヒット件数",
    "event": "事件 事件类型 动作 操作 行为 イベント イベント種別 操作種別 アクション",
}
"""Names in Chinese, simplified and some traditional, and in Japanese."""
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
            [
                folded(ours),
                *names.split(),
                *map(folded, _OTHERS.get(ours, ())),
                *_ABROAD.get(ours, "").split(),
                *map(folded, _EAST_ASIAN.get(ours, "").split()),
            ]
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


def _without_number_words(parts: list[str]) -> list[str]:
    """Return the words of a name without those for a number or an id at its beginning, and articles after them.

    >>> _without_number_words(["numero", "du", "participant"]), _without_number_words(["id", "utente"])
    (['participant'], ['utente'])
    >>> _without_number_words(["n", "documents"])  # a count
    ['n', 'documents']
    """
    start = 1 if parts[0:1] and parts[0] in (*NUMBERS, "id", "code", "codigo", "codice") else 0
    while start and start < len(parts) and parts[start] in FILLERS:
        start += 1
    is_count = parts[-1:] and parts[-1].endswith("s")
    return parts if is_count else parts[start:]


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
    if ours.endswith("_id") and (bare := _without_number_words(parts)) != parts and "".join(bare) in usual:
        return 0.55
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
