"""The style sheet of the report."""

STYLE = """\
body { background: white; color: #222; font: 16px/1.5 "Liberation Sans", Arial, Helvetica, sans-serif; margin: 0; }
main { margin: 2rem auto 4rem; max-width: 54rem; padding: 0 1.25rem; }
h1 { font-size: 1.7rem; line-height: 1.2; overflow-wrap: anywhere; }
h2 { border-bottom: 1px solid #ddd; font-size: 1.25rem; margin-top: 2.5rem; padding-bottom: .2rem; }
.banner { background: #fff3e6; border-left: .4rem solid #D55E00; font-weight: 600; padding: .6rem 1rem; }
.table { margin: 1.2rem 0; overflow-x: auto; }
table { border-bottom: 1.5px solid #222; border-collapse: collapse; border-top: 1.5px solid #222; font-size: .9rem; }
caption { font-weight: 600; padding-bottom: .3rem; text-align: left; white-space: nowrap; }
th, td { overflow-wrap: anywhere; padding: .22rem .9rem .22rem 0; text-align: left; vertical-align: top; }
td, th, li, dd, dt, p, figcaption, caption, h1 { unicode-bidi: isolate; }
thead th { border-bottom: 1px solid #222; font-weight: 600; overflow-wrap: normal; vertical-align: bottom; }
td { max-width: 26rem; min-width: 1.6rem; }
.number { font-variant-numeric: tabular-nums; padding-left: .6rem; text-align: right; }
td.number { white-space: nowrap; }
.note { color: #555; font-size: .85rem; margin-top: -.8rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; list-style: none; padding: 0; }
a { color: #005a8f; }
.lead { font-size: 1.15rem; line-height: 1.45; }
.save { color: #555; font-size: .8rem; margin-top: -.6rem; }
pre { background: #f4f4f4; font-family: "Liberation Mono", Consolas, monospace; font-size: .85rem; overflow-x: auto; padding: .6rem; }
figure { break-inside: avoid; margin: 1.5rem 0 2.5rem; }
figcaption { font-size: .9rem; max-width: 46rem; overflow-wrap: anywhere; }
.chart { overflow-x: auto; }
dt { font-family: "Liberation Mono", Consolas, monospace; font-size: .9rem; font-weight: 600; margin-top: .8rem; }
dd { margin-left: 1.2rem; }
li, dd, p { overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid #0072B2; outline-offset: 2px; }
@media (prefers-color-scheme: dark) {
  body { background: #16181b; color: #e6e6e6; }
  h2 { border-color: #444; } table { border-color: #ccc; } thead th { border-color: #ccc; }
  .banner { background: #3a2613; } a { color: #7cc4f0; } pre { background: #24272b; } .note, .save { color: #b5b5b5; }
  .chart { background: white; border-radius: .3rem; color: #222; }
}
@media print { nav, .save { display: none; } .vega-embed details { display: none; } main { margin: 0; max-width: none; } }
"""
