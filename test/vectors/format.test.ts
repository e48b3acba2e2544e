// Our own vectors of the format, test/vectors/format: input, the text that is hashed or signed, and the hash. They were computed
// by the independent implementation next to the repository; if it is present, it is asked again.

import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hashEnvelope, hashResponse } from "../../src/cassette/file/hashes.js";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { parseStrictJson } from "../../src/cassette/file/json.js";
import { checkCassette } from "../../src/cassette/trust/load-cassette.js";
import { hashPrompt } from "../../src/cassette/prompt/prompt-delta.js";
import { CASSETTE_PAYLOAD_TYPE, signedBytes } from "../../src/cassette/trust/signature.js";
import { preAuthEncode } from "../../src/core/canon/dsse.js";
import { canonicalize } from "../../src/core/canon/json.js";
import type { LlmMessage } from "../../src/core/model/message.js";
import type { LlmTurnResponse } from "../../src/core/model/provider.js";
import { askOracle, oracleAvailable, verifyWithOracle } from "../support/oracle.js";
import { refusal } from "../support/refusal.js";

const folder = new URL("format/", import.meta.url);

function read<T>(name: string): (T & { name: string })[] {
  const text = readFileSync(new URL(`${name}.json`, folder), "utf8");
  return (JSON.parse(text) as { vectors: (T & { name: string })[] }).vectors;
}

const sha256 = (text: string) => createHash("sha256").update(text, "utf8").digest("hex");

const canonical = read<{ input: string; canonical: string; sha256: string }>("canonical");
const prompts = read<{ messages: LlmMessage[]; canonical: string; promptHash: string }>("prompt-hash");
const responses = read<{
  cassetteId: string;
  turnIndex: number;
  promptHash: string;
  response: LlmTurnResponse;
  canonical: string;
  responseHash: string;
}>("response-hash");
const envelopes = read<{ cassette: CassetteV2; canonical: string; envelopeHash: string }>("envelope-hash");
const dsse = read<{ payloadType: string; payload: string; pae: string; sha256: string }>("dsse");
const shapes = read<{ code: string; pointer?: string; cassette: CassetteV2 }>("shapes");

it("the vectors of the format are these", () => {
  const names = ["canonical", "dsse", "envelope-hash", "prompt-hash", "response-hash", "shapes"];
  expect(readdirSync(folder).sort()).toEqual(names.map((name) => `${name}.json`));
  expect([canonical, prompts, responses, envelopes, dsse, shapes].map(({ length }) => length > 2)).not.toContain(false);
});

describe("our code on the vectors of the format", () => {
  it.each(canonical)("canonical text: $name", ({ input, canonical: expected, sha256: hash }) => {
    expect(canonicalize(parseStrictJson(input))).toBe(expected);
    expect(sha256(expected)).toBe(hash);
  });

  it.each(prompts)("promptHash of $name", ({ messages, canonical: expected, promptHash }) => {
    expect(canonicalize(messages)).toBe(expected);
    expect(hashPrompt(messages)).toBe(promptHash);
  });

  it.each(responses)("responseHash of $name", ({ cassetteId, turnIndex, promptHash, response, ...expected }) => {
    expect(canonicalize({ cassetteId, turnIndex, promptHash, response })).toBe(expected.canonical);
    expect(hashResponse(cassetteId, turnIndex, promptHash, response)).toBe(expected.responseHash);
  });

  it.each(envelopes)("envelopeHash of $name", ({ cassette, canonical: covered, envelopeHash }) => {
    expect(sha256(covered)).toBe(envelopeHash);
    expect(hashEnvelope(cassette)).toBe(envelopeHash);
    expect(checkCassette(cassette, { requireIntegrity: true })).toEqual(cassette);
  });

  it.each(shapes)("the shape of $name: $code", ({ code, pointer, cassette }) => {
    const load = () => checkCassette(cassette, { ports: { warn: () => undefined } });
    if (code === "ok") expect(load()).toEqual(cassette);
    else expect(refusal(load)).toMatchObject({ code, pointer });
  });

  it.each(shapes.filter(({ cassette }) => cassette.version === 2))("the hashes of $name hold", ({ cassette }) => {
    const { cassetteId, entries, envelopeHash } = cassette;
    for (const { turnIndex, promptHash, response, responseHash } of entries) {
      expect(hashResponse(cassetteId, turnIndex, promptHash, response)).toBe(responseHash);
    }
    expect(hashEnvelope(cassette)).toBe(envelopeHash);
  });

  it.each(dsse)("what DSSE signs of $name", ({ payloadType, payload, pae, sha256: hash }) => {
    expect(Buffer.from(preAuthEncode(payloadType, Buffer.from(payload))).toString("utf8")).toBe(pae);
    expect(sha256(pae)).toBe(hash);
  });

  it("what is signed of a cassette is one of them", () => {
    const [, cassette] = envelopes.map((vector) => vector.cassette);
    const expected = dsse.find(({ payloadType }) => payloadType === CASSETTE_PAYLOAD_TYPE)?.pae;
    expect(Buffer.from(signedBytes(cassette as CassetteV2)).toString("utf8")).toBe(expected);
  });
});

describe.skipIf(!oracleAvailable)("the oracle on the vectors of the format", () => {
  const inFolder = <T>(use: (write: (name: string, text: string) => string) => T): T => {
    const place = mkdtempSync(join(tmpdir(), "playhead-format-"));
    try {
      return use((name, text) => {
        writeFileSync(join(place, name), text);
        return join(place, name);
      });
    } finally {
      rmSync(place, { recursive: true });
    }
  };

  it("writes the same canonical texts, and hashes prompts alike", () => {
    inFolder((write) => {
      for (const { input, canonical: expected } of canonical)
        expect(askOracle("canon", write("a.json", input))).toBe(expected);
      for (const { messages, promptHash } of prompts) {
        expect(askOracle("prompt-hash", write("a.json", JSON.stringify(messages))).trim()).toBe(promptHash);
      }
    });
  });

  it("accepts the cassettes, so that it computes their hashes of responses and envelopes", () => {
    inFolder((write) => {
      const sound = [...envelopes, ...shapes.filter(({ code }) => code === "ok")];
      const paths = sound.map(({ cassette }, index) => write(`${index}.json`, JSON.stringify(cassette)));
      expect(verifyWithOracle(paths)).toEqual(paths.map(() => "ok"));
    });
  });
});
