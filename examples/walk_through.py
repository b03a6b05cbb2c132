# %% [markdown]
# # A user study, from its log to a report
#
# Every step of an evaluation by the session, on the synthetic study in `clinic/`. Its makers put a **true effect** into it:
# every query searched with S2 is better by 0.75 (in units of the latent quality of queries, whose noise has an sd of 0.7),
# and nothing else differs between the systems. `clinic/truth.json` says so; what is found is held against it.
#
# `walk_through.py` is a script (`python examples/walk_through.py [--out FOLDER]`), `walk_through.ipynb` the same as a notebook.

# %%
import argparse
import builtins
import json
from pathlib import Path

import altair as alt
import polars as pl

import sessionkit as sk

alt.renderers.enable("svg")  # a notebook shows figures without a network
show = getattr(builtins, "display", print)  # studies and tables show themselves in a notebook, a script prints them

parser = argparse.ArgumentParser(description="A user study, from its log to a report.")
parser.add_argument("--out", type=Path, default=Path(), help="folder for the study, the figures and the report")
out = parser.parse_known_args()[0].out  # a notebook's kernel has arguments of its own

clinic = (Path(__file__).parent if "__file__" in globals() else Path()) / "clinic"  # a notebook starts in its folder
truth = json.loads((clinic / "truth.json").read_text())

# %% [markdown]
# ## 1. Read the log and keep the checked study
#
# `study.toml` says what each column of the files is. Reading checks every record; what breaks a rule is kept aside in
# `study.rejected`. A study that was saved opens at once, whatever its size.

# %%
study = sk.read(clinic / "study.toml").save(out / "study")
show(study)

# %% [markdown]
# ## 2. Check what became of the records
#
# Records in = rows + empty lists + rejected + merged + idle, for each file.

# %%
sources = sk.check(study)["sources"]
ends = pl.sum_horizontal("rows", "empty_lists", "rejected", "merged", "idle")
show(sources.select("source", "records", "rows", "empty_lists", "rejected"))
print("Every record is accounted for:", sources.select((pl.col("records") == ends).all()).item())
print("Unusual:", "; ".join(study.notes))

# %% [markdown]
# ## 3. Describe it
#
# Who searched what with which system decides what can be compared. This is the Latin square of ECIR 2008: no searcher met one
# scenario with both systems, so there are pairs by searcher and by scenario, never by both.

# %%
found = sk.describe(study)
print(found.design)
show(found.systems)
print("As in Table 2 of ECIR 2008: 152 queries with System 1 and 191 with System 2.")

# %% [markdown]
# ## 4. Score it
#
# nsDCG is the session's discounted gain as a share of the best that its judgments allow, here with the gains 0-1-10-100 of ECIR
# 2008; `mean(nDCG@10)` is the quality of its lists, however many it took; `Queries` what it cost. A measure's text names every
# choice that is not a default.

# %%
nsdcg = str(sk.nsDCG(gain="0-1-10-100") @ 10)
means = sk.score(study, [nsdcg, "mean(nDCG@10)", "Queries"], by="system_id")
show(means)
means = dict(means.filter(measure=nsdcg).select("system_id", "value").rows())
print(f"S1 scores {means['S1']:.3f} and S2 {means['S2']:.3f} in {nsdcg}, S2 less S1 {means['S2'] - means['S1']:+.3f}.")
print("The truth, from 200 such studies (clinic/README.md): .271 and .336, .065 apart.")

# %% [markdown]
# ## 5. Explain one score
#
# A score is the sum of what each result added: gain x rank discount x query discount / ideal.

# %%
scores = sk.score(study, nsdcg, per="session")
best = scores.sort("value", descending=True).item(0, "session_id")
parts = sk.explain(study, nsdcg, best)
show(parts.filter(pl.col("contribution") > 0).select("query_position", "rank", "grade", "contribution", "cumulated"))
value = scores.filter(session_id=best).item(0, "value")
print(f"The parts of session {best} add to {parts['contribution'].sum():.4f}, its score is {value:.4f}.")

# %% [markdown]
# ## 6. Is one system better?
#
# `compare` reads the design from the log and takes searcher and scenario into account. The reading says for whom the claim
# holds, and what the study could have found.

# %%
compared = sk.compare(study, [nsdcg, "mean(nDCG@10)"])
print(compared.reading)
row = compared.table.row(0, named=True)
print(f"The truth: {truth['expected']}.")
print(
    f"The interval from {row['low']:.3f} to {row['high']:.3f} holds the true .065, and also 0: a study of this size can miss it."
)
sk.charts.differences(compared, synthetic=True)

# %% [markdown]
# ## 7. Break it down: last queries and those before
#
# Searchers go on until a list satisfies them, so last queries should be far better. That is a thing to test, not to assume.

# %%
show(
    sk.breakdown(study, "nDCG@10", parts="last")
    .filter(rank=10)
    .select("system_id", "part", "value", "n_sessions", "left_out_single_query")
)
tests = sk.breakdown_tests(study, "nDCG@10", parts="last")
print(tests.reading)
print(f"The truth: the last query of a satisfied session is better by {truth['satisfied_gain']} units.")
sk.charts.last_vs_nonlast(sk.breakdown(study, "nDCG@10", parts="last"), synthetic=True)

# %% [markdown]
# ## 8. Does it depend on the discounts?
#
# b and bq say how patient searchers are; nobody knows them. `sweep` tries others and says where the conclusion ends.

# %%
swept = sk.sweep(study, nsdcg, {"b": [1.5, 2, 4, 10], "bq": [1.5, 2, 4, 10]})
print(swept.reading)
print(
    f"The truth: S2 is better, whatever the discounts. It leads in {(swept.table['leader'] == 'S2').sum()} of {len(swept.table)}."
)
sk.charts.sweep_map(swept, synthetic=True)

# %% [markdown]
# ## 9. Which discounts do these searchers have?
#
# `calibrate` fits them to how far searchers looked. The clinic's searchers look on with probability .93 after each result until
# one satisfies them (`clinic/model.py`); no sDCG made their clicks, so the fit describes them and has no true value to meet.

# %%
calibrated = sk.calibrate(study, "sDCG@10", draws=200)
show(calibrated.table.filter(criterion="likelihood").select("parameter", "estimate", "low", "high"))
fitted = sk.score(study, calibrated.measures, by="system_id")
show(fitted.select("system_id", "measure", "value"))
print("With the fitted discounts", fitted.sort("value").item(-1, "system_id"), "leads as well.")

# %% [markdown]
# ## 10. What if the rest were judged?
#
# Most results have no judgment and gain 0. The bounds hold whatever they are.

# %%
bounded = sk.bounds(study, nsdcg)
print(bounded.reading)
print(
    "The truth: unjudged documents are not relevant (clinic/model.py), so the scores are right and no bound is met. No log"
)
print("could have said so.")

# %% [markdown]
# ## 11. Draw it
#
# Charts are Altair values: as the last line of a cell they show themselves, and `sk.charts.save` writes SVG, PDF, PNG, HTML or
# JSON.

# %%
curve = sk.curve(study, nsdcg)
chart = sk.charts.session_curve(curve, measure=nsdcg, synthetic=study.settings.synthetic, title="Sessions")
print(sk.charts.save(chart, out / "sessions.svg"))
ends = dict(curve.filter(pl.col("slot") == pl.col("slot").max()).select("system_id", "value").rows())
print(f"The curves end at the scores: S1 {ends['S1']:.4f}, S2 {ends['S2']:.4f}.")
chart

# %% [markdown]
# ## 12. Report it
#
# One page, without a network, with every figure, table and choice, and the command that makes it again.

# %%
page = sk.report(study, [nsdcg, "mean(nDCG@10)"], output=out / "report.html")
print(f"report.html: {len(page) / 1e6:.1f} million characters; it says on top that the data are synthetic.")
