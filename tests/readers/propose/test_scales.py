"""Words of scales: their order, numbers within labels, and nothing where no scale has them all."""

import pytest

from sessionkit.readers.propose.sheets import values_of_labels

FULL = (
    "Strongly disagree|Disagree|Neither agree nor disagree|Agree|Strongly agree",
    "Very dissatisfied|Dissatisfied|Neutral|Satisfied|Very satisfied",
    "Very difficult|Difficult|Neutral|Easy|Very easy",
    "Never|Rarely|Sometimes|Often|Always",
    "sehr unzufrieden|unzufrieden|teils/teils|zufrieden|sehr zufrieden",
    "stimme überhaupt nicht zu|stimme eher nicht zu|teils teils|stimme eher zu|stimme voll und ganz zu",
    "Pas du tout d\u2019accord|Plutôt pas d\u2019accord|Neutre|Plutôt d\u2019accord|Tout à fait d\u2019accord",
    "Très insatisfaite|Insatisfaite|Neutre|Satisfaite|Très satisfaite",
    "Totalmente en desacuerdo|En desacuerdo|Neutral|De acuerdo|Totalmente de acuerdo",
    "Molto insoddisfatto|Insoddisfatto|Neutro|Soddisfatto|Molto soddisfatto",
    "Discordo totalmente|Discordo|Neutro|Concordo|Concordo totalmente",
    "Zeer ontevreden|Ontevreden|Neutraal|Tevreden|Zeer tevreden",
    "Täysin eri mieltä|Jokseenkin eri mieltä|En osaa sanoa|Jokseenkin samaa mieltä|Täysin samaa mieltä",
    "Mycket missnöjd|Missnöjd|Varken nöjd eller missnöjd|Nöjd|Mycket nöjd",
)


@pytest.mark.parametrize("levels", FULL)
def test_levels_of_a_scale_count_from_its_low_end(levels):
    labels = levels.split("|")
    assert values_of_labels(reversed(labels)) == dict(zip(labels, range(1, 6), strict=True))
    assert list(values_of_labels([labels[4], labels[0]])) == [labels[0], labels[4]]
    assert values_of_labels([labels[4].upper() + " "]) == {labels[4].upper() + " ": 5}


@pytest.mark.parametrize(
    ("labels", "values"),
    [
        (["5 - very good", "3", "1 - very bad"], [1, 3, 5]),
        (["Agree (4)", "Disagree (2)"], [2, 4]),
        (["2=mittel", "1=wenig"], [1, 2]),
        (["+", "-"], []),
        (["P1", "P2"], []),
        (["1 of 3 stars", "2 of 3 stars"], []),
        (["map", "list"], []),
        (["Satisfied", "list"], []),
        ([], []),
    ],
)
def test_numbers_in_labels_are_their_values_and_other_words_have_none(labels, values):
    assert list(values_of_labels(labels).values()) == values
