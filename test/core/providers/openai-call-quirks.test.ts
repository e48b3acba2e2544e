import { describe, expect, it } from "vitest";
import { sse } from "../../support/exchanges.js";
import { readLooseBodies } from "../../support/loose-bodies.js";
import { callsIn, chunk, DONE, part, readRecorded, readStream, readWhole, whole } from "../../support/quirks.js";
import { hasShared } from "../../support/shared.js";

// What vendors do apart from their documentation, streamed and whole. Where a recording shows it, its id is given.

describe("tool calls in a streamed chat completion", () => {
  const finish = sse(chunk({}, "tool_calls"), DONE);
  const [oslo, rome] = ['{"city":"Oslo"}', '{"city":"Rome"}'];
  const two = [
    ["a", "weather", { city: "Oslo" }],
    ["b", "weather", { city: "Rome" }],
  ];

  it.each([
    ["missing", undefined, undefined],
    ["-1", -1, -1],
    ["starting at 1", 1, 2],
    ["the same for all", 0, 0],
    ["null", null, null],
  ])("an index that is %s keeps two calls apart", (_name, first, second) => {
    const text = sse(
      part({ index: first, id: "a" }, "weather", '{"city":'),
      part({ index: first }, undefined, '"Oslo"}'),
      part({ index: second, id: "b" }, "weather", rome),
    );
    expect(callsIn(readStream("openai", text + finish))).toEqual(two);
  });

  it("deltas of two calls that take turns are put together by index", () => {
    const text = sse(
      part({ index: 0, id: "a" }, "weather", '{"city":'),
      part({ index: 1, id: "b" }, "weather", '{"city":'),
      part({ index: 0 }, undefined, '"Oslo"}'),
      part({ index: 1 }, undefined, '"Rome"}'),
    );
    expect(callsIn(readStream("openai", text + finish))).toEqual(two);
  });

  it("several calls in one delta", () => {
    const tool_calls = [
      { index: 0, id: "a", function: { name: "weather", arguments: oslo } },
      { index: 1, id: "b", function: { name: "weather", arguments: rome } },
    ];
    expect(callsIn(readStream("openai", sse(chunk({ tool_calls })) + finish))).toEqual(two);
  });

  it("id and name repeated in every delta are one call", () => {
    const text = sse(
      part({ index: 0, id: "0" }, "weather", ""),
      part({ index: 0, id: "0" }, "weather", '{"city":'),
      part({ index: 0, id: "0" }, "weather", '"Oslo"}'),
    );
    expect(callsIn(readStream("openai", text + finish))).toEqual([["0", "weather", { city: "Oslo" }]]);
  });

  it("a name repeated in every delta, without ids, is one call until its object is whole", () => {
    const text = sse(
      part({ index: 0 }, "weather", '{"city":"Os'),
      part({ index: 0 }, "weather", 'lo \\"}{"}'),
      part({ index: 0 }, "weather", ""),
      part({ index: 0 }, "weather", rome),
    );
    expect(callsIn(readStream("openai", text + finish))).toEqual([
      ["call_0", "weather", { city: 'Oslo "}{' }],
      ["call_1", "weather", { city: "Rome" }],
    ]);
  });

  it("a new id in every delta, without a name, is one call with its first id", () => {
    const text = sse(
      part({ index: 0, id: "x1" }, "weather", '{"city":'),
      part({ index: 0, id: "x2" }, "", '"Oslo"'),
      part({ index: 0, id: "x3" }, undefined, "}"),
    );
    expect(callsIn(readStream("openai", text + finish))).toEqual([["x1", "weather", { city: "Oslo" }]]);
  });

  it("empty or repeated ids become stable synthetic ones, streamed and whole", () => {
    const named = (id: unknown, args: string) => ({ index: 0, id, function: { name: "weather", arguments: args } });
    for (const [id, ids] of [
      ["", ["call_0", "call_1"]],
      [null, ["call_0", "call_1"]],
    ] as const) {
      const tool_calls = [named(id, oslo), named(id, rome)];
      const expected = two.map(([, ...rest], index) => [ids[index], ...rest]);
      expect(callsIn(readWhole("openai", whole({ tool_calls })))).toEqual(expected);
      const text = sse(...tool_calls.map((call) => chunk({ tool_calls: [call] })));
      expect(callsIn(readStream("openai", text + finish))).toEqual(expected);
    }
    const repeated = [named("x", oslo), { ...named("x", rome), index: 1 }];
    expect(callsIn(readWhole("openai", whole({ tool_calls: repeated }))).map(([id]) => id)).toEqual(["x", "call_1"]);
    expect(callsIn(readStream("openai", sse(chunk({ tool_calls: repeated })) + finish)).map(([id]) => id)).toEqual([
      "x",
      "call_1",
    ]);
  });

  it("two calls without index, id and arguments are told apart by name", () => {
    const text = sse(part({}, "time", ""), part({}, "date", ""));
    expect(callsIn(readStream("openai", text + finish))).toEqual([
      ["call_0", "time", {}],
      ["call_1", "date", {}],
    ]);
  });

  it.each([
    ['""', "", {}],
    ["null", null, {}],
    ["the text null", "null", {}],
    ["an object", { city: "Oslo" }, { city: "Oslo" }],
  ])("arguments that are %s", (_name, text, args) => {
    const call = { index: 0, id: "a", function: { name: "weather", arguments: text } };
    const expected = [["a", "weather", args]];
    expect(callsIn(readWhole("openai", whole({ tool_calls: [call] })))).toEqual(expected);
    expect(callsIn(readStream("openai", sse(chunk({ tool_calls: [call] })) + finish))).toEqual(expected);
  });

  it("doubled argument objects are kept as text, since nobody knows which one was meant", () => {
    const call = { index: 0, id: "a", function: { name: "weather", arguments: "{}" } };
    const text = sse(chunk({ tool_calls: [call] }), part({ index: 0 }, undefined, oslo));
    const expected = { toolCalls: [{ id: "a", name: "weather", arguments: {}, malformedArguments: `{}${oslo}` }] };
    expect(readStream("openai", text + finish).message).toMatchObject(expected);
    const doubled = { ...call, function: { name: "weather", arguments: `{}${oslo}` } };
    expect(readWhole("openai", whole({ tool_calls: [doubled] })).message).toMatchObject(expected);
  });

  it("a legacy function_call is a call", () => {
    const named = { name: "weather", arguments: oslo };
    const expected = [["call_0", "weather", { city: "Oslo" }]];
    expect(callsIn(readWhole("openai", whole({ content: null, function_call: named }, "function_call")))).toEqual(
      expected,
    );
    const text = sse(
      chunk({ function_call: { name: "weather", arguments: "" } }),
      chunk({ function_call: { arguments: oslo } }),
      chunk({}, "function_call"),
    );
    expect(callsIn(readStream("openai", text))).toEqual(expected);
  });

  it("a custom tool's input is its arguments' text", () => {
    const custom = { name: "shell", input: "ls" };
    const expected = { toolCalls: [{ id: "a", name: "shell", arguments: {}, malformedArguments: "ls" }] };
    expect(readWhole("openai", whole({ tool_calls: [{ id: "a", type: "custom", custom }] })).message).toMatchObject(
      expected,
    );
    const text = sse(
      chunk({ tool_calls: [{ index: 0, id: "a", type: "custom", custom: { name: "shell", input: "" } }] }),
      chunk({ tool_calls: [{ index: 0, custom: { input: "ls" } }] }),
    );
    expect(readStream("openai", text + finish).message).toMatchObject(expected);
  });

  it.skipIf(!hasShared)("so it was recorded", () => {
    const loose = (name: string) =>
      readStream("openai", readLooseBodies().find(({ source }) => source.endsWith(name))?.body ?? "");
    expect(callsIn(loose("anthropic-fallback-tool-call.sse"))).toHaveLength(1); // the index starts at 1
    expect(callsIn(loose("mistral/stream-with-tools-1-1.sse"))).toHaveLength(2); // two calls in one delta
    expect(callsIn(readRecorded("d2e1832c2b8e879f"))).toEqual([["0", "llm_version", {}]]); // id and name twice
    expect(callsIn(readRecorded("5d40c59ff2c7abb4"))).toHaveLength(1); // id and name null after the first
    expect(callsIn(readRecorded("37e4dc1cd840222c"))[0]?.[0]).toBe("call_0"); // Gemini gives no id
    expect(callsIn(readRecorded("3416b083b12dd354"))[0]?.[2]).toEqual({}); // "null"
  });
});
