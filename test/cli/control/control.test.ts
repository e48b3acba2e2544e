// Cassettes that a program opens and closes by lines of JSON, with clients of OpenAI that speak to each.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import { VENDORS } from "../../../src/core/vendors/vendors.js";
import { cli, folder, place } from "../run.js";
import { cassetteOf, send } from "../serve/running.js";
import { startControl, startVendor } from "./running.js";

const PATH = { path: "/chat/completions" };
const base = ({ variables }: { variables?: Record<string, string> }) => variables?.["OPENAI_BASE_URL"] ?? "";
const read = (name: string) => readFileSync(join(folder, name), "utf8");

describe("a replay", () => {
  it("answers each cassette below its own base URLs, and reports what is unused", async () => {
    const one = place("one.cassette.json", cassetteOf({ birds: "Three.", fish: "Two." }));
    const two = place("two.cassette.json", cassetteOf({ birds: "Nine." }));
    const { hello, order, finish } = await startControl();
    expect(hello).toMatchObject({
      control: 1,
      listening: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
    });
    const [first, second] = [await order({ open: one }), await order({ open: two, rerecord: "again it" })];
    expect(first).toMatchObject({ opened: "cassette-1", mode: "replay", file: one });
    const variables = new Set(Object.values(VENDORS).map(({ client }) => client.variable));
    expect(new Set(Object.keys(first.variables ?? {}))).toEqual(variables);
    expect((await send(base(second), "birds", PATH)).text).toContain("Nine.");
    expect((await send(base(first), "birds", PATH)).text).toContain("Three.");
    expect(await order({ close: "cassette-2" })).toMatchObject({
      closed: "cassette-2",
      ok: true,
      report: "",
      turns: 1,
    });
    const closed = await order({ close: "cassette-1" });
    expect(closed).toMatchObject({ ok: false, turns: 1, unused: 1 });
    expect(closed["report"]).toContain("1 of 2 recorded turns and exchanges was never requested");
    expect((await finish()).err).toBe("");
  });

  it("reports a miss with the command that records again, also if the client goes on", async () => {
    const file = place("miss.cassette.json", cassetteOf({ birds: "Three." }));
    const { order } = await startControl();
    const opened = await order({ open: file, rerecord: "CASSETTE_MODE=refresh make test" });
    expect((await send(base(opened), "fish", PATH)).status).toBe(400);
    expect((await send(base(opened), "fish", PATH)).status).toBe(400);
    const closed = await order({ close: "cassette-1" });
    expect(closed).toMatchObject({ ok: false, misses: [{ code: "prompt-changed", file, count: 2 }] });
    expect(closed["report"]).toBe(`turn 0: the user message changed (message 0)
  at       /0/content
  recorded "birds"
  now      "fish"
  nearest  recorded turn 0
  file     ${file}
  to do    Undo the change, or record again and review the new cassette.
  command  CASSETTE_MODE=refresh make test`);
  });

  it("hides a secret of the environment in a miss", async () => {
    const file = place("quoted.cassette.json", cassetteOf({ birds: "Three." }));
    const { order } = await startControl({ DB_PASSWORD: "hunter2abc" });
    const opened = await order({ open: file });
    const { text } = await send(base(opened), "birds of hunter2abc", PATH);
    const closed = await order({ close: "cassette-1" });
    expect(text).toContain("birds of <redacted:value:1>");
    expect(closed["report"]).toContain('now      "birds of <redacted:value:1>"');
    expect(text + JSON.stringify(closed)).not.toContain("hunter2abc");
  });

  it("does not speak of unused turns after a miss, in a failed run, and with allowUnused", async () => {
    const file = place("unused.cassette.json", cassetteOf({ birds: "Three.", fish: "Two." }));
    const { order } = await startControl();
    await order({ open: file });
    expect(await order({ close: "cassette-1", failed: true })).toMatchObject({ ok: true, report: "", unused: 2 });
    await order({ open: file, allowUnused: true });
    const closed = await order({ close: "cassette-2" });
    expect(closed).toMatchObject({ ok: true, report: "" });
    expect(closed["notes"]).toEqual([expect.stringContaining("2 of 2 recorded turns")]);
    const opened = await order({ open: file });
    await send(base(opened), "cats", PATH);
    expect((await order({ close: "cassette-3" }))["report"]).not.toContain("never requested");
  });

  it("refuses a request without a recording, unless pass names it", async () => {
    const file = place("embed.cassette.json", cassetteOf({}));
    const { order } = await startControl();
    const opened = await order({ open: file, rerecord: "again" });
    const other = { path: "/embeddings" };
    expect((await send(base(opened), "x", other)).status).toBe(404);
    const closed = await order({ close: "cassette-1" });
    expect(closed["report"]).toMatch(
      /^POST \/v1\/embeddings is not a conversation turn.*Record again\. .*\n  command  again$/,
    );
    const passing = await order({ open: file, pass: ["POST /v1/embeddings"] });
    expect((await send(base(passing), "x", other)).status).toBe(404);
    expect(await order({ close: "cassette-2" })).toMatchObject({ ok: true });
  });

  it("gives placeholder keys, and a recording does not", async () => {
    const file = place("keys.cassette.json", cassetteOf({}));
    const { hello, order } = await startControl();
    expect(hello["keys"]).toMatchObject({ OPENAI_API_KEY: "cassette-serve" });
    expect((await order({ open: file }))["keys"]).toMatchObject({ OPENAI_API_KEY: "cassette-serve" });
    expect((await order({ open: file, mode: "refresh" }))["keys"]).toEqual({});
    expect((await startControl({ CASSETTE_MODE: "record" })).hello["keys"]).toEqual({});
  });

  it("says how to record a missing cassette, and names the recording of a failed run", async () => {
    const { order } = await startControl();
    const missing = await order({ open: join(folder, "none.cassette.json"), rerecord: "again" });
    expect(missing.error).toMatchObject({ code: "file-not-found" });
    expect(missing.error?.text).toMatch(
      /there is no cassette at .*none.cassette.json\n  to do    Record it .*\n  command  again/,
    );
    writeFileSync(join(folder, "none.failed.cassette.json"), "{}");
    const kept = await order({ open: join(folder, "none.cassette.json") });
    expect(kept.error?.text).toContain("The recording of a failed test was kept.");
  });
});

describe("a recording", () => {
  it("forwards to the base URL of the environment, and is written when it is closed", async () => {
    const vendor = await startVendor();
    const { order } = await startControl({ OPENAI_BASE_URL: `${vendor.url}/v1`, CASSETTE_MODE: "record" });
    const opened = await order({ open: "made.cassette.json" });
    expect(opened).toMatchObject({ mode: "record" });
    expect((await send(base(opened), "birds", PATH)).text).toContain("echo birds");
    expect((await send(base(opened), "fish", PATH)).status).toBe(200);
    expect(existsSync(join(folder, "made.cassette.json"))).toBe(false);
    const closed = await order({ close: "cassette-1" });
    expect(closed).toMatchObject({ ok: true, report: "", written: "made.cassette.json", turns: 2 });
    expect(vendor.paths).toEqual(["/v1/chat/completions", "/v1/chat/completions"]);
    expect(parseCassette(read("made.cassette.json")).entries).toHaveLength(2);
    const again = await order({ open: "made.cassette.json" });
    expect(again.error).toMatchObject({ code: "file-exists" });
  });

  it("of a failed run goes to a file of its own, and the report says how to adopt it", async () => {
    const vendor = await startVendor();
    const { order } = await startControl({ OPENAI_BASE_URL: vendor.url });
    const opened = await order({ open: "bad.cassette.json", mode: "record", rerecord: "again" });
    await send(base(opened), "birds", PATH);
    const closed = await order({ close: "cassette-1", failed: true, error: "expected snow" });
    expect(parseCassette(read("bad.failed.cassette.json"))).toMatchObject({
      extensions: { outcome: { success: false, error: "expected snow" } },
    });
    expect(closed).toMatchObject({ ok: true, written: "bad.failed.cassette.json" });
    expect(closed["report"]).toMatch(
      /^the recording of this failed run was kept\n  look  .*\n  keep     npx playhead record --adopt .*\n  again    again$/,
    );
    expect(existsSync(join(folder, "bad.cassette.json"))).toBe(false);
  });

  it("fails without a request, and without an answer of success", async () => {
    const vendor = await startVendor();
    const { order } = await startControl({ OPENAI_BASE_URL: vendor.url, CASSETTE_MODE: "refresh" });
    await order({ open: "empty.cassette.json" });
    const empty = await order({ close: "cassette-1" });
    expect(empty["report"]).toContain("Let the client read its base URL from OPENAI_BASE_URL");
    const opened = await order({ open: "empty.cassette.json" });
    expect((await send(base(opened), "refuse", PATH)).status).toBe(401);
    const refused = await order({ close: "cassette-2" });
    expect(refused).toMatchObject({ ok: false });
    expect(refused["report"]).toContain("failed, not recorded: 1 time");
    expect(existsSync(join(folder, "empty.cassette.json"))).toBe(false);
  });

  it("ends a request that is still open when it is closed, and keeps the rest as failed", async () => {
    const vendor = await startVendor();
    const { order } = await startControl({ OPENAI_BASE_URL: vendor.url, CASSETTE_MODE: "record" });
    const opened = await order({ open: "open.cassette.json" });
    await send(base(opened), "birds", PATH);
    const hanging = send(base(opened), "never", PATH).catch(() => undefined);
    while (vendor.paths.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    const closed = await order({ close: "cassette-1" });
    await hanging;
    expect(closed).toMatchObject({ ok: false, turns: 1, written: "open.failed.cassette.json" });
    expect(closed["report"]).toContain("the client left before the answer came");
  });

  it("reports a target that is not a URL, or that nobody answers", async () => {
    const { order } = await startControl({ OPENAI_BASE_URL: "ftp://x", ANTHROPIC_BASE_URL: "http://127.0.0.1:1" });
    const opened = await order({ open: "no.cassette.json", mode: "record" });
    expect((await send(base(opened), "birds", { path: "/v1/chat/completions" })).status).toBe(502);
    expect((await send(opened.variables?.["ANTHROPIC_BASE_URL"] ?? "", "x", { path: "/v1/messages" })).status).toBe(
      502,
    );
    const closed = await order({ close: "cassette-1" });
    expect(closed["report"]).toContain("the target ftp://x is not https");
    expect(closed["report"]).toContain("not answered: 127.0.0.1:1 could not be reached");
  });

  it("refuses a client that names another recording", async () => {
    const vendor = await startVendor();
    const { order } = await startControl({ OPENAI_BASE_URL: vendor.url });
    const opened = await order({ open: "named.cassette.json", mode: "record" });
    const ask = (name: string) =>
      fetch(`${base(opened)}/chat/completions`, {
        method: "POST",
        headers: { "x-playhead-cassette": name },
        body: JSON.stringify({ model: "m", messages: [{ role: "user", content: name }] }),
      });
    expect((await ask("named")).status).toBe(200);
    const other = await ask("other");
    expect([other.status, await other.text()]).toEqual([
      400,
      expect.stringContaining("belongs to named.cassette.json"),
    ]);
    expect(await order({ close: "cassette-1" })).toMatchObject({ ok: false, turns: 1 });
  });

  it("of a file that another test of this server recorded is refused when it is closed", async () => {
    const vendor = await startVendor();
    const { order } = await startControl({ OPENAI_BASE_URL: vendor.url, CASSETTE_MODE: "refresh" });
    for (const id of ["cassette-1", "cassette-2"]) {
      const opened = await order({ open: "shared.cassette.json" });
      await send(base(opened), id, PATH);
    }
    expect(await order({ close: "cassette-1" })).toMatchObject({ ok: true });
    const second = await order({ close: "cassette-2" });
    expect(second).toMatchObject({ ok: false, written: "shared.failed.cassette.json" });
    expect(second["report"]).toContain("this process already recorded shared.cassette.json");
  });
});

describe("the mode", () => {
  it("auto replays what is there and records what is not", async () => {
    place("there.cassette.json", cassetteOf({ birds: "Three." }));
    const { order } = await startControl({ CASSETTE_MODE: "auto" });
    expect(await order({ open: "there.cassette.json" })).toMatchObject({ mode: "replay" });
    expect(await order({ open: "absent.cassette.json" })).toMatchObject({ mode: "record" });
    expect(await order({ open: "absent.cassette.json", mode: "live" })).toMatchObject({ mode: "live", variables: {} });
    expect(await order({ close: "cassette-3" })).toMatchObject({ ok: true });
  });

  it.each([
    [{ CASSETTE_MODE: "record", CI: "true" }, "record-in-ci"],
    [{ CASSETTE_MODE: "Record" }, "mode-unknown"],
    [{ CASSETTE_MODE: "from-first-miss" }, "invalid-options"],
    [{ CASSETTE_MODE: "fork" }, "invalid-options"],
  ])("%o is %s, and the server goes on", async (env, code) => {
    const { order } = await startControl(env as unknown as Record<string, string>);
    expect((await order({ open: "a.cassette.json" })).error?.code).toBe(code);
    expect((await order({ open: "a.cassette.json", mode: "live" }))["opened"]).toBe("cassette-1");
  });
});

describe("the server", () => {
  it("answers 404 for a closed cassette and names the request once", async () => {
    const file = place("late.cassette.json", cassetteOf({}));
    const { hello, order, finish } = await startControl();
    const opened = await order({ open: file });
    await order({ close: "cassette-1" });
    for (const _ of [1, 2]) expect((await send(base(opened), "birds", PATH)).status).toBe(404);
    expect((await send(base(hello), "birds", PATH)).text).toContain("no cassette is open");
    const { err } = await finish();
    expect(err.split(`its cassette is not open any more: ${file}`)).toHaveLength(2);
  });

  it("leads clients that exist before a cassette to the only open one", async () => {
    const file = place("only.cassette.json", cassetteOf({ birds: "Three." }));
    const { hello, order } = await startControl();
    await order({ open: file });
    expect((await send(base(hello), "birds", PATH)).text).toContain("Three.");
    await order({ open: file });
    expect((await send(base(hello), "birds", PATH)).text).toContain("several cassettes are open");
  });

  it("answers a wrong line with an error and goes on", async () => {
    const { order } = await startControl();
    expect((await order("{")).error).toMatchObject({ code: "invalid-options" });
    expect((await order({ close: "cassette-1" })).error?.message).toContain('no cassette is open as "cassette-1"');
    expect((await order({ open: "x.cassette.json", filter: ["nope"] })).error?.text).toContain("nope");
  });

  it("keeps open recordings as those of failed runs when stdin ends", async () => {
    const vendor = await startVendor();
    const { order, finish } = await startControl({ OPENAI_BASE_URL: vendor.url });
    const opened = await order({ open: "killed.cassette.json", mode: "record" });
    await send(base(opened), "birds", PATH);
    await finish();
    expect(parseCassette(read("killed.failed.cassette.json")).entries).toHaveLength(1);
    expect(existsSync(join(folder, "killed.cassette.json"))).toBe(false);
  });

  it("ends at a signal too, though stdin is open", async () => {
    const { stop, done, stdin } = await startControl();
    stop.now();
    await expect(done).resolves.toBeUndefined();
    expect(stdin.destroyed).toBe(true);
  });

  it("writes the ledger of cassette record and cassette replay", async () => {
    const vendor = await startVendor();
    const ledger = join(folder, "ledger.jsonl");
    const { order } = await startControl({ OPENAI_BASE_URL: vendor.url, CASSETTE_LEDGER: ledger });
    for (const [mode, failed] of [
      ["record", true],
      ["record", false],
      ["replay", false],
      ["replay", true],
      ["live", false],
      ["replay", "missed"],
    ]) {
      const opened = await order({ open: "ledger.cassette.json", mode });
      if (mode !== "live") await send(base(opened), failed === "missed" ? "fish" : "birds", PATH);
      await order({ close: opened["opened"], failed: failed === true });
    }
    const lines = read("ledger.jsonl")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { mode: string; turns: number; miss?: { code: string } });
    expect(lines.map(({ mode, turns }) => [mode, turns])).toEqual([
      ["failed", 1],
      ["record", 1],
      ["replay", 1],
      ["unfinished", 0],
      ["live", 0],
      ["unfinished", 0],
    ]);
    expect(lines.map(({ miss }) => miss?.code)).toEqual([...Array<undefined>(5), "prompt-changed"]);
  });

  it("writes the unused turns of a replay that did not miss into the ledger", async () => {
    const vendor = await startVendor();
    const ledger = join(folder, "unused.jsonl");
    const { order } = await startControl({ OPENAI_BASE_URL: vendor.url, CASSETTE_LEDGER: ledger });
    const recording = await order({ open: "spare.cassette.json", mode: "record" });
    await send(base(recording), "birds", PATH);
    await order({ close: recording["opened"] });
    const opened = await order({ open: "spare.cassette.json", mode: "replay" });
    await order({ close: opened["opened"] });
    const [, last = ""] = read("unused.jsonl").trim().split("\n");
    expect(JSON.parse(last)).toMatchObject({
      mode: "unfinished",
      miss: { code: "unconsumed", what: "1 of 1 recorded turns and exchanges was never requested" },
    });
  });

  it.each([
    [["serve", "--control", "a.cassette.json"], "--control and cassettes were both given"],
    [["serve", "--control", "--once"], "--control and --once were both given"],
    [["serve", "--control", "--json"], "--control and --json were both given"],
    [["serve"], "no cassette was given"],
  ])("%j is refused", async (argv, message) => {
    const { code, err, out } = await cli(argv);
    expect(code).toBe(2);
    expect(err + out).toContain(message);
  });
});
