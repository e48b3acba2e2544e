// Laws of redaction, over random runs of a real runtime with secrets in all places where a run has text.

import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { parseCassette } from "../../src/cassette/trust/load-cassette.js";
import { recordingProvider } from "../../src/cassette/record/recording-provider.js";
import { createScrubber } from "../../src/cassette/redact/scrubber.js";
import { SECRET_RULES } from "../../src/cassette/redact/detect/secret-rules.js";
import { cassetteProvider } from "../../src/cassette/replay/replay.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { cassetteTools } from "../../src/cassette/tape/replay.js";
import type { LlmProviderAdapter, LlmTurnResponse } from "../../src/core/model/provider.js";
import { scriptedProvider } from "../../src/core/providers/scripted.js";
import { createRuntime } from "../../src/core/runtime/runtime.js";
import type { CustomTool } from "../../src/core/tools/tool.js";
import { recordedCassette, verifyKept } from "../support/oracle.js";
import { fixedPorts } from "../support/recording.js";
import { SAMPLES } from "../support/secrets.js";
import { ask, say, tool } from "../support/script.js";

afterAll(verifyKept);

const VALUE = "correct horse" + ' "battery"';
const samples = Object.entries(SAMPLES)
  .filter(([rule]) => rule !== "email")
  .flatMap(([, all]) => all);
const secrets = [...samples.map(({ secret }) => secret), VALUE];
const word = fc.constantFrom("hello", " and ", "\n", "{}", "<redacted:jwt:3>", "é", "");
const piece = fc.oneof(word, fc.constantFrom(...samples.map(({ text }) => ` ${text} `), ` ${VALUE} `));
const text = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(""));

interface Scenario {
  systemPrompt: string;
  goal: string;
  script: LlmTurnResponse[];
  results: string[];
}

const turn = fc
  .record({ content: text, key: text, value: text })
  .map(({ content, key, value }) =>
    ask([{ name: "look", arguments: { value, deep: [{ [`k${key}`]: value }] } }], { content }),
  );
const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    systemPrompt: text,
    goal: text,
    turns: fc.array(turn, { maxLength: 3 }),
    last: text,
    results: fc.array(text, { minLength: 1, maxLength: 3 }),
  })
  .map(({ turns, last, ...rest }) => ({ ...rest, script: [...turns, say(last)] }));

const redact = { values: [VALUE] };

function run({ systemPrompt, goal }: Scenario, provider: LlmProviderAdapter, customTools: readonly CustomTool[]) {
  return createRuntime({ agents: [{ id: "a", systemPrompt, provider, customTools }] }).run({ goal });
}

function look({ results }: Scenario): CustomTool {
  let used = 0;
  return tool("look", () => results[used++ % results.length]);
}

describe("laws of redaction", () => {
  it("scrubbing what was scrubbed changes nothing", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), (texts) => {
        const scrubber = createScrubber({ rules: SECRET_RULES, values: [VALUE], pointers: [] });
        const once = scrubber.json(texts);
        expect(scrubber.json(once)).toEqual(once);
        const other = createScrubber({ rules: SECRET_RULES, values: [VALUE], pointers: [] });
        expect(other.json(once)).toEqual(once);
      }),
    );
  });

  it("PLK-132 PLK-133 a recording holds no secret, the agent sees all, and it replays whole with tape and with live tools", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const recorder = recordingProvider(scriptedProvider(given.script), { redact, ports: fixedPorts() });
        const live = await run(given, recorder, [look(given)]);
        const bare = await run(given, scriptedProvider(given.script), [look(given)]);
        expect(live.messages).toEqual(bare.messages);

        const file = formatCassette(recordedCassette(recorder));
        for (const secret of secrets) {
          expect(file.includes(JSON.stringify(secret).slice(1, -1))).toBe(false);
        }
        const cassette = parseCassette(file);
        const tape = cassetteTools(cassette, { redact });
        const hermetic = cassetteProvider(cassette, { redact, allowRedacted: true });
        await run(given, hermetic, tape.replace([look(given)]));
        hermetic.assertConsumed();

        const replay = cassetteProvider(cassette, { redact, allowRedacted: true });
        const again = await run(given, replay, [look(given)]);
        replay.assertConsumed();
        expect(again.turns).toBe(live.turns);
      }),
      { numRuns: 60 },
    );
  });
});
