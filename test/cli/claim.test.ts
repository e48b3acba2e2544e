import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { withClaim, type Claimant } from "../../src/cli/claim.js";
import type { FilePort } from "../../src/core/index.js";
import { nodeFiles } from "../../src/host/index.js";
import { assertBuilt } from "../support/built.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const PROCESSES = 5;
const ROUNDS = 6;
const claimant: Claimant = { command: "record", refusal: "nothing was recorded", notWritten: "report-unusable" };
const temporary = temporaryFolder();

/** A folder with the claim of a process that is gone. */
function deadClaim(name: string): string {
  const folder = temporary.path(name);
  mkdirSync(folder);
  const dead = { pid: 2 ** 31 - 1, host: hostname(), since: "2026-01-01T00:00:00.000Z" };
  writeFileSync(join(folder, "record.claim"), JSON.stringify(dead));
  return folder;
}

let processes: ChildProcess[] = [];
beforeAll(() => {
  assertBuilt();
  processes = Array.from({ length: PROCESSES }, () => fork(new URL("./claimant.mjs", import.meta.url)));
});
afterAll(() => {
  for (const each of processes) each.kill();
  temporary.remove();
});

it("leaves the claim of a process alone that was faster to take over a dead one", async () => {
  const folder = deadClaim("slow");
  const disk = nodeFiles();
  let letGo = (): void => undefined;
  let sawDead = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  const seen = new Promise<void>((resolve) => (sawDead = resolve));
  const slow: FilePort = {
    ...disk,
    read: async (path, maxBytes) => {
      const read = await disk.read(path, maxBytes);
      sawDead();
      await held;
      return read;
    },
  };
  const second = withClaim(slow, folder, claimant, () => Promise.resolve("second"));
  const refused = expect(second).rejects.toMatchObject({ code: "record-running" });
  await seen;
  await withClaim(disk, folder, claimant, async () => {
    letGo();
    await refused;
    expect(readdirSync(folder)).toEqual(["record.claim"]);
  });
  expect(readdirSync(folder)).toEqual([]);
});

it("gives a dead claim to one of several processes at a time", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const folder = deadClaim(`round-${round}`);
    const answers = processes.map(async (each) => (await once(each, "message"))[0] as string);
    for (const each of processes) each.send(folder);
    const results = await Promise.all(answers);
    expect(results).toContain("alone");
    expect(results.filter((result) => result !== "alone" && result !== "record-running")).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  }
});
