import { afterAll, describe, expect, it, vi } from "vitest";
import { hashEnvelope, hashResponse } from "../../../src/cassette/file/hashes.js";
import { CassetteError, type CassetteErrorCode } from "../../../src/cassette/errors.js";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import { checkCassette, parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import { systemPorts } from "../../../src/core/ports.js";
import { verifyKept } from "../../support/oracle.js";
import { draft, fixedPorts, weatherCassette } from "../../support/recording.js";
import { refusal } from "../../support/refusal.js";
import { quietPorts } from "../../support/script.js";

afterAll(verifyKept);

const good = await weatherCassette();
const other = await weatherCassette({ ports: fixedPorts(100) });

/** A field of anything, for edits that no type allows. */
type Loose = Record<string, unknown> & { entries: (Record<string, unknown> & { response: Record<string, unknown> })[] };

function edited(edit: (cassette: Loose) => unknown): string {
  const cassette = draft(good) as unknown as Loose;
  edit(cassette);
  return JSON.stringify(cassette);
}

function refused(input: string | Uint8Array, options = {}): CassetteError {
  const error = refusal(() => parseCassette(input, options));
  expect(error).toBeInstanceOf(CassetteError);
  return error as CassetteError;
}

function toVersion1({ agentId, recordedAt, recordedProvider, entries }: CassetteV2): string {
  return JSON.stringify({
    version: 1,
    agentId,
    recordedAt,
    recordedProvider,
    entries: entries.map(({ turnIndex, promptHash, response }) => ({ turnIndex, promptHash, response })),
  });
}

describe("parseCassette", () => {
  it("gives back what was recorded, from text and from bytes", () => {
    const text = formatCassette(good);
    expect(parseCassette(text)).toEqual(good);
    expect(parseCassette(new TextEncoder().encode(text))).toEqual(good);
  });

  it("PLK-107 loads what JSON.stringify(cassette, null, 2) wrote", () => {
    expect(parseCassette(JSON.stringify(good, null, 2))).toEqual(good);
  });

  it("names the file, the pointer and what to do", () => {
    const error = refused(
      edited((cassette) => Object.assign(cassette.entries[1]?.response ?? {}, { finalAnswer: "Stay in." })),
      { file: "weather.cassette.json" },
    );
    expect(error.file).toBe("weather.cassette.json");
    expect(error.pointer).toBe("/entries/1");
    expect(error.summary).toBe(
      "turn 1: the response, its place, its prompt or the cassetteId was changed after it was recorded",
    );
    expect(error.hint).toBe("Restore the file from version control, or record it again.");
  });

  it("refuses every prefix of a file", () => {
    const bytes = new TextEncoder().encode(formatCassette(good));
    const withoutNewline = bytes.length - 1;
    for (let length = 0; length < withoutNewline; length++) {
      expect(["not-json", "not-utf8"]).toContain(refused(bytes.subarray(0, length)).code);
    }
    expect(parseCassette(bytes.subarray(0, withoutNewline))).toEqual(good);
  });

  it("lets maxBytes through to the reader", () => {
    expect(refused(formatCassette(good), { maxBytes: 100 }).code).toBe("too-large");
  });
});

describe("the shape of a cassette", () => {
  it.each<[string, (cassette: Loose) => unknown, CassetteErrorCode, string]>([
    ["version 3", (c) => (c["version"] = 3), "version-newer", "/version"],
    ["version 0", (c) => (c["version"] = 0), "version-malformed", "/version"],
    ["version 2.5", (c) => (c["version"] = 2.5), "version-malformed", "/version"],
    ["version '2'", (c) => (c["version"] = "2"), "version-malformed", "/version"],
    ["no version", (c) => delete c["version"], "version-malformed", "/version"],
    ["a field nobody knows", (c) => (c["note"] = 1), "unknown-field", "/note"],
    ["a field called __proto__", (c) => own(c, "__proto__", {}), "unknown-field", "/__proto__"],
    ["no recordedAt", (c) => delete c["recordedAt"], "missing-field", "/recordedAt"],
    ["no recordedProvider", (c) => delete c["recordedProvider"], "missing-field", "/recordedProvider"],
    ["no cassetteId", (c) => delete c["cassetteId"], "missing-field", "/cassetteId"],
    ["no envelopeHash", (c) => delete c["envelopeHash"], "missing-field", "/envelopeHash"],
    ["no entries", (c) => delete (c as Partial<Loose>).entries, "missing-field", "/entries"],
    ["entries that are not a list", (c) => Object.assign(c, { entries: {} }), "wrong-type", "/entries"],
    ["a recordedAt that is a number", (c) => (c["recordedAt"] = 1), "wrong-type", "/recordedAt"],
    ["an agentId that is null", (c) => (c["agentId"] = null), "wrong-type", "/agentId"],
    ["a cassetteId in upper case", (c) => (c["cassetteId"] = "A".repeat(32)), "wrong-type", "/cassetteId"],
    ["a short envelopeHash", (c) => (c["envelopeHash"] = "0".repeat(63)), "wrong-type", "/envelopeHash"],
    ["extensions that are a list", (c) => (c["extensions"] = []), "wrong-type", "/extensions"],
    ["a signature that is text", (c) => (c["signature"] = "x"), "wrong-type", "/signature"],
    ["an entry that is null", (c) => c.entries.splice(0, 1, null as never), "wrong-type", "/entries/0"],
    ["an entry field nobody knows", (c) => (at(c, 1)["note"] = 1), "unknown-field", "/entries/1/note"],
    ["an entry without a turnIndex", (c) => delete at(c, 0)["turnIndex"], "missing-field", "/entries/0/turnIndex"],
    ["an entry without a promptHash", (c) => delete at(c, 0)["promptHash"], "missing-field", "/entries/0/promptHash"],
    [
      "an entry without a responseHash",
      (c) => delete at(c, 0)["responseHash"],
      "missing-field",
      "/entries/0/responseHash",
    ],
    [
      "an entry without a response",
      (c) => delete (at(c, 0) as Partial<Loose["entries"][0]>).response,
      "missing-field",
      "/entries/0/response",
    ],
    ["a turnIndex that is text", (c) => (at(c, 0)["turnIndex"] = "0"), "wrong-type", "/entries/0/turnIndex"],
    [
      "a promptHash that is not a hash",
      (c) => (at(c, 0)["promptHash"] = "g".repeat(64)),
      "wrong-type",
      "/entries/0/promptHash",
    ],
    [
      "a response without a message",
      (c) => delete at(c, 0).response["message"],
      "wrong-type",
      "/entries/0/response/message",
    ],
    [
      "a stopReason nobody knows",
      (c) => (at(c, 0).response["stopReason"] = "done"),
      "wrong-type",
      "/entries/0/response/stopReason",
    ],
    ["usage that is text", (c) => (at(c, 1).response["usage"] = "40"), "wrong-type", "/entries/1/response/usage"],
    ["one entry without a prompt", (c) => delete at(c, 1)["prompt"], "missing-field", "/entries/1/prompt"],
    ["a first entry without a prompt", (c) => delete at(c, 0)["prompt"], "unknown-field", "/entries/1/prompt"],
    ["a prompt that is null", (c) => (at(c, 1)["prompt"] = null), "wrong-type", "/entries/1/prompt"],
    ["a prompt field nobody knows", (c) => (promptAt(c, 1)["note"] = 1), "unknown-field", "/entries/1/prompt/note"],
    ["a negative keep", (c) => (promptAt(c, 1)["keep"] = -1), "wrong-type", "/entries/1/prompt/keep"],
    ["a keep beyond the prompt before", (c) => (promptAt(c, 1)["keep"] = 3), "wrong-type", "/entries/1/prompt/keep"],
    ["a first keep above 0", (c) => (promptAt(c, 0)["keep"] = 1), "wrong-type", "/entries/0/prompt/keep"],
    [
      "prompt messages that are not a list",
      (c) => (promptAt(c, 1)["messages"] = {}),
      "wrong-type",
      "/entries/1/prompt/messages",
    ],
    [
      "a message of no role",
      (c) => (promptAt(c, 1)["messages"] = [{ content: "" }]),
      "wrong-type",
      "/entries/1/prompt/messages/0/role",
    ],
  ])("refuses %s", (_, edit, code, pointer) => {
    const error = refused(edited(edit));
    expect([error.code, error.pointer]).toEqual([code, pointer]);
  });

  it.each(["null", "[]", '"cassette"', "2", "true"])("refuses %s, which is not a cassette", (text) => {
    expect(refused(text).code).toBe("wrong-type");
  });

  it("has other words for a newer version than for a value that is not a version", () => {
    const newer = refused(edited((c) => (c["version"] = 3)));
    expect(newer.summary).toBe("the cassette has version 3, but only versions 1 and 2 can be read");
    expect(newer.hint).toBe("Update playhead, or record again with this version.");
    expect(refused(edited((c) => (c["version"] = "2"))).summary).toBe('"2" is not a cassette version');
  });

  it("PLK-113 refuses swapped and renumbered entries when it loads, not at the end of a run", () => {
    const swapped = refused(edited((c) => c.entries.reverse()));
    expect([swapped.code, swapped.summary]).toEqual(["out-of-order", "entry 0 has turnIndex 1"]);
    expect(refused(edited((c) => (at(c, 1)["turnIndex"] = 2))).code).toBe("out-of-order");
    expect(refused(edited((c) => c.entries.shift())).code).toBe("out-of-order");
    expect(refused(edited((c) => c.entries.push(draft(at(c, 1))))).code).toBe("out-of-order");
  });
});

describe("the hashes of a version 2 cassette", () => {
  it("PLK-116 catch an edited entry", () => {
    expect(refused(edited((c) => (at(c, 0).response["costUsd"] = 0))).code).toBe("response-hash");
    expect(refused(edited((c) => (at(c, 1).response["finalAnswer"] = "Go."))).code).toBe("response-hash");
  });

  it("PLK-116 catch an entry spliced in from another recording of the same run", () => {
    expect(other.entries[1]?.response).toEqual(good.entries[1]?.response);
    expect(other.entries[1]?.promptHash).toBe(good.entries[1]?.promptHash);
    expect(refused(edited((c) => c.entries.splice(1, 1, draft(other.entries[1]) as never))).code).toBe("response-hash");
  });

  it("PLK-121 catch that every prompt was cut out of a recording that kept them", () => {
    const bare = edited((c) => {
      for (const entry of c.entries) delete entry["prompt"];
    });
    expect(refused(bare).summary).toBe("entry 0 has no prompt, though the recording kept them");
  });

  it("take nothing but a signature in the place that is reserved for one", () => {
    const signed = (signature: unknown) => refused(edited((c) => (c["signature"] = signature))).code;
    expect(signed({ a: 1 })).toBe("unknown-field");
    expect(signed({ scheme: "none", keyId: "", publicKey: "", sig: "" })).toBe("wrong-type");
    expect(signed({ scheme: "ed25519-dsse", keyId: "" })).toBe("missing-field");
  });

  it("PLK-116 catch an answer moved to another turn of the same recording, and to another prompt", () => {
    const poisoned = edited((c) => {
      [at(c, 0).response, at(c, 1).response] = [at(c, 1).response, at(c, 0).response];
      [at(c, 0)["responseHash"], at(c, 1)["responseHash"]] = [at(c, 1)["responseHash"], at(c, 0)["responseHash"]];
    });
    expect(refused(poisoned).code).toBe("response-hash");
    const reasked = edited((c) => {
      for (const entry of c.entries) delete entry["prompt"];
      c["extensions"] = {};
      at(c, 1)["promptHash"] = at(c, 0)["promptHash"];
    });
    expect(refused(reasked).code).toBe("response-hash");
  });

  it("catch an edited prompt, and a promptHash that is not the prompt's", () => {
    const prompts = (c: Loose) => promptAt(c, 0)["messages"] as Record<string, unknown>[];
    expect(refused(edited((c) => Object.assign(prompts(c)[0] ?? {}, { content: "You are long." }))).code).toBe(
      "prompt-hash",
    );
    expect(refused(edited((c) => (at(c, 0)["promptHash"] = "0".repeat(64)))).code).toBe("prompt-hash");
    expect(refused(edited((c) => (promptAt(c, 1)["keep"] = 1))).code).toBe("prompt-hash");
  });

  it("PLK-119 PLK-120 catch a swapped provider, a rebound agent and a forged date", () => {
    for (const [field, value] of [
      ["recordedProvider", "openai:gpt-5"],
      ["agentId", "auditor"],
      ["recordedAt", "2026-11-21T12:00:00.000Z"],
    ] as const) {
      expect(refused(edited((c) => (c[field] = value))).code).toBe("envelope-hash");
    }
    expect(refused(edited((c) => delete c["agentId"])).code).toBe("envelope-hash");
  });

  it("PLK-120 catch a swapped cassetteId, even one swapped together with every responseHash", () => {
    expect(refused(edited((c) => (c["cassetteId"] = other.cassetteId))).code).toBe("response-hash");
    const rebound = edited((c) => {
      c["cassetteId"] = other.cassetteId;
      c.entries.forEach((entry, index) => (entry["responseHash"] = other.entries[index]?.responseHash));
    });
    expect(refused(rebound).code).toBe("envelope-hash");
  });

  it("catch a truncated tail, an edited extension and an added one", () => {
    expect(refused(edited((c) => c.entries.pop())).code).toBe("envelope-hash");
    const extensions = (c: Loose) => c["extensions"] as Record<string, unknown>;
    expect(refused(edited((c) => (extensions(c)["createdWith"] = "me"))).code).toBe("envelope-hash");
    expect(refused(edited((c) => (extensions(c)["reviewed"] = true))).code).toBe("envelope-hash");
    expect(refused(edited((c) => delete c["extensions"])).code).toBe("envelope-hash");
  });

  it("catch an edit whose author recomputed the responseHash alone", () => {
    const text = edited((c) => {
      const entry = at(c, 1);
      entry.response["finalAnswer"] = "Stay in.";
      entry["responseHash"] = hashResponse(good.cassetteId, 1, entry["promptHash"] as string, entry.response as never);
    });
    expect(refused(text).code).toBe("envelope-hash");
  });

  it("hold for an author who recomputed all of them: only a lock or a signature tells", () => {
    const forged = draft(good);
    const entry = forged.entries[1] as CassetteV2["entries"][0];
    entry.response.finalAnswer = "Stay in.";
    entry.responseHash = hashResponse(forged.cassetteId, 1, entry.promptHash, entry.response);
    forged.envelopeHash = hashEnvelope(forged);
    expect(parseCassette(JSON.stringify(forged))).toEqual(forged);
  });

  it("PLK-121 are checked with and without requireIntegrity", () => {
    const text = edited((c) => (at(c, 0).response["costUsd"] = 0));
    expect(refused(text, { requireIntegrity: false }).code).toBe("response-hash");
    expect(refused(text, { requireIntegrity: true }).code).toBe("response-hash");
    expect(parseCassette(formatCassette(good), { requireIntegrity: true })).toEqual(good);
  });
});

describe("version 1", () => {
  it("PLK-123 loads, with one warning to record again for as many cassettes as there are", () => {
    const { warn, warnings } = quietPorts();
    const text = toVersion1(good);
    const loaded = parseCassette(text, { ports: { warn }, file: "old.cassette.json" });
    parseCassette(text, { ports: { warn } });
    expect(loaded).toEqual(JSON.parse(text));
    expect(warnings).toEqual([
      "playhead: old.cassette.json has version 1, which has no hashes to prove its contents. Record it again to get version 2.",
    ]);
  });

  it("PLK-123 warns by console.warn where no port is given, once in a process", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    parseCassette(toVersion1(good));
    parseCassette(toVersion1(good));
    checkCassette(JSON.parse(toVersion1(good)), { ports: systemPorts });
    expect(warn.mock.calls).toEqual([
      [
        "playhead: a cassette has version 1, which has no hashes to prove its contents. Record it again to get version 2.",
      ],
    ]);
    warn.mockRestore();
  });

  it("PLK-122 is refused under requireIntegrity, without a warning", () => {
    const { warn, warnings } = quietPorts();
    const error = refused(toVersion1(good), { requireIntegrity: true, ports: { warn } });
    expect(error.code).toBe("integrity-required");
    expect(error.hint).toBe("Record it again: recordings are version 2.");
    expect(warnings).toEqual([]);
  });

  it("is held to its shape", () => {
    const old = JSON.parse(toVersion1(good)) as Loose;
    expect(refused(JSON.stringify({ ...old, note: 1 })).code).toBe("unknown-field");
    expect(refused(JSON.stringify({ ...old, entries: old.entries.toReversed() })).code).toBe("out-of-order");
    expect(refused(JSON.stringify({ ...old, recordedAt: undefined })).code).toBe("missing-field");
  });
});

describe("a downgrade", () => {
  it("PLK-124 of the label alone is refused as suspected tampering", () => {
    const error = refused(edited((c) => (c["version"] = 1)));
    expect([error.code, error.pointer]).toEqual(["downgrade", "/cassetteId"]);
    expect(error.summary).toBe(
      "downgrade tampering suspected: the cassette says version 1 but carries cassetteId, which only version 2 has",
    );
  });

  it.each(["cassetteId", "envelopeHash", "extensions"])("PLK-124 that leaves %s behind is refused", (left) => {
    const text = edited((c) => {
      c["version"] = 1;
      for (const field of ["cassetteId", "envelopeHash", "extensions"]) if (field !== left) delete c[field];
      for (const entry of c.entries) {
        delete entry["responseHash"];
        delete entry["prompt"];
      }
    });
    const error = refused(text);
    expect([error.code, error.pointer]).toEqual(["downgrade", `/${left}`]);
  });

  it.each(["responseHash", "prompt"])("PLK-124 that leaves one entry's %s behind is refused", (left) => {
    const old = JSON.parse(toVersion1(good)) as Loose;
    at(old, 1)[left] = good.entries[1]?.[left as "prompt"];
    const error = refused(JSON.stringify(old));
    expect([error.code, error.pointer]).toEqual(["downgrade", `/entries/1/${left}`]);
    expect(error.summary).toContain("downgrade tampering suspected");
  });

  it("PLK-124 suspects a v2-only field whatever its value", () => {
    const old = JSON.parse(toVersion1(good)) as Loose;
    expect(refused(JSON.stringify({ ...old, envelopeHash: null })).code).toBe("downgrade");
    expect(refused(JSON.stringify({ ...old, signature: {} })).code).toBe("downgrade");
  });

  it("PLK-122 PLK-124 that strips every trace loads as version 1 with one warning, and not under requireIntegrity", () => {
    const { warn, warnings } = quietPorts();
    const text = toVersion1(good);
    expect(parseCassette(text, { ports: { warn } }).version).toBe(1);
    expect(warnings).toHaveLength(1);
    expect(refused(text, { requireIntegrity: true }).code).toBe("integrity-required");
  });
});

describe("checkCassette", () => {
  it("gives a copy that shares nothing with the object it was handed", () => {
    const mine = draft(good);
    const checked = checkCassette(mine);
    (mine.entries[0] as { promptHash: string }).promptHash = "changed";
    expect(checked).toEqual(good);
  });

  it("takes a frozen cassette and one whose optional fields are undefined", () => {
    expect(checkCassette(good)).toEqual(good);
    expect(checkCassette({ ...draft(good), signature: undefined })).toEqual(good);
  });

  it("keeps what a getter said while it was copied, and that is what is checked", () => {
    let reads = 0;
    const shifty = {
      ...draft(good),
      get recordedProvider() {
        reads++;
        return reads > 2 ? "somebody else" : good.recordedProvider;
      },
    };
    expect(checkCassette(shifty).recordedProvider).toBe(good.recordedProvider);
  });

  it.each<[string, () => unknown, string]>([
    ["a toJSON method", () => ({ ...draft(good), toJSON: () => good }), "/toJSON"],
    ["an instance", () => Object.assign(new (class Cassette {})(), draft(good)), ""],
    ["an entry that is an instance", () => ({ ...draft(good), entries: [new Map()] }), "/entries/0"],
    ["a Date", () => ({ ...draft(good), recordedAt: new Date(0) }), "/recordedAt"],
    ["a BigInt", () => ({ ...draft(good), version: 2n }), "/version"],
    ["a number that is not finite", () => ({ ...draft(good), extensions: { n: Infinity } }), "/extensions/n"],
    ["a lone surrogate", () => ({ ...draft(good), agentId: "\ud800" }), "/agentId"],
    ["a symbol key", () => ({ ...draft(good), [Symbol("s")]: 1 }), ""],
    ["nothing", () => undefined, ""],
  ])("refuses %s", (_, make, pointer) => {
    const error = refusal(() => checkCassette(make())) as CassetteError;
    expect(error).toBeInstanceOf(CassetteError);
    expect([error.code, error.pointer]).toEqual(["not-json", pointer]);
  });

  it("refuses a cycle", () => {
    const cycle: Record<string, unknown> = { ...draft(good) };
    cycle["extensions"] = { cycle };
    expect((refusal(() => checkCassette(cycle)) as CassetteError).code).toBe("not-json");
  });

  it("checks the hashes of an object as it does those of a file", () => {
    const error = refusal(() =>
      checkCassette({ ...draft(good), recordedProvider: "x" }, { file: "f" }),
    ) as CassetteError;
    expect([error.code, error.file]).toEqual(["envelope-hash", "f"]);
  });
});

function at(cassette: Loose, index: number): Loose["entries"][0] {
  return cassette.entries[index] as Loose["entries"][0];
}

function promptAt(cassette: Loose, index: number): Record<string, unknown> {
  return at(cassette, index)["prompt"] as Record<string, unknown>;
}

function own(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
