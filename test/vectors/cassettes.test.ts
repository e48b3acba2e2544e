// Worked examples of the cassette format. Vectors: the files next to the repository that the format's description names, and
// test/corpus, our own recordings of every released version, which only ever grows.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { CassetteError, type CassetteErrorCode } from "../../src/cassette/errors.js";
import type { Cassette } from "../../src/cassette/file/format.js";
import { parseCassette } from "../../src/cassette/trust/load-cassette.js";
import { rebuildPrompts } from "../../src/cassette/prompt/rebuild.js";
import { cassetteProvider } from "../../src/cassette/replay/replay.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { canonicalize } from "../../src/core/canon/json.js";
import type { LlmMessage } from "../../src/core/model/message.js";
import { askOracle, oracleAvailable, verifyWithOracle } from "../support/oracle.js";
import { runWeather } from "../support/recording.js";
import { refusal } from "../support/refusal.js";
import { quietPorts } from "../support/script.js";
import { hasShared, sharedPath } from "../support/shared.js";

const corpus = new URL("../corpus/", import.meta.url);
const ours = (name: string) => readFileSync(new URL(`${name}.cassette.json`, corpus));

const folder = "vectors/cassettes/";
const theirs = (name: string) => readFileSync(sharedPath(`${folder}${name}.json`));

function load(bytes: Uint8Array): Cassette {
  return parseCassette(bytes, { ports: quietPorts() });
}

function codeOf(bytes: Uint8Array, options = {}): CassetteErrorCode {
  const error = refusal(() => parseCassette(bytes, { ports: quietPorts(), ...options }));
  expect(error).toBeInstanceOf(CassetteError);
  return (error as CassetteError).code;
}

const BAD: Record<string, CassetteErrorCode> = {
  "bad-agent-rebound": "envelope-hash",
  "bad-bom": "byte-order-mark",
  "bad-cassette-id-changed": "response-hash",
  "bad-date-forged": "envelope-hash",
  "bad-downgraded-label-only": "downgrade",
  "bad-downgraded-some-fields-left": "downgrade",
  "bad-duplicate-key": "duplicate-key",
  "bad-entries-swapped": "out-of-order",
  "bad-extension-added": "envelope-hash",
  "bad-index-renumbered": "out-of-order",
  "bad-missing-response-hash": "missing-field",
  "bad-prompt-edited": "prompt-hash",
  "bad-prompt-hash-edited": "prompt-hash",
  "bad-provider-swapped": "envelope-hash",
  "bad-response-edited": "response-hash",
  "bad-response-edited-and-rehashed": "envelope-hash",
  "bad-spliced-entry": "response-hash",
  "bad-tool-argument-edited": "response-hash",
  "bad-torn": "not-json",
  "bad-truncated-tail": "envelope-hash",
  "bad-unknown-entry-field": "unknown-field",
  "bad-unknown-field": "unknown-field",
  "bad-version-3": "version-newer",
};
const GOOD = [
  "good-empty",
  "good-hashes-only",
  "good-v1",
  "good-with-extensions",
  "good-with-prompts",
  "good-without-agent",
];

describe.skipIf(!hasShared)("the format's worked examples", () => {
  it("are these, and each of them is tested here", () => {
    const names = readdirSync(sharedPath(folder)).map((file) => file.replace(/\.json$/, ""));
    expect(names.sort()).toEqual([...Object.keys(BAD), ...GOOD, "stripped-to-v1"].sort());
  });

  it.each(GOOD)("%s loads, and can be replayed", (name) => {
    const cassette = load(theirs(name));
    expect(cassette).toEqual(JSON.parse(theirs(name).toString("utf8")));
    expect(cassetteProvider(cassette, { ports: quietPorts() }).remaining).toBe(cassette.entries.length);
  });

  it.each(Object.entries(BAD))("PLK-116 PLK-120 PLK-124 %s is refused as %s", (name, code) => {
    expect(codeOf(theirs(name))).toBe(code);
    expect(codeOf(theirs(name), { requireIntegrity: true })).toBe(code);
  });

  it.each(["good-v1", "stripped-to-v1"])(
    "PLK-122 PLK-123 %s loads with one warning, and not under requireIntegrity",
    (name) => {
      const { warn, warnings } = quietPorts();
      expect(parseCassette(theirs(name), { ports: { warn } }).version).toBe(1);
      parseCassette(theirs(name), { ports: { warn } });
      expect(warnings).toHaveLength(1);
      expect(codeOf(theirs(name), { requireIntegrity: true })).toBe("integrity-required");
    },
  );
});

/** Our own recordings. Version 2 first; what follows were damaged on purpose. */
const RECORDED = [
  "v2-awkward-values",
  "v2-compacted",
  "v2-content-parts",
  "v2-contexts-changed",
  "v2-empty",
  "v2-envelope-only",
  "v2-filtered-redacted",
  "v2-hashes-only",
  "v2-imported",
  "v2-redacted",
  "v2-signed",
  "v2-tool-call",
  "v2-two-signatures",
  "v2-unicode",
];
const VERSION_1 = ["v1-stripped", "v1-tool-call"];
const TAMPERED: Record<string, CassetteErrorCode> = {
  "tampered-answer-edited": "response-hash",
  "tampered-answers-swapped": "response-hash",
  "tampered-depth": "too-deep",
  "tampered-key-twice": "duplicate-key",
  "tampered-number-inexact": "number-inexact",
  "tampered-prompts-cut-out": "missing-field",
  "tampered-provider-swapped": "envelope-hash",
  "tampered-relabelled": "downgrade",
  "tampered-signature-edited": "signature-invalid",
  "tampered-signature-moved": "signature-invalid",
  "tampered-signature-payload-type": "signature-invalid",
  "tampered-stripped-in-part": "downgrade",
  "tampered-tail-dropped": "envelope-hash",
  "tampered-torn": "not-json",
};
/** Sound in themselves; what is wrong is in a file next to them, which is read where a trust list is given. */
const BESIDE = ["tampered-envelope-payload-type"];
/** What the oracle, which knows neither signatures, the mark of prompts nor our limits of depth, does not judge as we do. */
const OURS_ALONE = Object.keys(TAMPERED).filter((name) => /signature|depth|number|prompts-cut/.test(name));

describe("the corpus", () => {
  it("holds these files, and each of them is tested here", () => {
    const names = readdirSync(corpus).filter((file) => file.endsWith(".cassette.json"));
    const all = [...RECORDED, ...Object.keys(TAMPERED), ...VERSION_1, ...BESIDE];
    const expected = all.map((name) => `${name}.cassette.json`);
    expect(names.sort()).toEqual(expected.sort());
  });

  it.each(RECORDED)("%s loads under requireIntegrity, and is written back byte for byte", (name) => {
    const cassette = parseCassette(ours(name), { requireIntegrity: true });
    expect(formatCassette(cassette)).toBe(ours(name).toString("utf8"));
  });

  it.each(Object.entries(TAMPERED))("%s is refused as %s", (name, code) => {
    expect(codeOf(ours(name))).toBe(code);
  });

  it.each(["v2-tool-call", "v2-hashes-only", "v1-tool-call"])(
    "PLK-104 %s replays the run it was recorded from",
    async (name) => {
      const replay = cassetteProvider(load(ours(name)), { ports: quietPorts() });
      const { finalAnswer, toolCalls } = await runWeather(replay);
      expect([finalAnswer, toolCalls]).toEqual(["Take an umbrella.", 1]);
      replay.assertConsumed();
    },
  );

  it("PLK-130 PLK-133 v2-filtered-redacted replays with its filter, and gives the scrubbed answer", async () => {
    const hashFilter = (messages: LlmMessage[]) =>
      messages.map((message) =>
        message.role === "system"
          ? { ...message, content: message.content.replace(/session=[a-f0-9-]+/, "session=<id>") }
          : message,
      );
    const replay = cassetteProvider(load(ours("v2-filtered-redacted")), { hashFilter });
    const { finalAnswer } = await runWeather(replay, { systemPrompt: "You are brief. session=77" });
    expect(finalAnswer).toBe("Take an ***.");
    replay.assertConsumed();
  });

  it("v2-awkward-values keeps a __proto__ argument as data", () => {
    const [call] = load(ours("v2-awkward-values")).entries[0]?.response.message.toolCalls ?? [];
    expect(Object.keys(call?.arguments ?? {})).toEqual(["a/b~c", "é", "__proto__"]);
    expect(Object.getPrototypeOf(call?.arguments)).toBe(Object.prototype);
  });

  it.skipIf(!oracleAvailable)("is judged by the oracle as it is by us", () => {
    const names = [...RECORDED, ...Object.keys(TAMPERED)].filter((name) => !OURS_ALONE.includes(name));
    const paths = names.map((name) => fileURLToPath(new URL(`${name}.cassette.json`, corpus)));
    const verdicts = verifyWithOracle(paths).map((verdict) => verdict.split(":")[0]);
    const expected = names.map((name) => (TAMPERED[name] ?? "ok").replace("not-json", "unreadable"));
    expect(verdicts).toEqual(expected);
  });

  it.skipIf(!oracleAvailable)("has the canonical text that the oracle writes", () => {
    for (const name of RECORDED) {
      const path = fileURLToPath(new URL(`${name}.cassette.json`, corpus));
      expect(askOracle("canon", path)).toBe(canonicalize(load(ours(name))));
    }
  });

  it("v2-tool-call keeps its whole prompts", () => {
    const prompts = rebuildPrompts(load(ours("v2-tool-call")));
    expect(prompts?.map((messages) => messages.map((message) => message.role))).toEqual([
      ["system", "user"],
      ["system", "user", "assistant", "tool"],
    ]);
  });
});
