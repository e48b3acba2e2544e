import { describe, expect, it } from "vitest";
import { compareCassettes, diffCassettes } from "../../../src/cassette/diff/diff.js";
import { pathKey, trajectoryDistance } from "../../../src/cassette/diff/align/distance.js";
import type { DiffOptions } from "../../../src/cassette/diff/options.js";
import { CALL_ORDERS, type CallOrder } from "../../../src/cassette/diff/order.js";
import type { Tolerances } from "../../../src/cassette/index.js";
import type { Cassette } from "../../../src/cassette/file/format.js";
import { diffValues } from "../../../src/cassette/prompt/json-difference.js";
import { canonicalize, type JsonObject } from "../../../src/core/index.js";
import { call, runOf, stepsOf } from "./runs.js";

const kinds = (a: Cassette, b: Cassette, options?: DiffOptions) =>
  diffCassettes(a, b, { ...options, ignoreContent: true }).map(({ kind }) => kind);

const [f, g, h] = [call("f"), call("g"), call("h")];

describe("diffCassettes by order", () => {
  it("names what each order counts", () => {
    const pass = (a: Cassette, b: Cassette): CallOrder[] =>
      CALL_ORDERS.filter((order) => kinds(a, b, { order }).every((kind) => kind === "stop-changed"));
    expect(pass(stepsOf(f, g), stepsOf(f, g))).toEqual(CALL_ORDERS);
    expect(pass(stepsOf(f, g), stepsOf(g, f))).toEqual(["unordered", "any_order", "subset", "superset"]);
    expect(pass(stepsOf(f, g), stepsOf(f, h, g))).toEqual(["in_order", "superset"]);
    expect(pass(stepsOf(f, g), stepsOf(f, f, g))).toEqual(["in_order", "superset"]);
    expect(pass(stepsOf(f, g), stepsOf(g))).toEqual(["subset"]);
    expect(pass(stepsOf(f, g), stepsOf(f, h))).toEqual([]);
    expect(pass(runOf([{ calls: [f, g] }]), stepsOf(g, f))).toEqual([
      "in_order",
      "unordered",
      "any_order",
      "subset",
      "superset",
    ]);
  });

  it("pairs without order what is least unlike", () => {
    const read = (path: string, mode: string) => call("read", { path, mode });
    const old = stepsOf(read("a", "x"), read("b", "y"), read("c", "z"));
    const now = stepsOf(read("c", "w"), read("a", "w"), read("b", "w"));
    const changes = diffCassettes(old, now, { order: "unordered" }).map((drift) =>
      drift.kind === "args-changed" ? drift.changes.map(({ pointer }) => pointer) : drift.kind,
    );
    expect(changes).toEqual([["/mode"], ["/mode"], ["/mode"]]);
  });

  it("counts what an order allows in pairing, too", () => {
    const old = stepsOf(call("f", { n: 1 }), call("f", { n: 2 }));
    const now = stepsOf(call("f", { n: 3 }), call("f", { n: 1 }), h, call("f", { n: 2 }));
    expect(kinds(old, now, { order: "in_order" })).toEqual([]);
  });

  it("refuses an unknown order and an unknown option", () => {
    const attempt = (options: object) => () => diffCassettes(stepsOf(), stepsOf(), options);
    expect(attempt({ order: "sorted" })).toThrow(/"sorted".*\n?.*strict, exact/s);
    expect(attempt({ ordre: "strict" })).toThrow(expect.objectContaining({ code: "invalid-options" }));
  });
});

describe("diffCassettes with read-only tools", () => {
  const [a, b] = [call("read_a"), call("read_b")];

  it("lets neighbouring reads change places, join and part", () => {
    for (const now of [stepsOf(b, a, f), runOf([{ calls: [a, b] }, { calls: [f] }])]) {
      expect(kinds(stepsOf(a, b, f), now, { readOnly: ["read_*"] })).toEqual([]);
      expect(kinds(stepsOf(a, b, f), now)).not.toEqual([]);
      expect(trajectoryDistance(stepsOf(a, b, f), now, { readOnly: ["read_*"] })).toBe(0);
      expect(pathKey(now, { readOnly: ["read_*"] })).toBe(pathKey(stepsOf(a, b, f), { readOnly: ["read_*"] }));
    }
  });

  it("does not let a read pass a call that is not a read, nor a turn that only speaks", () => {
    expect(kinds(stepsOf(a, f), stepsOf(f, a), { readOnly: ["read_*"] })).toEqual(["moved"]);
    const spoken = runOf([{ calls: [a] }, { say: "?" }, { calls: [b] }]);
    const swapped = runOf([{ calls: [b] }, { say: "?" }, { calls: [a] }]);
    expect(kinds(spoken, swapped, { readOnly: ["*"] })).toEqual(["moved"]);
  });

  it("takes a name as it is but for the stars", () => {
    const swap = (name: string) => kinds(stepsOf(a, b), stepsOf(b, a), { readOnly: [name] }).length === 0;
    expect(["read_*", "*", "r*_*", "*_*", "re*ad_*"].map(swap)).toEqual([true, true, true, true, true]);
    expect(["read", "read_", "read_a", "*a", "r.*", "read_*_"].map(swap)).toEqual(Array<boolean>(6).fill(false));
    expect(() => kinds(stepsOf(), stepsOf(), { readOnly: [""] })).toThrow(/readOnly/);
  });
});

describe("diffCassettes with tolerances", () => {
  const amount = (value: JsonObject) => Number(value["amount"]);
  const lower = (args: JsonObject): JsonObject => ({ ...args, name: String(args["name"] ?? "").toLowerCase() });
  const isClose = (x: JsonObject, y: JsonObject) => Math.abs(amount(x) - amount(y)) <= 1;
  const tolerances: Tolerances = {
    normalise: (tool, args) => ({
      key: `${tool}(${canonicalize(lower(args))})`,
      skeleton: `${tool}(${canonicalize({ ...lower(args), amount: 0 })})`,
      value: lower(args),
    }),
    alike: (_, x, y) => isClose(x, y),
    compare: (tool, x, y) => {
      const changes = diffValues(lower(x), lower(y));
      const [left, used] = [changes.filter(({ pointer }) => pointer !== "/amount" || !isClose(x, y)), isClose(x, y)];
      const use = { tolerance: "numeric ±1", tool, pointer: "/amount", times: 1 };
      return { changes: left, uses: used && left.length < changes.length ? [use] : [] };
    },
  };

  it("takes calls for equal whose normal form is, or that are alike", () => {
    const old = stepsOf(call("pay", { name: "Ann", amount: 10 }), g);
    expect(kinds(old, stepsOf(call("pay", { name: "ANN", amount: 10 }), g), { tolerances })).toEqual([]);
    expect(kinds(old, stepsOf(call("pay", { name: "Ann", amount: 11 }), g), { tolerances })).toEqual([]);
    expect(kinds(old, stepsOf(call("pay", { name: "Ann", amount: 12 }), g), { tolerances })).toEqual(["args-changed"]);
    expect(trajectoryDistance(old, stepsOf(call("pay", { name: "Ann", amount: 11 }), g), { tolerances })).toBe(0);
  });

  it("finds as many alike calls in a turn as there can be", () => {
    const pay = (amount: number) => call("pay", { amount });
    const old = runOf([{ calls: [pay(2), pay(1)] }]);
    const now = runOf([{ calls: [pay(3), pay(2)] }]);
    expect(kinds(old, now, { tolerances })).toEqual([]);
  });

  it("says what was used", () => {
    const [old, now] = [stepsOf(call("pay", { amount: 1 }), g), stepsOf(call("pay", { amount: 2 }), g)];
    expect(compareCassettes(old, now, { tolerances })).toEqual({
      drifts: [],
      tolerances: [{ tolerance: "numeric ±1", tool: "pay", pointer: "/amount", times: 1 }],
    });
  });

  it("leaves ignored places out first", () => {
    const [old, now] = [stepsOf(call("pay", { amount: 1, at: 1 })), stepsOf(call("pay", { amount: 2, at: 9 }))];
    expect(kinds(old, now, { tolerances, ignore: ["/at"] })).toEqual([]);
  });
});
