// The result of the second implementation for a file: the recomputed values, those it could not compute, and disagreements.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

export interface Disagreement {
  /** JSON pointer into the file. Empty for the file as a whole. */
  pointer: string;
  what: string;
}

export interface Recomputed {
  hashes: number;
  signatures: number;
  /** The number of values that cannot be computed from the file, by a description of their kind. */
  notRecomputed: Record<string, number>;
}

export class Tally implements Recomputed {
  hashes = 0;
  signatures = 0;
  readonly notRecomputed: Record<string, number> = {};
  readonly disagreements: Disagreement[] = [];

  compareHash(pointer: string, stored: unknown, computed: string): void {
    if (stored === computed) this.hashes++;
    else this.disagree(pointer, `the stored hash is ${quote(stored)}, but the recomputed one is ${quote(computed)}`);
  }

  disagree(pointer: string, what: string): void {
    this.disagreements.push({ pointer, what });
  }

  leaveOut(kind: string, count = 1): void {
    if (count > 0) this.notRecomputed[kind] = (this.notRecomputed[kind] ?? 0) + count;
  }
}

function quote(value: unknown): string {
  return (JSON.stringify(value) ?? "absent").slice(0, 80);
}

/** An importable path of each package, since some do not export their package.json. */
const ENTRIES = {
  "json-canonicalize": "json-canonicalize",
  "@noble/hashes": "@noble/hashes/sha2.js",
  "@noble/ed25519": "@noble/ed25519",
};

/** The installed version of each package, by package name. */
export function packageVersions(): Record<string, string> {
  const require = createRequire(import.meta.url);
  const versions = Object.entries(ENTRIES).map(([name, entry]) => {
    const path = require.resolve(entry).replaceAll("\\", "/");
    const folder = path.slice(0, path.lastIndexOf(`/${name}/`) + name.length + 2);
    const { version } = JSON.parse(readFileSync(`${folder}package.json`, "utf8")) as { version: string };
    return [name, version];
  });
  return Object.fromEntries(versions) as Record<string, string>;
}
