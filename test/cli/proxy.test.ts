// What a recording proxy must survive: clients that leave or send rubbish, disks that refuse, signals, and being killed.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { request, type IncomingMessage, type RequestOptions } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { createProxyOutput } from "../../src/cli/proxy/output.js";
import { clientSettings } from "../../src/cli/child/base-url-variables.js";
import { createSaver } from "../../src/cli/proxy/saver.js";
import { createCassetteStore, formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { nodeFiles } from "../../src/host/files.js";
import { assertBuilt, cassetteBin } from "../support/built.js";
import { weatherCassette } from "../support/recording.js";
import { listen } from "../support/wire.js";
import { ANSWER, ask, chat, closeLater, load, proxying, vendor } from "./proxying.js";
import { cli, folder } from "./run.js";
import { startServe } from "./serve/running.js";

describe("a turn that only an exchange can hold", () => {
  it.each<[string, Uint8Array]>([
    ["a compressed request", gzipSync(chat("q"))],
    ["a request that is not UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
  ])("is %s", async (name, body) => {
    const file = `${name.replaceAll(" ", "-")}.cassette.json`;
    const proxy = await proxying(await vendor(ANSWER), file);
    await (await ask(proxy.url, chat("first"))).text();
    expect(await (await ask(proxy.url, body)).text()).toBe(ANSWER);
    await proxy.stop();
    const { entries, extensions } = load(file);
    expect(entries).toHaveLength(1);
    expect(extensions?.exchanges).toMatchObject([{ path: "/chat/completions", status: 200 }]);
    expect(proxy.printed.code).toBe(0);
    expect(proxy.printed.err).toContain(
      "recorded as an exchange: POST /chat/completions: the request's body is not UTF-8",
    );
  });

  it("is one that asks for several answers", async () => {
    const proxy = await proxying(await vendor(ANSWER), "several.cassette.json");
    await (await ask(proxy.url, chat("first"))).text();
    await (await ask(proxy.url, chat("q", { n: 2 }))).text();
    await proxy.stop();
    expect(proxy.printed.err).toContain("n asks for 2 answers, and a turn has one");
    const { entries, extensions } = load("several.cassette.json");
    expect([proxy.printed.code, entries.length]).toEqual([0, 1]);
    expect(extensions?.exchanges).toMatchObject([
      { request: { text: expect.stringContaining('"n":2') }, response: { json: JSON.parse(ANSWER) } },
    ]);
  });

  it("is not kept if the vendor refuses it, as any refused turn", async () => {
    const live = await listen((request, response) => {
      request.resume();
      response.writeHead(400, { "content-type": "application/json" }).end("{}");
    });
    closeLater(live.close);
    const proxy = await proxying(live.baseURL, "refused.cassette.json");
    expect((await ask(proxy.url, chat("q", { n: 2 }))).status).toBe(400);
    await expect(proxy.stop()).rejects.toMatchObject({ code: "nothing-recorded" });
  });

  it("is neither a compressed answer nor a stream under another name", async () => {
    const zipped = await proxying(
      await vendor(gzipSync(ANSWER), { "content-encoding": "gzip" }),
      "zipped.cassette.json",
    );
    expect(await (await ask(zipped.url, chat("q"))).text()).toBe(ANSWER);
    await zipped.stop();
    expect(load("zipped.cassette.json").entries[0]?.response.finalAnswer).toBe("ok");
    const events = `data: ${JSON.stringify({ choices: [{ delta: { content: "ok" }, finish_reason: "stop" }] })}\n\n`;
    const mislabelled = await proxying(await vendor(`${events}data: [DONE]\n\n`), "mislabelled.cassette.json");
    await (await ask(mislabelled.url, chat("q", { stream: true }))).text();
    await mislabelled.stop();
    expect(load("mislabelled.cassette.json").entries[0]?.response.finalAnswer).toBe("ok");
  });
});

describe("a target that cannot be reached", () => {
  it("is said as it happens", async () => {
    const proxy = await proxying("http://127.0.0.1:1", "unreached.cassette.json");
    expect((await ask(proxy.url, chat("q"))).status).toBe(502);
    expect(proxy.printed.err).toContain("not answered: 127.0.0.1:1 could not be reached");
    await expect(proxy.stop()).rejects.toMatchObject({ code: "nothing-recorded" });
  });
});

/** The status of a request with any method and headers, which fetch does not allow. */
async function statusOf(url: string, options: RequestOptions): Promise<number | undefined> {
  const [response] = (await once(request(url, options).end(), "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

describe("connection checks", () => {
  it("are answered alike while recording and replaying, and are never recorded", async () => {
    let asked = 0;
    const live = await listen((request, response) => {
      asked++;
      request.resume();
      request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end(ANSWER));
    });
    closeLater(live.close);
    const check = async (url: string): Promise<void> => {
      const upgrade = { connection: "Upgrade", upgrade: "websocket" };
      expect(await statusOf(url, { method: "HEAD" })).toBe(200);
      expect(await statusOf(`${url}/v1/responses`, { headers: upgrade })).toBe(426);
    };
    const proxy = await proxying(live.baseURL, "probed.cassette.json");
    await check(proxy.url);
    await (await ask(proxy.url, chat("q"))).text();
    await proxy.stop();
    expect([asked, proxy.printed.code, load("probed.cassette.json").extensions?.exchanges]).toEqual([1, 0, undefined]);
    const line = "GET /v1/responses was a connection check: 1 time\n";
    expect(proxy.printed.out).toContain(line);
    const server = await startServe(["probed.cassette.json"]);
    for (const _ of [1, 2]) await check(server.url);
    await (await ask(server.url, chat("q"))).text();
    const { code, out } = await server.stop();
    expect([code, out]).toEqual([0, expect.stringContaining(line.replace("1 time", "2 times"))]);
    expect(out).toContain("1 answered, 0 misses, 0 refused, 0 unused");
  });
});

describe("a name that a client gives its recording", () => {
  const named = (url: string, content: string, name: string) =>
    ask(url, chat(content), { "x-playhead-cassette": name });

  it("is refused where its file was there before, and replaced with --refresh", async () => {
    const target = await vendor(ANSWER);
    const before = await proxying(target, "given/");
    await (await named(before.url, "old", "t1")).text();
    await before.stop();
    const again = await proxying(target, "given/");
    const refused = await named(again.url, "new", "t1");
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("record with --refresh")]);
    await (await named(again.url, "other", "t2")).text();
    await again.stop();
    expect([again.printed.code, readdirSync(join(folder, "given")).sort()]).toEqual([
      1,
      ["t1.cassette.json", "t2.cassette.json"],
    ]);
    expect(again.printed.err).toContain(
      "was not passed on: x-playhead-cassette names a recording, but given/t1.cassette",
    );
    const refreshed = await proxying(target, "given/", { refresh: true });
    for (const content of ["new", "newer"]) await (await named(refreshed.url, content, "t1")).text();
    await refreshed.stop();
    expect([refreshed.printed.code, load("given/t1.cassette.json").entries.length]).toEqual([0, 2]);
  });

  it("belongs to it within one run, whichever recording came first", async () => {
    const target = await vendor(ANSWER);
    const proxy = await proxying(target, "owned/");
    await (await ask(proxy.url, chat("t1"))).text();
    while (!existsSync(join(folder, "owned/t1.cassette.json"))) await new Promise((resolve) => setTimeout(resolve, 20));
    await (await named(proxy.url, "named one", "t1")).text();
    await (await named(proxy.url, "named two", "t2")).text();
    await (await ask(proxy.url, chat("t2"))).text();
    await proxy.stop();
    const asked = (file: string) => load(`owned/${file}.cassette.json`).entries[0]?.prompt?.messages[0]?.content;
    expect(["t1", "t1-2", "t2", "t2-2"].map(asked)).toEqual(["named one", "t1", "named two", "t2"]);
    expect(proxy.printed.code).toBe(0);
    expect(
      proxy.printed.out
        .split("\n")
        .filter((line) => line.startsWith("recorded "))
        .sort(),
    ).toEqual(
      ["t1", "t1-2", "t2", "t2-2"].map((file) => `recorded ${join("owned", file)}.cassette.json, 1 turn`).sort(),
    );
  });

  it.each(["a%C2%85b", "a%E2%80%AEb", "com%C2%B9", "LPT%C2%B2.txt", "CONIN$", "conout$.log", "nul .txt", "%EF%BB%BFa"])(
    "is refused where a system reserves it or nobody can see it whole: %s",
    async (name) => {
      const proxy = await proxying(await vendor(ANSWER), "unseen/");
      expect((await named(proxy.url, "q", name)).status).toBe(400);
      await expect(proxy.stop()).rejects.toMatchObject({ code: "nothing-recorded" });
    },
  );

  it("is refused where it holds a secret, which is printed nowhere", async () => {
    const key = "sk-" + "proj-" + "a1B2".repeat(12);
    const proxy = await proxying(await vendor(ANSWER), "keyed/");
    const refused = await named(proxy.url, "q", key);
    expect([refused.status, await refused.text()]).toEqual([400, expect.not.stringContaining("a1B2")]);
    expect(proxy.printed.err).toContain("contains text that looks like a secret");
    expect(proxy.printed.err).not.toContain("a1B2");
    await expect(proxy.stop()).rejects.toMatchObject({ code: "nothing-recorded" });
  });
});

describe("a client that leaves before its answer", () => {
  it.each([
    ["comes", false],
    ["has a body", true],
  ])("loses a turn that the vendor may have charged for: before the answer %s", async (_, hasHead) => {
    let isAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const live = await listen((request, response) => {
      request.resume();
      request.on("end", () => {
        if (request.url?.includes("first") === true) return void response.end(ANSWER);
        if (hasHead) response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
        isAsked();
      });
    });
    closeLater(live.close);
    const proxy = await proxying(live.baseURL, `left-${hasHead}.cassette.json`);
    await (await fetch(`${proxy.url}/chat/completions?first`, { method: "POST", body: chat("q") })).text();
    const leaving = new AbortController();
    const left = fetch(`${proxy.url}/chat/completions`, {
      method: "POST",
      body: chat("slow"),
      signal: leaving.signal,
    }).then((response) => response.text());
    await asked;
    leaving.abort();
    await expect(left).rejects.toThrow();
    while (!proxy.printed.err.includes("not recorded")) await new Promise((resolve) => setTimeout(resolve, 20));
    await proxy.stop();
    expect([proxy.printed.code, proxy.printed.err]).toEqual([
      1,
      "not recorded: POST /chat/completions: the client left before the answer came\n",
    ]);
    expect(proxy.printed.out).toContain("POST /chat/completions could not be recorded: 1 time\n");
    expect(proxy.printed.out).not.toContain("not answered with success");
    expect(load(`left-${hasHead}.cassette.json`).entries).toHaveLength(1);
  });
});

describe("cassette record --proxy with a command", () => {
  const AGENT = `const { OPENAI_BASE_URL, OPENAI_API_KEY, ANTHROPIC_BASE_URL, OLLAMA_HOST } = process.env;
    const ask = (path) => fetch(OPENAI_BASE_URL + path, { method: "POST", headers: { authorization: OPENAI_API_KEY },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "q" }] }) }).then((answer) => answer.text());
    const [path, code = "0"] = process.argv.slice(1);
    if (path) await ask(path);
    if (new URL(ANTHROPIC_BASE_URL).host !== new URL(OLLAMA_HOST).host) process.exit(9);
    process.exit(Number(code));`;
  const run = async (out: string, target: string, ...given: string[]) => {
    const flags = ["record", "--proxy", "--target", target, "--out", out];
    const command = ["--", process.execPath, "--input-type=module", "-e", AGENT, ...given];
    return cli([...flags, ...command], { env: { PATH: process.env["PATH"] ?? "", OPENAI_API_KEY: "sk-mine" } });
  };

  it("records what the command asks, with its own key, and ends when it ends", async () => {
    const keys: unknown[] = [];
    const live = await listen((request, response) => {
      keys.push(request.headers.authorization);
      request.resume();
      request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end(ANSWER));
    });
    closeLater(live.close);
    const { code, out, err } = await run("command.cassette.json", `${live.baseURL}/v1`, "/chat/completions");
    expect([code, out, err, keys]).toEqual([0, "", "recorded command.cassette.json, 1 turn\n", ["sk-mine"]]);
    expect(load("command.cassette.json").entries).toHaveLength(1);
  });

  it.each([
    ["/chat/completions", "7", 7, "recorded ended-7.cassette.json, 1 turn\n"],
    ["", "7", 7, "no turn was recorded\n"],
    ["/embeddings", "0", 0, "recorded ended-0.cassette.json, 1 exchange\n"],
    ["", "0", 2, "hint: The command sent no request to this proxy"],
  ])("asks for %j, ends with %s: exits %i", async (path, ending, expected, text) => {
    const file = `ended-${ending}.cassette.json`;
    rmSync(join(folder, file), { force: true });
    const { code, err } = await run(file, await vendor(ANSWER), path, ending);
    expect([code, err]).toEqual([expected, expect.stringContaining(text)]);
  });

  it("says that every request failed, and how to record errors", async () => {
    const live = await listen((request, response) => {
      request.resume();
      request.on("end", () => response.writeHead(401).end());
    });
    closeLater(live.close);
    const { code, err } = await run("unauthorised.cassette.json", `${live.baseURL}/v1`, "/chat/completions");
    expect([code, err]).toEqual([
      2,
      "POST /v1/chat/completions failed, not recorded: 1 time\n" +
        "error: no turn was recorded\n" +
        "  file: unauthorised.cassette.json\n" +
        "  hint: Every request failed. Check the key, the model and --target. To record the vendor's errors too, add --keep-errors.\n",
    ]);
  });

  it("says that a command cannot be started", async () => {
    const flags = ["record", "--proxy", "--target", "http://127.0.0.1:1", "--out", "unstarted.cassette.json"];
    const { code, err } = await cli([...flags, "--", "no-such-program"]);
    expect([code, err]).toEqual([2, expect.stringContaining('"no-such-program" could not be started')]);
  });

  it.each([
    ["https://api.openai.com/v1", "/v1"],
    ["https://api.anthropic.com", "/v1"],
    ["https://generativelanguage.googleapis.com/v1beta/openai/", ""],
  ])("gives clients of OpenAI the base that goes with %s", (target, path) => {
    expect(clientSettings("http://a", new URL(target))["OPENAI_BASE_URL"]).toBe(`http://a${path}`);
  });
});

describe("the files of a proxy", () => {
  const store = createCassetteStore(nodeFiles());
  const place = (overwrite: boolean) => ({ files: nodeFiles(), store, cwd: folder, overwrite });

  it("are refused before anything was spent: a name no command finds, an invalid place", async () => {
    const flags = ["record", "--proxy", "--port", "0", "--target", "http://127.0.0.1:1"];
    const named = await cli([...flags, "--out", "rec/openai"]);
    expect([named.code, named.err]).toEqual([2, expect.stringContaining("does not end in .cassette.json")]);
    writeFileSync(join(folder, "plain-file"), "");
    const below = await cli([...flags, "--out", "plain-file/run.cassette.json"]);
    expect([below.code, below.err]).toEqual([2, expect.stringContaining("cannot make the folder")]);
  });

  it("replace what was there at the start, and nothing that came since", async () => {
    mkdirSync(join(folder, "shared"), { recursive: true });
    const cassette = await weatherCassette();
    const first = await createProxyOutput(join(folder, "shared"), place(false));
    for (const number of [0, 1]) await first.write(number, cassette, "run");
    const [left, right] = await Promise.all([
      createProxyOutput(join(folder, "shared"), place(true)),
      createProxyOutput(join(folder, "shared"), place(true)),
    ]);
    const others = { ...cassette, recordedAt: "2030-01-01T00:00:00.000Z" };
    expect(await left.write(0, others, "run")).toMatch(/run\.cassette\.json$/);
    // The other proxy finds the first changed since it started, and takes the next.
    expect(await right.write(0, await weatherCassette(), "run")).toMatch(/run-2\.cassette\.json$/);
    expect(await right.write(1, await weatherCassette(), "run")).toMatch(/run-3\.cassette\.json$/);
    expect(left.stale().map((path) => path.slice(-19))).toEqual(["/run-2.cassette.json".slice(-19)]);
    expect(readdirSync(join(folder, "shared"))).toHaveLength(3);
  });

  it("give a name to a client while its first file is still being written", async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let isWritten: () => void = () => undefined;
    const written = new Promise<void>((resolve) => (isWritten = resolve));
    const save: typeof store.save = async (...given) => {
      await store.save(...given);
      isWritten();
      await held;
    };
    const out = join(folder, "held");
    const output = await createProxyOutput(`${out}/`, { ...place(false), store: { ...store, save } });
    await output.check();
    const unnamed = output.write(0, await weatherCassette());
    await written;
    const [file = ""] = readdirSync(out);
    const claimed = output.claim(file.slice(0, -".cassette.json".length));
    release();
    expect([await claimed, await unnamed]).toEqual([undefined, join(out, file)]);
  });

  it("lose none but the one that cannot be written", async () => {
    const cassette = await weatherCassette();
    const said: string[] = [];
    const saver = createSaver({
      cassetteOf: () => cassette,
      write: async (conversation) => {
        if (conversation === 0) throw new Error("the disk is full");
        return `${conversation}`;
      },
      failed: (why) => said.push(why),
    });
    for (const conversation of [0, 1, 2]) saver.changed(conversation);
    const saved = await saver.finish();
    const turns = cassette.entries.length;
    expect(saved).toEqual([
      { turns, error: "the disk is full" },
      { file: "1", turns },
      { file: "2", turns },
    ]);
    expect(said).toEqual(["the disk is full"]);
  });
});

describe.skipIf(process.platform === "win32")("a proxy as a process of its own", () => {
  beforeAll(assertBuilt);

  async function begin(file: string, target?: string) {
    const { CI: _ci, ...env } = process.env;
    const args = ["record", "--proxy", "--target", target ?? (await vendor(ANSWER)), "--out", file, "--port", "0"];
    const child = spawn(process.execPath, [cassetteBin, ...args], { cwd: folder, env });
    closeLater(async () => void child.kill("SIGKILL"));
    const ended = once(child, "close");
    const [first] = (await once(child.stdout, "data")) as [Buffer];
    return { child, ended, url: /http:\/\/127\.0\.0\.1:\d+/.exec(first.toString())?.[0] ?? "" };
  }

  it("has written a conversation soon after its answer, so that kill -9 takes nothing of it", async () => {
    const { child, ended, url } = await begin("killed.cassette.json");
    await (await ask(url, chat("q"))).text();
    while (!existsSync(join(folder, "killed.cassette.json"))) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill("SIGKILL");
    await ended;
    expect(load("killed.cassette.json").entries).toHaveLength(1);
    expect((await cli(["verify", "--require-integrity", "killed.cassette.json"])).code).toBe(0);
  });

  it("has written the answered turns before an open one, so that kill -9 takes none of them", async () => {
    let asked = 0;
    const live = await listen((request, response) => {
      request.resume();
      // The third turn is never answered.
      request.on("end", () => (++asked < 3 ? response.end(ANSWER) : undefined));
    });
    closeLater(live.close);
    const { child, ended, url } = await begin("open/", live.baseURL);
    const named = { "x-playhead-cassette": "parallel" };
    for (const content of ["one", "two"]) await (await ask(url, chat(content), named)).text();
    const open = ask(url, chat("open"), named).catch(() => undefined);
    while (!existsSync(join(folder, "open/parallel.cassette.json"))) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    child.kill("SIGKILL");
    await Promise.all([ended, open]);
    expect(load("open/parallel.cassette.json").entries).toHaveLength(2);
    expect((await cli(["verify", "--require-integrity", "open/parallel.cassette.json"])).code).toBe(0);
  });

  it("ends at once, as a server, where its command cannot be started", async () => {
    writeFileSync(join(folder, "served.cassette.json"), formatCassette(await weatherCassette()));
    const { status, stderr } = spawnSync(
      process.execPath,
      [cassetteBin, "serve", "served.cassette.json", "--", "no-such-program"],
      {
        cwd: folder,
        encoding: "utf8",
        timeout: 60_000,
      },
    );
    expect([status, stderr]).toEqual([2, expect.stringContaining('"no-such-program" could not be started')]);
  });

  it("writes its files though the signal comes twice", async () => {
    const { child, ended, url } = await begin("twice.cassette.json");
    await (await ask(url, chat("q"))).text();
    child.kill("SIGINT");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(load("twice.cassette.json").entries).toHaveLength(1);
  });
});
