// Every arbitrary gives what our own validators accept, and a good part of each of the things it is for.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkCassette } from "../../../src/cassette/trust/load-cassette.js";
import { canonicalize } from "../../../src/core/canon/json.js";
import { parseBoundedJson } from "../../../src/core/canon/bounded-json.js";
import { isPlainObject, NotJsonError } from "../../../src/core/canon/value.js";
import { LlmProviderHttpError } from "../../../src/core/errors.js";
import { createBudget } from "../../../src/core/loop/budget.js";
import type { LlmToolCall } from "../../../src/core/model/message.js";
import { findMessageFlaw, findResponseFlaw } from "../../../src/core/model/response.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { isRetryableStatus, kindForStatus } from "../../../src/core/http/status.js";
import { toPlan } from "../../../src/core/runtime/plan.js";
import { createArgumentCheck } from "../../../src/core/tools/argument-check.js";
import { createToolSet } from "../../../src/core/tools/registry.js";
import * as arbitraries from "../../../src/harness/arbitraries/index.js";
import { countOf } from "../../support/shrinking.js";
import { tool } from "../../support/script.js";

const {
  budgetLimits,
  cassette,
  changedJson,
  contentPart,
  conversation,
  faultyScript,
  handoffGraph,
  hostileArguments,
  jsonObject,
  jsonValue,
  malformedArguments,
  message,
  notJson,
  planOf,
  providerFault,
  providerScript,
  reasoning,
  spending,
  text,
  toFaultError,
  toolCall,
  toolDefinition,
  toScriptSteps,
  usage,
  word,
} = arbitraries;

function holds<T>(values: fc.Arbitrary<T>, judge: (value: T) => void): void {
  // A matcher may give something back, which would be taken for the verdict.
  fc.assert(
    fc.property(values, (value) => void judge(value)),
    { numRuns: 300 },
  );
}

describe("text and JSON", () => {
  it("text is well-formed and no longer than asked", () => {
    holds(
      fc.nat(20).chain((max) => text({ maxLength: max }).map((drawn) => ({ drawn, max }))),
      ({ drawn, max }) => {
        expect(drawn.isWellFormed()).toBe(true);
        expect([...drawn].length).toBeLessThanOrEqual(max);
      },
    );
    expect(countOf(text(), (drawn) => /[^\x20-\x7e]/.test(drawn))).toBeGreaterThan(300);
  });

  it("a word is a tool's name and no member of every object", () => {
    holds(word(), (name) => {
      expect(createToolSet("a", { customTools: [tool(name, () => 1)] }, undefined).definitions).toHaveLength(1);
      expect(name in {}).toBe(false);
    });
  });

  it("JSON can be written canonically, read back, and is as deep as asked", () => {
    holds(jsonValue(), (value) => {
      expect(JSON.parse(canonicalize(value))).toEqual(value);
      expect(parseBoundedJson(JSON.stringify(value))).toEqual(value);
    });
    expect(countOf(jsonObject(), (value) => JSON.stringify(value).includes('"__proto__":'))).toBeGreaterThan(20);
    const deep = (value: unknown): number =>
      typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(deep)) : 0;
    expect(Math.max(...fc.sample(jsonValue({ maxDepth: 1 }), 300).map(deep))).toBe(1);
  });

  it("JSON without traps has no hostile key and only finite, whole numbers", () => {
    holds(jsonObject({ traps: false }), (value) => {
      expect(Object.keys(value).filter((key) => key in {} || !/^[a-z]\w{0,7}$/i.test(key))).toEqual([]);
    });
  });

  it("-0 comes only where it is asked for", () => {
    const isZero = (value: unknown) => Object.is(value, -0);
    expect(countOf(jsonValue({ maxDepth: 0 }), isZero)).toBe(0);
    expect(countOf(jsonValue({ maxDepth: 0, negativeZero: true }), isZero)).toBeGreaterThan(0);
  });

  it("what is not JSON is refused for the reason and at the place it says", () => {
    holds(notJson(), ({ value, pointer, reason }) => {
      let refused: unknown;
      try {
        canonicalize(value);
      } catch (error) {
        refused = error;
      }
      expect(refused).toBeInstanceOf(NotJsonError);
      expect(refused).toMatchObject({ reason, pointer });
    });
    expect(new Set(fc.sample(notJson(), 500).map(({ reason }) => reason)).size).toBe(6);
  });

  it("a change is one", () => {
    holds(fc.tuple(jsonObject(), fc.infiniteStream(fc.nat())), ([value]) => {
      for (const change of arbitraries.changesOf(value))
        expect(canonicalize(change.value)).not.toBe(canonicalize(value));
    });
    holds(changedJson(jsonObject()), ({ value, what }) => {
      expect(isPlainObject(value)).toBe(true);
      expect(what).toContain(" ");
    });
  });
});

describe("messages", () => {
  it("are messages, and every role comes", () => {
    holds(message(), (value) => expect(findMessageFlaw(value)).toBeUndefined());
    expect(new Set(fc.sample(message(), 300).map(({ role }) => role)).size).toBe(4);
    holds(contentPart(), (part) => expect(findMessageFlaw({ role: "user", content: [part] })).toBeUndefined());
    holds(reasoning(), (thought) => expect(canonicalize(thought)).toContain('"type"'));
  });

  it("of a conversation answer each call once before the next answer, and an answer is last", () => {
    holds(conversation(), (messages) => {
      let open: string[] = [];
      for (const each of messages) {
        expect(findMessageFlaw(each)).toBeUndefined();
        if (each.role === "tool") {
          expect(open[0]).toBe(each.toolCallId);
          open = open.slice(1);
        } else expect(open).toEqual([]);
        if (each.role === "assistant") open = (each.toolCalls ?? []).map(({ id }) => id);
      }
      expect(messages.at(-1)?.role).toBe("assistant");
    });
  });

  it("of a conversation have unique ids and only the tools that were named", () => {
    holds(conversation({ tools: ["a", "b"], maxAnswers: 2 }), (messages) => {
      const calls = messages.flatMap((each) => (each.role === "assistant" ? (each.toolCalls ?? []) : []));
      expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
      expect(calls.filter(({ name }) => !["a", "b"].includes(name))).toEqual([]);
      expect(messages.filter(({ role }) => role === "assistant").length).toBeLessThanOrEqual(2);
    });
  });
});

describe("tool calls", () => {
  const isWhole = ({ arguments: args, malformedArguments: torn }: LlmToolCall) =>
    torn === undefined || (Object.keys(args).length === 0 && !isObjectText(torn));

  it("are calls, and those with malformed arguments have none", () => {
    holds(toolCall(), (call) => {
      expect(
        findResponseFlaw({ message: { role: "assistant", content: "", toolCalls: [call] }, stopReason: "toolUse" }),
      ).toBe(undefined);
      expect(isWhole(call)).toBe(true);
    });
    expect(countOf(toolCall(), ({ malformedArguments }) => malformedArguments !== undefined)).toBeGreaterThan(50);
  });

  it("malformed arguments are never a JSON object", () => {
    holds(malformedArguments(), (written) => expect(isObjectText(written)).toBe(false));
  });

  it("hostile arguments are JSON, and many reach for a prototype", () => {
    holds(hostileArguments(), (args) => expect(JSON.parse(JSON.stringify(args))).toEqual(args));
    const attacks = (args: unknown) => /"(__proto__|constructor|prototype)":/.test(JSON.stringify(args));
    expect(countOf(hostileArguments(), attacks)).toBeGreaterThan(300);
  });

  it("definitions are those of a tool", () => {
    holds(toolDefinition(), ({ name, description, schema }) => {
      const { definitions } = createToolSet(
        "a",
        { customTools: [tool(name, () => 1, { description, schema })] },
        undefined,
      );
      expect(definitions).toEqual([{ name, description, schema }]);
      createArgumentCheck(name, schema);
    });
  });
});

describe("scripts, faults and cassettes", () => {
  it("a script is answers, the last without calls, with unique ids", () => {
    holds(providerScript({ tools: ["look"] }), (script) => {
      for (const response of script) expect(findResponseFlaw(response)).toBeUndefined();
      const calls = script.map(({ message: said }) => said.toolCalls ?? []);
      expect(calls.map(({ length }) => length > 0)).toEqual(script.map((_, index) => index < script.length - 1));
      const ids = calls.flat().map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    });
  });

  it("usage counts parts within their whole", () => {
    holds(usage(), ({ inputTokens, outputTokens, cacheReadTokens = 0, reasoningTokens = 0 }) => {
      expect(cacheReadTokens).toBeLessThanOrEqual(inputTokens);
      expect(reasoningTokens).toBeLessThanOrEqual(outputTokens);
    });
  });

  it("a faulty script fails and answers in its own order", async () => {
    await fc.assert(
      fc.asyncProperty(faultyScript(), async (turns) => {
        const provider = scriptedProvider(toScriptSteps(turns));
        for (const turn of turns) {
          const end = await provider.turn({ messages: [] }).catch((error: unknown) => error);
          expect(end).toEqual(turn.kind === "answer" ? turn.response : toFaultError(turn.fault));
        }
        provider.assertConsumed();
      }),
    );
  });

  it("a fault has the kind, and may be tried again, as its status says", () => {
    holds(providerFault(), (fault) => {
      const error = toFaultError(fault, "p");
      expect(error.kind).toBe(fault.kind);
      if (fault.status === undefined) return;
      expect(error).toBeInstanceOf(LlmProviderHttpError);
      expect(kindForStatus(fault.status)).toBe(fault.kind);
      expect(error.retryable).toBe(isRetryableStatus(fault.status));
      expect((error as LlmProviderHttpError).retryAfterMs).toBe(fault.retryAfterMs);
    });
    holds(providerFault({ kinds: ["auth"] }), ({ kind }) => expect(kind).toBe("auth"));
  });

  it("a cassette loads with integrity", () => {
    holds(cassette(), (value) => {
      expect(checkCassette(JSON.parse(JSON.stringify(value)), { requireIntegrity: true })).toEqual(value);
    });
  });
});

describe("plans and budgets", () => {
  it("a plan is one", () => {
    holds(handoffGraph(), (graph) => expect(toPlan(planOf(graph), graph.agentIds).entry).toBe(graph.entry));
    expect(countOf(handoffGraph(), ({ edges }) => edges.some(({ from, to }) => from === to))).toBeGreaterThan(200);
  });

  it("limits are limits, and what is spent can be", () => {
    holds(fc.tuple(budgetLimits(), spending()), ([limits, turns]) => {
      const budget = createBudget(limits);
      for (const { toolCalls: _calls, ...reported } of turns) {
        budget.spend({ message: { role: "assistant", content: "" }, stopReason: "stop", ...reported });
      }
      const tokens = turns.reduce((sum, { usage: used }) => sum + (used?.inputTokens ?? 0), 0);
      expect(budget.usage.inputTokens).toBe(tokens);
    });
  });
});

it("options are closed", () => {
  for (const make of [text, jsonValue, jsonObject, conversation, toolCall, cassette, providerScript, faultyScript]) {
    expect(() => make({ maxLenght: 3 } as never)).toThrow(/unknown option: maxLenght/);
  }
  expect(() => handoffGraph({ agents: 3 } as never)).toThrow(/unknown option: agents/);
  expect(() => providerFault({ kind: "auth" } as never)).toThrow(/unknown option: kind/);
});

function isObjectText(written: string): boolean {
  try {
    return isPlainObject(JSON.parse(written));
  } catch {
    return false;
  }
}
