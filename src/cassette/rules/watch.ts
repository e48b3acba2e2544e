// One run under rules, turn by turn and call by call. A recording is read through it after the fact and a live run while it
// goes on, so that both name the same place.

import { defined, shorten, toPointer, toVisible } from "../../core/index.js";
import { nameText } from "../offer/name-text.js";
import { createUsageCounter, derivedCostOf, usageOf, type CountedTurn } from "../count/usage-sum.js";
import { kindOf, type Rule, type RuleBreak, type RuleSet, type RunLimits } from "./format.js";
import { compilePattern, mayMean, surelyMeans, type AskedCall, type Pattern } from "./pattern.js";

/** A call and where it was asked for. */
export interface PlacedCall {
  call: AskedCall;
  turn: number;
  /** Its place among the calls of the turn. */
  index: number;
}

/** What a turn says of itself. */
export type TurnFigures = CountedTurn;

/** Told of turns and calls in their order; what each of them breaks comes back. */
export interface RuleWatch {
  turn(turn: number, figures: TurnFigures): Found[];
  call(call: PlacedCall): Found[];
  /** What the whole run lacks. Nothing is told after it. */
  end(): Found[];
}

/** A break; those that carry `once` are one and the same each time. */
export interface Found {
  fact: RuleBreak;
  once?: "maxTurns" | "maxCalls" | "maxTokens" | "maxCostUsd";
}

type Fact = Pick<RuleBreak, "turn" | "pointer" | "sentence"> & Pick<Found, "once"> & { state?: RuleBreak["state"] };
type Judge = {
  turn?: (turn: number, figures: TurnFigures) => Fact[];
  call?: (call: PlacedCall) => Fact | undefined;
  end?: (lastTurn: number) => (Fact | undefined)[];
};

/** A maker of watches: schemas are compiled once for any number of runs. */
export function compileRules({ rules }: RuleSet): () => RuleWatch {
  const makers = rules.map((rule) => ({ rule, make: createJudge(rule) }));
  return () => {
    const judges = makers.map(({ rule, make }) => ({ rule, judge: make() }));
    let lastTurn = 0;
    const gather = (ask: (judge: Judge) => readonly (Fact | undefined)[]): Found[] =>
      judges.flatMap(({ rule, judge }) =>
        ask(judge).flatMap((fact) => (fact === undefined ? [] : [toFound(rule, fact)])),
      );
    return {
      turn(turn, figures) {
        lastTurn = turn;
        return gather((judge) => judge.turn?.(turn, figures) ?? []);
      },
      call: (call) => gather((judge) => [judge.call?.(call)]),
      end: () => gather((judge) => judge.end?.(lastTurn) ?? []),
    };
  };
}

function toFound(rule: Rule, { once, state = "broken", turn, pointer, sentence }: Fact): Found {
  const { id, reason } = rule;
  const why = defined({ reason });
  const fact = { rule: id, kind: kindOf(rule), state, turn, pointer, sentence: toVisible(sentence), ...why };
  return once === undefined ? { fact } : { fact, once };
}

function createJudge(rule: Rule): () => Judge {
  if ("never" in rule) return neverJudge(compilePattern(rule.never));
  if ("before" in rule) return beforeJudge(compilePattern(rule.before.first), compilePattern(rule.before.then));
  if ("atMost" in rule) return atMostJudge(compilePattern(rule.atMost.call), rule.atMost.times);
  if ("atLeast" in rule) return atLeastJudge(compilePattern(rule.atLeast.call), rule.atLeast.times);
  if ("arguments" in rule) {
    return argumentsJudge(compilePattern({ tool: rule.arguments.tool, arguments: rule.arguments.schema }));
  }
  return withinJudge(rule.within, rule.allowUnknown === true);
}

function neverJudge(pattern: Pattern): () => Judge {
  return () => ({
    call: ({ call, turn, index }) =>
      mayMean(pattern, call)
        ? { ...at(turn, index), sentence: `${callText(pattern)} was asked for at turn ${turn}, and never may be.` }
        : undefined,
  });
}

function beforeJudge(first: Pattern, then: Pattern): () => Judge {
  return () => {
    let seen = Infinity;
    return {
      call({ call, turn, index }) {
        const isBroken = mayMean(then, call) && seen >= turn;
        if (surelyMeans(first, call)) seen = Math.min(seen, turn);
        if (!isBroken) return undefined;
        const sentence = `${callText(then)} was asked for at turn ${turn}, and ${callText(first)} in no turn before it.`;
        return { ...at(turn, index), sentence };
      },
    };
  };
}

function atMostJudge(pattern: Pattern, times: number): () => Judge {
  return () => {
    let count = 0;
    return {
      call({ call, turn, index }) {
        if (!mayMean(pattern, call) || ++count <= times) return undefined;
        const sentence = `${callText(pattern)} was asked for at turn ${turn} as call ${count} of its kind; ${times} is the most.`;
        return { ...at(turn, index), sentence };
      },
    };
  };
}

function atLeastJudge(pattern: Pattern, times: number): () => Judge {
  return () => {
    let count = 0;
    return {
      call({ call }) {
        if (surelyMeans(pattern, call)) count++;
        return undefined;
      },
      end(turn) {
        if (count >= times) return [];
        const seen = count === 0 ? "never asked for" : `asked for ${timesText(count)}`;
        const sentence = `${callText(pattern)} was ${seen} in the whole run; ${timesText(times)} is the least.`;
        return [{ turn, pointer: "/entries", sentence }];
      },
    };
  };
}

/** Longer words of a validator are cut; the pointer says where. */
const MAX_WORDS = 200;

function argumentsJudge(pattern: Pattern): () => Judge {
  return () => ({
    call({ call, turn, index }) {
      const match = pattern.match(call);
      if (match === undefined || match.kind === "match") return undefined;
      const inside = match.kind === "mismatch" ? match.pointer : "";
      const words = shorten(match.what, MAX_WORDS);
      const place = inside === "" ? "" : ` (at ${inside})`;
      const sentence = `${nameText(pattern.tool)} was asked for at turn ${turn} with arguments that the rule does not allow: ${words.replace(/\.$/, "")}${place}.`;
      const { pointer } = at(turn, index);
      return { turn, pointer: `${pointer}/arguments${inside}`, sentence };
    },
  });
}

function withinJudge(limits: RunLimits, allowUnknown: boolean): () => Judge {
  const { maxTurns = Infinity, maxCalls = Infinity, maxTokens = Infinity, maxCostUsd = Infinity } = limits;
  return () => {
    const counter = createUsageCounter();
    const silent: { tokens?: number; cost?: number } = {};
    let calls = 0;
    let [hasTokens, hasCost] = [true, true];
    return {
      turn(turn, figures) {
        counter.add(figures);
        const { inputTokens, costUsd } = usageOf(figures);
        if (inputTokens === undefined) silent.tokens ??= turn;
        if (costUsd === undefined && derivedCostOf(figures) === undefined) silent.cost ??= turn;
        const total = counter.total();
        const tokens = total.inputTokens + total.outputTokens;
        const cost = total.costUsd ?? 0;
        hasTokens &&= tokens <= maxTokens;
        hasCost &&= cost <= maxCostUsd;
        const here = { turn, pointer: toPointer(["entries", turn]) };
        const say = (once: Found["once"], what: string): Fact => ({
          ...here,
          ...defined({ once }),
          sentence: `With turn ${turn} the run took ${what} is the most.`,
        });
        return [
          ...(turn < maxTurns ? [] : [say("maxTurns", `${turn + 1} turns; ${maxTurns}`)]),
          ...(hasTokens ? [] : [say("maxTokens", `${tokens} tokens; ${maxTokens}`)]),
          ...(hasCost ? [] : [say("maxCostUsd", `${cost} USD; ${maxCostUsd}`)]),
        ];
      },
      call({ turn, index }) {
        if (++calls <= maxCalls) return undefined;
        const sentence = `Turn ${turn} asked for call ${calls} of the run; ${maxCalls} is the most.`;
        return { ...at(turn, index), once: "maxCalls", sentence };
      },
      end() {
        if (allowUnknown) return [];
        return [
          maxTokens < Infinity && hasTokens ? unknownFact("tokens", silent.tokens, maxTokens) : undefined,
          maxCostUsd < Infinity && hasCost ? unknownFact("USD", silent.cost, maxCostUsd) : undefined,
        ];
      },
    };
  };
}

function unknownFact(unit: "tokens" | "USD", turn: number | undefined, limit: number): Fact | undefined {
  if (turn === undefined) return undefined;
  const what = unit === "tokens" ? "how many tokens it took" : "what it cost";
  const sentence = `Turn ${turn} does not say ${what}, so nobody knows whether the run kept to ${limit} ${unit}; allowUnknown lets that pass.`;
  return { state: "unknown", turn, pointer: toPointer(["entries", turn, "response"]), sentence };
}

function at(turn: number, index: number): Pick<RuleBreak, "turn" | "pointer"> {
  return { turn, pointer: toPointer(["entries", turn, "response", "message", "toolCalls", index]) };
}

function callText({ tool, isNarrow }: Pattern): string {
  return isNarrow ? `${nameText(tool)} with such arguments` : nameText(tool);
}

function timesText(times: number): string {
  return times === 1 ? "once" : `${times} times`;
}
