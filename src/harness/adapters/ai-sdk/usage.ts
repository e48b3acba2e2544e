// The tokens of an answer: the SDK's counts as ours, and back. Version 2 has flat counts, later versions nested ones. The SDK's
// counts are kept as well if ours do not lead back to them, such as a total that includes reasoning.

import { canonicalize, defined, type JsonObject, type Usage } from "../../../core/index.js";
import { type Loose, toLoose } from "../loose.js";
import type { SpecVersion, TokenUsage } from "./sdk-types.js";

const FLAT = ["inputTokens", "outputTokens", "totalTokens", "reasoningTokens", "cachedInputTokens"];
const INPUT = ["total", "noCache", "cacheRead", "cacheWrite"];
const OUTPUT = ["total", "text", "reasoning"];

/** `exact` is set if `usage` alone would not give the same counts again. */
export function readUsage(said: Loose): { usage: Usage | undefined; exact: JsonObject | undefined } {
  const usage = toUsage(said);
  const counts = countsOf(said);
  const again = isNested(said) ? nestedUsage(usage) : flatUsage(usage);
  const isSame = canonicalize(counts) === canonicalize(countsOf(again as unknown as Loose));
  return { usage, exact: isSame || Object.keys(counts).length === 0 ? undefined : counts };
}

function toUsage({ inputTokens, outputTokens, ...flat }: Loose): Usage | undefined {
  const input = typeof inputTokens === "object" ? toLoose(inputTokens) : {};
  const output = typeof outputTokens === "object" ? toLoose(outputTokens) : {};
  const read = count(input["cacheRead"] ?? flat["cachedInputTokens"]);
  const written = count(input["cacheWrite"]);
  const reasoning = count(output["reasoning"] ?? flat["reasoningTokens"]);
  const asked = count(inputTokens) ?? count(input["total"]) ?? sum([count(input["noCache"]), read, written]);
  const said = count(outputTokens) ?? count(output["total"]) ?? sum([count(output["text"]), reasoning]);
  if (asked === undefined && said === undefined) return undefined;
  return {
    inputTokens: asked ?? 0,
    outputTokens: said ?? 0,
    ...defined({ cacheReadTokens: read, cacheWriteTokens: written, reasoningTokens: reasoning }),
  };
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function sum(counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, one) => total + one, 0);
}

function isNested({ inputTokens, outputTokens }: Loose): boolean {
  return [inputTokens, outputTokens].some((counts) => typeof counts === "object" && counts !== null);
}

/** The counts that are numbers. The vendor's other data is dropped: it differs from call to call. */
function countsOf(said: Loose): JsonObject {
  if (!isNested(said)) return pick(said, FLAT);
  const input = pick(toLoose(said["inputTokens"]), INPUT);
  const output = pick(toLoose(said["outputTokens"]), OUTPUT);
  return {
    ...(Object.keys(input).length === 0 ? {} : { inputTokens: input }),
    ...(Object.keys(output).length === 0 ? {} : { outputTokens: output }),
  };
}

function pick(fields: Loose, names: readonly string[]): JsonObject {
  return defined(Object.fromEntries(names.map((name) => [name, count(fields[name])]))) as JsonObject;
}

/** The usage for a model of this version. `exact` is used if it has the same form. */
export function writeUsage(usage: Usage | undefined, exact: JsonObject | undefined, version: SpecVersion): TokenUsage {
  if (version === "v2") {
    const flat = exact !== undefined && !isNested(exact) ? exact : flatUsage(usage);
    const { inputTokens, outputTokens, totalTokens, ...more } = flat;
    return { inputTokens, outputTokens, totalTokens, ...more } as unknown as TokenUsage;
  }
  if (exact === undefined || !isNested(exact)) return nestedUsage(usage);
  const [input, output] = [toLoose(exact["inputTokens"]), toLoose(exact["outputTokens"])];
  return {
    inputTokens: Object.fromEntries(INPUT.map((name) => [name, count(input[name])])),
    outputTokens: Object.fromEntries(OUTPUT.map((name) => [name, count(output[name])])),
  } as unknown as TokenUsage;
}

function nestedUsage(usage: Usage | undefined): TokenUsage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens }: Partial<Usage> = usage ?? {};
  const cached = (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  return {
    inputTokens: {
      total: inputTokens,
      noCache: inputTokens === undefined ? undefined : inputTokens - cached,
      cacheRead: cacheReadTokens,
      cacheWrite: cacheWriteTokens,
    },
    outputTokens: {
      total: outputTokens,
      text: outputTokens === undefined ? undefined : outputTokens - (reasoningTokens ?? 0),
      reasoning: reasoningTokens,
    },
  };
}

/** The usage of version 2, which does not count cache writes. */
function flatUsage(usage: Usage | undefined): Record<string, number | undefined> {
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens }: Partial<Usage> = usage ?? {};
  const totalTokens = usage === undefined ? undefined : usage.inputTokens + usage.outputTokens;
  const details = defined({ cachedInputTokens: cacheReadTokens, reasoningTokens });
  return { inputTokens, outputTokens, totalTokens, ...details };
}
