// One turn on a page: its prompt, the model's answer, and its tool calls with their results.

import { usageOf } from "../../cassette/index.js";
import type { LlmToolCall, ToolMessage } from "../../core/index.js";
import type { Allowance } from "./allowance.js";
import { counted, turnFigures } from "./figures.js";
import { messageView, prose, reasoningView, said } from "./message-view.js";
import type { Step } from "./steps.js";
import { argumentsLine, jsonText, laidOut, preview, textView } from "./text-view.js";
import { html, type Child, type Html } from "./template.js";

/** `id` is the turn's element id on the page. `note` is a remark on it, such as a change of tools. */
export function turnView(step: Step, id: string, note: string | undefined, allowance: Allowance): Html {
  const { entry, asked, rewritten } = step;
  const { response, turnIndex } = entry;
  const { message } = response;
  const calls = message.toolCalls ?? [];
  const answer: Child = [
    reasoningView(message.reasoning, allowance),
    message.content !== "" && prose(message.content, allowance),
    calls.map((call, index) => callView(call, step.results.get(index), allowance)),
    message.content === "" && calls.length === 0 && html`<p class="note">Empty answer.</p>`,
  ];
  return html`<article class="turn" id="${id}" tabindex="-1" aria-labelledby="${id}-name">
    <header class="turn-head">
      <h3 id="${id}-name">Turn ${turnIndex}</h3>
      ${factsView(step)}
    </header>
    ${note !== undefined && html`<p class="note">${note}</p>`}
    ${entry.prompt === undefined && html`<p class="note">The prompt was not recorded, only its hash <code>${preview(entry.promptHash, 16)}</code></p>`}
    ${rewritten !== undefined && rewrittenNote(rewritten)} ${asked.map((each) => messageView(each, allowance))}
    ${said("assistant", "Assistant", answer)}
  </article>`;
}

function rewrittenNote({ kept, of }: { kept: number; of: number }): Html {
  return html`<p class="note">
    The prompt was rewritten: it kept ${kept} of ${counted(of, "message")} and continues as follows.
  </p>`;
}

function factsView({ entry }: Step): Html {
  const { stopReason, model } = entry.response;
  const isCut = stopReason !== "stop" && stopReason !== "toolUse";
  const [tokens, cost] = turnFigures(usageOf(entry.response));
  return html`<p class="facts">
    ${model !== undefined && html`<span class="mono">${preview(model, 60)}</span>`}<span
      class="${isCut ? "badge bad" : "mono"}"
      >${stopReason}</span
    >${tokens !== undefined && html`<span>${tokens}</span>`}${cost !== undefined && html`<span>${cost}</span>`}
  </p>`;
}

/** A call and its result, folded behind a preview line for each. */
function callView(call: LlmToolCall, result: ToolMessage | undefined, allowance: Allowance): Child {
  if (!allowance.item()) return undefined;
  const { name, id, arguments: args } = call;
  const malformed: unknown = call.malformedArguments;
  const isError = result?.isError === true;
  const text = malformed === undefined ? jsonText(args) : jsonText(malformed);
  const line = malformed === undefined ? argumentsLine(args) : preview(text, 160);
  return html`<details class="call${isError || malformed !== undefined ? " failed" : ""}">
    <summary>
      <span class="tool">${name}</span>
      <span class="about">${line}</span
      >${malformed !== undefined && html` <span class="badge bad">malformed arguments</span>`}
      <span class="gave">${gaveView(result)}</span>
    </summary>
    <div class="inner">
      <h4>Arguments <span class="size">${preview(id, 80)}</span></h4>
      ${textView(text, "code", allowance)}
      <h4>Result ${isError && html`<span class="badge bad">error</span>`}</h4>
      ${result === undefined ? html`<p class="note">No result was recorded.</p>` : textView(laidOut(result.content), "code", allowance)}
    </div>
  </details>`;
}

function gaveView(result: ToolMessage | undefined): Html {
  if (result === undefined) return html`<span class="arrow" aria-hidden="true">→</span> no result recorded`;
  const mark = html`<span class="arrow" aria-hidden="true">→</span>`;
  if (result.content === "") return html`${mark} empty result`;
  return html`${mark}
  ${result.isError === true && html`<span class="badge bad">error</span> `}${preview(result.content, 160)}`;
}
