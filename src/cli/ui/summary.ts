// What the list shows of one file.

import { defined, isPlainObject, shorten, type LlmMessage } from "../../core/index.js";
import { isJudgeRecording, type Cassette } from "../../cassette/index.js";
import {
  successOf,
  type CandidateReports,
  type GateReport,
  type ItemLook,
  type UiItem,
  type UiMutants,
} from "../../harness/index.js";
import { MAX_UI_MISSES } from "../limits.js";
import { count } from "../terminal/output.js";
import { kindByName, type Contents } from "./contents.js";
import type { FoundFile } from "./folder.js";
import type { ReadMisses } from "./reports.js";

/** Characters of a line of content, which a search looks at. */
const SHOWN_TEXT = 300;
const SHOWN_NAMES = 6;

/** The items of a file that is not read yet: none if only its content tells what it is. */
export function waitingItems({ path, changedMs }: FoundFile): UiItem[] {
  const kind = kindByName(path);
  return kind === undefined ? [] : [{ kind, file: path, state: "waiting", facts: [], about: "", changedMs }];
}

export function toItems({ path: file, changedMs }: FoundFile, contents: Contents): UiItem[] {
  const base = { file, changedMs, state: "read" as const, facts: [], about: "" };
  switch (contents.kind) {
    case "other":
      return [];
    case "damaged":
      return [{ ...base, kind: contents.as, state: "damaged", about: contents.failure.message }];
    case "cassette":
    case "failed":
      return [{ ...base, kind: contents.kind, ...aboutCassette(contents.cassette) }];
    case "bundle": {
      const names = Object.keys(contents.bundle.cassettes);
      return [{ ...base, kind: "bundle", facts: [count(names.length, "agent")], about: cut(names.join(", ")) }];
    }
    case "verdict":
      return [{ ...base, kind: "verdict", ...aboutVerdict(contents.report) }];
    case "refusal":
      return [{ ...base, kind: "verdict", badge: { text: "not compared", look: "bad" }, about: cut(contents.message) }];
    case "candidates":
      return [{ ...base, kind: "verdict", ...aboutCandidates(contents.candidates) }];
    case "mutants":
      return [{ ...base, kind: "mutants", ...aboutMutants(contents.report) }];
    case "misses":
      return missItems(contents, base);
  }
}

function missItems({ misses, more }: ReadMisses, base: Omit<UiItem, "kind">): UiItem[] {
  const items = misses.map(({ name, report }): UiItem => {
    const facts = "turn" in report ? [`turn ${report.turn}`] : [];
    const badge = { text: report.code, look: "bad" } as const;
    return { ...base, kind: "miss", missed: name, badge, facts, about: cut(report.what) };
  });
  if (more === 0) return items;
  const about = `${moreMisses(more)} in this file`;
  return [...items, { ...base, kind: "miss", badge: { text: "not listed", look: "warn" }, about }];
}

/** Names the misses of a file beyond the limit. */
export function moreMisses(more: number): string {
  return `${count(more, "more miss", "more misses")} beyond the first ${MAX_UI_MISSES}`;
}

type About = Pick<UiItem, "badge" | "facts" | "about">;

function aboutCassette(cassette: Cassette): About {
  const entries: readonly Pick<Cassette["entries"][number], "response">[] = cassette.entries;
  const models = distinct(entries.flatMap(({ response }) => response.model ?? []));
  const tools = distinct(entries.flatMap(({ response }) => (response.message.toolCalls ?? []).map(({ name }) => name)));
  const success = successOf(cassette);
  const badge =
    success === undefined
      ? undefined
      : success
        ? { text: "passed", look: "good" as const }
        : { text: "failed", look: "bad" as const };
  const error = success === false ? errorOf(cassette) : undefined;
  const last = entries.at(-1)?.response.message.content;
  const about = error ?? [firstText(cassette), last].filter((text) => text !== undefined && text !== "").join(" → ");
  const judge = isJudgeRecording(cassette) ? ["a judge's recording"] : [];
  return {
    facts: [count(entries.length, "turn"), ...judge, ...models, ...tools],
    about: cut(about),
    ...defined({ badge }),
  };
}

function errorOf({ extensions }: Cassette & { extensions?: Readonly<Record<string, unknown>> }): string | undefined {
  const outcome = extensions?.["outcome"];
  const error = isPlainObject(outcome) ? outcome["error"] : undefined;
  return typeof error === "string" ? error : undefined;
}

/** The first text of the user in the first prompt. Version 1 keeps no prompts. */
function firstText(cassette: Cassette): string | undefined {
  const [entry] = cassette.entries as readonly { prompt?: { messages: readonly LlmMessage[] } }[];
  const content = entry?.prompt?.messages.find(({ role }) => role === "user")?.content;
  if (typeof content === "string") return cut(content);
  return content?.map((part) => (part.type === "text" ? part.text : "[image]")).join(" ");
}

const VERDICT_LOOKS: ReadonlyMap<string, ItemLook> = new Map<string, ItemLook>([
  ["regression", "bad"],
  ["drift", "warn"],
  ["better", "good"],
  ["same", "good"],
]);

function aboutVerdict({ verdict, reason, scenarios, base, candidate }: GateReport): About {
  const sides = typeof base === "string" && typeof candidate === "string" ? [`${cut(base)} → ${cut(candidate)}`] : [];
  return {
    badge: { text: verdict, look: VERDICT_LOOKS.get(verdict) ?? "plain" },
    facts: [count(scenarios.length, "scenario"), ...sides],
    about: cut(reason),
  };
}

/** The verdict of the first candidate that fails, or else of the first. */
function aboutCandidates({ reports }: CandidateReports): About {
  const first = reports.find(({ fails }) => fails) ?? reports[0];
  const verdicts = reports.map(({ candidate, verdict }) =>
    // A report of another program may have no candidate.
    typeof candidate === "string" ? `${cut(candidate)}: ${verdict}` : verdict,
  );
  if (first === undefined) return { facts: [], about: "" };
  return { ...aboutVerdict(first), facts: [count(reports.length, "candidate")], about: cut(verdicts.join(", ")) };
}

function aboutMutants({ mutants, command }: UiMutants): About {
  const of = (outcome: string): number => mutants.filter((mutant) => mutant.outcome === outcome).length;
  const [noticed, survived] = [of("noticed"), of("survived")];
  const judged = noticed + survived;
  const score = judged === 0 ? "no conclusion" : `${Math.floor((100 * noticed) / judged)} % noticed`;
  return {
    badge: { text: score, look: judged === 0 ? "plain" : survived > 0 ? "warn" : "good" },
    facts: [count(mutants.length, "mutant"), `${survived} survived`],
    about: cut(command.join(" ")),
  };
}

function distinct(names: readonly string[]): string[] {
  const all = [...new Set(names)];
  const more = all.length - SHOWN_NAMES;
  return [...all.slice(0, SHOWN_NAMES), ...(more > 0 ? [`and ${more} more`] : [])];
}

function cut(text: string): string {
  return shorten(text, SHOWN_TEXT);
}
