// The face on real parts: OpenAI's wire over a loopback server that holds a conversation to its rules, recordings, and processes.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import { formatCassette, type Cassette } from "../../../src/cassette/index.js";
import { runCli } from "../../../src/cli/main.js";
import type { CliIo } from "../../../src/cli/terminal/io.js";
import { toolHook } from "../../../src/core/env/hooks/tools.js";
import type { EnvEvent } from "../../../src/core/env/run/event.js";
import { createEnvRuntime } from "../../../src/core/env/runtime.js";
import type { Storage } from "../../../src/core/env/storage/storage.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import type { LlmProviderAdapter } from "../../../src/core/model/provider.js";
import { createSigner } from "../../../src/core/canon/signature.js";
import { fromHex } from "../../../src/core/canon/bytes.js";
import { verifyReceipts } from "../../../src/core/receipts/verify.js";
import { openaiProvider } from "../../../src/core/vendors/providers.js";
import { VENDORS } from "../../../src/core/vendors/vendors.js";
import { openFileStorage } from "../../../src/host/env/file-storage.js";
import { nodeFiles } from "../../../src/host/files.js";
import { createNodeEnv } from "../../../src/host/env/node-env.js";
import { assertBuilt, compiledModule } from "../../support/built.js";
import { isWhole } from "../../support/env.js";
import { ask, say, tool } from "../../support/script.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const folder = temporaryFolder();
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
  folder.remove();
});

interface Vendor {
  readonly provider: LlmProviderAdapter;
  readonly server: Server;
  readonly asked: LlmMessage[][];
  refused: number;
}

/** Answers 400 where a tool message has no call in front of it, or a call no result behind it, as OpenAI does. */
async function startVendor(steps: number): Promise<Vendor> {
  const asked: LlmMessage[][] = [];
  let [taken, told] = [0, 0];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { request: turn } = VENDORS.openai.parse(JSON.parse(Buffer.concat(chunks).toString()) as never);
      asked.push([...turn.messages]);
      response.setHeader("content-type", "application/json");
      if (!isWhole(turn.messages)) {
        vendor.refused += 1;
        response.statusCode = 400;
        response.end(JSON.stringify({ error: { message: "a tool call and its result must stand together" } }));
        return;
      }
      const isSummary = (turn.messages[0]?.content as string).startsWith("You summarise");
      const step = () => (++taken < steps ? ask([{ name: "look", id: `call_${taken}` }]) : say("The end."));
      const answer = isSummary ? say(`What happened, part ${++told}.`) : step();
      response.end(JSON.stringify(VENDORS.openai.write(answer, { id: "x", createdAt: 0, model: "m" })));
    })();
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const vendor: Vendor = {
    provider: openaiProvider({ model: "m", apiKey: "none", baseURL }),
    server,
    asked,
    refused: 0,
  };
  return vendor;
}

const look = tool("look", () => "r".repeat(8_000));
const compaction = { maxTokens: 20_000, keepTokens: 4_000 };
const key = "07".repeat(32);

async function play(provider: LlmProviderAdapter, storage: Storage, root: string) {
  const events: EnvEvent[] = [];
  const env = createNodeEnv({ hook: toolHook([look]), root });
  const onAgentEvent = env.onAgentEvent.bind(env);
  env.onAgentEvent = (agent, id, event) => {
    onAgentEvent(agent, id, event);
    const { runId: _runId, ...rest } = event;
    events.push(rest as EnvEvent);
  };
  const agents = [{ name: "a", instructions: "Look.", compaction, streaming: false }];
  const runtime = createEnvRuntime({ storage, provider, env }, { agents, signingKey: key });
  const response = await runtime.send({ agent: "a", content: "Go." });
  const first = await runtime.archive("a", "", "archive-1");
  const entries = await storage.conversations.read("a:", 0, 1_000);
  await runtime.destroy();
  return { response, first, entries, events, receipts: runtime.receipts };
}

async function command(args: string[], io: Pick<CliIo, "cwd" | "files" | "env">) {
  let out = "";
  const stdout = (text: string) => void (out += text);
  const code = await runCli(args, { ...io, stdout, stderr: stdout, isTTY: false, stderrIsTTY: false });
  return { code, out };
}

describe("a long conversation on OpenAI's wire", () => {
  it("is compacted without a refusal, recorded, replayed without the server, and missed when an instruction changes", async () => {
    const vendor = await startVendor(40);
    const root = folder.path("root");
    mkdirSync(root);
    writeFileSync(join(root, "AGENTS.md"), "Use tabs.");
    const recorder = recordingProvider(vendor.provider);
    const storage = await openFileStorage(folder.path("live"));
    const live = await play(recorder, storage, root);
    expect(vendor.refused).toBe(0);
    expect(live.response.archives.length).toBeGreaterThanOrEqual(4);
    expect(live.response.finalAnswer).toBe("The end.");
    const beforeSummary =
      vendor.asked[vendor.asked.findIndex(([head]) => (head?.content as string).startsWith("You")) - 1] ?? [];
    expect(beforeSummary.slice(2, 2 + (live.first?.length ?? 0))).toEqual(live.first);
    storage.close();

    // The receipts cover every turn, the summaries included.
    const turns = live.receipts.filter(({ body }) => body.kind === "turn");
    expect(turns).toHaveLength(vendor.asked.length);
    const { publicKey } = createSigner(fromHex(key) as Uint8Array);
    expect(verifyReceipts(live.receipts, publicKey)).toMatchObject({ kind: "ok" });

    const cassette: Cassette = await recorder.toCassette({ agentId: "a:" });
    expect(cassette.entries).toHaveLength(vendor.asked.length);
    const hexKey = Buffer.from(publicKey).toString("hex");
    const at = { cwd: folder.path("."), files: nodeFiles(), env: {} };
    writeFileSync(folder.path("long.cassette.json"), formatCassette(cassette));
    writeFileSync(folder.path("long.jsonl"), live.receipts.map((receipt) => `${JSON.stringify(receipt)}\n`).join(""));
    const verified = await command(["verify", "--receipts", "long.jsonl", "--key", hexKey, "long.cassette.json"], at);
    expect(verified.out).toContain(`covered    long.cassette.json  ${turns.length} of ${turns.length} turns`);
    expect(verified.code).toBe(0);
    writeFileSync(folder.path("edited.cassette.json"), formatCassette(cassette).replace("part 1.", "part 7."));
    expect((await command(["verify", "edited.cassette.json"], at)).code).toBe(3);
    vendor.server.closeAllConnections();
    vendor.server.close();
    const player = cassetteProvider(cassette, {});
    const again = await openFileStorage(folder.path("replayed"));
    const replayed = await play(player, again, root);
    again.close();
    player.assertConsumed();
    expect(replayed.events).toEqual(live.events);
    expect(replayed.entries).toEqual(live.entries);
    expect(replayed.response).toEqual({ ...live.response, runId: replayed.response.runId });

    writeFileSync(join(root, "AGENTS.md"), "Use tabz.");
    const third = await openFileStorage(folder.path("missed"));
    await expect(play(cassetteProvider(cassette, {}), third, root)).rejects.toThrow(/\/1\/content/);
    third.close();
  });
});

const WRITER = `
  import { once } from "node:events";
  const [core, env, host, folder, name, count] = process.argv.slice(2);
  const { openFileStorage } = await import(host);
  const { createEnvRuntime } = await import(env);
  const storage = await openFileStorage(folder);
  let answered = 0;
  const say = (content) => ({ message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" });
  // In its first run, each process waits for the other one. Later, the other gets its turn between the two appends of a run.
  const other = () => { process.stdout.write("waiting\\n"); return once(process.stdin, "data").finally(() => process.stdin.destroy()); };
  const later = () => new Promise((resolve) => setTimeout(resolve, answered % 3));
  const provider = { turn: async ({ messages }) => { await (answered++ === 0 ? other() : later()); return say("re " + messages.at(-1).content); } };
  const runtime = createEnvRuntime({ storage, provider, env: {} }, { agents: [{ name: "a", instructions: "", compaction: { maxTokens: 2_000, keepTokens: 200 } }] });
  for (let number = 0; number < Number(count); number++) {
    const content = name + number;
    // The log loads at every moment.
    await runtime.conversation("a");
    try {
      const { finalAnswer } = await runtime.send({ agent: "a", content });
      console.log(JSON.stringify({ content, finalAnswer }));
    } catch (error) {
      console.log(JSON.stringify({ content, code: error.code, retryable: error.retryable }));
    }
  }
  storage.close();
`;

interface Sent {
  content: string;
  finalAnswer?: string;
  code?: string;
  retryable?: boolean;
}

/** Messages of each process. `npm run laws` sends more. */
const WRITES = Number(process.env["PLAYHEAD_WRITES"] ?? 60);

describe("two processes on one conversation", () => {
  it(
    "never interleave: what resolved is stored once with its answer, and the rest is a retryable conflict",
    { timeout: WRITES * 2_000 },
    async () => {
      assertBuilt();
      const script = folder.path("writer.mjs");
      writeFileSync(script, WRITER);
      const shared = folder.path("shared");
      const modules = ["core/index.js", "core/env/index.js", "host/index.js"].map(
        (path) => pathToFileURL(compiledModule(path)).href,
      );
      (await openFileStorage(shared)).close();
      const writers = ["x", "y"].map((name) =>
        spawn(process.execPath, [script, ...modules, shared, name, String(WRITES)], {
          stdio: ["pipe", "pipe", "inherit"],
        }),
      );
      let waiting = 0;
      const write = async (child: (typeof writers)[number]): Promise<Sent[]> => {
        const ended = once(child, "close") as Promise<[number]>;
        const lines: Sent[] = [];
        for await (const line of createInterface({ input: child.stdout }))
          if (line !== "waiting") lines.push(JSON.parse(line) as Sent);
          else if (++waiting === writers.length) for (const { stdin } of writers) stdin.end("go");
        expect((await ended)[0]).toBe(0);
        return lines;
      };
      const sent = (await Promise.all(writers.map(write))).flat();
      const storage = await openFileStorage(shared);
      const runtime = createEnvRuntime(
        { storage, provider: { turn: () => Promise.reject(new Error("no")) }, env: {} },
        { agents: [{ name: "a", instructions: "" }] },
      );
      expect(isWhole((await runtime.conversation("a")).context)).toBe(true);
      const entries = await storage.conversations.read("a:", 0, 100_000);
      const texts = entries.flatMap((entry) => (entry.kind === "message" ? [entry.message.content] : []));
      for (const { content, finalAnswer, code, retryable } of sent) {
        const answers = texts.filter(
          (text) => typeof text === "string" && text.startsWith("re ") && text.endsWith(` ${content}`),
        );
        if (finalAnswer === undefined)
          expect({ code, retryable }).toEqual({ code: "conversation-failed", retryable: true });
        else
          expect([
            texts.filter((text) => text === content).length,
            texts.filter((text) => text === finalAnswer).length,
          ]).toEqual([1, 1]);
        expect(answers.length).toBeLessThanOrEqual(1);
      }
      expect(sent.filter(({ finalAnswer }) => finalAnswer !== undefined).length).toBeGreaterThan(10);
      expect(sent.filter(({ code }) => code !== undefined).length).toBeGreaterThan(0);
      storage.close();
    },
  );
});
