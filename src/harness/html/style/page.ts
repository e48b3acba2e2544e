// The style shared by every page: system fonts, one accent colour, the reader's choice of light or dark, and a print style. Text has
// a contrast of at least 4.5:1 (WCAG 2.2, 1.4.3).

export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #faf9f7; --card: #fff; --ink: #20242a; --soft: #5b636e; --line: #e3e0da; --sunk: #f4f2ee;
  --accent: #2c57c9; --wash: #e9effd; --bad: #b0241c; --bad-wash: #fcebe9; --warn: #7a5200; --warn-wash: #fbf1dc;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14161a; --card: #1a1d22; --ink: #e6e8eb; --soft: #9ba4b0; --line: #2d323a; --sunk: #101215;
    --accent: #92b2ff; --wash: #202a45; --bad: #ff9f96; --bad-wash: #3b1f1d; --warn: #f0c36b; --warn-wash: #35290f;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 var(--sans); overflow-wrap: anywhere; }
h1, h2, h3, h4, p, dl, dd, ul, ol, pre, figure { margin: 0; }
ul, ol { padding: 0; list-style: none; }
h1 { font-size: 1.55rem; line-height: 1.25; font-weight: 650; letter-spacing: -0.01em; }
h2 { font-size: 1.2rem; font-weight: 650; }
h3 { font-size: 0.95rem; font-weight: 650; }
h4 { font-size: 0.8rem; font-weight: 600; color: var(--soft); margin: 0.75rem 0 0.3rem; }
h4:first-child { margin-top: 0; }
a { color: inherit; }
code, kbd, pre, .mono, .tool { font-family: var(--mono); font-size: 0.875em; }
kbd { border: 1px solid var(--line); border-radius: 4px; padding: 0 0.3em; background: var(--card); }
button, input { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 7px; padding: 0.3rem 0.65rem; }
button { cursor: pointer; }
button:hover { border-color: var(--accent); color: var(--accent); }
:focus { outline: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.hidden, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip:focus { position: absolute; z-index: 9; top: 0.5rem; left: 0.5rem; padding: 0.5rem 0.9rem; background: var(--card); }
[hidden] { display: none !important; }
.sign { color: var(--bad); background: var(--bad-wash); border-radius: 3px; padding: 0 0.15em; font-family: var(--mono); font-size: 0.85em; unicode-bidi: isolate; }
.label { font-size: 0.8rem; font-weight: 600; color: var(--soft); }
.size { color: var(--soft); font-size: 0.8rem; font-weight: 400; font-family: var(--sans); }
.badge { display: inline-block; border-radius: 5px; padding: 0 0.4em; font-size: 0.78rem; font-family: var(--sans); font-weight: 600; line-height: 1.5; }
.bad { color: var(--bad); background: var(--bad-wash); }
.note { color: var(--soft); font-size: 0.9rem; }
.cut { margin-top: 0.4rem; color: var(--warn); font-size: 0.9rem; }
.proof { margin-top: 0.9rem; font-size: 0.9rem; color: var(--soft); border-left: 3px solid var(--accent); padding-left: 0.75rem; }
.proof strong { color: var(--ink); font-weight: 600; }
.proof.warn { border-color: var(--warn); background: var(--warn-wash); padding: 0.45rem 0.75rem; color: var(--ink); }
.proof .size { margin-left: 0.6em; font-family: var(--mono); font-size: 0.75rem; }
::highlight(found) { background: #ffd54a; color: #201a00; }
@media print {
  :root {
    color-scheme: light;
    --paper: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; --sunk: #fff;
    --accent: #24408f; --wash: #fff; --bad: #900; --bad-wash: #fff; --warn: #553a00; --warn-wash: #fff;
  }
  body { font-size: 10.5pt; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`;
