// Watches one run for broken rules, turn by turn and call by call. Recordings and live runs name the same place.

import { defined, shorten, toPointer, toVisible } from "../../core/index.js";
import { nameText } from "../offer/named.js";
import { createUsageCounter, derivedCostOf, usageOf, type CountedTurn } from "../count/usage-sum.js";
import { kindOf, type Rule, type RuleBreak, type RuleSet, type RunLimits } from "./format.js";
import { compileCallPattern, mayMean, surelyMeans, type AskedCall, type Pattern } from "./call-pattern.js";

export interface PlacedCall {
  call: AskedCall;
  turn: number;
  /** Index among the calls of the turn. */
  index: number;
}

export type TurnFigures = CountedTurn;

/** Takes the turns and calls of a run in order, and returns the rules that each of them breaks. */
export interface RuleWatch {
  turn(turn: number, figures: TurnFigures): Found[];
  call(call: PlacedCall): Found[];
  /** Breaks of the whole run. Must be the last call. */
  end(): Found[];
}

/** A break. Breaks of a rule with the same `once` are the same one. */
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

/** Compiles rules once for any number of runs. */
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
  return { fact, ...defined({ once }) };
}

function createJudge(rule: Rule): () => Judge {
  if ("never" in rule) return neverJudge(compileCallPattern(rule.never));
  if ("before" in rule) return beforeJudge(compileCallPattern(rule.before.first), compileCallPattern(rule.before.then));
  if ("atMost" in rule) return atMostJudge(compileCallPattern(rule.atMost.call), rule.atMost.times);
  if ("atLeast" in rule) return atLeastJudge(compileCallPattern(rule.atLeast.call), rule.atLeast.times);
  if ("arguments" in rule) {
    return argumentsJudge(compileCallPattern({ tool: rule.arguments.tool, arguments: rule.arguments.schema }));
  }
  return withinJudge(rule.within, rule.allowUnknown === true);
}

/** Judges each call by itself. The check returns a sentence for a call that breaks the rule. */
function onCalls(createCheck: () => (placed: PlacedCall) => string | undefined): () => Judge {
  return () => {
    const check = createCheck();
    return {
      call(placed) {
        const sentence = check(placed);
        return sentence === undefined ? undefined : { ...at(placed.turn, placed.index), sentence };
      },
    };
  };
}

function neverJudge(pattern: Pattern): () => Judge {
  return onCalls(
    () =>
      ({ call, turn }) =>
        mayMean(pattern, call)
          ? `${callText(pattern)} was called at turn ${turn}, but must never be called.`
          : undefined,
  );
}

function beforeJudge(first: Pattern, then: Pattern): () => Judge {
  return onCalls(() => {
    let seen = Infinity;
    return ({ call, turn }) => {
      const isBroken = mayMean(then, call) && seen >= turn;
      if (surelyMeans(first, call)) seen = Math.min(seen, turn);
      if (!isBroken) return undefined;
      return `${callText(then)} was called at turn ${turn}, but ${callText(first)} was not called in an earlier turn.`;
    };
  });
}

function atMostJudge(pattern: Pattern, times: number): () => Judge {
  return onCalls(() => {
    let count = 0;
    return ({ call, turn }) => {
      if (!mayMean(pattern, call) || ++count <= times) return undefined;
      return `${callText(pattern)} was called at turn ${turn}, which is call ${count} of at most ${times}.`;
    };
  });
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
        const seen = count === 0 ? "never called" : `called ${timesText(count)}`;
        const sentence = `${callText(pattern)} was ${seen} in the whole run, but must be called at least ${timesText(times)}.`;
        return [{ turn, pointer: "/entries", sentence }];
      },
    };
  };
}

/** Longer messages of the validator are cut. The pointer names the place. */
const SHOWN_CHARACTERS = 200;

function argumentsJudge(pattern: Pattern): () => Judge {
  return () => ({
    call({ call, turn, index }) {
      const match = pattern.match(call);
      if (match === undefined || match.kind === "match") return undefined;
      const inside = match.kind === "mismatch" ? match.pointer : "";
      const words = shorten(match.what, SHOWN_CHARACTERS).replace(/\.$/, "");
      const place = inside === "" ? "" : ` (at ${inside})`;
      const sentence = `${nameText(pattern.tool)} was called at turn ${turn} with arguments that the rule does not allow: ${words}${place}.`;
      return { turn, pointer: `${at(turn, index).pointer}/arguments${inside}`, sentence };
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
        const say = (once: NonNullable<Found["once"]>, what: string): Fact => {
          const sentence = `At turn ${turn} the run reached ${what}.`;
          return { turn, pointer: toPointer(["entries", turn]), once, sentence };
        };
        return [
          ...(turn < maxTurns ? [] : [say("maxTurns", `${turn + 1} turns, but the limit is ${maxTurns}`)]),
          ...(hasTokens ? [] : [say("maxTokens", `${tokens} tokens, but the limit is ${maxTokens}`)]),
          ...(hasCost ? [] : [say("maxCostUsd", `${cost} USD, but the limit is ${maxCostUsd}`)]),
        ];
      },
      call({ turn, index }) {
        if (++calls <= maxCalls) return undefined;
        const sentence = `Turn ${turn} made call ${calls} of the run, but the limit is ${maxCalls}.`;
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
  const what = unit === "tokens" ? "its tokens" : "its cost";
  const sentence = `Turn ${turn} does not report ${what}, so the limit of ${limit} ${unit} cannot be checked. Set allowUnknown to accept this.`;
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
