// A version 1 cassette as version 2. The hashes of the copy prove nothing about the time before, so it is marked as migrated and
// refused wherever integrity is required. Specification: docs/cassette-format.md.

import { defined, hashJson } from "../../core/index.js";
import { buildCassette, CREATED_WITH } from "./build.js";
import { extensionsOf, type Cassette, type CassetteV1, type CassetteV2, type MigratedExtension } from "./format.js";

/** The same turns without prompts, so it explains no miss. `cassetteId` comes from the content: one source gives the same bytes. */
export function migrateCassette(cassette: CassetteV1): CassetteV2 {
  const { agentId, recordedAt, recordedProvider, entries } = cassette;
  const sourceHash = hashJson(cassette);
  const migrated: MigratedExtension = { fromVersion: 1, sourceHash };
  const head = {
    ...defined({ agentId }),
    recordedAt,
    recordedProvider,
    cassetteId: sourceHash.slice(0, 32),
    extensions: { createdWith: CREATED_WITH, prompts: false, migrated },
  };
  const turns = entries.map(({ promptHash, response }) => ({ promptHash, response }));
  return buildCassette(head, turns);
}

/** The mark of a migrated cassette, whose shape was checked when it was loaded. */
export function migrationOf(cassette: Cassette): MigratedExtension | undefined {
  return extensionsOf(cassette).migrated;
}
