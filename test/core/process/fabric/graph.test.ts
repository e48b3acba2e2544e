import { describe, expect, it } from "vitest";
import { layOut, type GraphShape } from "../../../../src/core/process/fabric/graph.js";
import { Flow } from "../../../../src/core/process/fabric/flow.js";
import { Network } from "../../../../src/core/process/fabric/network.js";
import type { WireItem } from "../../../../src/core/process/wire/item.js";
import { codeOf } from "../../../support/process/codes.js";

const LIMITS = { window: 4, maxMessages: 10 };
const message = (value: number): WireItem => ({ kind: "message", value });
const LINE: GraphShape = {
  agents: ["a", "b"],
  wires: [
    { from: "input", to: "a" },
    { from: "input", to: "b" },
    { from: "a", to: "output" },
    { from: "b", to: "output" },
  ],
};

describe("a graph", () => {
  it("names all its flaws at once", () => {
    const shape = {
      agents: ["a", "output", "b"],
      barriers: { c: ["a"] },
      wires: [
        { from: "x", to: "a" },
        { from: "a", to: "y" },
      ],
    };
    expect(() => layOut(shape)).toThrow(
      /"output" cannot be the name.*begins at x.*ends at y.*barrier c has 1 input.*no wire ends at agent b/s,
    );
    expect(codeOf(() => layOut(shape))).toBe("graph-invalid");
  });

  it("refuses a loop that nothing enters, and one that waits for itself", () => {
    const closed = {
      agents: ["a", "b"],
      wires: [
        { from: "a", to: "b" },
        { from: "b", to: "a" },
      ],
    };
    expect(() => layOut(closed)).toThrow(/nothing enters the loop of a, b/);
    const waiting = { agents: ["a"], barriers: { pair: ["input", "a"] }, wires: [{ from: "pair", to: "a" }] };
    expect(() => layOut(waiting)).toThrow(/a, pair wait for each other/);
  });
});

describe("several wires into one port outside of a loop", () => {
  it("PLM-58 pass markers on, and end when all inputs have ended", () => {
    const network = new Network(layOut(LINE), LIMITS);
    const take = (): unknown[] => {
      network.run();
      const taken: unknown[] = [];
      for (let item = network.take("output"); item !== undefined; item = network.take("output")) taken.push(item);
      return taken;
    };
    network.push("a", { kind: "marker", name: "heat" });
    network.push("a", { kind: "eof" });
    expect(take()).toEqual([{ kind: "marker", name: "heat" }]);
    network.push("b", message(1));
    network.push("b", { kind: "eof" });
    expect(take()).toEqual([message(1), { kind: "eof" }]);
  });

  it("let a source wait while a channel behind it is full", () => {
    const network = new Network(layOut(LINE), LIMITS);
    for (let value = 0; value < 4; value++) network.push("a", message(value));
    network.run();
    expect(network.hasRoom("a")).toBe(true);
    for (let value = 4; value < 8; value++) network.push("a", message(value));
    network.run();
    expect(network.hasRoom("a")).toBe(false);
    network.take("output");
    network.run();
    expect(network.hasRoom("a")).toBe(true);
  });

  it("end with an error beyond the messages of the fabric", () => {
    const network = new Network(layOut(LINE), LIMITS);
    expect(codeOf(() => Array.from({ length: 11 }, (_, value) => network.push("a", message(value))))).toBe(
      "too-many-messages",
    );
  });

  it("end with an error at a message beyond their schedule", () => {
    const network = new Network(layOut(LINE), { ...LIMITS, schedule: { output: [1] } });
    network.push("b", message(1));
    network.run();
    expect(network.awaited()).toEqual([]);
    expect(codeOf(() => network.push("a", message(2)))).toBe("schedule-diverged");
  });

  it("say what they wait for in their schedule", () => {
    const network = new Network(layOut(LINE), { ...LIMITS, schedule: { output: [1, 0] } });
    network.push("a", message(2));
    network.run();
    expect(network.awaited()).toEqual(["output waits for a message of b"]);
  });
});

describe("a drained loop", () => {
  it("PLM-49 is closed at once if nothing entered it", () => {
    const shape = {
      agents: ["a"],
      wires: [
        { from: "input", to: "a" },
        { from: "a", to: "a" },
      ],
    };
    const network = new Network(layOut(shape), LIMITS);
    network.push("input", { kind: "eof" });
    network.run();
    expect(network.take("a")).toEqual({ kind: "eof" });
    expect(network.rounds).toEqual([0]);
  });

  it("PLM-49 is asked once even then, if an agent sends into it unasked", () => {
    const shape = {
      agents: ["a", "b"],
      wires: [
        { from: "input", to: "a" },
        { from: "a.telemetry", to: "b" },
        { from: "b", to: "a" },
      ],
    };
    const network = new Network(layOut(shape), LIMITS);
    network.push("input", { kind: "eof" });
    network.run();
    expect(network.take("a")).toEqual({ kind: "marker", name: "a" });
  });
});

describe("the window of an agent", () => {
  it.each([2, 3, 16, 17])("lets no more than %i messages be on their way", (window) => {
    const flow = new Flow(window);
    let out = 0;
    const markers: number[] = [];
    for (let step = 0; step < 500; step++) {
      while (flow.isOpen) {
        out++;
        if (flow.send()) markers.push(out);
      }
      expect(out).toBeLessThanOrEqual(window);
      const answered = markers.shift() as number;
      out -= answered;
      for (const [index, at] of markers.entries()) markers[index] = at - answered;
      flow.acknowledge();
    }
  });
});
