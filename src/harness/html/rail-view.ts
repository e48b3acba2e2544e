// The rail shows a run at a glance: one line per turn, with its tools and a mark if one failed.

import type { LlmMessage } from "../../core/index.js";
import type { Step } from "./steps.js";
import { preview } from "./text-view.js";
import { html, type Child, type Html } from "./template.js";

/** The turns of one recording. `name` is its agent's, set if the page shows several agents. */
export interface RailPart {
  name: string | undefined;
  entries: { step: Step; id: string }[];
}

export function railView(parts: readonly RailPart[]): Html {
  return html`<nav class="rail" aria-label="Turns">
    <details class="rail-fold" open>
      <summary>Turns</summary>
      ${parts.map(
        ({ name, entries }) =>
          html`${name !== undefined && html`<p class="rail-agent">${preview(name, 60)}</p>`}
            <ol>
              ${entries.map(({ step, id }) => entryView(step, id))}
            </ol>`,
      )}
    </details>
  </nav>`;
}

function entryView(step: Step, id: string): Html {
  const asked = step.asked.find(({ role }) => role === "user");
  const address = `#${id}`;
  return html`<li>
    <a href="${address}"
      ><span class="number">${step.entry.turnIndex}</span
      ><span class="lines"
        >${
          asked !== undefined &&
          html`<span class="asked"><span class="from">User</span> ${preview(textOfMessage(asked), 60)}</span>`
        }${answerLine(step)}</span
      ></a
    >
  </li> `;
}

function answerLine({ entry, results }: Step): Child {
  const { message, stopReason } = entry.response;
  const calls = message.toolCalls ?? [];
  const hasFailed =
    calls.some(({ malformedArguments }) => malformedArguments !== undefined) ||
    [...results.values()].some(({ isError }) => isError === true);
  const isCut = stopReason !== "stop" && stopReason !== "toolUse";
  // The flag comes before the names, so that a long line cannot hide it.
  const flag = (hasFailed || isCut) && html`<span class="badge bad">${hasFailed ? "error" : stopReason}</span> `;
  if (calls.length === 0) return html`<span class="answered">${flag}${preview(message.content, 60)}</span>`;
  return html`<span class="tools">${flag}${namesLine(calls.map(({ name }) => preview(name, 40)))}</span>`;
}

/** Lists each name once, in order of its first call, with its number of calls. */
function namesLine(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const shownNames = [...counts].slice(0, 4).map(([name, count]) => (count === 1 ? name : `${name} ×${count}`));
  return [...shownNames, ...(counts.size > 4 ? [`and ${counts.size - 4} more`] : [])].join(", ");
}

function textOfMessage({ content }: LlmMessage): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "[image]")).join(" ");
}
