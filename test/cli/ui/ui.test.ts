import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MAX_UI_MISSES, MAX_UI_REPORT_BYTES } from "../../../src/cli/limits.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import { cassetteBin } from "../../support/built.js";
import { recordRun } from "../../support/drifting-runs.js";
import { jsonReport } from "../../../src/harness/reports/json.js";
import { candidatesJson } from "../../../src/harness/reports/tables/matrix.js";
import { refusalText } from "../../../src/harness/reports/refusal.js";
import { gateReport, richReport } from "../../support/gate-report.js";
import { judgeRecording } from "../../support/judge.js";
import { all, one, parsePage, type PageElement } from "../../support/page.js";
import {
  fillFolder,
  HOSTILE_NAME,
  hostileRun,
  ledgerLine,
  missOf,
  serveUi,
  uiFolder,
  type ServedUi,
  type UiFolder,
} from "../../support/ui-folder.js";
import { cli } from "../run.js";

let folder: UiFolder;
let served: ServedUi | undefined;
beforeEach(() => {
  folder = uiFolder();
});
afterEach(async () => {
  await served?.stop();
  served = undefined;
  folder.remove();
});

/** Serves the folder and gives a function that fetches a page of it. */
async function serve(): Promise<(query?: string) => Promise<{ status: number; headers: Headers; text: string }>> {
  const { url } = (served = await serveUi(folder.path));
  return async (query = "") => {
    const response = await fetch(url + query);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

/** The text of every row, once every file was read. */
async function rowsOf(get: Awaited<ReturnType<typeof serve>>, query = ""): Promise<string[]> {
  await expect.poll(async () => (await get()).text).not.toContain("not read yet");
  const rows = all(parsePage((await get(query)).text).body, "li.item");
  return rows.map(({ textContent }) => textContent.replaceAll(/\s+/g, " ").trim());
}

const of = (fields: Record<string, string>) => `?${new URLSearchParams(fields).toString()}`;

describe("the list", () => {
  it("has every recording, report and miss of the folder, the newest first", async () => {
    fillFolder(folder);
    const rows = await rowsOf(await serve());
    expect(rows).toEqual([
      expect.stringMatching(
        /^shop\/refund\.cassette\.json failed replay prompt-changed .* turn 1 the user message changed/,
      ),
      expect.stringMatching(/^mutants\.jsonl mutations 33 % noticed .* 3 mutants 2 survived npx vitest$/),
      expect.stringMatching(/^upgrade\.json verdict regression .* 5 scenarios cassettes\/old → cassettes\/new/),
      expect.stringMatching(/^shop\/edited\.cassette\.json cassette damaged .* does not match its promptHash/),
      expect.stringMatching(/^shop\/damaged\.cassette\.json cassette damaged /),
      expect.stringMatching(/^shop\/refund\.failed\.cassette\.json failed run failed .* 3 turns find_user refund/),
      expect.stringMatching(/^shop\/refund\.cassette\.json cassette passed .* Please refund my order\. → Done\.$/),
    ]);
  });

  it("says that a recording is a judge's, by its requests", async () => {
    folder.write("refund.cassette.json", await judgeRecording());
    folder.write("refund.judge.cassette.json", recordRun(["grade"], 1));
    expect(await rowsOf(await serve(), "?sort=name")).toEqual([
      expect.stringMatching(/^refund\.cassette\.json .* turns? a judge's recording/),
      expect.not.stringContaining("a judge's recording"),
    ]);
  });

  it("has one row for a report of several candidates, whose page leads to each", async () => {
    const [fine, worse] = [gateReport([], { candidate: "fine" }), { ...richReport(), candidate: "worse" }];
    folder.write("upgrade.json", candidatesJson({ alpha: 0.05, reports: [fine, worse] }));
    const get = await serve();
    expect(await rowsOf(get)).toEqual([
      expect.stringMatching(/^upgrade\.json verdict regression .* 2 candidates fine: same, worse: regression$/),
    ]);
    const { body } = parsePage((await get("?file=upgrade.json")).text);
    const links = all(body, "thead a").map((link) => [link.textContent, link.getAttribute("href")]);
    expect(links.map(([name]) => name)).toEqual(["fine", "worse"]);
    const page = await get(links[1]?.[1] ?? "");
    expect(one(parsePage(page.text).body, "h1").textContent).toContain("Regression");
    const bar = all(parsePage(page.text).body, ".ui-bar a").map((link) => link.textContent);
    expect(bar).toContain("All candidates");
  });

  it("lists a report that lacks a part, and goes on", async () => {
    const report = { verdict: "same", reason: "", settings: {}, scenarios: [], failures: [] };
    folder.write("foreign.json", JSON.stringify({ schemaVersion: 1, alpha: 0.05, reports: [report] }));
    folder.write("refund.cassette.json", recordRun(["grade"], 1));
    expect(await rowsOf(await serve(), "?sort=name")).toEqual([
      expect.stringMatching(/^foreign\.json verdict same /),
      expect.stringMatching(/^refund\.cassette\.json /),
    ]);
  });

  it("shows why drift compared nothing, and the misses of a ledger with a damaged first line", async () => {
    const refused = [
      { code: "nothing-found", message: "it does not exist", file: "nowhere" },
      { code: "nothing-found", message: "no" },
    ];
    folder.write("none.json", refusalText("json", { base: "old", candidate: "nowhere", refused }));
    folder.write("ledger.jsonl", `{"file":"half\n${ledgerLine(missOf("y"))}`);
    const get = await serve();
    expect(await rowsOf(get)).toEqual([
      expect.stringMatching(/failed replay prompt-changed/),
      expect.stringMatching(/^none\.json verdict not compared .*nowhere: it does not exist, and 1 more reason$/),
    ]);
    const { text } = await get("?file=none.json");
    expect(text).toContain("Nothing was compared");
    expect(text).toContain("nowhere: it does not exist, and 1 more reason");
    expect(text).toContain("nothing-found");
  });

  it("leads to the reports over time if there are two", async () => {
    folder.write("2026-11-08.json", jsonReport(gateReport([], { candidate: "first" })));
    const get = await serve();
    await rowsOf(get);
    expect((await get()).text).not.toContain("?history=1");
    folder.write("2026-11-01.json", jsonReport({ ...richReport(), candidate: "before" }));
    await expect.poll(async () => (await get()).text).toContain("?history=1");
    await rowsOf(get);
    const { body } = parsePage((await get("?history=1")).text);
    const rows = all(all(body, "tbody")[0] as PageElement, "tr").map((row) =>
      all(row, "th, td").map((cell) => cell.textContent),
    );
    expect(rows.map((cells) => cells.slice(0, 4))).toEqual([
      ["2026-11-01", "2026-11-01.json", "before", "regression (fails)"],
      ["2026-11-08", "2026-11-08.json", "first", "same"],
    ]);
    const dates = all(body, "tbody a").map((link) => link.getAttribute("href"));
    expect(dates).toEqual(["?file=2026-11-01.json", "?file=2026-11-08.json"]);
  });

  it("is searched by all words, and shows one kind or what is damaged", async () => {
    fillFolder(folder);
    const get = await serve();
    expect(await rowsOf(get, "?q=GET_order+done")).toHaveLength(1);
    expect(await rowsOf(get, "?q=nowhere")).toEqual([]);
    expect(await rowsOf(get, "?kind=damaged")).toHaveLength(2);
    expect(await rowsOf(get, "?kind=verdict")).toHaveLength(1);
    const byName = await rowsOf(get, "?sort=name");
    expect(byName[0]).toContain("shop/refund.cassette.json failed replay");
    expect(byName[1]).toContain("mutants.jsonl");
  });

  it("says that the folder is empty, and how to fill it", async () => {
    const get = await serve();
    const { status, text } = await get();
    expect(status).toBe(200);
    expect(text).toContain("no cassettes and no reports yet");
  });

  it("leaves out packages, hidden folders and other files", async () => {
    for (const name of ["node_modules/a/x.cassette.json", ".git/x.cassette.json"])
      folder.write(name, recordRun(["a"], 1));
    folder.write("tsconfig.json", "{}");
    folder.write("stats.json", '{\n  "schemaVersion": 1,\n  "command": "stats"\n}');
    folder.write("log.jsonl", '{"message":"hello"}\n');
    expect(await rowsOf(await serve())).toEqual([]);
  });

  it("lists the misses that why and serve print as JSON, and forgets one that a later replay answered", async () => {
    folder.write(
      "why.json",
      JSON.stringify({ schemaVersion: 1, command: "why", file: "a", kind: "miss", report: missOf("x") }),
    );
    const misses = [{ code: "exhausted", message: "all turns were used\n  to do    more", file: "b" }];
    folder.write("serve.json", JSON.stringify({ schemaVersion: 1, command: "serve", misses }));
    folder.write("ledger.jsonl", ledgerLine(missOf("y")) + ledgerLine(undefined));
    const get = await serve();
    expect(await rowsOf(get)).toEqual([
      expect.stringMatching(/^b #1 failed replay exhausted .* all turns were used/),
      expect.stringMatching(/^a failed replay prompt-changed .* turn 1 x$/),
    ]);
    const { text } = await get(of({ file: "serve.json", miss: "b #1" }));
    expect(one(parsePage(text).body, "pre").textContent.trim()).toBe("to do    more");
  });

  it("says how many misses of a file are beyond its limit", async () => {
    const lines = Array.from({ length: MAX_UI_MISSES + 2 }, (_, n) => ledgerLine(missOf("y"), `${n}.cassette.json`));
    folder.write("ledger.jsonl", lines.join(""));
    const get = await serve();
    const rows = await rowsOf(get, "?q=beyond");
    expect(rows).toEqual([expect.stringMatching(/not listed .*2 more misses beyond the first 1000 in this file$/)]);
    expect((await get("?file=ledger.jsonl")).text).toContain("These misses are not listed");
  });
});

describe("a page", () => {
  it("shows a conversation, and leads from a failed run to its cassette and to both side by side", async () => {
    fillFolder(folder);
    const get = await serve();
    const { text } = await get(of({ file: "shop/refund.failed.cassette.json" }));
    const { body } = parsePage(text);
    expect(all(body, ".turn[id]")).toHaveLength(3);
    const links = all(body, ".ui-bar a").map((link) => [link.textContent.trim(), link.getAttribute("href")]);
    expect(links).toContainEqual([
      "Compare both",
      "?old=shop%2Frefund.cassette.json&new=shop%2Frefund.failed.cassette.json",
    ]);
  });

  it("aligns the calls of two recordings", async () => {
    fillFolder(folder);
    const get = await serve();
    const query = of({ old: "shop/refund.cassette.json", new: "shop/refund.failed.cassette.json" });
    const { body } = parsePage((await get(query)).text);
    expect(one(body, "h1").textContent).toBe("1 difference");
    const sides = all(body, ".pair").map((pair) =>
      all(pair, ".side").map((side) => all(side, ".tool").map(({ textContent }) => textContent)),
    );
    expect(sides.slice(0, 3)).toEqual([
      [["find_user"], ["find_user"]],
      [["get_order"], []],
      [["refund"], ["refund"]],
    ]);
  });

  it("shows a miss with both texts, and leads to the nearest recorded turn", async () => {
    fillFolder(folder);
    const get = await serve();
    const { body } = parsePage((await get(of({ file: "ledger.jsonl", miss: "shop/refund.cassette.json" }))).text);
    expect(one(body, "h1").textContent).toContain("Turn 1 was not answered");
    expect(all(body, ".miss-sides pre").map(({ textContent }) => textContent)).toEqual([
      '"Please refund my order."',
      '"Please cancel my order."',
    ]);
    const links = all(body, "main a").map((link) => link.getAttribute("href"));
    expect(links).toContain("?file=shop%2Frefund.cassette.json#turn-1");
  });

  it("shows a replay that failed for unused turns alone", async () => {
    folder.write("shop/refund.cassette.json", recordRun(["find_user"], 1, true));
    folder.write("ledger.jsonl", ledgerLine({ code: "unconsumed", what: "2 of 2 recorded turns were not requested" }));
    const get = await serve();
    expect(await rowsOf(get, "?kind=miss")).toEqual([
      expect.stringMatching(/failed replay unconsumed .* 2 of 2 recorded turns were not requested$/),
    ]);
    const { body } = parsePage((await get(of({ file: "ledger.jsonl", miss: "shop/refund.cassette.json" }))).text);
    expect(one(body, "h1").textContent).toContain("Recorded turns were not used");
    const links = all(body, "main a").map((link) => link.getAttribute("href"));
    expect(links).toContain("?file=shop%2Frefund.cassette.json");
  });

  it("shows a verdict and mutants", async () => {
    fillFolder(folder);
    const get = await serve();
    expect(one(parsePage((await get("?file=upgrade.json")).text).body, "h1").textContent).toContain("Regression");
    const { body } = parsePage((await get("?file=mutants.jsonl")).text);
    expect(one(body, "h1").textContent).toContain("33 % noticed");
    expect(one(body, "section.group h2").textContent).toContain("Survived 2");
  });

  it("says why a file is damaged, and what a report lacks", async () => {
    fillFolder(folder);
    const report = { schemaVersion: 1, verdict: "same", reason: "", settings: {}, scenarios: [], failures: [] };
    folder.write("old.json", JSON.stringify(report));
    const get = await serve();
    expect((await get("?file=shop/edited.cassette.json")).text).toContain("does not match its promptHash");
    expect((await get("?file=old.json")).text).toContain("This report cannot be shown");
  });

  it("is 404 for a file that is gone, for two of which one is not a recording, and for a miss that was answered", async () => {
    fillFolder(folder);
    const get = await serve();
    expect((await get("?file=gone.cassette.json")).status).toBe(404);
    expect((await get(of({ old: "shop/refund.cassette.json", new: "upgrade.json" }))).status).toBe(404);
    expect((await get(of({ file: "ledger.jsonl", miss: "other" }))).status).toBe(404);
  });
});

describe("what leaves the folder", () => {
  it("is not found by a path", async () => {
    fillFolder(folder);
    const outside = mkdtempSync(join(tmpdir(), "playhead-outside-"));
    writeFileSync(join(outside, "secret.cassette.json"), formatCassette(recordRun(["secret"], 1)));
    const get = await serve();
    for (const file of [
      join(outside, "secret.cassette.json"),
      `../${outside.split("/").at(-1) ?? ""}/secret.cassette.json`,
      "shop/../shop/refund.cassette.json",
      "/etc/passwd",
      "..",
      ".",
    ]) {
      const { status, text } = await get(of({ file }));
      expect([file, status]).toEqual([file, 404]);
      expect(text).not.toContain('id="turn-0"');
    }
    rmSync(outside, { recursive: true });
  });

  it("is not followed by a link, which is said", async () => {
    const outside = mkdtempSync(join(tmpdir(), "playhead-outside-"));
    writeFileSync(join(outside, "secret.cassette.json"), formatCassette(recordRun(["secret"], 1)));
    folder.write("real.cassette.json", recordRun(["find_user"], 1));
    symlinkSync(join(outside, "secret.cassette.json"), join(folder.path, "link.cassette.json"));
    symlinkSync(outside, join(folder.path, "linked"));
    symlinkSync(join(folder.path, "real.cassette.json"), join(folder.path, "inside.cassette.json"));
    symlinkSync(folder.path, join(folder.path, "loop"));
    const get = await serve();
    const rows = await rowsOf(get, "?sort=name");
    expect(rows.map((row) => row.split(" ")[0])).toEqual([
      "inside.cassette.json",
      "link.cassette.json",
      "real.cassette.json",
    ]);
    expect(rows[1]).toContain("the link leads out of the folder");
    expect((await get()).text).toContain("2 links out of the folder are not followed.");
    expect((await get("?file=link.cassette.json")).text).not.toContain("secret");
    rmSync(outside, { recursive: true });
  });
});

it("does not read files beyond the limits, and says so", async () => {
  folder.write("huge.cassette.json", "{");
  folder.write("huge.json", '{ "schemaVersion": 1,');
  for (const name of ["huge.cassette.json", "huge.json"]) {
    truncateSync(join(folder.path, name), MAX_UI_REPORT_BYTES + 1);
  }
  const rows = await rowsOf(await serve());
  expect(rows.find((row) => row.startsWith("huge.json"))).toContain(`at most ${MAX_UI_REPORT_BYTES} are read`);
  expect(rows.find((row) => row.startsWith("huge.cassette.json"))).toMatch(/damaged .*\b67108865 bytes/);
});

describe("the server", () => {
  it("answers nobody without the key", async () => {
    await serve();
    const { origin } = new URL(served?.url ?? "");
    for (const path of ["/", "/x/", `/${"A".repeat(22)}/`, "/index.html"]) {
      const response = await fetch(origin + path);
      expect(response.status).toBe(403);
      expect(await response.text()).not.toContain("<");
    }
    expect(served?.url).toMatch(/\/[\w-]{22}\/$/);
  });

  it("refuses another host, a page of another site, and everything but reading", async () => {
    const get = await serve();
    const { url, notes } = served as ServedUi;
    const status = (headers: Record<string, string>, method = "GET") =>
      new Promise<number>((resolve) => {
        request(url, { headers, method }, (response) => resolve(response.resume().statusCode ?? 0)).end();
      });
    expect(await status({ host: "evil.example" })).toBe(403);
    expect(await status({ origin: "https://evil.example" })).toBe(403);
    expect(await status({ "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await status({}, "POST")).toBe(405);
    expect(await status({}, "HEAD")).toBe(200);
    expect((await get()).status).toBe(200);
    expect(notes()).toContain("refused: ");
  });

  it("sends a policy without unsafe-inline, and lets no page frame, keep or sniff it", async () => {
    fillFolder(folder);
    const get = await serve();
    for (const query of ["", "?file=upgrade.json", "?file=shop/refund.cassette.json", "?file=gone"]) {
      const { headers } = await get(query);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toMatch(/default-src 'none'.*script-src 'sha256-.*connect-src 'self'.*frame-ancestors 'none'/);
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  it("tells a listener of a new file, and the page of a file only of that one", async () => {
    fillFolder(folder);
    const get = await serve();
    await rowsOf(get);
    const { url } = served as ServedUi;
    const listener = await listenTo(`${url}?events=1`);
    const quiet = await listenTo(`${url}?file=upgrade.json&events=1`);
    folder.write("new.cassette.json", recordRun(["find_user"], 5));
    await expect.poll(listener.events, { timeout: 5_000 }).toBeGreaterThan(0);
    expect(quiet.events()).toBe(0);
    folder.write("upgrade.json", "{}");
    await expect.poll(quiet.events, { timeout: 5_000 }).toBe(1);
    listener.end();
    quiet.end();
  });
});

/** Counts the events of an address. */
async function listenTo(address: string): Promise<{ events: () => number; end: () => void }> {
  const aborter = new AbortController();
  const response = await fetch(address, { signal: aborter.signal });
  let text = "";
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const part of response.body ?? []) text += decoder.decode(part as Uint8Array);
  };
  read().catch(() => undefined);
  return { events: () => text.split("data:").length - 1, end: () => aborter.abort() };
}

it("escapes hostile names and texts on every page", async () => {
  folder.write(`${HOSTILE_NAME}.cassette.json`, hostileRun());
  folder.write("ledger.jsonl", ledgerLine(missOf(HOSTILE_NAME), `${HOSTILE_NAME}.cassette.json`));
  const get = await serve();
  const rows = await rowsOf(get);
  expect(rows[0]).toContain("\\u202e");
  for (const query of [
    "",
    of({ file: `${HOSTILE_NAME}.cassette.json` }),
    of({ old: `${HOSTILE_NAME}.cassette.json`, new: `${HOSTILE_NAME}.cassette.json` }),
    of({ file: "ledger.jsonl", miss: `${HOSTILE_NAME}.cassette.json` }),
    of({ q: HOSTILE_NAME }),
    of({ file: HOSTILE_NAME }),
  ]) {
    const { text, status } = await get(query);
    expect([query, status]).toEqual([query, query.includes("json") || !query.includes("file") ? 200 : 404]);
    const { documentElement } = parsePage(text);
    expect(all(documentElement, "img, iframe, object, [onerror], [onclick]")).toEqual([]);
    expect(all(documentElement, "script").every(({ attributes }) => attributes.length === 0)).toBe(true);
    for (const link of all(documentElement, "a")) expect(link.getAttribute("href")).toMatch(/^[?#]/);
    expect(text).not.toMatch(/[\u202e\u200b]/);
  }
});

describe("the command", () => {
  it("refuses a folder that does not exist, and a file", async () => {
    expect(await cli(["ui", join(folder.path, "none")])).toMatchObject({
      code: 2,
      err: expect.stringContaining("does not exist"),
    });
    folder.write("a.cassette.json", recordRun(["a"], 1));
    expect(await cli(["ui", join(folder.path, "a.cassette.json")])).toMatchObject({
      code: 2,
      err: expect.stringContaining("not a folder"),
    });
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "ends with 0 at %s, while a page listens",
    { timeout: 180_000 },
    async (signal) => {
      mkdirSync(join(folder.path, "cassettes"));
      const child = spawn(process.execPath, [cassetteBin, "ui", "cassettes"], { cwd: folder.path });
      const ended = new Promise<[number | null, string | null]>((resolve) =>
        child.on("exit", (code, by) => resolve([code, by])),
      );
      let out = "";
      child.stdout.on("data", (text) => (out += String(text)));
      await expect.poll(() => out).toContain("Ctrl+C");
      const url = /http:\S+/.exec(out)?.[0] ?? "";
      const listener = await listenTo(`${url}?events=1`);
      child.kill(signal);
      expect(await ended).toEqual([0, null]);
      listener.end();
    },
  );
});
