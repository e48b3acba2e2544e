// The style of the bar above every page of `cassette ui`, and of its list.

export const UI_STYLE = `
:root { --good: #1b6b3a; --good-wash: #e3f3e8; }
@media (prefers-color-scheme: dark) { :root { --good: #86d9a2; --good-wash: #17301f; } }
.ui-bar { display: flex; flex-wrap: wrap; gap: 0.3rem 0.9rem; align-items: baseline; max-width: var(--page, 80rem); margin: 0 auto; padding: 0.6rem 1.5rem 0; font-size: 0.88rem; }
.ui-bar a { color: var(--accent); }
.ui-bar .back { font-weight: 600; text-decoration: none; }
.ui-bar .back:hover { text-decoration: underline; }
.where { color: var(--soft); }
.live { margin-left: auto; color: var(--soft); font-size: 0.82rem; white-space: nowrap; }
.live:empty { display: none; }
.live::before { content: ""; display: inline-block; width: 0.55em; height: 0.55em; margin-right: 0.4em; border-radius: 50%; background: var(--soft); }
.live[data-state="on"] { color: var(--good); }
.live[data-state="on"]::before { background: var(--good); }
.live[data-state="off"] { color: var(--bad); }
.live[data-state="off"]::before { background: none; box-shadow: inset 0 0 0 2px var(--bad); }
.fresh-note { flex-basis: 100%; padding: 0.4rem 0.8rem; border: 1px solid var(--accent); border-left-width: 5px; border-radius: 8px; background: var(--wash); font-weight: 600; }
.list-top { padding-top: 1.2rem; padding-bottom: 0.9rem; max-width: 80rem; }
.list-top + .layout { max-width: 80rem; }
.title { display: flex; flex-wrap: wrap; gap: 0.3rem 1rem; align-items: baseline; }
.list-top + .layout > main { padding-top: 0; }
.bar .filters a, .bar .sort, .bar .compare { display: inline-block; border: 1px solid var(--line); border-radius: 99px; padding: 0.15rem 0.65rem; background: var(--card); text-decoration: none; font-size: 0.88rem; }
.bar .filters a:hover, .bar .sort:hover { border-color: var(--accent); color: var(--accent); }
.bar .filters a[aria-current] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); background: var(--wash); }
.bar .compare { border-color: var(--accent); background: var(--accent); color: var(--paper); font-weight: 600; }
.chosen { color: var(--soft); font-size: 0.85rem; }
.chosen:empty { display: none; }
.found-line { color: var(--soft); font-size: 0.85rem; padding: 0.6rem 0 0.3rem; font-variant-numeric: tabular-nums; }
.items:focus-visible { outline-offset: 4px; }
.item { display: grid; grid-template-columns: 1.5rem minmax(0, 1fr) auto auto; gap: 0.1rem 0.8rem; align-items: baseline; padding: 0.5rem 0.5rem 0.5rem 0.4rem; border-bottom: 1px solid var(--line); border-left: 3px solid transparent; content-visibility: auto; contain-intrinsic-size: auto 3.6rem; }
.item:hover { background: var(--sunk); }
.item:focus-within { background: var(--wash); }
.item.fresh { border-left-color: var(--accent); }
.item.damaged { border-left-color: var(--bad); }
.item input { width: 1.05rem; height: 1.05rem; margin: 0; padding: 0; accent-color: var(--accent); vertical-align: -0.15rem; }
.item .name { text-decoration: none; font-weight: 600; }
.item .name:hover .base { text-decoration: underline; text-underline-offset: 3px; }
.item .folder, .item .suffix { color: var(--soft); font-weight: 400; }
.item .marks { text-align: right; }
.item time { color: var(--soft); font-size: 0.8rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.about-item { grid-column: 2 / -1; font-size: 0.86rem; color: var(--soft); overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
.about-item .fact { margin-right: 0.6rem; color: var(--ink); }
.about-item .error { color: var(--bad); }
.kind-cassette, .kind-bundle, .look-plain { color: var(--soft); background: var(--sunk); }
.kind-failed, .kind-miss, .look-bad { color: var(--bad); background: var(--bad-wash); }
.kind-verdict, .kind-mutants { color: var(--accent); background: var(--wash); }
.look-good { color: var(--good); background: var(--good-wash); }
.look-warn { color: var(--warn); background: var(--warn-wash); }
.empty { border: 1px dashed var(--line); border-radius: 10px; padding: 1.2rem 1.4rem; margin-top: 0.6rem; }
.empty p + p { margin-top: 0.5rem; }
.miss-sides { margin-top: 1.2rem; }
.mutant { padding: 0.7rem 0; border-bottom: 1px solid var(--line); }
.mutant > * + * { margin-top: 0.25rem; }
@media (max-width: 56rem) {
  .ui-bar { padding: 0.6rem 1rem 0; }
  .plain .bar { position: static; }
}
@media (max-width: 44rem) {
  .item { grid-template-columns: 1.5rem minmax(0, 1fr) auto; padding-right: 0; }
  .item .name { grid-column: 2 / -1; }
  .item .marks { grid-column: 2; text-align: left; }
}
`;
