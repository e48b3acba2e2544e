// The head of a page: a recording's origin, cost, proofs and tools.

import {
  describeOrigin,
  extensionsOf,
  judgeSignatures,
  countedTurns,
  sumUsage,
  type Cassette,
} from "../../cassette/index.js";
import { isPlainObject } from "../../core/index.js";
import { meanGrade } from "../scores/agreement.js";
import { scoresOf } from "../scores/scores.js";
import type { Allowance, LeftOut } from "./allowance.js";
import { costTotal, counted, tokenTotal } from "./figures.js";
import type { AnyEntry } from "./steps.js";
import { fold, jsonText, preview, textView } from "./text-view.js";
import { html, type Child, type Html } from "./template.js";

const SHOWN_TOOLS = 40;
const SHOWN_MODELS = 8;

export function headView(cassette: Cassette, allowance: Allowance): Html {
  const entries: readonly AnyEntry[] = cassette.entries;
  const usage = sumUsage(countedTurns(cassette));
  const facts: [string, string][] = [
    ["Model", modelsOf(cassette, entries)],
    ["Provider", cassette.recordedProvider],
    ["Recorded", cassette.recordedAt],
    ...(cassette.agentId === undefined ? [] : [["Agent", cassette.agentId] as [string, string]]),
    ["Turns", counted(entries.length, "turn")],
    ["Tokens", tokenTotal(usage)],
    ["Cost", costTotal(usage)],
    ...outcomeOf(cassette),
    ...scoreFacts(cassette),
  ];
  return html`<dl class="about-run">
      ${facts.map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${preview(value, 200)}</dd>
          </div> `,
      )}
    </dl>
    ${proofView(cassette)} ${toolsView(entries)} ${extensionsView(cassette, allowance)}`;
}

function modelsOf(cassette: Cassette, entries: readonly AnyEntry[]): string {
  const models = [...new Set(entries.flatMap(({ response }) => response.model ?? []))];
  const imported = importOf(cassette)?.["model"];
  if (models.length === 0) return typeof imported === "string" ? imported : "unknown";
  const more = models.length - SHOWN_MODELS;
  return models.slice(0, SHOWN_MODELS).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function importOf(cassette: Cassette): Record<string, unknown> | undefined {
  const source: unknown = extensionsOf(cassette)["import"];
  return isPlainObject(source) ? source : undefined;
}

/** The outcome of the run, if the test or the imported log records one. */
function outcomeOf(cassette: Cassette): [string, string][] {
  const outcome = extensionsOf(cassette)["outcome"] ?? importOf(cassette)?.["outcome"];
  if (!isPlainObject(outcome)) return [];
  const parts = Object.entries(outcome).map(([name, value]) => `${name} ${jsonText(value)}`);
  return [["Outcome", parts.join(", ")]];
}

function scoreFacts(cassette: Cassette): [string, string][] {
  return [...scoresOf(cassette)].map(([name, grades]) => [
    `Score ${name}`,
    `${Number(meanGrade(grades).toPrecision(6))}${grades.length > 1 ? ` (grades ${grades.join(", ")})` : ""}`,
  ]);
}

function proofView(cassette: Cassette): Html {
  if (cassette.version === 1) {
    return html`<p class="proof warn">
      <strong>Version 1.</strong> Nothing protects these contents: anyone may have changed them.
    </p>`;
  }
  const verdict = judgeSignatures(cassette, { now: 0 });
  const signers = "signatures" in verdict ? verdict.signatures.map(({ keyId }) => keyId) : [];
  const signed =
    signers.length === 0
      ? html`Not signed.`
      : html`The signature is valid for key <code>${preview(signers.join(", "), 100)}</code>. A trust list says whose
          key it is.`;
  const notes = describeOrigin(cassette).map(({ kind, text }) => ({ kind, text: sentence(preview(text, 400)) }));
  const [warnings, plain] = [notes.filter(({ kind }) => kind === "warn"), notes.filter(({ kind }) => kind === "plain")];
  return html`${warnings.map(
      ({ text }) => html`<p class="proof warn"><strong>Not proven from the start.</strong> ${text}</p>`,
    )}
    <p class="proof">
      <strong>Version 2, every hash is valid${warnings.length > 0 && " since then"}.</strong> ${signed}
      ${plain.map(({ text }) => `${text} `)}<span class="size">${cassette.cassetteId}</span>
    </p>`;
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

function toolsView(entries: readonly AnyEntry[]): Child {
  const counts = new Map<string, number>();
  for (const { name } of entries.flatMap(({ response }) => response.message.toolCalls ?? [])) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  if (counts.size === 0) return undefined;
  const listed = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const more = listed.length - SHOWN_TOOLS;
  return html`<div class="used">
    <p class="label">Tools called</p>
    <ul>
      ${listed.slice(0, SHOWN_TOOLS).map(
        ([name, times]) =>
          html`<li>
            <button type="button" data-find="${name}">
              <span class="tool">${preview(name, 60)}</span> <span class="times">${times}</span>
            </button>
          </li> `,
      )}${more > 0 && html`<li class="note">and ${more} more</li>`}
    </ul>
  </div>`;
}

function extensionsView(cassette: Cassette, allowance: Allowance): Child {
  if (cassette.version === 1 || cassette.extensions === undefined) return undefined;
  const names = Object.keys(cassette.extensions);
  const about = html`<span class="label">Recorded extensions</span>
    <span class="about">${preview(names.join(", "), 120)}</span>`;
  return fold("long", about, textView(jsonText(cassette.extensions), "code", allowance));
}

/** A note on the content that the page left out, or nothing. */
export function leftOutView({ texts, characters, items, images }: LeftOut): Child {
  const parts = [
    texts > 0 && `${counted(texts, "text")} cut by ${counted(characters, "character")}`,
    items > 0 && `${counted(items, "message or call", "messages or calls")} left out`,
    images > 0 && `${counted(images, "image")} left out`,
  ].filter((part) => part !== false);
  if (parts.length === 0) return undefined;
  const remedy = texts + items > 0 ? " Write the page with --full to keep the whole text." : "";
  return html`<p class="proof warn"><strong>Some content is left out.</strong> ${parts.join(", ")}.${remedy}</p>`;
}
