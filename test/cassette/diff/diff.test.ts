import { describe, expect, it } from "vitest";
import { diffCassettes } from "../../../src/cassette/diff/diff.js";
import type { DiffOptions } from "../../../src/cassette/diff/options.js";
import type { Cassette, CassetteEntry } from "../../../src/cassette/file/format.js";
import type { JsonObject } from "../../../src/core/index.js";
import { hasShared, readSharedLines } from "../../support/shared.js";
import { call, runOf, stepsOf, type RunTurn } from "./runs.js";

/** The drifts without their sentences and pointers. */
function facts(a: Cassette, b: Cassette, options?: DiffOptions): unknown[] {
  return diffCassettes(a, b, options).map(({ sentence, ...fact }) => {
    expect(sentence).toMatch(/^\S.*\."?$/);
    return Object.fromEntries(Object.entries(fact).filter(([name]) => !name.endsWith("Pointer")));
  });
}

const search = (q: string) => call("search", { q });

describe("diffCassettes on tool calls", () => {
  const six = ["a", "b", "c", "d", "e", "f"].map(search);

  it("PLK-105 gives a list that is empty when nothing drifted", () => {
    const run = runOf([{ say: "on it", calls: [search("a"), search("b")] }, { say: "done" }]);
    expect(diffCassettes(run, structuredClone(run))).toEqual([]);
    expect(diffCassettes(runOf([]), runOf([]))).toEqual([]);
  });

  it("PLK-127 ignores ids and the order of keys in arguments", () => {
    const a = runOf([{ calls: [call("send", { to: "x", cc: { a: 1, b: 2 } })] }], "call");
    const b = runOf([{ calls: [call("send", { cc: { b: 2, a: 1 }, to: "x" })] }], "toolu");
    expect(diffCassettes(a, b)).toEqual([]);
  });

  it("PLK-127 compares names and arguments", () => {
    expect(facts(stepsOf(call("read", { n: 1 })), stepsOf(call("read", { n: 2 })))).toHaveLength(1);
    expect(facts(stepsOf(call("read", { n: 1 })), stepsOf(call("list", { n: 1 })))).toHaveLength(2);
  });

  it("PLK-106 shows how a changed run leaves a pinned one", () => {
    const pinned = stepsOf(call("find", { name: "Ann" }), call("pay", { to: "Ann", amount: 10 }), call("notify"));
    const changed = stepsOf(call("find", { name: "Ann" }), call("pay", { to: "Ann", amount: 100 }), call("log"));
    expect(diffCassettes(pinned, changed).map((drift) => drift.sentence)).toEqual([
      "pay was called with other arguments at turn 1: /amount was 10 and is 100.",
      "notify({}) was removed; the old run made this call at turn 2.",
      "log({}) was added at turn 2.",
    ]);
  });

  it("gives exactly one drift for a step put in the middle of six", () => {
    expect(facts(stepsOf(...six), stepsOf(...six.toSpliced(3, 0, call("check"))))).toEqual([
      { kind: "added", tool: "check", arguments: {}, newTurn: 3 },
    ]);
    expect(facts(stepsOf(...six), stepsOf(...six.toSpliced(3, 0, search("x"))))).toEqual([
      { kind: "added", tool: "search", arguments: { q: "x" }, newTurn: 3 },
    ]);
  });

  it("gives exactly one drift for a step taken out of the middle", () => {
    expect(facts(stepsOf(...six), stepsOf(...six.toSpliced(2, 1)))).toEqual([
      { kind: "removed", tool: "search", arguments: { q: "c" }, oldTurn: 2 },
    ]);
  });

  it("says where arguments changed", () => {
    const old = call("book", { hotel: { city: "Oslo", nights: 2 }, tags: ["a"] });
    const now = call("book", { hotel: { city: "Bergen", nights: 2 }, tags: ["a", "b"] });
    expect(facts(stepsOf(search("a"), old), stepsOf(search("a"), now))).toEqual([
      {
        kind: "args-changed",
        tool: "book",
        oldTurn: 1,
        newTurn: 1,
        changes: [
          { pointer: "/hotel/city", old: "Oslo", new: "Bergen" },
          { pointer: "/tags/1", new: "b" },
        ],
      },
    ]);
  });

  it("calls a step that went elsewhere moved", () => {
    expect(facts(stepsOf(...six), stepsOf(...six.slice(1), search("a")))).toEqual([
      { kind: "moved", tool: "search", arguments: { q: "a" }, oldTurn: 0, newTurn: 5 },
    ]);
  });

  it("calls one of two swapped neighbours moved, whether they are one tool's or two tools'", () => {
    const kinds = (a: Cassette, b: Cassette) => diffCassettes(a, b).map((drift) => drift.kind);
    expect(kinds(stepsOf(search("a"), search("b")), stepsOf(search("b"), search("a")))).toEqual(["moved"]);
    expect(kinds(stepsOf(call("f"), call("g")), stepsOf(call("g"), call("f")))).toEqual(["moved"]);
  });

  it("calls two calls of one tool that swapped around a third moved, not changed", () => {
    expect(facts(stepsOf(search("a"), call("g"), search("b")), stepsOf(search("b"), call("g"), search("a")))).toEqual([
      { kind: "moved", tool: "search", arguments: { q: "b" }, oldTurn: 2, newTurn: 0 },
      { kind: "moved", tool: "search", arguments: { q: "a" }, oldTurn: 0, newTurn: 2 },
    ]);
  });

  it("dissolves a changed pair between something added and something removed", () => {
    const old = stepsOf(call("g"), search("a"), call("h"), call("i"), search("b"));
    const now = stepsOf(search("a"), call("g"), search("b"), call("h"), call("i"));
    expect(facts(old, now)).toEqual([
      { kind: "moved", tool: "search", arguments: { q: "a" }, oldTurn: 1, newTurn: 0 },
      { kind: "moved", tool: "search", arguments: { q: "b" }, oldTurn: 4, newTurn: 2 },
    ]);
  });

  it("leaves a changed pair alone when dissolving it would strand one of its sides", () => {
    const old = stepsOf(search("1"), call("g"), search("9"), call("h"), search("2"));
    const now = stepsOf(search("2"), call("g"), search("1"), call("h"), search("8"));
    expect(facts(old, now)).toMatchObject([
      { kind: "args-changed" },
      { kind: "args-changed" },
      { kind: "args-changed" },
    ]);
  });

  it("gives none for parallel calls listed in another order", () => {
    const calls = [search("a"), call("read", { n: 1 }), search("b")];
    expect(diffCassettes(runOf([{ calls }]), runOf([{ calls: calls.toReversed() }]))).toEqual([]);
  });

  it("tells once that calls of one turn are made one after another, and the reverse", () => {
    const together = runOf([{ calls: [search("a"), search("b"), call("f")] }, { calls: [call("g")] }]);
    const apart = stepsOf(search("b"), call("f"), search("a"), call("g"));
    expect(facts(together, apart)).toEqual([
      { kind: "serialised", tools: ["f", "search", "search"], oldTurn: 0, newTurn: 0, newTurns: [0, 1, 2] },
    ]);
    expect(facts(apart, together)).toEqual([
      { kind: "parallelised", tools: ["f", "search", "search"], oldTurn: 0, oldTurns: [0, 1, 2], newTurn: 0 },
    ]);
  });

  it("calls a call that left its turn for one of another call moved", () => {
    const old = runOf([{ calls: [call("f"), call("g")] }, { calls: [call("h")] }]);
    const now = runOf([{ calls: [call("f")] }, { calls: [call("g"), call("h")] }]);
    expect(facts(old, now)).toMatchObject([{ kind: "moved", tool: "g", oldTurn: 0, newTurn: 1 }]);
  });

  it("tells a call that is made once more right next to its equal from one that is new", () => {
    const old = stepsOf(call("f"), search("a"), call("g"));
    const now = stepsOf(call("f"), search("a"), search("a"), search("a"), call("g"), search("a"));
    expect(facts(old, now)).toMatchObject([
      { kind: "retried", tool: "search", oldTurn: 1, newTurn: 2 },
      { kind: "retried", tool: "search", oldTurn: 1, newTurn: 3 },
      { kind: "added", tool: "search", newTurn: 5 },
    ]);
    expect(facts(stepsOf(call("f")), runOf([{ calls: [call("f"), call("f")] }]))).toMatchObject([
      { kind: "retried", oldTurn: 0, newTurn: 0 },
    ]);
  });

  it("tells turns that ended for other reasons", () => {
    const old = runOf([{ calls: [call("f")] }, { say: "done" }]);
    const now = structuredClone(old);
    (now.entries[1] as CassetteEntry).response.stopReason = "length";
    expect(diffCassettes(old, now)).toEqual([
      {
        kind: "stop-changed",
        old: "stop",
        new: "length",
        oldTurn: 1,
        oldPointer: "/entries/1/response/stopReason",
        newTurn: 1,
        newPointer: "/entries/1/response/stopReason",
        sentence: 'The model ended turn 1 with "length"; it was "stop".',
      },
    ]);
    expect(diffCassettes(old, now, { order: "unordered" })).toHaveLength(1);
  });

  it("points at the call on both sides", () => {
    const old = runOf([{}, { calls: [call("f"), call("g", { n: 1 })] }]);
    const now = runOf([{ calls: [call("g", { n: 2 }), call("f")] }]);
    expect(diffCassettes(old, now)).toMatchObject([
      {
        kind: "args-changed",
        oldPointer: "/entries/1/response/message/toolCalls/1",
        newPointer: "/entries/0/response/message/toolCalls/0",
      },
    ]);
  });

  it("gives one change when one of several parallel calls of a tool has other arguments", () => {
    const old = runOf([{ calls: [search("Paris"), search("Oslo")] }]);
    const now = runOf([{ calls: [search("Paris"), search("Zurich")] }]);
    expect(facts(old, now)).toEqual([
      {
        kind: "args-changed",
        tool: "search",
        oldTurn: 0,
        newTurn: 0,
        changes: [{ pointer: "/q", old: "Oslo", new: "Zurich" }],
      },
    ]);
  });

  it("pairs changed calls of one turn with those they are most like, whatever their order", () => {
    const old = runOf([{ calls: [call("read", { path: "/about" }), call("read", { path: "/kits" })] }]);
    const now = stepsOf(call("read", { path: "/kits?sort=price" }), call("read", { path: "/press" }));
    const changes = diffCassettes(old, now).flatMap((drift) => (drift.kind === "args-changed" ? drift.changes : []));
    expect(changes).toEqual([
      { pointer: "/path", old: "/kits", new: "/kits?sort=price" },
      { pointer: "/path", old: "/about", new: "/press" },
    ]);
  });

  it("does not pair a removed and an added call of one tool whose turns have nothing in common", () => {
    const old = stepsOf(search("a"), call("f"), call("g"));
    const now = stepsOf(call("f"), call("g"), search("b"));
    expect(facts(old, now)).toMatchObject([
      { kind: "removed", oldTurn: 0 },
      { kind: "added", newTurn: 2 },
    ]);
  });

  it("takes the text of malformed arguments as what was called", () => {
    const broken = { ...call("search"), malformedArguments: '{"q":' };
    expect(diffCassettes(stepsOf(broken), stepsOf(broken))).toEqual([]);
    expect(facts(stepsOf(broken), stepsOf(search("a")))).toEqual([
      {
        kind: "args-changed",
        tool: "search",
        oldTurn: 0,
        newTurn: 0,
        changes: [{ pointer: "", old: '{"q":', new: { q: "a" } }],
      },
    ]);
    expect(facts(stepsOf(), stepsOf(broken))).toEqual([
      { kind: "added", tool: "search", arguments: {}, malformedArguments: '{"q":', newTurn: 0 },
    ]);
  });

  it("compares a version 1 recording like any other", () => {
    const { entries } = stepsOf(search("a"));
    const old: Cassette = {
      version: 1,
      recordedAt: "2026-11-20T12:00:00.000Z",
      recordedProvider: "old",
      entries: entries.map(({ turnIndex, promptHash, response }) => ({ turnIndex, promptHash, response })),
    };
    expect(diffCassettes(old, stepsOf(search("a")))).toEqual([]);
  });
});

describe("diffCassettes with ignored places", () => {
  const old = stepsOf(call("send", { to: "x", at: 1 }), call("log", { at: 1, rows: [{ id: 1 }] }));
  const now = stepsOf(call("send", { to: "x", at: 2 }), call("log", { at: 2, rows: [{ id: 7 }] }));

  it("gives none when only ignored places differ", () => {
    expect(diffCassettes(old, now, { ignore: ["/at", "log:/rows/*/id"] })).toEqual([]);
  });

  it("ignores a place of one tool only in that tool", () => {
    expect(facts(old, now, { ignore: ["log:/at", "/rows/0/id"] })).toMatchObject([
      { kind: "args-changed", tool: "send" },
    ]);
  });

  it("leaves ignored places out of the changes", () => {
    expect(facts(old, now, { ignore: ["/at"] })).toMatchObject([
      { tool: "log", changes: [{ pointer: "/rows/0/id", old: 1, new: 7 }] },
    ]);
    const lists = [stepsOf(call("put", { list: [1, 2] })), stepsOf(call("put", { list: [] }))] as const;
    expect(facts(...lists, { ignore: ["/list/0"] })).toMatchObject([{ changes: [{ pointer: "/list/1", old: 2 }] }]);
  });

  it("does not let ignored places decide the order of parallel calls", () => {
    const one = runOf([{ calls: [call("f", { at: 1, q: "a" }), call("f", { at: 2, q: "b" })] }]);
    const two = runOf([{ calls: [call("f", { at: 2, q: "a" }), call("f", { at: 1, q: "b" })] }]);
    expect(diffCassettes(one, two, { ignore: ["/at"] })).toEqual([]);
  });

  it("refuses a malformed pointer", () => {
    expect(() => diffCassettes(old, now, { ignore: ["send:at"] })).toThrow(
      expect.objectContaining({ code: "invalid-options" }),
    );
  });
});

describe("diffCassettes on what the assistant said", () => {
  it("tells changed, added and removed texts", () => {
    const old = runOf([{ say: "plan" }, { say: "look", calls: [call("f")] }, { say: "the end" }]);
    const now = runOf([{ say: "plan" }, { calls: [call("f")] }, { say: "The end." }]);
    expect(facts(old, now)).toEqual([
      { kind: "content-removed", oldTurn: 1, old: "look" },
      { kind: "content-changed", oldTurn: 2, newTurn: 2, old: "the end", new: "The end." },
    ]);
    expect(facts(now, old)).toEqual([
      { kind: "content-added", newTurn: 1, new: "look" },
      { kind: "content-changed", oldTurn: 2, newTurn: 2, old: "The end.", new: "the end" },
    ]);
  });

  it("PLK-105 compares tool calls alone with ignoreContent, whatever ended a turn", () => {
    const old = runOf([{ calls: [call("f")] }, { say: "done" }]);
    const now = structuredClone(old);
    (now.entries[1] as CassetteEntry).response.stopReason = "length";
    expect(diffCassettes(old, now, { ignoreContent: true })).toEqual([]);
    expect(diffCassettes(old, now, { ignoreContent: true, ignoreStops: false })).toMatchObject([
      { kind: "stop-changed", old: "stop", new: "length" },
    ]);
    expect(diffCassettes(old, now, { ignoreStops: true })).toEqual([]);
    expect(diffCassettes(old, now)).toHaveLength(1);
  });

  it("PLK-105 leaves texts out with ignoreContent", () => {
    const runs = [runOf([{ say: "one" }]), runOf([{ say: "two" }])] as const;
    expect(diffCassettes(...runs, { ignoreContent: true })).toEqual([]);
    expect(diffCassettes(...runs, { ignoreContent: false })).toHaveLength(1);
  });
});

interface AgentDojoRun {
  model: string;
  task: string;
  data: {
    messages: { role: string; content: unknown; tool_calls?: { function: string; args: JsonObject }[] | null }[];
  };
}

function fromAgentDojo({ data }: AgentDojoRun): Cassette {
  const turns = data.messages.filter((message) => message.role === "assistant");
  return runOf(
    turns.map(({ content, tool_calls }): RunTurn => ({
      say: typeof content === "string" ? content : "",
      calls: (tool_calls ?? []).map((item) => call(item.function, item.args)),
    })),
  );
}

describe.skipIf(!hasShared)("diffCassettes on recorded runs of two models (AgentDojo)", () => {
  const runsOf = (model: string) =>
    new Map(
      readSharedLines<AgentDojoRun>("data/trajectories/agentdojo-utility.jsonl.gz")
        .filter((run) => run.model === model)
        .map((run) => [run.task, fromAgentDojo(run)]),
    );

  it("PLK-106 finds none against itself, and the same number from either side against another model", () => {
    const [old, now] = [runsOf("gpt-4o-2024-05-13"), runsOf("claude-3-5-sonnet-20241022")];
    let drifted = 0;
    for (const [name, run] of old) {
      const other = now.get(name);
      expect(diffCassettes(run, run)).toEqual([]);
      if (other === undefined) continue;
      const drifts = diffCassettes(run, other, { ignoreContent: true });
      expect(diffCassettes(other, run, { ignoreContent: true })).toHaveLength(drifts.length);
      drifted += drifts.length === 0 ? 0 : 1;
    }
    expect(old.size).toBeGreaterThan(10);
    expect(drifted).toBeGreaterThan(0);
    expect(drifted).toBeLessThan(old.size);
  });
});
