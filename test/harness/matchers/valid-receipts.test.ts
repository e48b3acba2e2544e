import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Trust } from "../../../src/cassette/index.js";
import { createRuntime, toBase64, type AgentRuntime, type RunResult } from "../../../src/core/index.js";
import { createSigner } from "../../../src/core/canon/signature.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import "../../../src/entry/vitest.js";
import { createMatchers } from "../../../src/harness/index.js";
import { fileOf, makeChain, otherSeed, publicKey, seed } from "../../support/receipts.js";
import { rejection } from "../../support/refusal.js";
import { ask, say, tool } from "../../support/script.js";

const key = publicKey;
const other = createSigner(otherSeed).publicKey;
let folder: string;
let runtime: AgentRuntime;
let result: RunResult;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "playhead-receipts-"));
  const provider = scriptedProvider([ask([{ name: "lookup" }]), say("done")]);
  const agents = [{ id: "a", systemPrompt: "", provider, customTools: [tool("lookup", () => "ok")] }];
  runtime = createRuntime({ agents, signingKey: seed });
  result = await runtime.run({ goal: "go" });
});
afterAll(() => rm(folder, { recursive: true }));

async function write(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

function trustIn(...keys: { bytes: Uint8Array; notAfter?: string }[]): Trust {
  return {
    keys: keys.map(({ bytes, ...validity }) => ({ keyId: "any", publicKey: toBase64(bytes), ...validity })),
  };
}

describe("toHaveValidReceipts", () => {
  it("passes for a runtime, a list and a file that the key signed as a whole", async () => {
    const chain = await makeChain(4);
    await expect(runtime).toHaveValidReceipts({ key });
    await expect(runtime.receipts).toHaveValidReceipts({ key, run: result });
    await expect(chain).toHaveValidReceipts({ key, requireComplete: true });
    await expect(await write("whole.jsonl", fileOf(chain))).toHaveValidReceipts({ key: toBase64(key) });
  });

  it("names each line that does not hold", async () => {
    const chain = await makeChain(4);
    const path = await write("edited.jsonl", fileOf(chain).replace('"outcome":"ok"', '"outcome":"failed"'));
    await expect(path).not.toHaveValidReceipts({ key });
    const { message } = (await rejection(expect(path).toHaveValidReceipts({ key }))) as Error;
    expect(message).toContain(`expected ${path} to have valid receipts, but 1 line is invalid:\n  line 2  edited: `);
    expect(message).toContain("`npx playhead verify --receipts <file> --key <public key>`");
    await expect(chain.toSpliced(1, 1)).not.toHaveValidReceipts({ key });
    await expect(chain).not.toHaveValidReceipts({ key: other });
  });

  it("counts the findings it does not name", async () => {
    const chain = await makeChain(30);
    expect(await rejection(expect(chain).toHaveValidReceipts({ key: other }))).toMatchObject({
      message: expect.stringMatching(/but 31 lines are invalid:\n[^]*\n {2}and 21 more findings\n/),
    });
  });

  it("takes any trusted key that is in force, and no other", async () => {
    const chain = await makeChain(2);
    const past = "2020-01-01T00:00:00Z";
    await expect(chain).toHaveValidReceipts({ trust: trustIn({ bytes: other }, { bytes: key }) });
    await expect(chain).not.toHaveValidReceipts({ trust: trustIn({ bytes: other }) });
    await expect(chain).not.toHaveValidReceipts({ trust: trustIn({ bytes: other }, { bytes: key, notAfter: past }) });
    const file = await write("trust.json", JSON.stringify(trustIn({ bytes: key })));
    await expect(chain).toHaveValidReceipts({ trust: file });
    expect(
      await rejection(expect(chain).not.toHaveValidReceipts({ trust: trustIn({ bytes: key, notAfter: past }) })),
    ).toMatchObject({ code: "matcher-misuse", message: expect.stringContaining("none of 1 trusted key is in force") });
  });

  it("refuses an open chain only where its end is asked for", async () => {
    const open = await makeChain(3, { end: false });
    await expect(open).toHaveValidReceipts({ key });
    expect(await rejection(expect(open).toHaveValidReceipts({ key, requireComplete: true }))).toMatchObject({
      message: expect.stringContaining("the chain has no end, so later receipts may be missing"),
    });
  });

  it("misses the receipts of a run that are not there", async () => {
    const cut = runtime.receipts.slice(0, 2);
    await expect(cut).toHaveValidReceipts({ key });
    expect(await rejection(expect(cut).toHaveValidReceipts({ key, run: result }))).toMatchObject({
      message: expect.stringContaining(
        "but it does not cover the run:\n  agent a, turn 1: its answer has no receipt\n",
      ),
    });
    const chain = await makeChain(3);
    expect(await rejection(expect(chain).toHaveValidReceipts({ key, run: result }))).toMatchObject({
      message: expect.stringMatching(
        /turn 0: its answer has no receipt\n {2}agent a, turn 0: the call c0 has no receipt/,
      ),
    });
  });

  it("says under .not what holds", async () => {
    expect(await rejection(expect(runtime).not.toHaveValidReceipts({ key }))).toMatchObject({
      message: expect.stringMatching(
        /^expected the runtime not to have valid receipts, but 3 receipts are valid, signed by key [0-9a-f]{16}\./,
      ),
    });
  });

  it("rejects for what proves nothing, also under .not", async () => {
    const unsigned = createRuntime({ agents: [{ id: "a", systemPrompt: "", provider: scriptedProvider([]) }] });
    const wrong = {} as { key: string };
    const cases: [unknown, object][] = [
      [[], { key }],
      [unsigned, { key }],
      [result, { key }],
      [undefined, { key }],
      [join(folder, "gone.jsonl"), { key }],
      [folder, { key }],
      [runtime, {}],
      [runtime, { key, trust: trustIn({ bytes: key }) }],
      [runtime, { key, keys: [] }],
      [runtime, { key: 1 }],
      [runtime, { key, run: runtime }],
      [runtime, { key, run: { ...result, droppedEvents: 1 } }],
    ];
    for (const [received, options] of cases) {
      for (const assertion of [expect(received), expect(received).not]) {
        expect(await rejection(assertion.toHaveValidReceipts(options as typeof wrong))).toMatchObject({
          code: "matcher-misuse",
        });
      }
    }
    expect(await rejection(expect(runtime).not.toHaveValidReceipts({ key: "no key" }))).toMatchObject({
      code: "invalid-options",
    });
    const { toHaveValidReceipts } = createMatchers({ load: async () => Promise.reject(new Error("unused")) });
    const context = { equals: Object.is, utils: { iterableEquality: undefined } };
    await expect(toHaveValidReceipts.call(context, "a.jsonl", { key })).rejects.toMatchObject({
      code: "matcher-misuse",
    });
  });
});
