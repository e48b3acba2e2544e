// Whatever somebody hands to a double by mistake is named at once, with the value and what to give.

import { describe, expect, it } from "vitest";
import { AgentError } from "../../../src/core/errors.js";
import { fixedClock } from "../../../src/harness/doubles/clock.js";
import { collect } from "../../../src/harness/doubles/collect.js";
import { memoryFiles } from "../../../src/harness/doubles/files.js";
import { memoryHost } from "../../../src/harness/doubles/host.js";
import { countingIds, seededBytes } from "../../../src/harness/doubles/ids.js";
import { HarnessError } from "../../../src/harness/errors.js";

type Loose = (...args: unknown[]) => unknown;

const make = {
  collect: collect as Loose,
  countingIds: countingIds as Loose,
  fixedClock: fixedClock as Loose,
  memoryFiles: memoryFiles as Loose,
  memoryHost: memoryHost as Loose,
  seededBytes: seededBytes as Loose,
};

async function expectUnclear(work: () => unknown, text: string): Promise<void> {
  let thrown: unknown;
  try {
    await work();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(HarnessError);
  expect(thrown).toMatchObject({ code: "double-unclear", message: expect.stringContaining(text) as string });
}

describe("a clock", () => {
  it.each<[unknown, string]>([
    [null, "start is null"],
    ["5", 'start is "5"'],
    [new Date(0), "start is an object"],
    [Number.NaN, "start is NaN"],
    [Infinity, "start is Infinity"],
    [8_640_000_000_000_001, "start is 8640000000000001"],
    [-1e300, "start is -1e+300"],
  ])("does not start at %j", async (start, text) => {
    await expectUnclear(() => make.fixedClock(start), text);
    await expectUnclear(() => make.memoryHost({ start }), text);
    await expectUnclear(() => fixedClock().set(start as number), text.replace("start", "the moment of set"));
  });

  it("starts at any moment that a Date can hold", () => {
    for (const moment of [0, -1, 0.5, 8.64e15, -8.64e15]) expect(fixedClock(moment).now()).toBe(moment);
  });

  it("does not move by a value that is not a time, nor beyond all moments, and shows what it showed", async () => {
    const clock = fixedClock(1_000);
    const fired: string[] = [];
    clock.timer(5, () => fired.push("due"));
    await expectUnclear(() => clock.advance("5" as never), 'the milliseconds of advance is "5"');
    await expectUnclear(() => clock.advance(Number.NaN), "the milliseconds of advance is NaN");
    await expectUnclear(() => clock.advance(null as never), "the milliseconds of advance is null");
    await expectUnclear(() => clock.advance(Infinity), "the moment that advance goes to is Infinity");
    await expectUnclear(() => clock.sleep("5" as never), 'the milliseconds of sleep is "5"');
    await expectUnclear(() => clock.sleep(Number.NaN), "the milliseconds of sleep is NaN");
    expect([clock.now(), clock.pending, fired]).toEqual([1_000, 1, []]);
  });

  it.each([undefined, null, 5, {}, () => Promise.resolve(1)])(
    "does not wait for %j, which is not a promise",
    async (work) => {
      await expectUnclear(() => fixedClock().until(work as never), "the work of until is");
    },
  );
});

describe("ids and bytes", () => {
  it.each([5, null, {}, ["id-"]])("have no prefix %j", async (prefix) => {
    await expectUnclear(() => make.countingIds(prefix), "the prefix of countingIds is");
  });

  it.each(["a", null, undefined, 0.5, Number.NaN, 2 ** 60, 5n])("have no seed %s", async (seed) => {
    await expectUnclear(() => make.seededBytes(seed), "the seed of seededBytes is");
    if (seed !== undefined) await expectUnclear(() => make.memoryHost({ seed }), "seed of memoryHost is");
  });

  it.each([-1, 0.5, Number.NaN, 65_537, "4", null])("have no length %j", async (length) => {
    for (const randomBytes of [seededBytes(1), countingIds().randomBytes]) {
      await expectUnclear(() => randomBytes(length as number), "the length of random bytes is");
    }
  });
});

describe("files", () => {
  it.each<[unknown, string]>([
    [5, "the files of memoryFiles are 5"],
    [null, "the files of memoryFiles are null"],
    ["a.txt", 'the files of memoryFiles are "a.txt"'],
    [["a.txt"], "the files of memoryFiles are a list"],
    [new Map([["a.txt", "text"]]), "the files of memoryFiles are an object"],
    [{ "a.txt": 5 }, 'the text of "a.txt" is 5'],
    [{ "a.txt": undefined }, 'the text of "a.txt" is undefined'],
    [{ "": "text" }, 'a file cannot have the path "": the path is empty'],
    [{ "a\0b": "text" }, "NUL"],
    [{ "a/": "text" }, 'a file cannot have the path "a/": it ends like the path of a folder'],
    [{ "a/..": "text" }, 'a file cannot have the path "a/..": the path is taken'],
    [{ a: "text", "a/b": "text" }, 'a file cannot have the path "a/b": ENOTDIR'],
    [{ "a/b": "text", a: "text" }, 'a file cannot have the path "a": the path is taken'],
    [{ "a/b": "one", "./a//b": "two" }, 'a file cannot have the path "./a//b": the path is taken'],
    [{ ["x".repeat(256)]: "text" }, "ENAMETOOLONG"],
  ])("are not %j", async (files, text) => {
    await expectUnclear(() => make.memoryFiles(files), text);
    await expectUnclear(() => make.memoryHost({ files }), text);
  });

  it("fail by the methods of the port, with an answer", async () => {
    const fail = memoryFiles().fail as Loose;
    await expectUnclear(() => fail("list", { kind: "failed", message: "EIO" }), 'fail was given "list"');
    await expectUnclear(() => fail("read"), "and undefined");
    await expectUnclear(() => fail("read", "EIO"), 'and "EIO"');
  });
});

describe("a host", () => {
  it.each([null, 5, "seed", []])("has no options %j", async (options) => {
    await expectUnclear(() => make.memoryHost(options), "the options of memoryHost are");
  });

  it("refuses a fetch that is not a function, and an unknown option", async () => {
    await expectUnclear(() => make.memoryHost({ fetch: 5 }), "fetch of memoryHost is 5");
    expect(() => make.memoryHost({ clock: 5 })).toThrow(AgentError);
  });
});

describe("collect", () => {
  it.each([undefined, null, 5, "run", {}, [], { visits: [] }])("does not take %j", async (source) => {
    await expectUnclear(() => make.collect(source), "collect was given");
  });

  it.each([undefined, null, 5, {}, { finalAnswer: "done" }])(
    "says that %j, which a run gave, is not a result",
    async (given) => {
      for (const source of [Promise.resolve(given), () => given, () => Promise.resolve(given)]) {
        const collected = (await make.collect(source)) as { kind: string; error: HarnessError };
        expect(collected).toMatchObject({ kind: "failed", events: [], texts: [] });
        expect(collected.error).toBeInstanceOf(HarnessError);
        expect(collected.error.message).toContain("collect expected the result of a run");
      }
    },
  );
});
