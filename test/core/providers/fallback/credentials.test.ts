import { describe, expect, it } from "vitest";
import type { LlmProviderAdapter } from "../../../../src/core/model/provider.js";
import type { ScriptStep } from "../../../../src/core/providers/scripted.js";
import { faultyProvider } from "../../../../src/harness/faults/provider.js";
import { chainOf, fail, player } from "../../../support/chain.js";
import { say } from "../../../support/script.js";
import { agentErrorOf, hello } from "../../../support/wire.js";

const ok = say("ok");

/** A provider that answers by the steps, and keeps the keys it was given. */
function keyed(name: string, steps: readonly ScriptStep[]) {
  const keys: unknown[] = [];
  const provider: LlmProviderAdapter = {
    ...player(name, steps),
    withCredential: (key) => ({ ...provider, turn: (request) => (keys.push(key), provider.turn(request)) }),
  };
  return { provider, keys };
}

describe("the gate of an attempt", () => {
  it("is asked before the key, the number and the start, for every attempt", async () => {
    const told: string[] = [];
    const { provider } = keyed("a", [fail("overloaded"), ok]);
    const { chain } = chainOf([{ id: "x", provider, maxAttempts: 2 }], {
      beforeAttempt: ({ attemptNumber, provider: name, outcome }) =>
        void told.push(`gate ${name} ${attemptNumber} ${outcome}`),
      keyFor: (id) => void told.push(`key ${id}`),
      onAttemptStart: ({ attemptNumber }) => void told.push(`start ${attemptNumber}`),
    });
    await chain.turn(hello);
    expect(told).toEqual(["gate a 1 started", "key x", "start 1", "gate a 2 started", "key x", "start 2"]);
  });

  it("refuses: no attempt, no cooldown, and no other provider is asked", async () => {
    const [a, b] = [player("a", [ok]), player("b", [ok])];
    let refuses = true;
    const { chain, walked } = chainOf([{ provider: a }, { provider: b }], {
      beforeAttempt: async () => (refuses ? { refuse: "it holds a secret" } : undefined),
    });
    const error = await agentErrorOf(() => chain.turn(hello));
    expect(error).toMatchObject({ code: "egress-refused", retryable: false });
    expect(error.message).toContain("it holds a secret");
    expect(walked()).toEqual([]);
    refuses = false;
    expect(await chain.turn(hello)).toEqual(ok);
    expect(walked()).toEqual(["a answered"]);
  });

  it("is not asked for an entry that cools down", async () => {
    const asked: string[] = [];
    const { chain } = chainOf([{ provider: player("a", [fail("overloaded")]) }, { provider: player("b", [ok, ok]) }], {
      beforeAttempt: ({ provider }) => void asked.push(provider),
    });
    await chain.turn(hello);
    await chain.turn(hello);
    expect(asked).toEqual(["a", "b", "b"]);
  });

  it("holds before a streamed attempt too", async () => {
    const { chain } = chainOf([{ provider: player("a", [ok]) }], { beforeAttempt: () => ({ refuse: "no" }) });
    const read = async () => {
      for await (const event of chain.stream?.(hello) ?? []) expect(event).toBeUndefined();
    };
    expect(await agentErrorOf(read)).toMatchObject({ code: "egress-refused" });
  });
});

describe("the key of an attempt", () => {
  it("is asked for by the entry's id, and given to a copy of its provider", async () => {
    const { provider, keys } = keyed("a", [ok]);
    const signal = new AbortController().signal;
    const asked: unknown[] = [];
    const { chain } = chainOf([{ id: "openai", provider }], {
      keyFor: async (...given) => {
        asked.push(given);
        return "k1";
      },
    });
    await chain.turn({ ...hello, signal });
    expect(asked).toEqual([["openai", signal]]);
    expect(keys).toEqual(["k1"]);
  });

  it("is not asked for an entry without an id, nor for a provider that takes none", async () => {
    const { provider, keys } = keyed("a", [fail("bad-request")]);
    const asked: string[] = [];
    const { chain } = chainOf([{ provider }, { id: "b", provider: player("b", [ok]) }], {
      keyFor: (id) => void asked.push(id),
    });
    expect(await chain.turn(hello)).toEqual(ok);
    expect([asked, keys]).toEqual([[], []]);
  });

  it("is asked for a provider behind faults", async () => {
    const { provider, keys } = keyed("a", [ok]);
    const faulty = faultyProvider(provider, { schedule: [{ call: 0, fault: { kind: "http", error: "overloaded" } }] });
    const { chain } = chainOf([{ id: "a", provider: faulty, maxAttempts: 2 }], { keyFor: () => "k1" });
    expect(await chain.turn(hello)).toEqual(ok);
    expect([keys, faulty.injected.length]).toEqual([["k1"], 1]);
  });

  it("is asked for again after a refresh, once, and the provider itself is what is refreshed", async () => {
    const { provider, keys } = keyed("a", [fail("auth"), fail("auth")]);
    const refreshed: unknown[] = [];
    let key = "old";
    const { chain, walked } = chainOf([{ id: "a", provider }, { provider: player("b", [ok]) }], {
      keyFor: () => key,
      onAuthError: (failure) => {
        refreshed.push(failure.provider);
        key = "new";
        return true;
      },
    });
    await chain.turn(hello);
    expect(keys).toEqual(["old", "new"]);
    expect(refreshed).toEqual([provider]);
    expect(walked()).toEqual(["a failed", "a failed", "b answered"]);
  });

  it("leaves the cooldown with the provider and not with the copy", async () => {
    const { provider } = keyed("a", [fail("overloaded")]);
    const { chain, walked } = chainOf([{ id: "a", provider }, { provider: player("b", [ok, ok]) }], {
      keyFor: () => "k",
    });
    await chain.turn(hello);
    await chain.turn(hello);
    expect(walked()).toEqual(["a failed", "b answered", "a skipped", "b answered"]);
  });
});

describe.each(["beforeAttempt", "keyFor"] as const)("what %s does", (name) => {
  it("ends the chain unchanged where it throws, and no other provider is asked", async () => {
    const thrown = new Error("the key store is closed");
    for (const act of [
      () => Promise.reject(thrown),
      (): never => {
        throw thrown;
      },
    ]) {
      const { chain, walked } = chainOf(
        [{ id: "a", provider: keyed("a", [ok]).provider }, { provider: player("b", [ok]) }],
        {
          [name]: act,
        },
      );
      await expect(chain.turn(hello)).rejects.toBe(thrown);
      expect(walked()).toEqual([]);
    }
  });

  it("is left waiting by an abort", async () => {
    const control = new AbortController();
    const { chain, walked } = chainOf([{ id: "a", provider: keyed("a", [ok]).provider }], {
      [name]: () => {
        queueMicrotask(() => control.abort());
        return new Promise(() => undefined);
      },
    });
    expect(await agentErrorOf(() => chain.turn({ ...hello, signal: control.signal }))).toMatchObject({
      code: "aborted",
    });
    expect(walked()).toEqual([]);
  });
});
