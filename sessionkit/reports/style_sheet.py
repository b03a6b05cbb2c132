"""The style sheet of the report: light, dark, narrow and on paper."""

STYLE = """\
:root {
  --ink: #1f2328; --faint: #57606a; --line: #d5dae0; --page: #ffffff; --panel: #f5f7f9; --link: #005a8f; --mark: #0072B2;
  --field: #ffffff; --edge: #767676; --chosen: #e3eff8; --warn: #fff3e6; --wrong: #b00020;
  color-scheme: light; accent-color: var(--mark); }
body { background: var(--page); color: var(--ink); margin: 0; }
body { font: 16px/1.5 "Liberation Sans", Arial, Helvetica, sans-serif; text-size-adjust: 100%; }
main { margin: 2.5rem auto 4rem; max-width: 54rem; padding: 0 1.25rem; }
h1 { font-size: 2rem; letter-spacing: -.01em; line-height: 1.15; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { border-bottom: 1px solid var(--line); font-size: 1.35rem; line-height: 1.25; margin: 3.2rem 0 1rem; padding-bottom: .25rem; }
h3 { font-size: 1.1rem; margin: 1.8rem 0 .3rem; overflow-wrap: anywhere; }
p, ul, dl { margin: .8rem 0; } p, li, dd { max-width: 50rem; overflow-wrap: anywhere; }
td, th, li, dd, dt, p, figcaption, caption, h1 { unicode-bidi: isolate; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; }
[hidden] { display: none !important; }
.skip { background: var(--page); left: 1rem; padding: .4rem .8rem; position: absolute; top: -4rem; z-index: 1; }
.skip:focus { top: .5rem; }
.banner { background: var(--warn); border-left: .4rem solid #D55E00; font-weight: 600; max-width: none; padding: .6rem 1rem; }
.about, .note, .save { color: var(--faint); }
.about { margin: 0 0 1.2rem; }
.lead { background: var(--panel); border-left: .25rem solid var(--mark); font-size: 1.3rem; line-height: 1.4; max-width: none; }
.lead { padding: 1rem 1.25rem; }
nav ul { display: flex; flex-wrap: wrap; gap: 0 1.1rem; list-style: none; padding: 0; }
nav li { padding: .15rem 0; }
.table { margin: 1.6rem 0 1.2rem; overflow-x: auto; }
table { border-bottom: 1.5px solid var(--ink); border-collapse: collapse; border-top: 1.5px solid var(--ink); font-size: .9rem; }
caption { font-weight: 600; padding-bottom: .3rem; text-align: left; white-space: nowrap; }
th { max-width: 26rem; overflow-wrap: break-word; } th, td { padding: .22rem .9rem .22rem 0; text-align: left; vertical-align: baseline; }
thead th { border-bottom: 1px solid var(--ink); font-weight: 600; vertical-align: bottom; }
td { max-width: 26rem; min-width: 1.6rem; white-space: nowrap; } thead th:last-child { white-space: nowrap; }
caption.long, .long { min-width: 12rem; overflow-wrap: anywhere; white-space: normal; }
.number { font-variant-numeric: tabular-nums; padding-left: .6rem; text-align: right; } .number:first-child { padding-left: 0; }
sup { line-height: 0; }
.note { font-size: .85rem; margin: -.8rem 0 1.2rem; }
.save { font-size: .8rem; margin: -.6rem 0 1.2rem; }
.save a, .save button { display: inline-block; padding: .2rem 0; }
.save button { background: none; border: 0; color: var(--link); cursor: pointer; font: inherit; text-decoration: underline; }
pre { background: var(--panel); font-family: "Liberation Mono", Consolas, monospace; font-size: .85rem; overflow-x: auto; padding: .6rem; }
figure { break-inside: avoid; margin: 1.8rem 0 2.2rem; }
figcaption { font-size: .9rem; margin-top: .4rem; max-width: 46rem; overflow-wrap: anywhere; }
figcaption + .save { margin-top: .3rem; }
.chart, .chart.vega-embed { break-inside: avoid; display: block; overflow-x: auto; }
.chart svg { display: block; height: auto; max-width: 100%; }
dt { font-family: "Liberation Mono", Consolas, monospace; font-size: .9rem; font-weight: 600; margin-top: .8rem; }
dd { margin-left: 1.2rem; }
.controls { background: var(--panel); border: 1px solid var(--line); border-radius: .3rem; margin: 1rem 0; padding: .7rem 1rem; }
.control { align-items: center; display: flex; flex-wrap: wrap; gap: .3rem .8rem; margin: .3rem 0; }
.control > label { min-width: 13rem; }
.control input[type=range] { flex: 1 1 10rem; max-width: 20rem; min-width: 8rem; }
.widget input, .widget select, .widget button { background: var(--field); border: 1px solid var(--edge); border-radius: .2rem; }
.widget input, .widget select, .widget button { color: var(--ink); font: inherit; font-size: .95rem; min-height: 2rem; }
.widget input, .widget select, .widget button { padding: .1rem .5rem; }
.widget input[type=number] { width: 6rem; }
.widget button { background: var(--panel); cursor: pointer; } .widget button:disabled { color: var(--faint); cursor: default; opacity: .7; }
.widget [aria-invalid] { border-color: var(--wrong); outline: 2px solid var(--wrong); }
.widget fieldset { border: 1px solid var(--line); border-radius: .2rem; margin: .5rem 0 0; }
.widget tbody th { font-weight: 400; }
.swatch { margin-right: .2rem; vertical-align: middle; }
.legend span { margin-right: 1.2rem; white-space: nowrap; }
#explorer-list { min-width: 100%; } #explorer-list tr[aria-current] { background: var(--chosen); }
#explorer-list button { background: none; border: 0; color: var(--link); min-height: 1.6rem; padding: 0; }
#explorer-list button { overflow-wrap: anywhere; text-align: left; text-decoration: underline; }
.list { margin: 1.4rem 0; } .list h4 { font-size: 1rem; margin: 0 0 .2rem; overflow-wrap: anywhere; }
.list .table { margin: .3rem 0; } .list .note { margin: .3rem 0; }
#explorer-widget .controls { display: grid; gap: .3rem 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 16rem), 1fr)); }
#explorer-widget .control { align-items: stretch; flex-direction: column; gap: .1rem; }
#explorer-widget .control > label { font-size: .9rem; min-width: 0; }
#explorer-widget select { width: 100%; }
.paging { display: flex; flex-wrap: wrap; gap: .6rem; margin-top: -.4rem; }
@media (max-width: 40rem) {
  main { margin-top: 1.5rem; } h1 { font-size: 1.6rem; } h2 { margin-top: 2.6rem; } .lead { font-size: 1.15rem; padding: .8rem 1rem; }
  td { max-width: 15rem; } .widget th, .widget td { padding-right: .45rem; } .widget .number { padding-left: .3rem; }
  .table:not(.widget .table) thead th { white-space: nowrap; }
}
@media screen and (min-width: 82rem) {
  nav { left: calc(50% - 40rem); max-height: calc(100vh - 5rem); overflow-y: auto; position: fixed; top: 2.5rem; width: 11rem; }
  nav ul { border-right: 1px solid var(--line); display: block; margin: 0; } nav a { display: block; text-decoration: none; }
  nav a:hover { text-decoration: underline; }
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e6e6; --faint: #b0b4b9; --line: #444a50; --page: #171717; --panel: #212427; --link: #7cc4f0; --mark: #4aa8e0;
    --field: #24272b; --edge: #8a8a8a; --chosen: #1d3a4f; --warn: #3a2613; --wrong: #ff8a8a; color-scheme: dark; }
  .chart svg, .swatch { filter: invert(.91) hue-rotate(180deg); }
}
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }
@page { margin: 16mm 15mm; }
@media print {
  nav, .skip, .save, .controls, .paging { display: none !important; }
  main { margin: 0; max-width: none; padding: 0; } body { font-size: 10.5pt; } h2 { margin-top: 2rem; }
  h1, h2, h3, h4, caption, thead { break-after: avoid; } tr, .list .note { break-inside: avoid; } p, li { orphans: 3; widows: 3; }
  .banner, .lead { print-color-adjust: exact; } .lead { break-inside: avoid; }
  .table, .chart, .chart.vega-embed, pre { overflow: visible; } pre { white-space: pre-wrap; }
  table { font-size: .82rem; max-width: 100%; } th, td { max-width: 13rem; padding-right: .5rem; } td { overflow-wrap: anywhere; }
  td, thead th, thead th:last-child { white-space: normal; } td.number { white-space: nowrap; }
  .number { padding-left: .3rem; } .long { min-width: 0; overflow-wrap: anywhere; }
  thead th { overflow-wrap: break-word; } .table:not(:has(tr:nth-child(16))) { break-inside: avoid; }
}
"""
