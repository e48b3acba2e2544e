import { afterAll, describe, expect, it } from "vitest";
import { checkTolerances } from "../../../src/cassette/index.js";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import { cassetteTools } from "../../../src/cassette/tape/replay.js";
import { createRuntime, type JsonObject } from "../../../src/core/index.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { recordedCassette, verifyKept } from "../../support/oracle.js";
import { fixedPorts } from "../../support/recording.js";
import { refusal } from "../../support/refusal.js";
import { ask, say, tool } from "../../support/script.js";

afterAll(verifyKept);

const tolerances = checkTolerances({
  version: 1,
  tools: { look: { "/city": "case", "/lat": { numeric: { absolute: 0.5 } } } },
});

/** A tape on which each of these calls of `look` is answered with its number. */
async function tapeOf(calls: readonly JsonObject[], options = {}) {
  const script = [...calls.map((args) => ask([{ name: "look", arguments: args }])), say("done")];
  const recorder = recordingProvider(scriptedProvider(script), { ports: fixedPorts() });
  let count = 0;
  const customTools = [tool("look", () => `sky ${count++}`)];
  const agent = { id: "a", systemPrompt: "", provider: recorder, customTools };
  await createRuntime({ agents: [agent] }).run({ goal: "go" });
  const tape = cassetteTools(recordedCassette(recorder), { tolerances, ...options });
  const [stand] = tape.replace([tool("look", () => "live")]);
  const look = (args: JsonObject): unknown => stand?.invoke(args, undefined as never);
  return { tape, look };
}

describe("cassetteTools with tolerances", () => {
  it("answers a call whose arguments differ within them, and lists what was used", async () => {
    const { tape, look } = await tapeOf([{ city: "Oslo", lat: 59.9 }]);
    expect(look({ city: "OSLO", lat: 60.1 })).toBe("sky 0");
    expect(tape.tolerances).toEqual([
      { tolerance: "case", tool: "look", pointer: "/city", times: 1 },
      { tolerance: "numeric ±0.5", tool: "look", pointer: "/lat", times: 1 },
    ]);
    tape.assertConsumed();
    tape.reset();
    expect(tape.tolerances).toEqual([]);
    expect(look({ city: "Oslo", lat: 59.9 })).toBe("sky 0");
    expect(tape.tolerances).toEqual([]);
  });

  it("prefers the very arguments, then the same normal form, then what is near; none twice", async () => {
    const { look } = await tapeOf([
      { city: "oslo", lat: 60.2 },
      { city: "OSLO", lat: 60 },
      { city: "Oslo", lat: 60 },
    ]);
    expect(look({ city: "Oslo", lat: 60 })).toBe("sky 2");
    expect(look({ city: "Oslo", lat: 60 })).toBe("sky 1");
    expect(look({ city: "Oslo", lat: 60 })).toBe("sky 0");
    expect(refusal(() => look({ city: "Oslo", lat: 60 }))).toMatchObject({ miss: { kind: "exhausted" } });
  });

  it("stays strict on the rest, and the miss names what is beyond the tolerances alone", async () => {
    const { look } = await tapeOf([{ city: "Oslo", lat: 60 }]);
    expect(refusal(() => look({ city: "OSLO", lat: 61 }))).toMatchObject({
      miss: { kind: "unknown-call", pointer: "/lat", recorded: "60", actual: "61" },
    });
  });

  it("refuses a value that is not tolerances", async () => {
    const error = await tapeOf([], { tolerances: "cassette.tolerances.json" }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "invalid-options" });
  });
});
