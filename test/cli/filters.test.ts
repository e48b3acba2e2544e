// Filters at the doors of the command line. A recording of a coding agent replays on another day, in another folder, for another user.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { parseCassette } from "../../src/cassette/trust/load-cassette.js";
import { recordProxy, type ProxyOptions } from "../../src/cli/proxy/proxy.js";
import { serve, type ServeOptions } from "../../src/cli/serve/serve.js";
import type { Stop } from "../../src/cli/serve/listen.js";
import type { CommandIo } from "../../src/cli/terminal/io.js";
import { nodeFiles } from "../../src/host/files.js";
import { rejection } from "../support/refusal.js";
import { listen } from "../support/wire.js";
import { cli, documentOf, folder } from "./run.js";

interface Running {
  readonly url: string;
  stop(): Promise<{ out: string; err: string; code: number }>;
}

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close().catch(() => undefined);
});

async function start(command: (io: CommandIo, stop: Stop) => Promise<void>): Promise<Running> {
  const printed = { out: "", err: "", code: 0 };
  let end: () => void = () => undefined;
  const stop: Stop = { stopped: new Promise((resolve) => (end = resolve)), now: () => end() };
  let isUp: () => void = () => undefined;
  const up = new Promise<void>((resolve) => (isUp = resolve));
  const io: CommandIo = {
    stdout: (text) => void ((printed.out += text), /http:\/\/127/.test(printed.out) && isUp()),
    stderr: (text) => void (printed.err += text),
    env: {},
    cwd: folder,
    isTTY: false,
    stderrIsTTY: false,
    files: nodeFiles(),
    exit: (code) => (printed.code = code),
  };
  const done = command(io, stop);
  await Promise.race([up, done]);
  const stopNow = async () => {
    end();
    await done;
    return printed;
  };
  closing.push(stopNow);
  return { url: /http:\/\/127\.0\.0\.1:\d+/.exec(printed.out)?.[0] ?? "", stop: stopNow };
}

const serving = (paths: string[], options: Partial<ServeOptions> = {}) =>
  start((io, stop) => serve(paths, { port: 0, ...options }, io, stop));
const proxying = (target: string, out: string, options: Partial<ProxyOptions> = {}) =>
  start((io, stop) => recordProxy({ target, out, port: 0, refresh: false, json: false, ...options }, io, stop));

/** What differs from one run of the agent to the next. */
interface Place {
  home: string;
  folder: string;
  temporary: string;
  today: string;
  inWords: string;
  stamp: string;
  kernel: string;
  session: string;
  took: string;
}

const ANN: Place = {
  home: "/home/ann",
  folder: "/home/ann/shop",
  temporary: "/tmp/agent-1000/7f3a",
  today: "2026-11-22",
  inWords: "Sunday, November 22, 2026",
  stamp: "Nov 22 09:30",
  kernel: "6.8.0-49-generic",
  session: "0f8fad5b-d9cb-469f-a165-70867728950e",
  took: "1.23s",
};
const BOB: Place = {
  home: "/Users/bob.j",
  folder: "/Users/bob.j/clients/shop",
  temporary: "/private/var/folders/zz/x1/T",
  today: "2026-12-01",
  inWords: "Tuesday, December 1, 2026",
  stamp: "Dec  1 18:05",
  kernel: "6.11.2",
  session: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
  took: "948ms",
};

const systemPrompt = (at: Place) => `You are a coding agent. Use absolute paths.

<env>
Working directory: ${at.folder}
Is directory a git repo: Yes
Platform: linux
OS Version: Linux ${at.kernel}
Today's date: ${at.today} (${at.inWords})
Temporary files: ${at.temporary}
Memory: file://${at.home}/.agent/MEMORY.md
session_id: ${at.session}
</env>

gitStatus: This is the git status at the start of the conversation.
Current branch: main
Status:
M src/cart.ts

Recent commits:
a1b2c3d Add the cart`;

const listing = (at: Place) =>
  JSON.stringify({
    stdout: `-rw-r--r-- 1 dev dev 120 ${at.stamp} cart.ts\\n RUN  v4.0.1 ${at.folder}\\n Duration  ${at.took}\\n`,
    cwd: at.folder,
  });

type Message = Record<string, unknown>;
const CALL = {
  id: "call_1",
  type: "function",
  function: { name: "bash", arguments: '{"command":"ls -l && npm test"}' },
};
const choice = (message: object, finish_reason: string) =>
  JSON.stringify({ choices: [{ message: { role: "assistant", ...message }, finish_reason }] });
const SCRIPT = [
  choice({ content: null, tool_calls: [CALL] }, "tool_calls"),
  choice({ content: "All tests pass." }, "stop"),
];

async function vendor(): Promise<string> {
  let asked = 0;
  const live = await listen((request, response) => {
    request.resume();
    request.on("end", () => {
      response.writeHead(200, { "content-type": "application/json" }).end(SCRIPT[asked++]);
    });
  });
  closing.push(live.close);
  return live.baseURL;
}

async function post(url: string, messages: Message[]): Promise<{ status: number; text: string; message: Message }> {
  const body = JSON.stringify({ model: "m", messages });
  const response = await fetch(`${url}/chat/completions`, { method: "POST", body });
  const text = await response.text();
  const { choices = [] } = JSON.parse(text) as { choices?: { message: Message }[] };
  return { status: response.status, text, message: choices[0]?.message ?? {} };
}

/** Runs the agent at a place; its last answer, or the refusal. */
async function runAgent(url: string, at: Place): Promise<string> {
  const messages: Message[] = [
    { role: "system", content: systemPrompt(at) },
    { role: "user", content: "Do the tests pass?" },
  ];
  const first = await post(url, messages);
  if (first.status !== 200) return first.text;
  const [call] = first.message["tool_calls"] as { id: string }[];
  messages.push(first.message, { role: "tool", tool_call_id: call?.id, content: listing(at) });
  const last = await post(url, messages);
  return last.status === 200 ? String(last.message["content"]) : last.text;
}

async function recordedAs(file: string, options: Partial<ProxyOptions> = {}): Promise<CassetteV2> {
  const proxy = await proxying(await vendor(), file, options);
  expect(await runAgent(proxy.url, ANN)).toBe("All tests pass.");
  await proxy.stop();
  return parseCassette(readFileSync(join(folder, file))) as CassetteV2;
}

/** The filters that a miss names. */
const advised = (text: string): string[] => /--filter ([\w,:-]+)/.exec(text)?.[1]?.split(",") ?? [];

describe("a recording of a coding agent", () => {
  it("replays on another day, in another folder, for another user, with the filters that its misses name", async () => {
    const file = "agent.cassette.json";
    const recorded = await recordedAs(file);
    const before = readFileSync(join(folder, file), "utf8");
    expect(recorded.extensions?.filters).toBeUndefined();

    let filter: string[] | undefined;
    const lists: string[][] = [];
    for (let round = 0; round < 5; round++) {
      const server = await serving([file], filter === undefined ? {} : { filter });
      const answer = await runAgent(server.url, BOB);
      const { code, err } = await server.stop();
      if (answer === "All tests pass.") {
        expect(code).toBe(0);
        break;
      }
      expect(code).toBe(1);
      expect(answer).toContain("the two differ only in");
      expect(answer).toContain("Or start cassette serve with --filter");
      expect(advised(err)).toEqual(advised(answer));
      lists.push((filter = advised(answer)));
    }
    expect(lists).toEqual([
      ["uuid", "isoDate", "date", "path", "version"],
      ["uuid", "isoDate", "date", "path", "version", "duration"],
    ]);
    expect(readFileSync(join(folder, file), "utf8")).toBe(before);
  });

  it("needs no option at the replay where the recording has its filters", async () => {
    const file = "filtered-agent.cassette.json";
    const filter = ["isoDate", "date", "path", "version", "sessionId", "duration"];
    const recorded = await recordedAs(file, { filter });
    expect(recorded.extensions?.filters).toEqual(filter);
    expect(JSON.stringify(recorded.entries)).not.toMatch(/\/home\/ann|2026-11-22|6\.8\.0/);
    const server = await serving([file]);
    expect(await runAgent(server.url, BOB)).toBe("All tests pass.");
    expect((await server.stop()).code).toBe(0);
  });

  it("still misses where something else changed", async () => {
    const file = "other-agent.cassette.json";
    await recordedAs(file, { filter: ["isoDate", "date", "path", "version", "sessionId", "duration"] });
    const server = await serving([file]);
    const messages = [{ role: "system", content: systemPrompt(BOB).replace("main", "fix") }];
    const { status, text } = await post(server.url, [...messages, { role: "user", content: "Do the tests pass?" }]);
    expect(status).toBe(400);
    expect(text).not.toContain("differ only");
    await server.stop();
  });
});

describe("--filter and --filter-file", () => {
  it("take names several times, and patterns from a file that the cassette notes", async () => {
    const filters = ["path", "isoDate", { name: "words", pattern: "\\p{Lu}\\p{L}+, \\p{Lu}\\p{L}+ \\d+, \\d{4}" }];
    writeFileSync(join(folder, "filters.json"), JSON.stringify({ filters }));
    const options = { filterFile: "filters.json", filter: ["date", "path", "version", "sessionId", "duration"] };
    const recorded = await recordedAs("patterns.cassette.json", options);
    expect(recorded.extensions?.filters).toEqual([
      "path",
      "isoDate",
      "words",
      ...options.filter.filter((name) => name !== "path"),
    ]);
    expect(JSON.stringify(recorded.entries)).toContain("<words>");
    const server = await serving(["patterns.cassette.json"]);
    expect(await runAgent(server.url, BOB)).toBe("All tests pass.");
    await server.stop();
  });

  it.each([
    [
      ["serve", "a.cassette.json", "--filter", "dates"],
      '--filter names "dates", which is not a filter\n  hint: Give names, ',
    ],
    [["serve", "a.cassette.json", "--filter", "date,,path"], "not a filter"],
    [["import", "a.json", "--out", "out", "--filter", "dates"], "dates"],
    [["record", "--proxy", "--target", "http://127.0.0.1:9", "--out", "o.cassette.json", "--filter", "dates"], "dates"],
    [["import", "a.json", "--out", "out", "--filter-file", "none.json"], "there is no filter file at none.json"],
    [["record", "--filter", "date", "--", "true"], "--filter and --filter-file need --proxy"],
  ])("%j is refused before anything happens", async (argv, words) => {
    writeFileSync(join(folder, "a.cassette.json"), readFileSync(join(folder, "agent.cassette.json")));
    const { code, err } = await cli(argv);
    expect(code).toBe(2);
    expect(err).toContain(words);
    expect(existsSync(join(folder, "o.cassette.json"))).toBe(false);
  });

  it("are the same for an import", async () => {
    const messages = [
      { role: "system", content: systemPrompt(ANN) },
      { role: "user", content: "Do the tests pass?" },
      { role: "assistant", content: "Yes." },
    ];
    writeFileSync(join(folder, "log.json"), JSON.stringify({ messages }));
    const filter = "isoDate,date,path,version,sessionId";
    const ran = await cli(["import", "log.json", "--out", "imported", "--model", "m", "--filter", filter, "--json"]);
    expect(ran.code).toBe(0);
    const { written } = documentOf(ran) as unknown as { written: { file: string }[] };
    const file = written[0]?.file ?? "";
    const imported = parseCassette(readFileSync(join(folder, file))) as CassetteV2;
    expect(imported.extensions).toMatchObject({ filtered: true, filters: filter.split(",") });
    const server = await serving([file]);
    const { message } = await post(server.url, [
      { role: "system", content: systemPrompt(BOB) },
      messages[1] as Message,
    ]);
    expect(message["content"]).toBe("Yes.");
    await server.stop();
  });

  it("refuses a proxy without the file of its filters", async () => {
    const options = { filterFile: "none.json" };
    const error = await rejection(
      recordProxy(
        { target: "http://127.0.0.1:9", out: "x.cassette.json", port: 0, refresh: false, json: false, ...options },
        { env: {}, cwd: folder, files: nodeFiles() } as CommandIo,
      ),
    );
    expect(error).toMatchObject({ code: "file-not-found", file: "none.json" });
  });
});
