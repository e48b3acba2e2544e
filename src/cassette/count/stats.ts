// Counts over many cassettes. Only counts are kept, so that 100,000 files take no more memory than ten.

import { defined, isPlainObject } from "../../core/index.js";
import { extensionsOf, type Cassette } from "../file/format.js";
import { MAX_COUNTED_NAMES } from "../limits.js";
import { isJudgeRecording } from "./judge.js";
import {
  askedModelOf,
  countedTurns,
  createTurnPricer,
  createUsageCounter,
  unpricedModelOf,
  type CountedTurn,
  type TurnPricer,
  type UsageSum,
} from "./usage-sum.js";

/** Files kept as the largest. */
const LARGEST = 5;

/** A name and its count: calls of a tool, turns of a model, cassettes of a provider. */
export interface NameCount {
  name: string;
  count: number;
  /** Cassettes that have it. */
  cassettes: number;
}

/** Counts by name, the most frequent first. */
export interface NameCounts {
  names: NameCount[];
  /** Of the names beyond {@link MAX_COUNTED_NAMES}, together. Absent: there were none. */
  others?: number;
}

/** Counts over cassettes. Lists of names and of the largest files are bounded; see {@link MAX_COUNTED_NAMES}. */
export interface CassetteStats {
  cassettes: number;
  bytes: number;
  usage: UsageSum;
  toolCalls: number;
  /** HTTP exchanges that are not turns. */
  exchanges: number;
  tools: NameCounts;
  /** Of turns that say which model answered. */
  models: NameCounts;
  /** Of turns whose cost is unknown because no list has a price of the model. */
  unpriced: NameCounts;
  providers: NameCounts;
  version1: number;
  version2: number;
  signed: number;
  /** Cassettes with prompts rewritten by a hashFilter, with redacted answers, and without their prompts. */
  filtered: number;
  redacted: number;
  withoutPrompts: number;
  /** ISO 8601. Absent where no cassette has a time that can be read. */
  oldest?: string;
  newest?: string;
  largest: { file: string; bytes: number }[];
}

/** What is counted of one cassette: plain data. */
export interface CassetteFigures {
  /** As in {@link countedTurns}, without the messages. */
  turns: CountedTurn[];
  /** The tools that it called, each as often as it did. */
  tools: string[];
  /** The model of each answer that names one. */
  models: string[];
  provider: string;
  /** See {@link askedModelOf}. */
  askedModel?: string;
  recordedAt: string;
  exchanges: number;
  isJudge: boolean;
  marks: Mark[];
}

export interface StatsCounter {
  /** `bytes` is the size of its file. */
  add(file: string, bytes: number, figures: CassetteFigures): void;
  total(): CassetteStats;
}

export function cassetteFigures(cassette: Cassette): CassetteFigures {
  const responses = cassette.entries.map(({ response }) => response);
  return {
    turns: countedTurns(cassette).map(({ usage, costUsd, model }) => defined({ usage, costUsd, model })),
    tools: responses.flatMap(({ message }) => (message.toolCalls ?? []).map(({ name }) => name)),
    models: responses.flatMap(({ model }) => model ?? []),
    provider: cassette.recordedProvider,
    ...defined({ askedModel: askedModelOf(cassette) }),
    recordedAt: cassette.recordedAt,
    exchanges: extensionsOf(cassette).exchanges?.length ?? 0,
    isJudge: isJudgeRecording(cassette),
    marks: marksOf(cassette),
  };
}

export function createStatsCounter(price: TurnPricer = createTurnPricer()): StatsCounter {
  const usage = createUsageCounter(price);
  const [tools, models, unpriced, providers] = [createNames(), createNames(), createNames(), createNames()];
  const sum = {
    cassettes: 0,
    bytes: 0,
    version1: 0,
    version2: 0,
    signed: 0,
    filtered: 0,
    redacted: 0,
    withoutPrompts: 0,
    exchanges: 0,
  };
  const times = createTimes();
  let largest: { file: string; bytes: number }[] = [];

  return {
    add(file, bytes, { turns, marks, ...figures }) {
      for (const turn of turns) usage.add(turn);
      unpriced.add(turns.flatMap((turn) => unpricedModelOf(turn, price) ?? []));
      tools.add(figures.tools);
      models.add(figures.models);
      providers.add([figures.provider]);
      sum.cassettes++;
      sum.bytes += bytes;
      sum.exchanges += figures.exchanges;
      for (const mark of marks) sum[mark]++;
      times.add(figures.recordedAt);
      largest = [...largest, { file, bytes }].sort((a, b) => b.bytes - a.bytes).slice(0, LARGEST);
    },
    total: () => ({
      ...sum,
      usage: usage.total(),
      toolCalls: tools.all(),
      tools: tools.counts(),
      models: models.counts(),
      unpriced: unpriced.counts(),
      providers: providers.counts(),
      ...times.range(),
      largest,
    }),
  };
}

type Mark = "version1" | "version2" | "signed" | "filtered" | "redacted" | "withoutPrompts";

function marksOf(cassette: Cassette): Mark[] {
  if (cassette.version === 1) return ["version1", "withoutPrompts"];
  const { signature, extensions, entries } = cassette;
  const { filtered, redacted } = isPlainObject(extensions) ? extensions : {};
  return [
    "version2",
    ...(signature === undefined ? [] : ["signed" as const]),
    ...(filtered === true ? ["filtered" as const] : []),
    ...(redacted === undefined ? [] : ["redacted" as const]),
    ...(entries.length > 0 && entries[0]?.prompt === undefined ? ["withoutPrompts" as const] : []),
  ];
}

function createNames() {
  const byName = new Map<string, NameCount>();
  let [all, others] = [0, 0];
  return {
    /** All names of one cassette, each as often as it occurs. */
    add(names: readonly string[]): void {
      const seen = new Set<string>();
      for (const name of names) {
        all++;
        const known = byName.get(name) ?? { name, count: 0, cassettes: 0 };
        if (known.count === 0 && byName.size >= MAX_COUNTED_NAMES) {
          others++;
          continue;
        }
        byName.set(name, known);
        known.count++;
        if (!seen.has(name)) known.cassettes++;
        seen.add(name);
      }
    },
    all: () => all,
    counts(): NameCounts {
      const names = [...byName.values()].sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
      return { names: names.map((each) => ({ ...each })), ...(others === 0 ? {} : { others }) };
    },
  };
}

/** Compares moments, since two recorders may spell the same moment differently. */
function createTimes() {
  let oldest: { at: number; text: string } | undefined;
  let newest: { at: number; text: string } | undefined;
  return {
    add(text: string): void {
      const at = Date.parse(text);
      if (Number.isNaN(at)) return;
      if (oldest === undefined || at < oldest.at) oldest = { at, text };
      if (newest === undefined || at > newest.at) newest = { at, text };
    },
    range: () => (oldest === undefined || newest === undefined ? {} : { oldest: oldest.text, newest: newest.text }),
  };
}
