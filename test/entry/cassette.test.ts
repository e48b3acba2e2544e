import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import { CassetteError } from "../../src/cassette/errors.js";
import { formatLock, toLockEntry } from "../../src/cassette/trust/lock.js";
import { scriptedProvider } from "../../src/core/providers/scripted.js";
import { loadCassette, recordingProvider, saveCassette } from "../../src/entry/cassette.js";
import { nodeFiles } from "../../src/host/files.js";
import { testKey } from "../support/keys.js";
import { fixedPorts, weatherCassette } from "../support/recording.js";
import { refusal, rejection } from "../support/refusal.js";

const folder = mkdtempSync(join(tmpdir(), "playhead-entry-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => void vi.unstubAllEnvs());

it("loadCassette refuses what the lock at a path does not confirm", async () => {
  const file = join(folder, "a.cassette.json");
  const lock = join(folder, "cassettes.lock");
  const good = await weatherCassette();
  await saveCassette(file, good);
  await nodeFiles().write(lock, formatLock(new Map([["a.cassette.json", toLockEntry(good)]])), { overwrite: true });
  expect(await loadCassette(file, { lock, requireIntegrity: true })).toEqual(good);
  await saveCassette(file, await weatherCassette({ ports: fixedPorts(9) }), { overwrite: true });
  expect(((await rejection(loadCassette(file, { lock }))) as CassetteError).code).toBe("lock-mismatch");
  expect((await loadCassette(file)).version).toBe(2);
});

it("PLK-126 recordingProvider looks env:NAME up in the environment of the process", () => {
  const key = testKey(1);
  vi.stubEnv("PLAYHEAD_TEST_KEY", key.seed);
  const signed = recordingProvider(scriptedProvider([]), { sign: "env:PLAYHEAD_TEST_KEY" }).toCassette();
  expect(signed.signature?.publicKey).toBe(key.publicKey);
  vi.stubEnv("PLAYHEAD_TEST_KEY", undefined);
  const error = refusal(() => recordingProvider(scriptedProvider([]), { sign: "env:PLAYHEAD_TEST_KEY" }));
  expect((error as CassetteError).code).toBe("invalid-options");
  expect(recordingProvider(scriptedProvider([])).toCassette().signature).toBeUndefined();
});
