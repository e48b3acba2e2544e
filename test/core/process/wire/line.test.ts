import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeLine, decodePlainLine, encodeLine, encodePlainLine } from "../../../../src/core/process/wire/line.js";
import type { WireItem } from "../../../../src/core/process/wire/item.js";
import { extendTrace } from "../../../../src/core/process/wire/payload.js";
import { IN_PORTS, OUT_PORTS } from "../../../../src/core/process/wire/ports.js";
import { codeOf } from "../../../support/process/codes.js";
import "../../../support/law-seed.js";

describe("a line that names its stream", () => {
  it("PLM-79 PLM-114 holds messages, markers and the end", () => {
    expect(encodeLine("ctrl_in", { kind: "message", value: { pause: true } })).toBe(
      '{"__port":"ctrl_in","payload":{"pause":true}}',
    );
    expect(encodeLine("data_out", { kind: "eof" })).toBe('{"__port":"data_out","__eof":true}');
    expect(encodeLine("data_out", { kind: "marker", name: "heat" })).toBe('{"__port":"data_out","__marker":"heat"}');
  });

  it("comes back as it was, whatever keys the message has", () => {
    const keys = fc.constantFrom("__port", "__eof", "__marker", "__proto__", "payload", "trace", "a");
    const leaves = fc.oneof(fc.constantFrom("ctrl_in", true, null, 1), fc.string());
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        leaves,
        fc.array(tie("value"), { maxLength: 3 }),
        fc.array(fc.tuple(keys, tie("value")), { maxLength: 4 }).map((entries) => {
          const object = {};
          for (const [key, value] of entries)
            Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
          return object;
        }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.constantFrom(...IN_PORTS, ...OUT_PORTS), values, fc.boolean(), (port, value, isTraced) => {
        const item = { kind: "message", value, ...(isTraced ? { trace: { id: "a:1" } } : {}) } as WireItem;
        const read = decodeLine(encodeLine(port, item), "data_in");
        expect(read.port).toBe(port);
        expect(JSON.stringify(read)).toBe(JSON.stringify({ port, item }));
      }),
    );
  });

  it("is data without a stream, and ignores an unknown one", () => {
    expect(decodeLine('{"a":1}', "data_in")).toEqual({ port: "data_in", item: { kind: "message", value: { a: 1 } } });
    expect(decodeLine("\u0001heat", "data_in")).toEqual({ port: "data_in", item: { kind: "marker", name: "heat" } });
    expect(decodeLine('{"__port":"fd7"}', "data_in")).toEqual({ port: "unknown", name: '"fd7"' });
    expect(codeOf(() => decodeLine("{", "data_in"))).toBe("not-json");
  });
});

describe("a plain line", () => {
  it("PLM-51 is a marker if it begins with 0x01, and data otherwise", () => {
    expect(encodePlainLine({ kind: "message", value: { __port: "ctrl_in" } })).toBe('{"__port":"ctrl_in"}');
    expect(decodePlainLine('{"__port":"ctrl_in"}')).toEqual({ kind: "message", value: { __port: "ctrl_in" } });
    expect(decodePlainLine(encodePlainLine({ kind: "marker", name: "heat" }))).toEqual({
      kind: "marker",
      name: "heat",
    });
    expect(codeOf(() => decodePlainLine("\u0001"))).toBe("frame-malformed");
  });
});

describe("provenance", () => {
  it("PLM-153 goes on with each agent, and keeps the last 64", () => {
    const first = extendTrace({ id: "input:7", path: [{ agent: "composer", seq: 3 }] }, "judge", 1, "5");
    expect(first).toEqual({
      id: "input:7",
      path: [
        { agent: "composer", seq: 3 },
        { agent: "judge", seq: 1 },
      ],
      hlc: "5",
    });
    let trace = first;
    for (let seq = 1; seq <= 70; seq++) trace = extendTrace(trace, "poet", seq, "6");
    expect(trace["path"]).toHaveLength(64);
    expect((trace["path"] as unknown[]).at(-1)).toEqual({ agent: "poet", seq: 70 });
    expect(extendTrace(undefined, "poet", 1, "6")["id"]).toBe("poet:1");
  });
});
