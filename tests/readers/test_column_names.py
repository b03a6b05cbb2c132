"""What columns are called in the field, in nine languages."""

import pytest

from sessionkit.readers.column_names import LIKELY, USUAL, likeness
from sessionkit.study.schema import TABLES, table


@pytest.mark.parametrize("name", TABLES)
def test_every_column_of_ours_is_found_under_its_own_name(name):
    for ours in table(name).names:
        assert likeness(ours, ours) == 1.0
        assert likeness(ours.replace("_", " ").upper(), ours) == 1.0


def test_no_usual_name_is_said_twice_of_a_column():
    assert all(len(names) == len(set(names)) for names in USUAL.values())


def test_a_name_is_more_like_the_column_it_is_of():
    assert likeness("subject no.", "user_id") > likeness("subject no.", "session_id") == 0
    assert likeness("query", "query_text") == max(likeness("query", ours) for ours in USUAL)


OURS = (
    "user_id",
    "topic_id",
    "system_id",
    "query_position",
    "query_text",
    "rank",
    "doc_id",
    "clicked",
    "dwell_seconds",
    "grade",
)
HEADERS = [
    "Subject ID;Task ID;Condition;Query Number;Query Text;Result Rank;Document URL;Was Clicked?;Dwell time (seconds);Relevance (0-2)",
    "Testperson;Suchaufgabe;Suchsystem;Nr. Suchanfrage;Suchtext;Rangplatz;Treffer;geklickt;Betrachtungsdauer in s;Relevanzurteil",
    "Sujet;Tâche;Système;N° requête;Requête;Rang;Document;Cliqué (oui/non);Temps (s);Pertinence",
    "Usuario;Tarea;Sistema;Nº de consulta;Consulta;Posición;Documento;Clic;Tiempo de lectura (seg);Relevancia",
    "Utente;Compito;Sistema;Numero ricerca;Ricerca;Posizione;Documento;Cliccato;Durata (s);Rilevanza",
    "Participante;Tarefa;Sistema;Nº da pesquisa;Pesquisa;Posição;Documento;Clicado;Tempo [min];Avaliação",
    "Deelnemer;Taak;Systeem;Zoekvraag nr.;Zoekvraag;Positie;Document;Geklikt;Leestijd_s;Relevantie",
    "Koehenkilö;Tehtävä;Järjestelmä;Haku nro;Haku;Sijoitus;Dokumentti;Klikattu;Lukuaika (s);Relevanssi",
    "Deltagare;Uppgift;System;Fråga nr;Sökfråga;Rang;Dokument;Klickad;Lästid (ms);Relevans",
]


@pytest.mark.parametrize("header", HEADERS)
def test_sheets_in_nine_languages_need_no_questions_about_names(header):
    for name, ours in zip(header.split(";"), OURS, strict=True):
        assert likeness(name, ours) >= LIKELY, name
        assert likeness(name, ours) == max(likeness(name, other) for other in OURS), name


def test_a_grade_that_names_the_searcher_is_the_searchers():
    for name in ("Relevance (user)", "Utilità per l'utente (0-2)", "Bewertung durch Nutzer"):
        assert likeness(name, "user_grade") >= LIKELY > likeness(name, "grade")
        assert likeness(name, "user_id") == 0


@pytest.mark.parametrize("name", ["anonymous_id", "anonymousId", "userToken", "distinct_id", "device_id", "cookie id"])
def test_ids_of_anonymous_visitors_are_users(name):
    assert likeness(name, "user_id") >= LIKELY
    assert max(OURS, key=lambda ours: likeness(name, ours)) == "user_id"
