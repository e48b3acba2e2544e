import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CassetteError } from "../../../src/cassette/errors.js";
import type { CassetteV1 } from "../../../src/cassette/file/format.js";
import { hashEnvelope } from "../../../src/cassette/file/hashes.js";
import { checkCassette, parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import { migrateCassette, migrationOf } from "../../../src/cassette/file/migrate.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import { weatherCassette } from "../../support/recording.js";

const quiet = { ports: { warn: () => undefined } };
const text = readFileSync(new URL("../../corpus/v1-tool-call.cassette.json", import.meta.url), "utf8");
const old = parseCassette(text, quiet) as CassetteV1;
const codeOf = (act: () => unknown): string => {
  try {
    act();
    return "none";
  } catch (error) {
    return (error as CassetteError).code;
  }
};

describe("migrateCassette", () => {
  it("keeps every turn, and what is written loads as version 2", () => {
    const migrated = migrateCassette(old);
    const loaded = parseCassette(formatCassette(migrated));
    expect(loaded).toEqual(migrated);
    expect(migrated.entries.map(({ promptHash, response }) => ({ promptHash, response }))).toEqual(
      old.entries.map(({ promptHash, response }) => ({ promptHash, response })),
    );
    const { recordedAt, recordedProvider, agentId } = migrated;
    expect({ recordedAt, recordedProvider, agentId }).toEqual({
      recordedAt: old.recordedAt,
      recordedProvider: old.recordedProvider,
      agentId: old.agentId,
    });
  });

  it("gives the same bytes for the same source, and other ones for another", () => {
    expect(formatCassette(migrateCassette(old))).toBe(formatCassette(migrateCassette(structuredClone(old))));
    const other = { ...old, recordedProvider: "other" };
    expect(migrateCassette(other).cassetteId).not.toBe(migrateCassette(old).cassetteId);
  });

  it("grants no trust: integrity refuses the copy, a mere version does not", () => {
    const migrated = migrateCassette(old);
    expect(codeOf(() => checkCassette(migrated, { requireIntegrity: true }))).toBe("integrity-required");
    expect(checkCassette(migrated, { minVersion: 2 })).toEqual(migrated);
    expect(codeOf(() => checkCassette(old, { minVersion: 2, ...quiet }))).toBe("integrity-required");
  });

  it("notices an edit of the copy, and the mark's removal", () => {
    const migrated = migrateCassette(old);
    const { migrated: _mark, ...extensions } = migrated.extensions ?? {};
    expect(codeOf(() => checkCassette({ ...migrated, extensions }))).toBe("envelope-hash");
  });

  it.each([{ migrated: true }, { migrated: null }, { migrated: { fromVersion: 1 } }, { migrated: { fromVersion: 2 } }])(
    "refuses a mark that nobody could have written: %j",
    (extensions) => {
      const forged = { ...migrateCassette(old), extensions } as never;
      expect(codeOf(() => checkCassette({ ...(forged as object), envelopeHash: hashEnvelope(forged) }))).toBe(
        "wrong-type",
      );
    },
  );
});

it("migrationOf says nothing of a recording", async () => {
  expect(migrationOf(await weatherCassette())).toBeUndefined();
  expect(migrationOf(old)).toBeUndefined();
});
