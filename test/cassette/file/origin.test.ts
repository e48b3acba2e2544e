import { describe, expect, it } from "vitest";
import { buildCassette } from "../../../src/cassette/file/build.js";
import { describeOrigin } from "../../../src/cassette/file/origin.js";

const head = { recordedAt: "2026-11-20T12:00:00.000Z", recordedProvider: "p", cassetteId: "1".repeat(32) };
const notesOf = (extensions: object) => describeOrigin(buildCassette({ ...head, extensions: { ...extensions } }, []));

describe("describeOrigin", () => {
  it("says nothing of a plain recording, nor of a version 1", () => {
    expect(notesOf({ prompts: true, createdWith: "x" })).toEqual([]);
    expect(describeOrigin({ version: 1, recordedAt: head.recordedAt, recordedProvider: "p", entries: [] })).toEqual([]);
  });

  it("warns of a migration alone, and first", () => {
    const migrated = { fromVersion: 1, sourceHash: "0".repeat(64) };
    expect(notesOf({ redacted: ["jwt"], migrated }).map(({ kind }) => kind)).toEqual(["warn", "plain"]);
  });

  it("names filters, rules, the fork and what an import repaired", () => {
    const texts = notesOf({
      filtered: true,
      filters: ["uuid", "custom"],
      redacted: ["jwt", "bearer-token"],
      forkedFrom: { cassetteId: "a".repeat(32), envelopeHash: "b".repeat(64), at: 3 },
      import: { format: "har", repairs: { "content-null": 2, "setting-dropped": 1 } },
    }).map(({ text }) => text);
    expect(texts).toEqual([
      "prompts were rewritten by a hashFilter: uuid, custom",
      "secrets were redacted by the rules jwt, bearer-token",
      `forked at turn 3 from cassette ${"a".repeat(32)}`,
      "imported from a log of format har, repaired 2 content-null, 1 setting-dropped",
    ]);
  });

  it("passes over extensions of another shape, and cuts long lists", () => {
    expect(notesOf({ forkedFrom: "x", import: [1], redacted: [] })).toEqual([]);
    const rules = Array.from({ length: 20 }, (_, n) => `rule-${n}`);
    expect(notesOf({ redacted: rules })[0]?.text).toMatch(/rule-11 and 8 more$/);
  });
});
