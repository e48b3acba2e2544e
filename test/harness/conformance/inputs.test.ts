// What a suite is handed before it asks anything: a value that is not a factory is refused at once, and what a factory does wrong is told as
// the factory's own fault, in every case and in time.

import { afterEach, describe, expect, it, vi } from "vitest";
import { createEventLog } from "../../../src/core/events/log.js";
import { systemPorts } from "../../../src/core/ports.js";
import { createInMemoryRuntimeMemory } from "../../../src/core/memory/memory.js";
import { echoProvider } from "../../../src/core/providers/echo.js";
import type { ConformanceCase } from "../../../src/harness/conformance/case.js";
import { eventLogConformance, memoryConformance, providerConformance } from "../../../src/harness/index.js";
import { refusal, rejection } from "../../support/refusal.js";

interface Suite {
  readonly name: string;
  readonly kind: string;
  readonly factory: string;
  readonly one: () => unknown;
  readonly cases: (factory: unknown, options?: unknown) => ConformanceCase[];
}

const SUITES: Suite[] = [
  {
    ...{ name: "providerConformance", kind: "provider", factory: "make", one: echoProvider },
    cases: (factory, options) => providerConformance(factory as never, options as never),
  },
  {
    ...{ name: "memoryConformance", kind: "store", factory: "open", one: createInMemoryRuntimeMemory },
    cases: (factory, options) => memoryConformance(factory as never, options as never),
  },
  {
    ...{ name: "eventLogConformance", kind: "event log", factory: "make", one: () => createEventLog(systemPorts) },
    cases: (factory, options) => eventLogConformance(factory as never, options as never),
  },
];

class Store {
  get = () => 1;
}

describe.each(SUITES)("$name", ({ name, kind, factory, one, cases }) => {
  it.each<[string, unknown, string]>([
    ["nothing", undefined, "undefined"],
    ["null", null, "null"],
    ["a number", 5, "5"],
    ["a text", "echo", '"echo"'],
    ["a list", [], "a list"],
    ["a class", Store, "the class Store"],
    ["a promise", Promise.resolve(), "a promise"],
    ["an object of another kind", { answer: 1 }, "an object"],
    ["the subject itself", one(), `one ${kind}`],
  ])("refuses %s", (_what, value, shown) => {
    expect(refusal(() => cases(value))).toMatchObject({
      code: "invalid-options",
      message: `${factory} of ${name} is ${shown}, and not a function that creates a new ${kind}`,
      hint: value === Store ? "Pass () => new Store()." : `Pass a function that returns a new ${kind} at each call.`,
    });
  });

  it.each<[unknown, string]>([
    [null, `the options of ${name} are null`],
    [5, `the options of ${name} are 5`],
    [{ patience: 1 }, `${name} has an unknown option: patience`],
    [{ patienceMs: 0 }, `patienceMs of ${name} is 0`],
    [{ patienceMs: NaN }, `patienceMs of ${name} is NaN`],
    [{ patienceMs: "1s" }, `patienceMs of ${name} is "1s"`],
    [{ patienceMs: 2 ** 31 }, `patienceMs of ${name} is 2147483648`],
  ])("refuses the options %j", (options, message) => {
    const error = refusal(() => cases(one, options));
    expect(error).toMatchObject({ code: "invalid-options", message });
    expect((error as { hint?: string }).hint).not.toBe("");
  });

  const wrong: [string, (...args: never[]) => unknown, string][] = [
    [
      "throws",
      () => {
        throw new RangeError("no port is left");
      },
      "threw RangeError: no port is left",
    ],
    ["rejects", async () => Promise.reject(new Error("no such table")), "threw Error: no such table"],
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
    ["rejects with a text", async () => Promise.reject("down"), "threw no error but down"],
    ["gives nothing", () => undefined, `gave undefined instead of a new ${kind}: it has no `],
    ["gives a factory", () => one, `gave a function instead of a new ${kind}: it has no `],
    ["gives half of one", () => ({ close: () => undefined }), `gave an object instead of a new ${kind}: it has no `],
    ["never gives anything", () => new Promise(() => undefined), "gave nothing within 30 ms"],
  ];
  it.each(wrong)("names a factory that %s, in every case", async (_what, make, what) => {
    for (const { run } of cases(make, { patienceMs: 30 }).slice(0, 5)) {
      const { message, ...sides } = (await rejection(run())) as Error;
      expect(message).toContain(`${factory} of ${name}`);
      expect(message).toContain(what);
      expect(message).toContain(`Return a new ${kind} at each call, which nothing else uses.`);
      expect(Object.keys(sides)).toEqual(expect.arrayContaining(["expected", "actual"]));
    }
  });

  it("names a factory that gives the same one again", async () => {
    const shared = one();
    const messages: string[] = [];
    for (const { run } of cases(() => shared)) {
      await run().catch((error: Error) => void messages.push(error.message));
    }
    const same = `${factory} of ${name} gave the same ${kind} as at an earlier call.`;
    expect(messages.filter((message) => message.startsWith(same)).length).toBeGreaterThan(cases(one).length - 2);
  });

  it("has cases that any runner takes: a name, and a function of no arguments that needs no `this`", async () => {
    const [first] = cases(one);
    expect(first?.name).toMatch(/^[a-z]/);
    // More parameters than none ask node:test and Jest for a callback.
    expect(first?.run.length).toBe(0);
    expect(new Set(cases(one).map((each) => each.name)).size).toBe(cases(one).length);
  });
});

describe("a subject that never ends", () => {
  const never = () => new Promise<never>(() => undefined);
  const NOTHING = 'expected "something", got "nothing within 30 ms"';

  it("ends each case of a provider that is asked, by what it waited for", async () => {
    for (const { name, run } of providerConformance(() => ({ turn: never }), { patienceMs: 30 })) {
      const outcome = await run().then(
        () => "",
        (error: Error) => error.message,
      );
      if (outcome !== "") expect([name, outcome]).toEqual([name, expect.stringContaining(`the answer: ${NOTHING}. `)]);
    }
  });

  it("ends a case whose stream goes on for ever, in time and without", async () => {
    const endless = (wait: () => Promise<void>) => () => ({
      ...echoProvider(),
      async *stream() {
        for (;;) {
          await wait();
          yield { type: "text-delta", text: "x" } as const;
        }
      },
    });
    const find = (make: ReturnType<typeof endless>) =>
      providerConformance(make, { patienceMs: 200 }).find(({ name }) => name.startsWith("ends a stream with"));
    const slow = endless(() => new Promise((resolve) => setTimeout(resolve, 5)));
    expect(((await rejection(find(slow)?.run() as Promise<void>)) as Error).message).toContain(
      'the end of the stream: expected "something", got "nothing within 200 ms"',
    );
    // One that leaves no timer any room is ended by the number of its pieces.
    const quick = endless(async () => undefined);
    const { message } = (await rejection(find(quick)?.run() as Promise<void>)) as Error;
    expect(message).toMatch(/more than 100000|nothing within 200 ms/);
  });

  it("ends each case of a memory, with the call that hangs", async () => {
    for (const method of ["get", "set", "delete", "keys", "clear", "close"] as const) {
      const open = () => ({ ...createInMemoryRuntimeMemory(), [method]: never });
      const messages: string[] = [];
      for (const { run } of memoryConformance(open, { patienceMs: 30 }).slice(0, 4)) {
        await run().catch((error: Error) => void messages.push(error.message));
      }
      expect(messages.length > 0).toBe(method !== "close");
      for (const message of messages) expect(message).toContain(`${method}: ${NOTHING}. `);
    }
    const [close] = memoryConformance(() => ({ ...createInMemoryRuntimeMemory(), close: never }), {
      patienceMs: 30,
    }).filter(({ name }) => name.startsWith("closes"));
    expect(((await rejection(close?.run() as Promise<void>)) as Error).message).toContain(`close: ${NOTHING}. `);
  });

  afterEach(() => vi.useRealTimers());

  it("is given up before Vitest and Jest would end the test", async () => {
    vi.useFakeTimers();
    const [first] = providerConformance(() => ({ turn: never }));
    const verdict = rejection(first?.run() as Promise<void>);
    await vi.advanceTimersByTimeAsync(4_600);
    expect(((await verdict) as Error).message).toContain("nothing within 4000 ms");
  });
});

it("a store that another case has written to is named as such", async () => {
  const shared = createInMemoryRuntimeMemory();
  const again = () => ({ ...shared });
  const messages: string[] = [];
  for (const { run } of memoryConformance(again))
    await run().catch((error: Error) => void messages.push(error.message));
  expect(messages[0]).toMatch(
    /^open of memoryConformance gave a store that already has \d+ keys\. Return a new store at each call/,
  );
});
