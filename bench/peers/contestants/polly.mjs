// Polly: recorded once through its fetch adapter into a file, then replayed from it with the model gone.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import FetchAdapter from "@pollyjs/adapter-fetch";
import { Polly } from "@pollyjs/core";
import FSPersister from "@pollyjs/persister-fs";
import { ask, CONTENT, startModel } from "./exchange.mjs";

export { CONTENT };

export async function open() {
  Polly.register(FetchAdapter);
  Polly.register(FSPersister);
  const recordingsDir = mkdtempSync(join(tmpdir(), "bench-polly-"));
  const start = (mode) =>
    new Polly("completion", {
      mode,
      adapters: ["fetch"],
      adapterOptions: { fetch: { context: globalThis } },
      persister: "fs",
      persisterOptions: { fs: { recordingsDir } },
      recordIfMissing: mode === "record",
      expiryStrategy: "warn",
      logLevel: "silent",
      matchRequestsBy: { headers: false, order: false },
    });
  const model = await startModel();
  const recorder = start("record");
  await ask(fetch, model.base);
  await recorder.stop();
  await model.stop();
  start("replay");
  return { ask: () => ask(fetch, model.base) };
}
