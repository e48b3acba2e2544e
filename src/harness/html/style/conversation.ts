// The style of a conversation: a rail of turns left of the timeline, or above it on a narrow page.

export const CONVERSATION_STYLE = `
.top, .layout { max-width: 80rem; margin: 0 auto; padding: 0 1.5rem; }
.top { padding-top: 1.75rem; padding-bottom: 1.25rem; }
.about-run { display: flex; flex-wrap: wrap; gap: 0.6rem 1.7rem; margin-top: 0.9rem; }
.about-run dt { font-size: 0.78rem; color: var(--soft); }
.about-run dd { font-size: 0.95rem; font-variant-numeric: tabular-nums; }
.used { display: flex; flex-wrap: wrap; gap: 0.4rem 0.75rem; align-items: baseline; margin-top: 0.9rem; }
.used ul { display: flex; flex-wrap: wrap; gap: 0.35rem; }
.used button { padding: 0.1rem 0.55rem; border-radius: 99px; font-size: 0.9rem; }
.times { color: var(--soft); font-size: 0.8rem; font-variant-numeric: tabular-nums; }
.layout { display: grid; grid-template-columns: 17rem minmax(0, 1fr); gap: 2.5rem; border-top: 1px solid var(--line); }
.rail { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 1.1rem 0 2rem; scrollbar-width: thin; }
.rail summary { font-size: 0.8rem; font-weight: 600; color: var(--soft); margin-bottom: 0.4rem; cursor: pointer; }
.rail-agent { font-size: 0.85rem; font-weight: 600; margin: 0.8rem 0 0.2rem; }
.rail a { display: grid; grid-template-columns: 1.6rem minmax(0, 1fr); gap: 0.35rem; padding: 0.28rem 0.5rem 0.28rem 0.3rem; text-decoration: none; border-left: 2px solid transparent; font-size: 0.85rem; line-height: 1.4; }
.rail a:hover { background: var(--sunk); }
.rail a[aria-current] { border-color: var(--accent); background: var(--wash); }
.rail .number { color: var(--soft); text-align: right; font-variant-numeric: tabular-nums; }
.lines > span { display: block; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.rail .asked, .rail .answered { color: var(--soft); }
.rail .tools { font-family: var(--mono); font-size: 0.8rem; }
.top > .long { margin-top: 0.9rem; }
.from { font-family: var(--sans); font-size: 0.72rem; font-weight: 600; color: var(--accent); background: var(--wash); border-radius: 4px; padding: 0 0.3em; }
main { min-width: 0; padding-bottom: 40vh; }
.bar { position: sticky; top: 0; z-index: 3; display: flex; flex-wrap: wrap; gap: 0.4rem 0.5rem; align-items: center; padding: 0.7rem 0; background: var(--paper); border-bottom: 1px solid var(--line); font-size: 0.9rem; }
.bar[hidden] { display: none; }
.bar input { flex: 1 1 12rem; min-width: 0; max-width: 24rem; }
.bar output { color: var(--soft); font-variant-numeric: tabular-nums; }
.bar output:empty { display: none; }
.keys { color: var(--soft); font-size: 0.8rem; margin-left: auto; }
.agent { padding-top: 1.5rem; }
.turn { padding: 1.1rem 0 1.4rem; border-bottom: 1px solid var(--line); }
.turn:focus-visible { outline: none; box-shadow: inset 3px 0 0 var(--accent); border-radius: 0; margin-left: -1rem; padding-left: 1rem; }
.turn-head { display: flex; flex-wrap: wrap; gap: 0.1rem 1rem; align-items: baseline; justify-content: space-between; margin-bottom: 0.5rem; }
.turn-head .facts { display: flex; flex-wrap: wrap; gap: 0 0.9rem; color: var(--soft); font-size: 0.82rem; font-variant-numeric: tabular-nums; }
.row { display: grid; grid-template-columns: 5.2rem minmax(0, 1fr); gap: 0.9rem; padding: 0.4rem 0; }
.who { font-size: 0.82rem; font-weight: 600; color: var(--soft); padding-top: 0.12rem; }
.assistant > .who { color: var(--accent); }
.what > * + * { margin-top: 0.5rem; }
.prose { white-space: pre-wrap; max-width: 46rem; }
.user > .what > .prose { background: var(--wash); border-radius: 10px; padding: 0.5rem 0.8rem; width: fit-content; }
details > summary { cursor: pointer; }
.call, .long, .thought { border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
.call > summary, .long > summary, .thought > summary { padding: 0.38rem 0.7rem; font-size: 0.88rem; border-radius: 8px; list-style: none; position: relative; padding-left: 1.75rem; }
.call > summary::-webkit-details-marker, .long > summary::-webkit-details-marker, .thought > summary::-webkit-details-marker { display: none; }
.call > summary::before, .long > summary::before, .thought > summary::before { content: ""; position: absolute; left: 0.75rem; top: 0.82rem; width: 0.38rem; height: 0.38rem; border: solid var(--soft); border-width: 0 1.5px 1.5px 0; transform: rotate(-45deg); }
details[open] > summary::before { transform: rotate(45deg); }
.call > summary:hover, .long > summary:hover, .thought > summary:hover { background: var(--sunk); }
.call > summary .tool { font-weight: 600; }
.about { color: var(--soft); }
.long > summary, .thought > summary { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.call > summary .about { font-family: var(--mono); font-size: 0.8rem; }
.gave { display: block; color: var(--soft); font-size: 0.82rem; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.call[open] > summary .gave, .long[open] > summary .about, .thought[open] > summary .about { display: none; }
.failed { border-color: var(--bad); }
.long, .thought { border-style: dashed; background: none; }
.inner { padding: 0.6rem 0.8rem 0.8rem; border-top: 1px solid var(--line); }
pre.code { white-space: pre-wrap; background: var(--sunk); border-radius: 6px; padding: 0.6rem 0.75rem; font-size: 0.8rem; line-height: 1.5; max-height: 32rem; overflow: auto; }
.thought .prose { color: var(--soft); font-size: 0.93rem; }
figure img { max-width: 100%; max-height: 24rem; border: 1px solid var(--line); border-radius: 6px; background: #fff; }
figcaption { color: var(--soft); font-size: 0.8rem; }
@media (max-width: 56rem) {
  html { scroll-padding-top: 7rem; }
  .layout { display: block; }
  .top, .layout { padding-left: 1rem; padding-right: 1rem; }
  .rail { position: static; max-height: none; padding: 0.8rem 0 0; }
  .rail ol { max-height: 45vh; overflow-y: auto; }
  .keys { display: none; }
  .bar input { max-width: none; flex-basis: 100%; }
}
@media (max-width: 38rem) {
  h1 { font-size: 1.3rem; }
  .about-run { gap: 0.5rem 1.4rem; }
  .row { display: block; padding: 0.45rem 0; }
  .who { padding-bottom: 0.2rem; }
}
@media print {
  .rail, .bar, .skip, .used button { display: none; }
  .layout { display: block; border: 0; }
  .turn { break-inside: auto; }
  .turn-head { break-after: avoid; }
  pre.code { max-height: none; border: 1px solid var(--line); }
  .gave { white-space: normal; }
  main { padding-bottom: 0; }
}
`;
