// Advisory locks stand for lists of rows, including rows yet to come. https://www.postgresql.org/docs/current/explicit-locking.html

import { createHash } from "node:crypto";

/** The key of a list's lock. Two lists may share a key. Their transactions then wait for each other needlessly. */
export function listKey(list: Uint8Array): string {
  return Buffer.from(list.buffer, list.byteOffset, 8).readBigInt64BE().toString();
}

/** SQL for the key of the list in a column. */
export const keyIn = (column: string): string =>
  `('x' || encode(substring(${column} FROM 1 FOR 8), 'hex'))::bit(64)::bigint`;

/** The two keys of a host's life lock. PostgreSQL keeps them apart from locks with one key. */
export function lifeKeys(schema: string, hostId: string): readonly [number, number] {
  return [int32Of("lives", schema), int32Of("host", hostId)];
}

function int32Of(...names: readonly string[]): number {
  return createHash("sha256").update(JSON.stringify(names)).digest().readInt32BE();
}
