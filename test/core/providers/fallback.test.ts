import { describe, expect, it } from "vitest";
import { AgentError, LlmProviderHttpError } from "../../../src/core/errors.js";
import type { LlmProviderAdapter } from "../../../src/core/model/provider.js";
import { fallbackProvider } from "../../../src/core/providers/fallback.js";
import { ProvidersExhaustedError } from "../../../src/core/providers/fallback/failure.js";
import type { FallbackEntry } from "../../../src/core/providers/fallback/entry.js";
import { chainOf, fail, failWith, player } from "../../support/chain.js";
import { gate } from "../../support/loop.js";
import { say } from "../../support/script.js";
import { agentErrorOf, hello } from "../../support/wire.js";

const ok = say("ok");
const exponential = { kind: "exponential", baseMs: 100, maxMs: 350 } as const;
const linear = { kind: "linear", baseMs: 100, maxMs: 350 } as const;
const exhaustedOf = async (run: () => unknown) => (await agentErrorOf(run)) as ProvidersExhaustedError;

describe("attempts", () => {
  it("REL-24 an entry is tried once unless told otherwise, and the next one follows", async () => {
    const a = player("a", [fail("unavailable"), ok]);
    const { chain, walked, slept } = chainOf([{ provider: a }, { provider: player("b", [ok]) }]);
    expect(await chain.turn(hello)).toEqual(ok);
    expect(walked()).toEqual(["a failed", "b answered"]);
    expect(slept).toEqual([]);
  });

  it("REL-77 an entry is tried as often as it is allowed to while its failures may pass", async () => {
    const a = player("a", [fail("overloaded"), fail("timeout"), ok]);
    const { chain, walked } = chainOf([{ provider: a, maxAttempts: 3 }, { provider: player("b", []) }]);
    await chain.turn(hello);
    expect(walked()).toEqual(["a failed", "a failed", "a answered"]);
  });

  it.each(["auth", "permission", "not-found", "bad-request", "context-length", "unknown"] as const)(
    "REL-81 %s is not tried again, and the next entry follows",
    async (kind) => {
      const entries = [{ provider: player("a", [fail(kind)]), maxAttempts: 5 }, { provider: player("b", [ok]) }];
      const { chain, walked } = chainOf(entries);
      await chain.turn(hello);
      expect(walked()).toEqual(["a failed", "b answered"]);
    },
  );

  it("content-filter ends the chain with its own error, unless told otherwise", async () => {
    const entries = () => [{ provider: player("a", [fail("content-filter")]) }, { provider: player("b", [ok]) }];
    const strict = chainOf(entries());
    expect(await agentErrorOf(() => strict.chain.turn(hello))).toBeInstanceOf(LlmProviderHttpError);
    expect(strict.walked()).toEqual(["a failed"]);
    const lenient = chainOf(entries(), { endOn: [] });
    expect(await lenient.chain.turn(hello)).toEqual(ok);
  });

  it("a failure that no vendor is to blame for ends the chain", async () => {
    const entries = [{ provider: player("a", [failWith()]), maxAttempts: 3 }, { provider: player("b", [ok]) }];
    const { chain, walked } = chainOf(entries);
    expect(await agentErrorOf(() => chain.turn(hello))).toMatchObject({ code: "invalid-options" });
    expect(walked()).toEqual(["a failed"]);
  });

  it("an error of a foreign adapter, a throw and a value that is not an answer move on", async () => {
    const throws: LlmProviderAdapter = {
      name: "throws",
      turn() {
        throw new TypeError("outright");
      },
    };
    const junk = { name: "junk", turn: async () => null } as unknown as LlmProviderAdapter;
    const entries = [
      { provider: player("a", [failWith(new Error("down"))]), maxAttempts: 3 },
      { provider: throws },
      { provider: junk },
      { provider: player("b", [ok]) },
    ];
    const { chain, walked } = chainOf(entries);
    await chain.turn(hello);
    expect(walked()).toEqual(["a failed", "throws failed", "junk failed", "b answered"]);
  });

  it("what a provider throws may refuse every question about itself", async () => {
    const trap = () => {
      throw new Error("trap");
    };
    const proxy = new Proxy({}, { get: trap, getPrototypeOf: trap });
    const { chain, walked } = chainOf([{ provider: player("a", [failWith(proxy)]) }, { provider: player("b", [ok]) }]);
    expect(await chain.turn(hello)).toEqual(ok);
    expect(walked()).toEqual(["a failed", "b answered"]);
  });

  it("REL-23 the entry's model is asked for, and the request's own reaches the first entry alone", async () => {
    const a = player("a", [fail("unavailable"), fail("unavailable")]);
    const b = player("b", [fail("unavailable"), fail("unavailable")]);
    const c = player("c", [ok, ok]);
    const { chain } = chainOf([{ provider: a }, { provider: b, model: "b-1" }, { provider: c }], { cooldownMs: 0 });
    await chain.turn({ ...hello, settings: { model: "asked", seed: 7 } });
    await chain.turn({ ...hello, settings: { model: "asked" } });
    const settings = [a, b, c].map(({ asked }) => asked.map((request) => request.settings));
    expect(settings).toEqual([
      [{ model: "asked", seed: 7 }, { model: "asked" }],
      [{ model: "b-1", seed: 7 }, { model: "b-1" }],
      [{ seed: 7 }, undefined],
    ]);
  });
});

describe("waits", () => {
  const four = [fail("unavailable"), fail("unavailable"), fail("unavailable"), fail("unavailable"), ok];

  it("REL-78 grow exponentially up to their limit, slept by the injected sleep", async () => {
    const entry = { provider: player("a", four), maxAttempts: 5, backoff: exponential };
    const { chain, slept } = chainOf([entry]);
    await chain.turn(hello);
    expect(slept).toEqual([100, 200, 350, 350]);
  });

  it("REL-78 grow linearly up to their limit", async () => {
    const { chain, slept } = chainOf([{ provider: player("a", four), maxAttempts: 5, backoff: linear }]);
    await chain.turn(hello);
    expect(slept).toEqual([100, 200, 300, 350]);
  });

  it("are as long as the vendor asks for where that is longer", async () => {
    const steps = [fail("rate-limit", { retryAfterMs: 5_000 }), fail("rate-limit", { retryAfterMs: 10 }), ok];
    const { chain, slept } = chainOf([{ provider: player("a", steps), maxAttempts: 3, backoff: exponential }]);
    await chain.turn(hello);
    expect(slept).toEqual([5_000, 200]);
  });

  it("are not begun where the vendor asks for more than maxWaitMs: the next entry follows at once", async () => {
    const a = player("a", [fail("rate-limit", { retryAfterMs: 60_001 }), ok, ok]);
    const entries = [{ provider: a, maxAttempts: 3 }, { provider: player("b", [ok, ok]) }];
    const { chain, slept, walked, clock } = chainOf(entries);
    await chain.turn(hello);
    expect(slept).toEqual([]);
    clock.now += 60_000;
    await chain.turn(hello);
    clock.now += 1;
    await chain.turn(hello);
    expect(walked()).toEqual(["a failed", "b answered", "a skipped", "b answered", "a answered"]);
  });

  it("are over when a sleep of the caller returns, promise or none", async () => {
    const a = player("a", [fail("timeout"), ok]);
    const timer = () => {
      throw new Error("no second wait");
    };
    const sleep = (() => undefined) as unknown as () => Promise<void>;
    const { chain, walked } = chainOf([{ provider: a, maxAttempts: 2, backoff: linear }], { sleep, ports: { timer } });
    await chain.turn(hello);
    expect(walked()).toEqual(["a failed", "a answered"]);
  });

  it("REL-78 are by the timer of the ports where no sleep is injected", async () => {
    const delays: number[] = [];
    const timer = (ms: number, fire: () => void) => {
      delays.push(ms);
      queueMicrotask(fire);
      return () => undefined;
    };
    const entry = { provider: player("a", four), maxAttempts: 5, backoff: linear };
    await fallbackProvider([entry], { ports: { timer } }).turn(hello);
    expect(delays).toEqual([100, 200, 300, 350]);
  });
});

describe("cooldown", () => {
  it("REL-79 leaves a provider alone until the injected clock says that its time is over", async () => {
    const a = player("a", [fail("overloaded"), ok]);
    const entries = [{ provider: a }, { provider: player("b", [ok, ok]) }];
    const { chain, walked, clock } = chainOf(entries, { cooldownMs: 500 });
    await chain.turn(hello);
    clock.now += 499;
    await chain.turn(hello);
    clock.now += 1;
    await chain.turn(hello);
    expect(walked()).toEqual(["a failed", "b answered", "a skipped", "b answered", "a answered"]);
  });

  it("REL-80 a skipped entry is reported without a number and without a cost", async () => {
    const entries = [{ provider: player("v:a", [fail("overloaded")]) }, { provider: player("b", [ok, ok]) }];
    const { chain, attempts } = chainOf(entries, { cooldownMs: 500 });
    await chain.turn(hello);
    await chain.turn(hello);
    expect(attempts[2]).toEqual({
      ...{ outcome: "skipped", reason: "cooldown", remainingMs: 500 },
      ...{ entry: 0, provider: "v:a", model: "a" },
    });
    expect(attempts[3]).toMatchObject({ outcome: "answered", attemptNumber: 1 });
  });

  it("REL-26 and REL-73 is kept on the chain from turn to turn, and not shared with another chain", async () => {
    const a = player("a", [fail("overloaded"), ok]);
    const entries = [{ provider: a }, { provider: player("b", [ok, ok]) }];
    const first = chainOf(entries);
    const second = chainOf(entries);
    await first.chain.turn(hello);
    await first.chain.turn(hello);
    await second.chain.turn(hello);
    expect(first.walked()).toEqual(["a failed", "b answered", "a skipped", "b answered"]);
    expect(second.walked()).toEqual(["a answered"]);
  });

  it("begins with no failure that stays", async () => {
    const a = player("a", [fail("auth"), ok]);
    const { chain, walked } = chainOf([{ provider: a }, { provider: player("b", [ok]) }]);
    await chain.turn(hello);
    await chain.turn(hello);
    expect(walked()).toEqual(["a failed", "b answered", "a answered"]);
  });

  it("is shared by the entries of one provider", async () => {
    const a = player("a", [fail("overloaded"), ok]);
    const { chain, walked } = chainOf([
      { provider: a, model: "x" },
      { provider: a, model: "y" },
    ]);
    await exhaustedOf(() => chain.turn(hello));
    expect(walked()).toEqual(["a failed", "a skipped"]);
  });
});

describe("a rejected key", () => {
  const entries = (steps: Parameters<typeof player>[1]): FallbackEntry[] => [
    { provider: player("a", steps) },
    { provider: player("b", [ok, ok]) },
  ];

  it("REL-16 is refreshed once and the provider asked again, beyond its attempts", async () => {
    const told: unknown[] = [];
    const onAuthError = ({ provider, error }: { provider: LlmProviderAdapter; error: unknown }) => {
      told.push([provider.name, (error as AgentError).kind]);
      return true;
    };
    const { chain, walked } = chainOf(entries([fail("auth"), ok]), { onAuthError });
    await chain.turn(hello);
    expect(told).toEqual([["a", "auth"]]);
    expect(walked()).toEqual(["a failed", "a answered"]);
  });

  it("REL-16 is not refreshed a second time in the same turn, but in a later one", async () => {
    let refreshes = 0;
    const onAuthError = async () => ++refreshes > 0;
    const { chain, walked } = chainOf(entries([fail("auth"), fail("auth"), fail("auth"), ok]), { onAuthError });
    await chain.turn(hello);
    expect([refreshes, walked()]).toEqual([1, ["a failed", "a failed", "b answered"]]);
    await chain.turn(hello);
    expect(refreshes).toBe(2);
    expect(walked().slice(3)).toEqual(["a failed", "a answered"]);
  });

  it.each([
    ["says no", () => false, 0],
    ["throws", () => Promise.reject(new Error("vault is closed")), 1],
    ["throws what has no text", () => Promise.reject(Object.create(null) as Error), 1],
  ])("moves on where the refresh %s", async (_how, onAuthError, warned) => {
    const { chain, walked, warnings } = chainOf(entries([fail("auth"), ok]), { onAuthError });
    await chain.turn(hello);
    expect(walked()).toEqual(["a failed", "b answered"]);
    expect(warnings).toHaveLength(warned);
  });

  it.each([
    [{}, 60_000],
    [{ timeoutMs: 500 }, 500],
  ])("moves on where the refresh hangs: a request with %j waits %s ms for it", async (fields, limitMs) => {
    const timers: number[] = [];
    const warnings: string[] = [];
    const timer = (ms: number, fire: () => void) => {
      timers.push(ms);
      queueMicrotask(fire);
      return () => undefined;
    };
    const { chain, walked } = chainOf(entries([fail("auth"), ok]), {
      onAuthError: () => new Promise<boolean>(() => undefined),
      ports: { timer, warn: (text) => void warnings.push(text) },
    });
    await chain.turn({ ...hello, ...fields });
    expect(walked()).toEqual(["a failed", "b answered"]);
    expect(timers).toEqual([limitMs]);
    expect(warnings).toEqual([expect.stringContaining(`onAuthError gave no whole answer within ${limitMs} ms`)]);
  });

  it("does not refresh a key that is valid and may not do this", async () => {
    const onAuthError = () => {
      throw new Error("must not be asked");
    };
    const { chain, warnings } = chainOf(entries([fail("permission")]), { onAuthError });
    await chain.turn(hello);
    expect(warnings).toEqual([]);
  });
});

describe("what is reported", () => {
  it("REL-64, REL-65 and REL-67 each attempt once, numbered, with its own model, usage and cost", async () => {
    const usage = { inputTokens: 3, outputTokens: 4 };
    const entries = [
      { provider: player("openai:gpt-4o", [fail("timeout"), fail("timeout")]), maxAttempts: 2 },
      {
        provider: player("anthropic:claude", [say("hi", { usage, costUsd: 0.5, model: "claude-1" })]),
        model: "claude-x",
      },
    ];
    const { chain, attempts } = chainOf(entries);
    await chain.turn(hello);
    expect(attempts).toEqual([
      expect.objectContaining({
        outcome: "failed",
        attemptNumber: 1,
        entry: 0,
        provider: "openai:gpt-4o",
        model: "gpt-4o",
      }),
      expect.objectContaining({ outcome: "failed", attemptNumber: 2, entry: 0 }),
      {
        ...{ outcome: "answered", attemptNumber: 3, entry: 1, provider: "anthropic:claude", model: "claude-1" },
        ...{ usage, costUsd: 0.5 },
      },
    ]);
    expect(attempts[0]).not.toHaveProperty("costUsd");
  });

  it("REL-59 each attempt as it begins, before its provider is asked", async () => {
    const order: string[] = [];
    const asked = () => {
      order.push("asked");
      return ok;
    };
    const entries = [{ provider: player("p:a", [fail("unknown")]) }, { provider: player("p:b", [asked]), model: "m" }];
    const { chain } = chainOf(entries, {
      onAttemptStart: ({ outcome, model, attemptNumber }) => void order.push(`${outcome} ${attemptNumber} ${model}`),
      onAttempt: ({ outcome }) => void order.push(outcome),
    });
    await chain.turn(hello);
    expect(order).toEqual(["started 1 a", "failed", "started 2 m", "asked", "answered"]);
  });

  it.each(["onAttempt", "onAttemptStart"])("a listener that throws costs no answer: %s", async (listener) => {
    const throwing = () => {
      throw new Error("mine");
    };
    const { chain, warnings } = chainOf([{ provider: player("a", [ok]) }], { [listener]: throwing });
    expect(await chain.turn(hello)).toEqual(ok);
    expect(warnings).toEqual([expect.stringContaining(`${listener} threw`)]);
  });

  it.each(["onAttempt", "onAttemptStart"])("an async listener that rejects costs no answer: %s", async (listener) => {
    const rejecting = () => Promise.reject(new Error("mine"));
    const { chain, warnings } = chainOf([{ provider: player("a", [ok]) }], { [listener]: rejecting });
    expect(await chain.turn(hello)).toEqual(ok);
    await new Promise(setImmediate);
    expect(warnings).toEqual([expect.stringContaining(`${listener} threw, but must not: mine`)]);
  });
});

describe("a chain that nobody answers", () => {
  it("REL-54 carries every error, and the kind of the last failure that may pass", async () => {
    const entries = [
      { provider: player("a", [fail("rate-limit"), fail("overloaded")]), maxAttempts: 2 },
      { provider: player("b", [fail("unavailable")]) },
      { provider: player("c", [fail("auth")]) },
    ];
    const { chain, attempts } = chainOf(entries, { cooldownMs: 700 });
    const error = await exhaustedOf(() => chain.turn(hello));
    expect(error).toBeInstanceOf(ProvidersExhaustedError);
    expect(error).toMatchObject({
      code: "providers-exhausted",
      kind: "unavailable",
      retryable: true,
      retryAfterMs: 700,
    });
    expect(error.attempts).toEqual(attempts);
    expect(error.attempts.map((attempt) => attempt.outcome === "failed" && (attempt.error as AgentError).kind)).toEqual(
      ["rate-limit", "overloaded", "unavailable", "auth"],
    );
    expect(error.message).toContain(
      "a failed (rate-limit): HTTP 500: rate-limit; a failed (overloaded): HTTP 500: overloaded; b failed (unavailable)",
    );
    expect(error.message).toContain("c failed (auth): HTTP 500: auth");
  });

  it("REL-54 is final where no failure may pass", async () => {
    const entries = [{ provider: player("a", [fail("not-found")]) }, { provider: player("b", [fail("auth")]) }];
    const error = await exhaustedOf(() => chainOf(entries).chain.turn(hello));
    expect(error).toMatchObject({ kind: "auth", retryable: false, retryAfterMs: undefined });
    expect(error.cause).toMatchObject({ kind: "auth" });
  });

  it("REL-54 says in its message what each vendor said: masked, on one line and of bounded length", async () => {
    const words = "quota\nfor sk-test-0123456789abcdef is used up";
    const http = new LlmProviderHttpError({
      ...{
        status: 429,
        bodySnippet: '{"error":{}}',
        providerName: "a",
        hint: "h",
        retryable: false,
        kind: "rate-limit",
      },
      vendor: { message: "tier 1 is used up" },
    });
    const entries = [
      { provider: player("a", [failWith(http)]) },
      {
        provider: player("b", [
          failWith(new AgentError("provider-response", "b could not be reached", { kind: "unavailable" })),
        ]),
      },
      { provider: player("c", [failWith(new Error(words))]) },
      { provider: player("d", [failWith(new Error("x".repeat(5_000)))]) },
    ];
    const { message } = await exhaustedOf(() => chainOf(entries).chain.turn(hello));
    expect(message).toContain(
      "a failed (rate-limit): HTTP 429: tier 1 is used up; b failed (unavailable): could not be",
    );
    expect(message).toContain("c failed (unknown): quota for *** is used up; d failed (unknown): xxx");
    expect(message.length).toBeLessThan(700);
  });

  it("REL-54 tells the last steps of a long walk, and how many came before", async () => {
    const steps = Array.from({ length: 100 }, () => fail("timeout"));
    const entries = [{ provider: player("a", steps), maxAttempts: 100 }];
    const error = await exhaustedOf(() => chainOf(entries).chain.turn(hello));
    expect(error.attempts).toHaveLength(100);
    expect(error.message).toContain("(88 earlier) a failed (timeout)");
    expect(error.message.length).toBeLessThan(1_000);
  });

  it("REL-80 may be tried again when the first of its providers has cooled down", async () => {
    const entries = [{ provider: player("a", [fail("rate-limit")]) }];
    const { chain, clock } = chainOf(entries, { cooldownMs: 700 });
    await exhaustedOf(() => chain.turn(hello));
    clock.now += 300;
    const error = await exhaustedOf(() => chain.turn(hello));
    expect(error).toMatchObject({ kind: "rate-limit", retryable: true, retryAfterMs: 400 });
    expect(error.attempts).toMatchObject([{ outcome: "skipped" }]);
  });

  it("REL-46 and REL-55 is judged by kind and never by words", async () => {
    const lying = new AgentError("provider-response", "401 rate limit overloaded timeout", { kind: "bad-request" });
    const { chain, walked } = chainOf([{ provider: player("a", [failWith(lying), ok]), maxAttempts: 2 }]);
    expect(await exhaustedOf(() => chain.turn(hello))).toMatchObject({ kind: "bad-request", retryable: false });
    expect(walked()).toEqual(["a failed"]);
  });

  it("is a failure like any other to a chain around it", async () => {
    const inner = chainOf([{ provider: player("a", [fail("rate-limit")]) }], { name: "inner" }).chain;
    const { chain, walked } = chainOf([{ provider: inner }, { provider: player("b", [ok]) }]);
    expect(await chain.turn(hello)).toEqual(ok);
    expect(walked()).toEqual(["inner failed", "b answered"]);
  });
});

describe("the caller's abort", () => {
  const never: LlmProviderAdapter = { name: "never", turn: () => new Promise(() => undefined) };

  it("REL-47 comes before the first attempt", async () => {
    const { chain, walked } = chainOf([{ provider: player("a", [ok]) }]);
    expect(await agentErrorOf(() => chain.turn({ ...hello, signal: AbortSignal.abort() }))).toMatchObject({
      code: "aborted",
    });
    expect(walked()).toEqual([]);
  });

  it("REL-48 ends an attempt even where the provider ignores it, and nothing follows", async () => {
    const controller = new AbortController();
    const { chain, attempts } = chainOf([{ provider: never, maxAttempts: 3 }, { provider: player("b", [ok]) }]);
    const pending = agentErrorOf(() => chain.turn({ ...hello, signal: controller.signal }));
    await Promise.resolve();
    controller.abort("enough");
    expect(await pending).toMatchObject({ code: "aborted", retryable: false, cause: "enough" });
    expect(attempts).toMatchObject([{ outcome: "failed", error: { code: "aborted" } }]);
  });

  it("REL-47 wins over an answer and over a failure that come with it", async () => {
    for (const step of [() => ok, fail("rate-limit"), fail("content-filter"), failWith()]) {
      const controller = new AbortController();
      const late = player("a", [
        (request, turn) => {
          controller.abort();
          return typeof step === "function" ? step(request, turn) : step;
        },
      ]);
      const { chain, walked } = chainOf([{ provider: late, maxAttempts: 2 }, { provider: player("b", [ok]) }]);
      const error = await agentErrorOf(() => chain.turn({ ...hello, signal: controller.signal }));
      expect(error).toMatchObject({ code: "aborted" });
      expect(walked()).toEqual(["a failed"]);
    }
  });

  it.each([
    ["a wait", { sleep: () => new Promise<void>(() => undefined) }, "rate-limit"],
    ["a refresh", { onAuthError: () => new Promise<boolean>(() => undefined) }, "auth"],
  ] as const)("REL-47 ends %s that ignores it", async (_what, options, kind) => {
    const controller = new AbortController();
    const entry = { provider: player("a", [fail(kind), ok]), maxAttempts: 2, backoff: linear };
    const { chain, walked } = chainOf([entry], options);
    const pending = agentErrorOf(() => chain.turn({ ...hello, signal: controller.signal }));
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await pending).toMatchObject({ code: "aborted" });
    expect(walked()).toEqual(["a failed"]);
  });

  it("REL-48 a provider that was aborted by another hand ends the chain", async () => {
    const stopped = failWith(new AgentError("aborted", "stopped elsewhere"));
    const { chain, walked } = chainOf([{ provider: player("a", [stopped]) }, { provider: player("b", [ok]) }]);
    expect(await agentErrorOf(() => chain.turn(hello))).toMatchObject({
      code: "aborted",
      message: "stopped elsewhere",
    });
    expect(walked()).toEqual(["a failed"]);
  });

  it("leaves no listener behind", async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
    signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args));
    await chainOf([{ provider: player("a", [ok]) }]).chain.turn({ ...hello, signal });
    expect(listeners).toBe(0);
  });
});

describe("options", () => {
  const provider = player("a", []);
  it.each([
    ["no entry", [], {}],
    ["no provider", [{}], {}],
    ["a null provider", [{ provider: null }], {}],
    ["0 attempts", [{ provider, maxAttempts: 0 }], {}],
    ["half an attempt", [{ provider, maxAttempts: 1.5 }], {}],
    ["an unknown backoff", [{ provider, backoff: { kind: "random", baseMs: 1, maxMs: 1 } }], {}],
    ["a negative wait", [{ provider, backoff: { kind: "linear", baseMs: -1, maxMs: 1 } }], {}],
    ["an endless wait", [{ provider, backoff: { kind: "linear", baseMs: 1, maxMs: Infinity } }], {}],
    ["an empty model", [{ provider, model: " " }], {}],
    ["a cooldown that is not a number", [{ provider }], { cooldownMs: Number.NaN }],
    ["a negative maxWaitMs", [{ provider }], { maxWaitMs: -1 }],
    ["an empty name", [{ provider }], { name: "" }],
  ])("refuse %s", async (_what, entries, options) => {
    const build = () => fallbackProvider(entries as unknown as FallbackEntry[], options);
    expect(await agentErrorOf(build)).toMatchObject({ code: "invalid-options", hint: expect.any(String) as string });
  });

  it.each([
    ["a provider alone", provider, {}, "the entries are an object and not a list"],
    ["nothing", undefined, {}, "the entries are undefined"],
    ["providers for entries", [provider], {}, "entry 0: it is a provider itself: write { provider }"],
    ["a hole", [{ provider }, null], {}, "entry 1: it is null"],
    ["a misspelled entry", [{ provider, maxAttempt: 3 }], {}, "entry 0: unknown option maxAttempt"],
    ["attempts by text", [{ provider, maxAttempts: "3" }], {}, 'maxAttempts is "3"'],
    ["a model that is not text", [{ provider, model: 5 }], {}, "model is 5: pass a string"],
    ["a backoff of null", [{ provider, backoff: null }], {}, "backoff is null"],
    ["a misspelled backoff", [{ provider, backoff: { kind: "linear", baseMS: 1 } }], {}, "unknown option baseMS"],
    ["options of null", [{ provider }], null, "the options are null"],
    ["an unknown kind", [{ provider }], { endOn: ["auth", "429"] }, 'endOn has "429": the kinds are auth,'],
    ["one kind for a list", [{ provider }], { endOn: "auth" }, 'endOn is "auth": give a list'],
    ["an invalid listener", [{ provider }], { onAttempt: true }, "onAttempt is true: give a function"],
    ["an invalid sleep", [{ provider }], { sleep: 5 }, "sleep is 5: give a function"],
    ["a name that is not text", [{ provider }], { name: 5 }, "name is 5: pass a string"],
    ["invalid ports", [{ provider }], { ports: 5 }, "ports is 5"],
    ["a wait by text", [{ provider }], { cooldownMs: "5" }, 'cooldownMs is "5"'],
  ])("refuse %s by name", async (_what, entries, options, words) => {
    const error = await agentErrorOf(() => fallbackProvider(entries as never, options as never));
    expect(error).toMatchObject({ code: "invalid-options", hint: expect.any(String) as string });
    expect(error.message).toContain(words);
  });

  it("are refused all at once, unknown ones among them", async () => {
    const entries = [{ provider, maxAttempt: 3, maxAttempts: 0 }];
    const { message, hint } = await agentErrorOf(() =>
      fallbackProvider(entries, { onAtempt: 1, maxWaitMs: -1 } as never),
    );
    for (const word of ["unknown option onAtempt", "maxAttempt ", "maxAttempts is 0", "maxWaitMs is -1"]) {
      expect(message).toContain(word);
    }
    expect(hint).toContain("The options are onAttempt,");
  });

  it("name the chain by its providers, or as told", () => {
    const entries = [{ provider }, { provider: player("b", []) }];
    expect(fallbackProvider(entries).name).toBe("fallback(a, b)");
    expect(fallbackProvider(entries, { name: "mine" }).name).toBe("mine");
  });
});

describe("destroy", () => {
  it("reaches every provider once, whatever one of them throws", async () => {
    const destroyed: string[] = [];
    const make = (name: string, error?: Error): LlmProviderAdapter => ({
      ...player(name, []),
      destroy() {
        destroyed.push(name);
        if (error !== undefined) throw error;
      },
    });
    const [a, b, c] = [make("a", new Error("first")), make("b"), make("c")];
    const one = fallbackProvider([{ provider: a }, { provider: b }, { provider: a, model: "x" }, { provider: c }]);
    await expect(one.destroy?.()).rejects.toThrow("first");
    expect(destroyed).toEqual(["a", "b", "c"]);
    const two = fallbackProvider([{ provider: a }, { provider: make("d", new Error("second")) }]);
    await expect(two.destroy?.()).rejects.toThrow(AggregateError);
    await expect(
      fallbackProvider([{ provider: b }, { provider: player("e", []) }]).destroy?.(),
    ).resolves.toBeUndefined();
  });
});

it("a chain lets two turns wait at once", async () => {
  const { opened, open } = gate();
  const slow = player("a", [async () => (await opened, say("one")), say("two")]);
  const { chain } = chainOf([{ provider: slow }]);
  const first = chain.turn(hello);
  expect(await chain.turn(hello)).toEqual(say("two"));
  open();
  expect(await first).toEqual(say("one"));
});
