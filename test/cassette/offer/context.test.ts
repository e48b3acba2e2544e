import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { buildCassette } from "../../../src/cassette/file/build.js";
import { checkCassette } from "../../../src/cassette/trust/load-cassette.js";
import { contextAt, contextsByTurn, createContextReader, isSameContext } from "../../../src/cassette/offer/context.js";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import type { CassetteV2, ContextExtension } from "../../../src/cassette/file/format.js";
import { seal } from "../../../src/core/canon/copy.js";
import { hashJson } from "../../../src/core/canon/digest.js";
import type { LlmSettings, LlmToolDefinition, LlmTurnRequest } from "../../../src/core/model/provider.js";
import { recordedCassette, verifyKept } from "../../support/oracle.js";
import { prompt, recordTurns } from "../../support/recording.js";
import { say } from "../../support/script.js";

afterAll(verifyKept);

const weather: LlmToolDefinition = { name: "weather", description: "Looks out.", schema: { type: "object" } };

function contextsOf(cassette: CassetteV2): ContextExtension[] {
  return cassette.extensions?.contexts ?? [];
}

describe("a recording's contexts", () => {
  it("hold the tools and settings from the first turn on, and again whenever they change", async () => {
    const requests: LlmTurnRequest[] = [
      prompt("1"),
      { ...prompt("2"), tools: [weather] },
      { ...prompt("3"), tools: [{ ...weather }] },
      { ...prompt("4"), tools: [weather], settings: { temperature: 1 } },
      prompt("5"),
    ];
    const cassette = await recordTurns(
      requests,
      requests.map(() => say("x")),
    );
    expect(contextsOf(cassette).map(({ fromTurn, tools, settings }) => [fromTurn, tools, settings])).toEqual([
      [0, [], {}],
      [1, [weather], {}],
      [3, [weather], { temperature: 1 }],
      [4, [], {}],
    ]);
    for (const { tools, settings, toolsHash, settingsHash } of contextsOf(cassette)) {
      expect([toolsHash, settingsHash]).toEqual([hashJson(tools), hashJson(settings)]);
    }
  });

  it("leave the model out of the settings, so that another model has the same context", async () => {
    const settings = { model: "m-1", temperature: 0 };
    const requests = [
      { ...prompt("1"), settings },
      { ...prompt("2"), settings: { ...settings, model: "m-2" } },
    ];
    const contexts = contextsOf(await recordTurns(requests, [say("x"), say("y")]));
    expect(contexts).toHaveLength(1);
    expect(contexts[0]?.settings).toEqual({ temperature: 0 });
  });

  it("are counted in recorded turns, failed calls left out", async () => {
    let calls = 0;
    const recorder = recordingProvider({
      turn: async () => {
        if (calls++ === 0) throw new Error("no");
        return say("x");
      },
    });
    await recorder.turn({ ...prompt("1"), tools: [weather] }).catch(() => undefined);
    await recorder.turn(prompt("1"));
    await recorder.turn({ ...prompt("1"), tools: [weather] });
    expect(contextsOf(recordedCassette(recorder)).map(({ fromTurn, tools }) => [fromTurn, tools?.length])).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });
});

describe("a request object that is used again", () => {
  it("has every change of its tools and settings recorded", async () => {
    const request: { -readonly [Key in keyof LlmTurnRequest]: LlmTurnRequest[Key] } = {
      ...prompt("1"),
      tools: seal([weather]),
      settings: seal<LlmSettings>({ temperature: 1 }),
    };
    const recorder = recordingProvider({ turn: async () => say("x") });
    await recorder.turn(request);
    request.messages = prompt("2").messages;
    delete request.tools;
    delete request.settings;
    await recorder.turn(request);
    const contexts = contextsOf(recordedCassette(recorder));
    expect(contexts.map(({ fromTurn, tools }) => [fromTurn, tools?.length])).toEqual([
      [0, 1],
      [1, 0],
    ]);
  });
});

describe("createContextReader", () => {
  it("takes absent tools and settings for empty ones", () => {
    const read = createContextReader();
    expect(read(prompt("a"))).toEqual(read({ ...prompt("a"), tools: [], settings: {} }));
  });

  it("reads sealed tools once, and others on every turn", () => {
    const read = createContextReader();
    const [tools, settings] = [seal([weather]), seal<LlmSettings>({ seed: 1 })];
    const first = read({ ...prompt("a"), tools, settings });
    expect(read({ ...prompt("b"), tools, settings })).toBe(first);
    const open = [{ ...weather }];
    const before = read({ ...prompt("a"), tools: open, settings });
    (open[0] as LlmToolDefinition).description = "Looks in.";
    expect(read({ ...prompt("a"), tools: open, settings }).toolsHash).not.toBe(before.toolsHash);
  });

  it("notices other tools and settings in a request object that is used again", () => {
    const read = createContextReader();
    const request: { -readonly [Key in keyof LlmTurnRequest]: LlmTurnRequest[Key] } = {
      ...prompt("a"),
      tools: seal([weather]),
      settings: seal<LlmSettings>({ seed: 1 }),
    };
    const first = read(request);
    request.tools = seal([{ ...weather, name: "other" }]);
    expect(read(request).tools).toEqual([{ ...weather, name: "other" }]);
    delete request.tools;
    delete request.settings;
    expect(read(request)).toMatchObject({ tools: [], settings: {} });
    expect(read(request).toolsHash).not.toBe(first.toolsHash);
  });

  it("gives what is asked as before the same context, sealed or not, whatever became a secret since", () => {
    const tools = [{ ...weather, description: "Looks at Oslo." }];
    const hands = [(own: LlmToolDefinition[]) => seal(own), (own: LlmToolDefinition[]) => structuredClone(own)];
    for (const hand of hands) {
      const secrets = new Set<string>();
      const read = createContextReader((value) => {
        const text = [...secrets].reduce((all, secret) => all.replaceAll(secret, "hidden"), JSON.stringify(value));
        return JSON.parse(text) as typeof value;
      });
      const first = read({ ...prompt("a"), tools: hand(tools) });
      secrets.add("Oslo");
      expect(read({ ...prompt("b"), tools: hand(tools) })).toBe(first);
      const other = read({ ...prompt("c"), tools: hand([...tools, weather]) });
      expect(other.tools.map(({ description }) => description)).toEqual(["Looks at hidden.", "Looks out."]);
      expect(other.toolsHash).toBe(hashJson(other.tools));
    }
  });

  it("takes null tools and settings for absent ones", () => {
    const request = { ...prompt("a"), tools: null, settings: null } as unknown as LlmTurnRequest;
    expect(createContextReader()(request)).toEqual(createContextReader()(prompt("a")));
  });

  it("does not count a setting that is undefined", () => {
    const settings = { seed: 1, temperature: undefined } as unknown as LlmSettings;
    expect(createContextReader()({ ...prompt("a"), settings }).settings).toEqual({ seed: 1 });
  });
});

describe("contextAt", () => {
  const contexts = [0, 2, 5].map((fromTurn) => ({ fromTurn, toolsHash: "t", settingsHash: "s" }));

  it("is the last one from at or before the turn", () => {
    expect([0, 1, 2, 4, 5, 9].map((turn) => contextAt(contexts, turn)?.fromTurn)).toEqual([0, 0, 2, 2, 5, 5]);
    expect(contextAt(contexts.slice(1), 1)).toBeUndefined();
  });
});

describe("contextsByTurn", () => {
  it("is contextAt for every turn, in whatever order the file has them", () => {
    const places = fc.array(fc.integer({ min: -2, max: 8 }), { maxLength: 6 });
    fc.assert(
      fc.property(places, fc.nat(7), (from, turns) => {
        const contexts = from.map((fromTurn) => ({ fromTurn, toolsHash: "t", settingsHash: "s" }));
        const wanted = Array.from({ length: turns }, (_, turn) => contextAt(contexts, turn));
        const found = contextsByTurn(contexts, turns);
        expect(found.map((context, turn) => context === wanted[turn])).toEqual(wanted.map(() => true));
      }),
    );
  });
});

describe("contexts of a file", () => {
  const withContexts = (contexts: unknown) =>
    buildCassette(
      {
        recordedAt: "2026-11-20T12:00:00.000Z",
        recordedProvider: "x",
        cassetteId: "0".repeat(32),
        extensions: { contexts: contexts as ContextExtension[] },
      },
      [],
    );

  it.each([{}, "none", [null], [{ fromTurn: 0 }], [{ fromTurn: 0.5, toolsHash: "t", settingsHash: "s" }]])(
    "are refused when they are not what replay acts on: %j",
    (contexts) => {
      expect(() => checkCassette(withContexts(contexts))).toThrow(expect.objectContaining({ code: "wrong-type" }));
    },
  );

  it("are accepted when they are", () => {
    const contexts = [{ fromTurn: 0, toolsHash: "t", settingsHash: "s" }];
    expect(checkCassette(withContexts(contexts))).toMatchObject({ extensions: { contexts } });
  });
});

describe("isSameContext", () => {
  const now = createContextReader()(prompt("a"));
  const recorded = { fromTurn: 0, toolsHash: now.toolsHash, settingsHash: now.settingsHash };

  it("compares both hashes", () => {
    expect(isSameContext(recorded, now)).toBe(true);
    expect(isSameContext({ ...recorded, toolsHash: "t" }, now)).toBe(false);
    expect(isSameContext({ ...recorded, settingsHash: "s" }, now)).toBe(false);
  });

  it("has nothing to compare where one side is absent", () => {
    expect(isSameContext(undefined, now)).toBe(true);
    expect(isSameContext({ ...recorded, toolsHash: "t" }, undefined)).toBe(true);
  });
});
