// The style of a drift report, added to the style of a conversation. A sign, a border, a word and a colour mark each difference.
// The contrast of text is at least 4.5:1 (WCAG 2.2, 1.4.3).

export const REPORT_STYLE = `
:root { --good: #1b6b3a; --good-wash: #e3f3e8; --page: 100rem; }
@media (prefers-color-scheme: dark) { :root { --good: #86d9a2; --good-wash: #17301f; } }
html { scroll-padding-top: 5.5rem; }
.top, .layout { max-width: var(--page); }
.top > * + * { margin-top: 0.6rem; }
.folds { display: flex; flex-wrap: wrap; gap: 0.45rem; align-items: flex-start; }
.folds > .long { max-width: 100%; min-width: 0; }
.folds > [open] { flex: 1 1 100%; }
.folds > .long > summary { color: var(--soft); font-size: 0.84rem; padding-top: 0.25rem; padding-bottom: 0.25rem; }
.folds > .long > summary::before { top: 0.65rem; }
.sides-named { color: var(--soft); font-size: 0.9rem; }
.verdict-line { display: flex; flex-wrap: wrap; align-items: center; gap: 0.3rem 0.7rem; font-size: 2rem; }
.sign-big { display: inline-grid; place-items: center; width: 2.4rem; height: 2.4rem; border-radius: 50%; font-size: 1.3rem; font-weight: 700; }
.verdict-line .outcome { font-size: 1rem; font-weight: 500; color: var(--soft); letter-spacing: 0; }
.regression > .sign-big, .badge.regression, .mini.regression { color: var(--bad); background: var(--bad-wash); }
.drift > .sign-big, .badge.drift, .mini.drift { color: var(--warn); background: var(--warn-wash); }
.inconclusive > .sign-big, .badge.inconclusive, .mini.inconclusive { color: var(--soft); background: var(--sunk); }
.better > .sign-big, .badge.better, .mini.better, .same > .sign-big, .badge.same, .mini.same { color: var(--good); background: var(--good-wash); }
.top > .plain { font-size: 1.2rem; font-weight: 600; max-width: 60rem; margin-bottom: 0.3rem; }
.top > .reason { font-size: 1.05rem; max-width: 60rem; }
.callout { border: 1px solid var(--accent); border-left-width: 5px; background: var(--wash); border-radius: 8px; padding: 0.7rem 0.9rem; font-size: 1.02rem; max-width: 72rem; }
.jump { display: inline-block; font-weight: 600; color: var(--accent); white-space: nowrap; }
.small { font-size: 0.85rem; margin: 0.5rem 0 0.3rem; }
.mini { display: inline-grid; place-items: center; width: 1.35rem; height: 1.35rem; border-radius: 50%; font-size: 0.8rem; font-weight: 700; }
.rail a { position: relative; overflow: hidden; }
.table { position: relative; }
.filters { display: flex; flex-wrap: wrap; gap: 0.35rem; }
.filters button { padding: 0.15rem 0.55rem; border-radius: 99px; font-size: 0.9rem; }
.filters button .badge { background: none; padding: 0; }
.filters button[aria-pressed="true"] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); background: var(--wash); }
.scenario { padding: 1.3rem 0 1.8rem; border-bottom: 1px solid var(--line); }
.scenario > * + * { margin-top: 0.6rem; }
.scenario:focus-visible { outline: none; box-shadow: inset 3px 0 0 var(--accent); border-radius: 0; margin-left: -1rem; padding-left: 1rem; }
.scenario-head { display: flex; flex-wrap: wrap; gap: 0.2rem 0.7rem; align-items: baseline; }
.scenario-head h3 { font-size: 1.2rem; }
.first { border-left: 3px solid var(--accent); padding-left: 0.75rem; }
.first a { font-weight: 600; color: var(--accent); }
.place { display: block; color: var(--soft); font-size: 0.8rem; }
.broken li + li { margin-top: 0.3rem; }
.tables { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 0.8rem 2.5rem; align-items: start; }
.table { min-width: 0; max-width: 100%; overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.88rem; }
caption { text-align: left; font-size: 0.8rem; font-weight: 600; color: var(--soft); padding-bottom: 0.25rem; }
th, td { text-align: left; font-weight: 400; padding: 0.22rem 0.9rem 0.22rem 0; border-top: 1px solid var(--line); vertical-align: top; }
thead th { border: 0; color: var(--soft); font-size: 0.8rem; white-space: nowrap; }
tbody th { white-space: nowrap; }
.figure { font-variant-numeric: tabular-nums; white-space: nowrap; }
.none { color: var(--soft); }
.figures { font-size: 0.9rem; margin-top: 0.35rem; max-width: 62rem; }
.test { color: var(--soft); }
.both > summary { font-weight: 600; font-size: 0.9rem; padding: 0.3rem 0; }
.sides { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0.8rem; }
.heads { padding: 0.35rem 0.8rem; font-size: 0.85rem; }
.heads code { color: var(--soft); }
.pair { padding: 0.45rem 0.8rem; border: 1px solid transparent; border-left-width: 4px; }
.pair + .pair { margin-top: 0.15rem; }
.changed { border-color: var(--line); border-left-color: var(--warn); border-radius: 8px; background: var(--card); margin: 0.4rem 0; padding: 0.65rem 0.8rem 0.75rem; }
.changed.current { border-color: var(--accent); box-shadow: 0 0 0 2px var(--accent); }
.pair:focus-visible { outline: 2px solid var(--accent); border-radius: 8px; }
.why { margin-bottom: 0.55rem; font-size: 0.95rem; }
.first-mark { display: inline-block; font-size: 0.75rem; font-weight: 700; color: var(--paper); background: var(--accent); border-radius: 5px; padding: 0.05rem 0.5rem; margin-bottom: 0.3rem; }
.kind { color: var(--warn); background: var(--warn-wash); }
.edit + .edit { margin-top: 0.4rem; }
.changes { font-size: 0.86rem; padding-left: 0.2rem; margin-top: 0.2rem; }
.changes li { padding: 0.1rem 0; }
.changes code { font-weight: 600; margin-right: 0.3rem; }
del, ins, mark { font-family: var(--mono); font-size: 0.95em; border-radius: 3px; padding: 0 0.2em; }
del, mark.old { color: var(--bad); background: var(--bad-wash); }
del { text-decoration: line-through; }
mark.old { text-decoration: underline dashed; text-underline-offset: 3px; }
ins, mark.new { color: var(--good); background: var(--good-wash); text-decoration: underline; text-underline-offset: 3px; }
.side { min-width: 0; font-size: 0.92rem; }
.side > * + * { margin-top: 0.35rem; }
.side .facts { display: flex; flex-wrap: wrap; gap: 0 0.8rem; color: var(--soft); font-size: 0.78rem; font-variant-numeric: tabular-nums; }
.which { font-weight: 600; }
.gap { display: grid; place-items: center; border: 1px dashed var(--line); border-radius: 8px; min-height: 3rem; }
.flag { font-weight: 700; font-family: var(--mono); }
.call.marked.old { border-color: var(--bad); border-left-width: 4px; }
.call.marked.new { border-color: var(--good); border-left-width: 4px; }
.marked.old .flag { color: var(--bad); }
.marked.new .flag { color: var(--good); }
.alike { padding: 0.2rem 0.8rem 0.2rem 1rem; }
.alike > details > summary { color: var(--soft); font-size: 0.86rem; padding: 0.3rem 0; }
.alike .about { font-family: var(--mono); font-size: 0.78rem; }
.scenario > .long > summary { font-size: 0.82rem; color: var(--soft); }
.runs { font-size: 0.86rem; }
.plain { display: block; }
.plain > main { padding-top: 0.9rem; padding-bottom: 6rem; }
.group { margin-top: 1.6rem; }
.group > summary { font-size: 1.05rem; font-weight: 650; cursor: pointer; }
.group > .table { margin-top: 0.5rem; }
.cells td { white-space: nowrap; font-variant-numeric: tabular-nums; }
.cells td.wide { white-space: normal; min-width: 18rem; }
.cells thead td { border: 0; }
.cells .badge { margin-right: 0.35rem; }
@media (max-width: 56rem) {
  html { scroll-padding-top: 0.8rem; }
  .bar { position: static; }
  #previous, #next { position: fixed; bottom: 0.8rem; z-index: 4; padding: 0.5rem 0.95rem; box-shadow: 0 1px 6px #0005; }
  #previous { right: 4.4rem; }
  #next { right: 0.9rem; }
  .verdict-line { font-size: 1.6rem; }
}
@media (max-width: 44rem) {
  table, thead th { font-size: 0.74rem; }
  th, td { padding-right: 0.3rem; }
  th { overflow-wrap: normal; }
  tbody th { white-space: normal; }
  td.mono { overflow-wrap: anywhere; }
  .cells td { white-space: normal; overflow-wrap: normal; }
  .sides { grid-template-columns: minmax(0, 1fr); gap: 0.5rem; }
  .heads { display: none; }
  .which { color: var(--ink); }
  .gap { min-height: 0; padding: 0.3rem; }
}
@media print {
  .changed { break-inside: avoid; }
  .keys, .jump, .folds > .long:not([open]) { display: none; }
}
`;
