// Laws of bundles: nothing of one can be changed unnoticed, and what was recorded replays as it was.

import { posix } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkBundle } from "../../src/cassette/bundle/check.js";
import type { AgentBundle } from "../../src/cassette/bundle/format.js";
import { recordAgents } from "../../src/cassette/bundle/record.js";
import { replayAgents } from "../../src/cassette/bundle/replay.js";
import { createBundleStore } from "../../src/cassette/bundle/store.js";
import { CassetteError } from "../../src/cassette/errors.js";
import type { JsonValue } from "../../src/core/canon/value.js";
import { scriptedProvider } from "../../src/core/providers/scripted.js";
import type { AgentDefinition } from "../../src/core/runtime/agent.js";
import { text } from "../support/arbitraries.js";
import { changesOf } from "../../src/harness/arbitraries/changes.js";
import { countingPorts, runChain, trioBundle } from "../support/bundles.js";
import { memoryFiles } from "../support/memory-files.js";
import { keepForOracle, verifyKept } from "../support/oracle.js";
import { draft } from "../support/recording.js";
import { say } from "../support/script.js";

afterAll(verifyKept);

const PATH = "a/b.bundle.json";
const beside = (path: string, name = "") => posix.join(posix.dirname(path), name);

let recorded: AgentBundle;
let texts: Map<string, string>;
beforeAll(async () => {
  recorded = await trioBundle();
  const files = memoryFiles();
  await createBundleStore(files, beside).save(PATH, recorded);
  texts = files.texts;
});

/** What comes of loading when one file has this text instead. */
async function loadWith(path: string, changed: string): Promise<AgentBundle | string> {
  const files = memoryFiles({ ...Object.fromEntries(texts), [path]: changed });
  try {
    return await createBundleStore(files, beside).load(PATH);
  } catch (error) {
    if (error instanceof CassetteError) return error.code;
    throw error;
  }
}

function verdict(value: unknown): string {
  try {
    checkBundle(value);
    return "accepted";
  } catch (error) {
    if (error instanceof CassetteError) return error.code;
    throw error;
  }
}

describe("laws of integrity", () => {
  it("any change of one place of a bundle or of its cassettes is refused", () => {
    const changes = changesOf(draft(recorded) as unknown as JsonValue);
    expect(changes.length).toBeGreaterThan(700);
    expect(verdict(draft(recorded))).toBe("accepted");
    // A key in addition to the two is not part of the recording.
    const accepted = changes.filter(({ value }) => verdict(value) === "accepted").map(({ what }) => what);
    expect(accepted).toEqual(["/added is added"]);
  });

  it("any change of one character of any file is refused, or changes no value", async () => {
    const paths = [...texts.keys()];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.nat(),
        fc.constantFrom("0", "f", " ", '"', "}", ",", "é", ""),
        async (path, at, put) => {
          const before = texts.get(path) ?? "";
          const index = at % before.length;
          const result = await loadWith(path, before.slice(0, index) + put + before.slice(index + 1));
          if (typeof result !== "string") expect(result).toEqual(recorded);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("any file cut short is refused", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...texts.keys()), fc.nat(), async (path, at) => {
        const before = (texts.get(path) ?? "").trimEnd();
        expect(typeof (await loadWith(path, before.slice(0, at % before.length)))).toBe("string");
      }),
      { numRuns: 300 },
    );
  });

  it("any file in the place of another is refused", async () => {
    const paths = [...texts.keys()];
    for (const path of paths) {
      for (const other of paths.filter((each) => each !== path)) {
        expect(typeof (await loadWith(path, texts.get(other) ?? ""))).toBe("string");
      }
    }
  });
});

describe("laws of record and replay", () => {
  it("PLK-104 a chain of agents recorded, saved, loaded and replayed is the recorded run", async () => {
    const visit = fc.record({ agent: fc.nat(2), answer: text });
    const ids = ["a", "B/é", "__proto__"];
    await fc.assert(
      fc.asyncProperty(fc.array(visit, { minLength: 1, maxLength: 6 }), text, async (visits, goal) => {
        const path = visits.map(({ agent }) => ids[agent] as string);
        const live = ids.map((id, index): AgentDefinition => {
          const answers = visits.filter(({ agent }) => agent === index).map(({ answer }) => say(answer));
          return { id, systemPrompt: id, provider: scriptedProvider(answers) };
        });
        const recording = recordAgents(live, { ports: countingPorts() });
        const { finalAnswer, result } = await runChain(recording.agents, path, goal);
        const files = memoryFiles();
        const store = createBundleStore(files, beside);
        await store.save(PATH, recording.toBundle({ result }));
        const loaded = await store.load(PATH);
        for (const cassette of Object.values(loaded.cassettes)) keepForOracle(cassette);
        const replay = replayAgents(loaded, live);
        const again = await runChain(replay.agents, path, goal);
        expect(again.finalAnswer).toBe(finalAnswer);
        replay.finish(again.result);
      }),
      { numRuns: 50 },
    );
  });
});
