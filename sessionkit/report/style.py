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
.chart, .chart.vega-embed { break-inside: avoid; display: block; overflow-x: auto; }
dt { font-family: "Liberation Mono", Consolas, monospace; font-size: .9rem; font-weight: 600; margin-top: .8rem; }
dd { margin-left: 1.2rem; }
li, dd, p { overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid #0072B2; outline-offset: 2px; }
[hidden] { display: none !important; }
.controls { border: 1px solid #ddd; border-radius: .3rem; margin: 1rem 0; padding: .7rem 1rem; }
.control { align-items: center; display: flex; flex-wrap: wrap; gap: .3rem .8rem; margin: .3rem 0; }
.control > label { min-width: 13rem; }
.control input[type=range] { accent-color: #0072B2; flex: 1 1 10rem; max-width: 20rem; min-width: 8rem; }
.widget input, .widget select, .widget button { background: white; border: 1px solid #767676; border-radius: .2rem; }
.widget input, .widget select, .widget button { color: #222; font: inherit; font-size: .95rem; min-height: 2rem; padding: .1rem .5rem; }
.widget input[type=number] { width: 6rem; }
.widget button { background: #f0f0f0; cursor: pointer; } .widget button:disabled { color: #767676; cursor: default; }
.widget [aria-invalid] { border-color: #b00020; outline: 2px solid #b00020; }
.widget fieldset { border: 1px solid #ddd; border-radius: .2rem; margin: .5rem 0 0; }
.widget tbody th { font-weight: 400; }
.swatch { vertical-align: middle; }
#explorer-list { min-width: 100%; } #explorer-list td { vertical-align: middle; } #explorer-list tr[aria-current] { background: #e8f1f8; }
#explorer-list button { background: none; border: 0; color: #005a8f; min-height: 1.6rem; padding: 0; }
#explorer-list button { text-align: left; text-decoration: underline; }
.list { margin: 1.4rem 0; } .list h4 { font-size: 1rem; margin: 0 0 .2rem; overflow-wrap: anywhere; }
.list .table { margin: .3rem 0; } .list .note { margin: .3rem 0; } .short { white-space: nowrap; }
#explorer-widget .controls { display: grid; gap: .3rem 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 16rem), 1fr)); }
#explorer-widget .control { align-items: stretch; flex-direction: column; gap: .1rem; }
#explorer-widget .control > label { font-size: .9rem; min-width: 0; }
#explorer-widget select { width: 100%; }
@media (max-width: 36rem) { .widget th, .widget td { padding-right: .45rem; } .widget .number { padding-left: .3rem; } }
.paging { display: flex; gap: .6rem; margin-top: -.4rem; }
h3 { font-size: 1.1rem; margin: 1.8rem 0 .3rem; overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) {
  body { background: #16181b; color: #e6e6e6; }
  h2 { border-color: #444; } table { border-color: #ccc; } thead th { border-color: #ccc; }
  .banner { background: #3a2613; } a { color: #7cc4f0; } pre { background: #24272b; } .note, .save { color: #b5b5b5; }
  .controls, .widget fieldset { border-color: #555; } .swatch { background: white; border-radius: .2rem; }
  .widget input, .widget select, .widget button { background: #24272b; border-color: #8a8a8a; color: #e6e6e6; }
  #explorer-list tr[aria-current] { background: #20384a; } #explorer-list button { background: none; color: #7cc4f0; }
  .chart { background: white; border-radius: .3rem; color: #222; }
}
@media print {
  nav, .save, .controls, .paging { display: none; } .vega-embed details { display: none; } main { margin: 0; max-width: none; } }
"""
