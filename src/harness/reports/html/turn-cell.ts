// One turn on one side of a timeline: its text, its calls with their arguments, and the results.

import type { Edit, TimelineTurn } from "../../drift/gate-report.js";
import { canonicalize, isPlainObject, valueAt, type JsonValue } from "../../../core/index.js";
import type { Allowance } from "../../html/allowance.js";
import { grouped, money } from "../../html/figures.js";
import { argumentsLine, foldedView, laidOut, preview, textView } from "../../html/text-view.js";
import { html, type Child, type Html } from "../../html/template.js";
import { markedJson } from "./marked-json.js";

export type Side = "base" | "candidate";

interface CallMark {
  pointers: ReadonlySet<string>;
  isWhole: boolean;
}

/** The cell of a turn. `edits` are the edits of its row. */
export function turnCell(turn: TimelineTurn, side: Side, edits: readonly Edit[], allowance: Allowance): Html {
  const marks = marksOf(turn, side, edits);
  const hasText = turn.text !== "";
  const label = `${side === "base" ? "Baseline" : "Candidate"}, turn ${turn.turn}`;
  return html`<div class="side ${side}" role="group" aria-label="${label}">
    <p class="facts">
      <span class="number"
        ><span class="which">${side === "base" ? "Baseline" : "Candidate"} </span>turn ${turn.turn}</span
      >
      ${factsOf(turn)}
    </p>
    ${hasText && foldedView(turn.text, "prose", allowance)}
    ${turn.calls.map((call, index) => callView(call, marks.get(index), side, allowance))}
    ${!hasText && turn.calls.length === 0 && html`<p class="note">Empty answer.</p>`}
  </div>`;
}

function factsOf({ stopReason, totalTokens, costUsd }: TimelineTurn): Child {
  const isCut = stopReason !== "stop" && stopReason !== "toolUse";
  return [
    isCut && html`<span class="badge bad">${preview(stopReason, 40)}</span>`,
    totalTokens !== undefined && html`<span>${grouped(totalTokens)} tokens</span>`,
    costUsd !== undefined && html`<span>${money(costUsd)}</span>`,
  ];
}

type Call = TimelineTurn["calls"][number];

function callView(call: Call, mark: CallMark | undefined, side: Side, allowance: Allowance): Child {
  if (!allowance.item()) return html`<p class="cut">This page has no room for this call.</p>`;
  const { name, arguments: args, result } = call;
  const kind = mark === undefined ? "" : side === "base" ? " marked old" : " marked new";
  const sign = mark === undefined ? undefined : mark.isWhole ? (side === "base" ? "−" : "+") : "≠";
  return html`<details class="call${kind}">
    <summary>
      ${sign !== undefined && html`<span class="flag" aria-hidden="true">${sign}</span> `}<span class="tool"
        >${preview(name, 80)}</span
      >
      <span class="about">${lineOf(args)}</span>
      ${result !== undefined && html`<span class="gave"><span class="arrow" aria-hidden="true">→</span> ${result === "" ? "empty result" : preview(result, 160)}</span>`}
    </summary>
    <div class="inner">
      <h4>Arguments</h4>
      ${argumentsView(args, mark?.pointers ?? new Set(), side, allowance)}
      <h4>Result</h4>
      ${result === undefined ? html`<p class="note">No result was recorded.</p>` : textView(laidOut(result), "code", allowance)}
    </div>
  </details>`;
}

function lineOf(args: JsonValue): string {
  return isPlainObject(args) ? argumentsLine(args) : preview(typeof args === "string" ? args : canonicalize(args), 160);
}

function argumentsView(args: JsonValue, pointers: ReadonlySet<string>, side: Side, allowance: Allowance): Html {
  const text = JSON.stringify(args, null, 2);
  if (allowance.text(text.length) < text.length) {
    return html`<p class="cut">The arguments have ${grouped(text.length)} characters, too many for this page.</p>`;
  }
  return html`<pre class="code" dir="auto" tabindex="0">
${markedJson(args, pointers, side === "base" ? "old" : "new")}</pre>`;
}

/** The marks of the calls by their index, from the edits of the row. */
function marksOf({ calls, turn }: TimelineTurn, side: Side, edits: readonly Edit[]): Map<number, CallMark> {
  const marks = new Map<number, CallMark>();
  for (const edit of edits) {
    const { drift } = edit;
    if (!("tool" in drift) || edit[side]?.turn !== turn) continue;
    const open = calls.flatMap((call, index) =>
      call.name === drift.tool && !marks.has(index) ? [{ call, index }] : [],
    );
    const found = open.find(({ call }) => isMeant(call, drift, side)) ?? open[0];
    if (found === undefined) continue;
    const pointers = "changes" in drift ? drift.changes.map(({ pointer }) => pointer) : [];
    marks.set(found.index, { pointers: new Set(pointers), isWhole: !("changes" in drift) });
  }
  return marks;
}

function isMeant({ arguments: args }: Call, drift: Edit["drift"], side: Side): boolean {
  if ("arguments" in drift) return canonicalize(args) === canonicalize(drift.arguments);
  if (!("changes" in drift)) return true;
  return drift.changes.every((change) => {
    const wanted = side === "base" ? change.old : change.new;
    const value = valueAt(args, change.pointer) as JsonValue | undefined;
    if (wanted === undefined || value === undefined) return wanted === value;
    return canonicalize(value) === canonicalize(wanted);
  });
}
