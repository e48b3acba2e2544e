// What is left of a counterexample once it is shrunk: the least value a person would write, whatever the seed.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/core/canon/value.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import {
  budgetLimits,
  cassette,
  conversation,
  faultyScript,
  handoffGraph,
  hostileArguments,
  jsonObject,
  jsonValue,
  malformedArguments,
  message,
  notJson,
  providerFault,
  providerScript,
  spending,
  text,
  toolCall,
  toolSchema,
} from "../../../src/harness/arbitraries/index.js";
import { leastWhere } from "../../support/shrinking.js";

describe("a law that nothing keeps leaves the least value of all", () => {
  it.each([
    ["text", text(), ""],
    ["jsonValue", jsonValue(), null],
    ["jsonObject", jsonObject(), {}],
    ["message", message(), { role: "system", content: "" }],
    ["malformedArguments", malformedArguments(), ""],
    ["providerFault", providerFault(), { kind: "unavailable", status: 500 }],
    ["budgetLimits", budgetLimits(), {}],
    ["spending", spending(), []],
    ["handoffGraph", handoffGraph(), { agentIds: ["a0"], entry: "a0", edges: [], exits: [] }],
    [
      "conversation",
      conversation(),
      [
        { role: "user", content: "" },
        { role: "assistant", content: "" },
      ],
    ],
    [
      "providerScript",
      providerScript(),
      [{ message: { role: "assistant", content: "" }, finalAnswer: "", stopReason: "stop" }],
    ],
    [
      "toolSchema",
      toolSchema(),
      {
        schema: { type: "object", properties: {}, additionalProperties: false },
        matching: {},
        nonMatching: { unknown_property: 1 },
      },
    ],
  ] as const)("%s", (_name, values, least) => {
    expect(leastWhere<unknown>(values, () => false)).toEqual(least);
  });

  it("notJson", () => {
    expect(leastWhere(notJson(), () => false)).toEqual({ value: NaN, pointer: "", reason: "number" });
  });

  it("cassette", () => {
    const { entries } = leastWhere(cassette(), () => false);
    expect(entries).toHaveLength(1);
    expect(entries[0]?.prompt?.messages).toEqual([{ role: "user", content: "" }]);
    expect(entries[0]?.response.message).toEqual({ role: "assistant", content: "" });
  });
});

describe("a law that one thing breaks leaves that thing alone", () => {
  it("no JSON has a key __proto__", () => {
    const hasKey = (value: JsonValue): boolean => Object.hasOwn(value as object, "__proto__");
    expect(JSON.stringify(leastWhere(jsonObject(), (value) => !hasKey(value)))).toBe('{"__proto__":null}');
    const attack = leastWhere(hostileArguments(), (value) => value === null || !hasKey(value));
    expect(JSON.stringify(attack)).toBe('{"__proto__":null}');
  });

  it("no list has two items", () => {
    const least = leastWhere(jsonValue(), (value) => !(Array.isArray(value) && value.length > 1));
    expect(least).toEqual([null, null]);
  });

  it("no model calls a tool", () => {
    expect(leastWhere(conversation(), (all) => !JSON.stringify(all).includes('"toolCalls"'))).toEqual([
      { role: "user", content: "" },
      { role: "assistant", content: "", toolCalls: [{ id: "call-0", name: "look", arguments: {} }] },
    ]);
  });

  it("no tool call fails", () => {
    expect(
      leastWhere(conversation(), (all) => all.every((one) => one.role !== "tool" || one.isError !== true)),
    ).toEqual([
      { role: "user", content: "" },
      { role: "assistant", content: "", toolCalls: [{ id: "call-0", name: "look", arguments: {} }] },
      { role: "tool", toolCallId: "call-0", name: "look", content: "", isError: true },
      { role: "assistant", content: "" },
    ]);
  });

  it("no user has said much: what came before is left out, whichever of the messages it was", () => {
    const saysMuch = (one: LlmMessage) => one.role === "user" && JSON.stringify(one.content).includes("a");
    // Found in the first message by one seed, and in a later one by others.
    for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const { counterexample } = fc.check(
        fc.property(conversation(), (all) => !all.some(saysMuch)),
        { seed, numRuns: 5_000 },
      );
      expect(counterexample?.[0].length).toBe(2);
    }
  });

  it("no call has an argument", () => {
    const least = leastWhere(toolCall(), ({ arguments: args }) => Object.keys(args).length === 0);
    expect(least).toEqual({ id: "call-0", name: "look", arguments: { "": null } });
  });

  it("no script has two calls in one turn", () => {
    const [first, ...rest] = leastWhere(providerScript(), (script) =>
      script.every(({ message: { toolCalls = [] } }) => toolCalls.length < 2),
    );
    expect(first?.message.toolCalls).toEqual([
      { id: "call-0", name: "look", arguments: {} },
      { id: "call-1", name: "look", arguments: {} },
    ]);
    expect(rest).toHaveLength(1);
  });

  it("no provider fails", () => {
    const least = leastWhere(faultyScript(), (turns) => turns.every(({ kind }) => kind === "answer"));
    expect(least.map(({ kind }) => kind)).toEqual(["fault", "answer"]);
  });

  it("no graph has a cycle of two agents", () => {
    const least = leastWhere(handoffGraph(), ({ edges }) =>
      edges.every(({ from, to }) => from === to || !edges.some((back) => back.from === to && back.to === from)),
    );
    expect(least).toMatchObject({ agentIds: ["a0", "a1"], entry: "a0", exits: [] });
    expect(least.edges).toHaveLength(2);
  });

  it("no schema requires a property", () => {
    const { schema, matching, nonMatching } = leastWhere(
      toolSchema(),
      (drawn) => drawn.schema["required"] === undefined,
    );
    expect(schema).toEqual({
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    });
    expect([matching, nonMatching]).toEqual([{ a: "" }, {}]);
  });
});
