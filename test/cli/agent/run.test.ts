import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { workspaceOf } from "../../../src/cassette/index.js";
import { assertBuilt } from "../../support/built.js";
import { listen } from "../../support/wire.js";
import { KEY, load, recorded, repository, run, standIn, startModel, takeRecordings } from "./running.js";

let model: Awaited<ReturnType<typeof startModel>>;
let folder: string;
let file: string;

beforeAll(async () => {
  assertBuilt();
  model = await startModel();
  folder = await recorded(model.url);
  file = `__cassettes__/claude/${readdirSync(join(folder, "__cassettes__/claude"))[0]}`;
});
afterAll(() => model.close());

const replay = (cwd: string, ...args: string[]) =>
  run(cwd, ["replay", "--agent", "claude", "--", "node", standIn, ...args]);

describe("record --agent", () => {
  it("keeps one cassette with the repository and the files that each turn changed", () => {
    const cassette = load(folder, file);
    expect(cassette.entries).toHaveLength(3);
    expect(workspaceOf(cassette)).toEqual({
      agent: "claude",
      git: { commit: expect.stringMatching(/^[0-9a-f]{40}$/), branch: "trunk", changed: ["a.txt"] },
      changes: [
        { step: 1, turn: 0, path: "note.txt", after: { size: 8, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
      ],
    });
  });

  it("keeps the texts of files with --keep-contents, except those with a secret", async () => {
    const whole = await recorded(model.url, "--keep-contents", "--out", "own/");
    const [name] = readdirSync(join(whole, "own"));
    expect(workspaceOf(load(whole, `own/${name}`))?.changes[0]?.after?.contents).toBe("by small");

    const secret = repository();
    const args = ["record", "--agent", "claude", "--target", model.url, "--keep-contents", "--", "node", standIn];
    const key = `sk-ant-api03-${"aB3".repeat(31)}AA`;
    expect((await run(secret, [...args, `write=${key}`], KEY)).code).toBe(0);
    const [other] = readdirSync(join(secret, "__cassettes__/claude"));
    const noted = workspaceOf(load(secret, `__cassettes__/claude/${other}`));
    expect(noted?.changes[0]?.after?.contents).toBeUndefined();
    expect(noted?.notes).toEqual(["the contents of note.txt are left out: they look like a secret"]);
  });

  it("refuses a vendor's host past the server, and lets any other through", async () => {
    const other = await listen((_, response) => response.end("ok"));
    const cwd = repository();
    const args = ["record", "--agent", "claude", "--target", model.url, "--", "node", standIn];
    const through = await run(cwd, [...args, `call=${new URL(other.baseURL).host}`], KEY);
    await other.close();
    expect(through.out).toContain("HTTP/1.1 200 Connection established");
    expect(through.err).toContain(`CONNECT ${new URL(other.baseURL).host} passed through, encrypted: 1 time`);
    expect(through.code).toBe(0);

    const refused = await run(repository(), [...args, "call=api.openai.com:443"], KEY);
    expect(refused.out).toContain("HTTP/1.1 403");
    expect(refused.err).toContain("claude called api.openai.com past this server");
    expect(refused.code).toBe(1);
  });

  /** Records the stand-in agent in a process that runs `code` first. */
  const recordAfter = (cwd: string, code: string, env: Record<string, string> = {}) => {
    const whole = `process.argv.splice(1, 0, ""); ${code}; await import(${JSON.stringify(standIn)})`;
    const command = ["node", "--input-type=module", "-e", whole];
    return run(cwd, ["record", "--agent", "claude", "--target", model.url, "--", ...command], { ...KEY, ...env });
  };

  it("does not count a connection to itself", async () => {
    const ran = await recordAfter(repository(), "process.argv[2] = 'call=' + process.env.ANTHROPIC_BASE_URL.slice(7)");
    expect(ran.out).toContain("HTTP/1.1 200 Connection established");
    expect(ran.err).not.toContain("CONNECT");
    expect(ran.code).toBe(0);
  });

  it("sets PWD to the folder that it watches, and lets Node use the proxy", async () => {
    const cwd = repository();
    const code = "console.log(process.env.PWD, process.env.NODE_USE_ENV_PROXY)";
    const ran = await recordAfter(cwd, code, { PWD: "/" });
    expect([ran.code, ran.out.split("\n")[0]]).toEqual([0, `${cwd} 1`]);
  });

  it("needs a key and a command", async () => {
    const keyless = await run(repository(), ["record", "--agent", "claude", "--", "node", standIn]);
    expect([keyless.code, keyless.err]).toEqual([
      2,
      expect.stringContaining("none of ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN is set"),
    ]);
    const idle = await run(repository(), ["record", "--agent", "claude"], KEY);
    expect([idle.code, idle.err]).toEqual([2, expect.stringContaining("--agent was given without a command")]);
    const unknown = await run(repository(), ["record", "--agent", "clod", "--", "true"], KEY);
    expect([unknown.code, unknown.err]).toEqual([
      2,
      expect.stringContaining("Allowed choices are claude, codex, gemini"),
    ]);
  });
});

describe("replay --agent", () => {
  it("ends with the same files in another folder, without a key and without a model", async () => {
    const other = repository();
    takeRecordings(folder, other);
    const asked = model.models.length;
    const ran = await replay(other);
    expect(ran.err).toContain("1 file ended as recorded");
    expect([ran.code, ran.out]).toEqual([0, "Done by small.\n"]);
    expect(readFileSync(join(other, "note.txt"), "utf8")).toBe("by small");
    expect(model.models.length).toBe(asked);
  });

  it("fails for a file with other contents, and for one that the recording did not change", async () => {
    const other = repository();
    takeRecordings(folder, other);
    const ran = await replay(other, "write=by other");
    expect(ran.err).toMatch(/file differs: note\.txt has other contents \([0-9a-f]{12}\), recorded: [0-9a-f]{12}\n/);
    expect(ran.code).toBe(1);

    const more = repository();
    takeRecordings(folder, more);
    const command = `node ${standIn} && touch more.txt && rm a.txt`;
    const json = await run(more, ["replay", "--agent", "claude", "--json", "--", "sh", "-c", command]);
    expect(JSON.parse(json.out)).toMatchObject({
      files: {
        compared: 1,
        differences: [
          { path: "a.txt", recorded: { size: 1 } },
          { path: "more.txt", replayed: { size: 0 } },
        ],
      },
    });
    expect(json.code).toBe(1);
  });

  it("refuses every vendor's host", async () => {
    const other = repository();
    takeRecordings(folder, other);
    const ran = await replay(other, "call=api.anthropic.com:443");
    expect(ran.out).toContain("HTTP/1.1 403");
    expect(ran.err).toContain("CONNECT api.anthropic.com:443");
    expect(ran.code).toBe(1);
  });

  it("names its recordings before the command, and says where none are", async () => {
    const other = repository();
    takeRecordings(folder, other);
    const named = await run(other, ["replay", "--agent", "claude", file, "--", "node", standIn]);
    expect(named.code).toBe(0);
    const none = await replay(repository());
    expect([none.code, none.err]).toEqual([
      2,
      expect.stringContaining("there is no cassette at __cassettes__/claude/"),
    ]);
  });

  it("leaves nothing of the agent's configuration behind", async () => {
    const tmp = mkdtempSync(join(tmpdir(), "agent-tmp-"));
    const other = repository();
    takeRecordings(folder, other);
    expect((await run(other, ["replay", "--agent", "claude", "--", "node", standIn], { TMPDIR: tmp })).code).toBe(0);
    expect(readdirSync(tmp).filter((name) => name.startsWith("playhead-"))).toEqual([]);
  });
});

describe("fork --agent", () => {
  const fork = (cwd: string, at: string, ...args: string[]) => {
    const options = [
      "--agent",
      "claude",
      file,
      "--from",
      at,
      "--model",
      "large",
      "--target",
      model.url,
      "--out",
      "forks/",
    ];
    return run(cwd, ["fork", ...options, "--", "node", standIn, ...args], KEY);
  };

  it("replays until the turn, then asks another model, and replays as a whole", async () => {
    const other = repository();
    takeRecordings(folder, other);
    const asked = model.models.length;
    const ran = await fork(other, "2");
    expect(ran.err).toContain("live from turn 2 on with large");
    expect([ran.code, ran.out]).toEqual([0, "Done by large.\n"]);
    expect(model.models.slice(asked)).toEqual(["large"]);
    const [name] = readdirSync(join(other, "forks"));
    const { extensions, entries } = load(other, `forks/${name}`);
    const { cassetteId, envelopeHash } = load(folder, file);
    expect(extensions?.["forkedFrom"]).toEqual({ cassetteId, envelopeHash, at: 2, model: "large" });
    expect(entries).toHaveLength(3);

    const again = await run(other, ["replay", "--agent", "claude", "forks/", "--", "node", standIn]);
    expect([again.code, again.out]).toEqual([0, "Done by large.\n"]);
  });

  it("spends nothing if the files are not as they were, or the run leaves the recording", async () => {
    const asked = model.models.length;
    const changed = repository();
    takeRecordings(folder, changed);
    const ran = await fork(changed, "1", "write=by nobody");
    expect(ran.err).toContain("the files are not as they were at turn 1: note.txt has");
    expect(ran.code).not.toBe(0);

    const drifted = repository();
    takeRecordings(folder, drifted);
    const left = await fork(drifted, "2", "ask=Do nothing");
    expect(left.err).toContain("the run left the recording before turn 2");
    expect(left.code).not.toBe(0);
    expect(model.models.length).toBe(asked);
  });

  it("prints one document if the run ends before the turn", async () => {
    const other = repository();
    takeRecordings(folder, other);
    const target = ["--target", model.url, "--out", "forks/", "--json"];
    const options = ["--agent", "claude", file, "--from", "2", ...target];
    const ran = await run(other, ["fork", ...options, "--", "node", standIn, "stop=1"], KEY);
    const { command, exitCode, error } = JSON.parse(ran.out) as { command: string; exitCode: number; error: object };
    expect([command, exitCode, ran.code]).toEqual(["fork", 1, 1]);
    expect(error).toMatchObject({ code: "unconsumed", message: expect.stringContaining("1 turn before turn 2") });
    expect(ran.err).toContain("recorded forks");
  });

  it("refuses a turn that does not exist, and options of an agent without one", async () => {
    const other = repository();
    takeRecordings(folder, other);
    const late = await fork(other, "4");
    expect([late.code, late.err]).toEqual([2, expect.stringContaining("there is no turn 4 to fork at")]);
    expect(existsSync(join(other, "forks"))).toBe(false);
    const plain = await run(other, [
      "fork",
      file,
      "--at",
      "1",
      "--model",
      "large",
      "--out",
      "x.cassette.json",
      "--",
      "true",
    ]);
    expect([plain.code, plain.err]).toEqual([
      2,
      expect.stringContaining("--model and --target were given without --agent"),
    ]);
  });
});

it("records outside a repository", async () => {
  const plain = mkdtempSync(join(tmpdir(), "agent-plain-"));
  writeFileSync(join(plain, "a.txt"), "a");
  const args = ["record", "--agent", "claude", "--target", model.url, "--", "node", standIn];
  expect((await run(plain, args, KEY)).code).toBe(0);
  const [name] = readdirSync(join(plain, "__cassettes__/claude"));
  const noted = workspaceOf(load(plain, `__cassettes__/claude/${name}`));
  expect(noted?.git).toBeUndefined();
  expect(noted?.changes.map(({ path }) => path)).toEqual(["note.txt"]);
});

it("records and replays aider, which answers with edits in words", async () => {
  const aider = fileURLToPath(new URL("aider.mjs", import.meta.url));
  const message = { role: "assistant", content: "Three sparrows are left." };
  const choice = { index: 0, message, finish_reason: "stop" };
  const vendor = await listen((_, response) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ id: "a", object: "chat.completion", created: 0, model: "small", choices: [choice] })),
  );
  const here = repository();
  const target = `${vendor.baseURL}/v1`;
  const args = ["record", "--agent", "aider", "--target", target, "--", "node", aider];
  const ran = await run(here, args, { OPENAI_API_KEY: "sk-none" });
  await vendor.close();
  expect([ran.code, ran.out]).toEqual([0, "Applied edit to note.txt\n"]);

  const there = repository();
  takeRecordings(here, there);
  const again = await run(there, ["replay", "--agent", "aider", "--", "node", aider]);
  expect(again.err).toContain("1 file ended as recorded");
  expect(again.code).toBe(0);
  expect(readFileSync(join(there, "note.txt"), "utf8")).toBe("Three sparrows are left.");
});
