"""What a notebook shows of a measure and of all of them; the command line prints the same facts."""

import html

import sessionkit as sk
from sessionkit.scoring.measures.describe import facts_of, parameters_of


def test_a_measure_shows_its_parameters_and_stays_its_name():
    measure = sk.nsDCG(b=3) @ 10
    shown = measure._repr_html_()
    assert repr(measure) == "nsDCG(b=3)@10"
    assert '<td dir="auto">b</td><td dir="auto">3</td>' in shown
    assert "sessionkit score STUDY &#x27;nsDCG(b=3)@10&#x27;" in shown


def test_every_measure_shows_its_formula():
    for measure in sk.MEASURES.values():
        assert html.escape(measure.formula) in measure._repr_html_()


def test_the_registry_names_every_measure_by_its_level():
    shown = sk.MEASURES._repr_html_()
    assert "<p>Measures of a session: sDCG, nsDCG, sRBP" in shown
    assert "<p>Measures of a query: CG, DCG, nCG, nDCG" in shown
    assert repr(sk.MEASURES).startswith(f"<{len(sk.MEASURES)} measures: sDCG, nsDCG, CG")


def test_facts_are_those_of_the_measure_as_it_is():
    # an expected value over p: without p there is no bound to tell
    assert facts_of(sk.RBP)["range"] == "0 to 1, as RBP(p=0.8)@10"
    assert facts_of(sk.RBP(p=0.5) @ 10)["range"] == "0 to 1"
    assert facts_of(sk.mean(sk.nDCG @ 5))["example"] == "sessionkit score STUDY 'mean(nDCG@5)'"
    assert facts_of(sk.Queries)["better"] == "lower"
    assert dict(parameters_of(sk.nsDCG(bq=8), "value").select("parameter", "value").rows())["bq"] == "8"
