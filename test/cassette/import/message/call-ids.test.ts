import { describe, expect, it } from "vitest";
import { readConversation, repairsOf } from "../verify.js";

const call = (id: unknown, name = "f") => ({ id, function: { name, arguments: "{}" } });
const calling = (...calls: unknown[]) => ({ role: "assistant", content: "", tool_calls: calls });
const result = (id: unknown, content: string, name?: string) => ({ role: "tool", tool_call_id: id, content, name });

/** Ids of the calls, and for each result its text with the id and the name it was tied to. */
function thread(messages: unknown[]) {
  const conversation = readConversation(messages, { format: "openai-messages" });
  return {
    calls: conversation
      .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
      .map(({ id }) => id),
    results: conversation.flatMap((message) =>
      message.role === "tool" ? [`${message.content} -> ${message.toolCallId} ${message.name}`] : [],
    ),
    repairs: repairsOf(messages, { format: "openai-messages" }),
  };
}

describe("call ids", () => {
  it("stay as they are when they are there and differ", () => {
    expect(thread([calling(call("a"), call("b", "g")), result("b", "2"), result("a", "1")])).toEqual({
      calls: ["a", "b"],
      results: ["2 -> b g", "1 -> a f"],
      repairs: {},
    });
  });

  it.each([
    [null, "call-id-missing"],
    [undefined, "call-id-missing"],
    ["", "call-id-empty"],
    [{ odd: 1 }, "call-id-missing"],
  ])("that are %j become call_<turn>_<n>, and results follow in order", (id, kind) => {
    const messages = [
      calling(call(id), call(id)),
      result(id, "1"),
      result(id, "2"),
      calling(call(id)),
      result(id, "3"),
    ];
    expect(thread(messages)).toEqual({
      calls: ["call_0_0", "call_0_1", "call_1_0"],
      results: ["1 -> call_0_0 f", "2 -> call_0_1 f", "3 -> call_1_0 f"],
      repairs: { [kind]: 3 },
    });
  });

  it("that are numbers become text, and results find them", () => {
    expect(thread([calling(call(1), call(2)), result(2, "2"), result(1, "1")])).toEqual({
      calls: ["1", "2"],
      results: ["2 -> 2 f", "1 -> 1 f"],
      repairs: { "call-id-not-text": 2 },
    });
  });

  it("used again in a later turn are replaced there, and each result stays with its own turn", () => {
    const messages = [calling(call("a")), result("a", "1"), calling(call("a")), result("a", "2")];
    expect(thread(messages)).toEqual({
      calls: ["a", "call_1_0"],
      results: ["1 -> a f", "2 -> call_1_0 f"],
      repairs: { "call-id-repeated": 1 },
    });
  });

  it("used again while the first call waits belong to the latest turn", () => {
    const messages = [calling(call("a")), { role: "user", content: "go on" }, calling(call("a")), result("a", "2")];
    expect(thread(messages).results).toEqual(["2 -> call_1_0 f"]);
  });

  it("used twice in one turn are told apart by tool, else taken in order", () => {
    const messages = [
      calling(call("a"), call("a", "g"), call("a")),
      result("a", "g1", "g"),
      result("a", "1"),
      result("a", "2"),
    ];
    expect(thread(messages)).toEqual({
      calls: ["a", "call_0_1", "call_0_2"],
      results: ["g1 -> call_0_1 g", "1 -> a f", "2 -> call_0_2 f"],
      repairs: { "call-id-repeated": 2 },
    });
  });

  it("made up never meet one of the log's", () => {
    const messages = [
      calling(call(null)),
      calling(call("call_0_0")),
      calling(call("call_0_0_")),
      result("call_0_0", "x"),
    ];
    expect(thread(messages)).toMatchObject({
      calls: ["call_0_0__", "call_0_0", "call_0_0_"],
      results: ["x -> call_0_0 f"],
    });
  });
});

describe("tool results", () => {
  it("without an id go to the waiting call of their tool", () => {
    const messages = [calling(call("a"), call("b", "g")), result(null, "1", "g"), result(undefined, "2")];
    expect(thread(messages)).toEqual({ calls: ["a", "b"], results: ["1 -> b g", "2 -> a f"], repairs: {} });
  });

  it("with an id that no call has go to a call that lost its own", () => {
    const messages = [calling(call("a"), call(null)), result("lost", "1"), result("a", "2")];
    expect(thread(messages).results).toEqual(["1 -> call_0_1 f", "2 -> a f"]);
  });

  it("without an id may go to a call whose tool the log does not name", () => {
    const nameless = { id: null, function: { arguments: "{}" } };
    expect(thread([calling(call("a", "g"), nameless), result(null, "1", "f")])).toEqual({
      calls: ["a", "call_0_1"],
      results: ["1 -> call_0_1 unknown"],
      repairs: { "call-id-missing": 1, "tool-name-missing": 1, "tool-name-differs": 1 },
    });
  });

  it("of assistant messages in a row go to all of them in order", () => {
    const messages = [calling(call(null)), calling(call(null, "g")), result(null, "1"), result(null, "2")];
    expect(thread(messages).results).toEqual(["1 -> call_0_0 f", "2 -> call_1_0 g"]);
  });

  it("without an id never go to a turn before the latest", () => {
    const messages = [
      calling(call(null)),
      { role: "user", content: "x" },
      calling(call(null)),
      result(null, "2"),
      result(null, "3"),
    ];
    expect(thread(messages)).toMatchObject({
      results: ["2 -> call_1_0 f", "3 -> result_4 unknown"],
      repairs: { "tool-result-unpaired": 1, "tool-name-missing": 1 },
    });
  });

  it("with an id may come late", () => {
    const messages = [calling(call("a")), { role: "user", content: "x" }, calling(call("b")), result("a", "1")];
    expect(thread(messages).results).toEqual(["1 -> a f"]);
  });

  it.each([
    ["before any call", [result("x", "1", "g")], "1 -> x g"],
    ["a second time", [calling(call("a")), result("a", "0"), result("a", "1")], "1 -> a unknown"],
    ["under a foreign id", [calling(call("a")), result("x", "1")], "1 -> x unknown"],
    ["of a tool nobody called", [calling(call("a")), result(null, "1", "g")], "1 -> result_1 g"],
  ])("that come %s are kept, counted as unpaired", (_, messages, kept) => {
    const { results, repairs } = thread(messages);
    expect(results.at(-1)).toBe(kept);
    expect(repairs["tool-result-unpaired"]).toBe(1);
  });

  it("take the call's name where they name another tool", () => {
    expect(thread([calling(call("a")), result("a", "1", "other")])).toMatchObject({
      results: ["1 -> a f"],
      repairs: { "tool-name-differs": 1 },
    });
  });
});
