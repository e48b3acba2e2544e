// aimock: records through its proxy into a fixture, then a strict server answers from it over loopback.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LLMock } from "@copilotkit/aimock";
import { ask, CONTENT, startModel } from "./exchange.mjs";

export { CONTENT };

export async function open() {
  const fixturePath = mkdtempSync(join(tmpdir(), "bench-aimock-"));
  const model = await startModel();
  const recorder = new LLMock({ port: 0 });
  recorder.enableRecording({ providers: { openai: model.base }, fixturePath });
  await recorder.start();
  await ask(fetch, recorder.url);
  await recorder.stop();
  await model.stop();
  const mock = new LLMock({ port: 0, strict: true });
  mock.loadFixtureDir(fixturePath);
  rmSync(fixturePath, { recursive: true, force: true });
  await mock.start();
  return { ask: () => ask(fetch, mock.url) };
}
