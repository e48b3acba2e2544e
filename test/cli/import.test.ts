import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { IMPORT_FORMATS } from "../../src/cassette/import/registry.js";
import { FORMAT_CHOICES } from "../../src/cli/commands/import.js";
import { importLogs, pathBelow } from "../../src/cli/import/import.js";
import { readLog } from "../../src/cli/import/read-log.js";
import { FREE_LOG_BYTES, MAX_IMPORTED_RECORDS, MAX_REFUSALS } from "../../src/cli/limits.js";
import { nodeFiles } from "../../src/host/files.js";
import { refusal, rejection } from "../support/refusal.js";
import { cli, documentOf, folder } from "./run.js";

/** A message log of one run, as one line. */
function record(fields: object = {}): string {
  const messages = [
    { role: "user", content: "hello" },
    { role: "assistant", content: "hi" },
  ];
  return JSON.stringify({ model: "m-1", task: "greet", messages, ...fields });
}

function log(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return name;
}

describe("cassette import", () => {
  it("offers the formats that are read", () => {
    expect(FORMAT_CHOICES).toEqual(IMPORT_FORMATS);
  });

  it("writes a cassette that verifies, and says how many", async () => {
    const ran = await cli(["import", log("one.json", record()), "--out", "one"]);
    expect(ran).toEqual({ code: 0, out: "1 cassette written to one, 0 existed already, 0 refused\n", err: "" });
    expect((await cli(["verify", "one"])).code).toBe(0);
    expect(existsSync(join(folder, "one", "m-1", "greet.cassette.json"))).toBe(true);
  });

  it("keeps refused turns of recorded HTTP with --keep-errors, and counts the exchanges", async () => {
    const body = JSON.stringify({ model: "m-1", messages: [{ role: "user", content: "hello" }] });
    const answer = { choices: [{ message: { role: "assistant", content: "hi" }, finish_reason: "stop" }] };
    const calls = [
      { status: 429, response: { error: {} } },
      { status: 200, response: answer },
    ].map((call) => ({ scope: "https://api.openai.com", method: "POST", path: "/v1/chat/completions", body, ...call }));
    const file = log("retried.json", JSON.stringify(calls));
    expect((await cli(["import", file, "--out", "without"])).out).toContain(
      "repaired 1 error-exchange-dropped\n1 cassette",
    );
    expect((await cli(["import", file, "--out", "with", "--keep-errors"])).out).toBe(
      "kept 1 exchange\n1 cassette written to with, 0 existed already, 0 refused\n",
    );
    const again = ["import", file, "--out", "with", "--keep-errors", "--force", "--json"];
    expect(documentOf(await cli(again))["written"]).toEqual([expect.objectContaining({ turns: 1, exchanges: 1 })]);
  });

  it("names the rule alone for a secret that comes again", async () => {
    const bearer = "a1B2c3D4".repeat(3);
    const messages = [
      { role: "user", content: `Authorization: Bearer ${bearer}` },
      { role: "assistant", content: `It is ${bearer}` },
    ];
    const ran = await cli(["import", log("twice.json", record({ messages })), "--out", "twice"]);
    expect(ran.out.split("\n").filter((line) => line.startsWith("redacted"))).toEqual([
      "redacted bearer-token in 1 cassette",
    ]);
  });

  it("takes secrets out and says by which rule, unless told to keep them", async () => {
    const token = "gh" + "p_" + "a1B2c3D4e5".repeat(4);
    const messages = [
      { role: "user", content: `use ${token}` },
      { role: "assistant", content: "done" },
    ];
    const file = log("secret.json", record({ messages }));
    const ran = await cli(["import", file, "--out", "clean"]);
    expect(ran.out).toBe(
      "redacted github-token in 1 cassette\n1 cassette written to clean, 0 existed already, 0 refused\n",
    );
    expect((await cli(["scan", "clean"])).code).toBe(0);
    expect((await cli(["verify", "clean"])).code).toBe(0);
    const { redacted } = documentOf(await cli(["import", file, "--out", "again", "--json"])) as { redacted?: unknown };
    expect(redacted).toEqual({ "github-token": 1 });
    expect((await cli(["import", file, "--out", "open", "--no-redact"])).out).not.toContain("redacted");
    expect((await cli(["scan", "open"])).code).toBe(1);
  });

  it("reads gzip by its content, and the model from --model", async () => {
    log("zipped.log", gzipSync(record({ model: undefined })));
    const ran = await cli(["import", "zipped.log", "--out", "zipped", "--model", "m-9", "--json"]);
    expect(documentOf(ran)).toMatchObject({
      written: [{ file: join("zipped", "m-9", "greet.cassette.json"), log: "zipped.log", model: "m-9", turns: 1 }],
      summary: { written: 1, existed: 0, refused: 0 },
    });
  });

  it("goes on after a record that cannot be imported, lists it and exits 1", async () => {
    log("mixed.jsonl", [record({ task: "a" }), "{torn", '{"strange":1}', record({ task: "b" })].join("\n"));
    const ran = await cli(["import", "mixed.jsonl", "--out", "mixed"]);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("refused  mixed.jsonl  import-malformed: mixed.jsonl, line 2: it is not JSON");
    expect(ran.out).toContain(
      "refused  mixed.jsonl  import-unknown-format: mixed.jsonl, line 3: it is not in a known log format",
    );
    expect(ran.out).toContain("2 cassettes written to mixed, 0 existed already, 2 refused");
    expect(readdirSync(join(folder, "mixed", "m-1"))).toEqual(["a.cassette.json", "b.cassette.json"]);
  });

  it("counts repairs by kind", async () => {
    const messages = [
      { role: "user", content: null },
      { role: "assistant", content: "hi" },
    ];
    const ran = await cli(["import", log("repair.json", record({ messages })), "--out", "repair", "--json"]);
    expect(ran.code).toBe(0);
    expect(documentOf(ran)["repairs"]).toEqual({ "content-null": 1 });
  });

  it("leaves existing cassettes byte for byte, exits 2, and replaces them with --force", async () => {
    log("again.json", record());
    await cli(["import", "again.json", "--out", "again"]);
    const file = join(folder, "again", "m-1", "greet.cassette.json");
    writeFileSync(file, "mine");
    const ran = await cli(["import", "again.json", "--out", "again"]);
    expect(ran.code).toBe(2);
    expect(ran.out).toContain("not replaced; --force replaces it");
    expect(ran.out).toContain("0 cassettes written to again, 1 existed already, 0 refused");
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect((await cli(["import", "again.json", "--out", "again", "--force"])).code).toBe(0);
    expect((await cli(["verify", "again"])).code).toBe(0);
  });

  it.each([[[]], [["--force"]]])("refuses a record on the path of another log's and names both %j", async (flags) => {
    const out = `taken${flags.length}`;
    log("first.json", record());
    log("second.json", record({ task: "GREET" }));
    const ran = await cli(["import", "first.json", "second.json", "--out", out, ...flags]);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain(
      "path-taken: a record of second.json has the path m-1/GREET.cassette.json, which a record of first.json already has",
    );
    expect(ran.out).toContain(`  Import second.json by itself into another folder, such as --out ${out}-2.\n`);
    expect((await cli(["import", "second.json", "--out", `${out}-2`])).code).toBe(0);
    expect(readdirSync(join(folder, out, "m-1"))).toEqual(["greet.cassette.json"]);
  });

  it.each([
    ["empty.json", "", "nothing-found"],
    ["blank.json", "\n \n", "nothing-found"],
    ["none.json", "[]", "nothing-found"],
    ["bom.json", `\uFEFF${record()}`, "import-malformed"],
    ["binary.json", Uint8Array.of(255, 254, 0), "log-unreadable"],
    ["torn.gz", gzipSync(record()).subarray(0, 30), "log-unreadable"],
    ["gone", undefined, "log-not-found"],
  ])("exits 2 for %s, makes nothing, and says why", async (name, content, code) => {
    if (content !== undefined) log(name, content);
    const out = `none-${name}`;
    const ran = await cli(["import", name, "--out", out, "--json"]);
    expect(ran.code).toBe(2);
    expect(documentOf(ran)["refused"]).toEqual([
      { code, message: expect.any(String) as string, hint: expect.any(String) as string, file: name },
    ]);
    expect(existsSync(join(folder, out))).toBe(false);
  });

  it("exits 2 for a folder in place of a log", async () => {
    mkdirSync(join(folder, "logs"));
    const ran = await cli(["import", "logs", "--out", "from-folder"]);
    expect(ran.code).toBe(2);
    expect(ran.out).toContain("log-unreadable: logs cannot be read: it is not a regular file");
  });

  it("prints a line for each kind of refusal, and keeps the first ones whole in the document", async () => {
    log("noise.jsonl", `${record()}\n${"{}\n".repeat(MAX_REFUSALS + 6)}{torn\n`);
    const ran = await cli(["import", "noise.jsonl", "--out", "noise"]);
    expect(ran.code).toBe(1);
    expect(ran.out.match(/^refused .*/gm)).toEqual([
      "refused  noise.jsonl  import-unknown-format: noise.jsonl, line 2: it is not in a known log format: it is an empty object" +
        `  (the first of ${MAX_REFUSALS + 6} like it)`,
      expect.stringContaining(`import-malformed: noise.jsonl, line ${MAX_REFUSALS + 8}: it is not JSON`),
    ]);
    expect(ran.out).toContain(`--json lists the first ${MAX_REFUSALS} of ${MAX_REFUSALS + 7} refusals one by one\n`);
    expect(ran.out).toContain(`1 cassette written to noise, 0 existed already, ${MAX_REFUSALS + 7} refused\n`);
    const document = documentOf(await cli(["import", "noise.jsonl", "--out", "noise-json", "--json"]));
    expect(document["refused"]).toHaveLength(MAX_REFUSALS);
    expect(document).toMatchObject({ refusedMore: 7, summary: { written: 1, refused: MAX_REFUSALS + 7 } });
  });

  it("counts together what is refused for many reasons of one code", async () => {
    const strange = ["a", "b", "c", "d", "e", "f", "g", "h"].map((name) => JSON.stringify({ [name]: 1 }));
    log("strange.jsonl", [...strange, ...strange].join("\n"));
    const ran = await cli(["import", "strange.jsonl", "--out", "strange"]);
    const lines = ran.out.match(/^refused .*/gm) ?? [];
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatch(/line 1: .*"a" {2}\(the first of 2 like it\)$/);
    expect(lines[5]).toMatch(/line 6: .*"f" {2}\(the first of 6 others with that code\)$/);
    expect(ran.out).toContain("--json lists all 16 refusals one by one\n");
  });

  it("stops a log at the limit of records, reports what was written until then, and exits 2", async () => {
    expect(MAX_IMPORTED_RECORDS).toBe(1_000_000);
    log("endless.jsonl", `${record()}\n{}\n${record({ task: "again" })}\n`.repeat(9));
    log("next.json", record({ task: "next" }));
    let [code, out] = [-1, ""];
    const stdout = (text: string): void => void (out += text);
    const quiet = { stdout, stderr: () => undefined, env: {}, isTTY: false, stderrIsTTY: false };
    const io = { ...quiet, cwd: folder, files: nodeFiles(), exit: (given: number) => void (code = given) };
    await importLogs(["endless.jsonl", "next.json"], { out: "endless" }, io, { maxRecords: 4 });
    expect(code).toBe(2);
    expect(out).toContain("log-too-large: endless.jsonl has more records than the limit of 4; the rest was not read");
    expect(out).toContain("4 cassettes written to endless, 0 existed already, 2 refused\n");
    expect(readdirSync(join(folder, "endless", "m-1"))).toHaveLength(4);
  });

  it("refuses a log that memory may not do for before it is parsed, and reads those after it", async () => {
    log("dense.json", `[{"messages":[${"[],".repeat(20_000)}[]]}]`);
    log("line.jsonl", `${record({ task: "one" })}\n[${"[],".repeat(20_000)}[]]\n${record({ task: "two" })}\n`);
    log("after.json", record({ task: "after" }));
    let [code, out] = [-1, ""];
    const stdout = (text: string): void => void (out += text);
    const quiet = { stdout, stderr: () => undefined, env: {}, isTTY: false, stderrIsTTY: false };
    const io = { ...quiet, cwd: folder, files: nodeFiles(), exit: (given: number) => void (code = given) };
    const logs = ["dense.json", "line.jsonl", "after.json"];
    await importLogs(logs, { out: "dense" }, io, { maxMemory: 4 * 1024 * 1024 });
    expect(code).toBe(2);
    expect(out).toMatch(/dense\.json {2}too-large: .*4 MiB of memory may not suffice/);
    expect(out).toMatch(/line\.jsonl {2}too-large: .*line 2/);
    expect(readdirSync(join(folder, "dense", "m-1")).sort()).toEqual(
      ["after", "one", "two"].map((task) => `${task}.cassette.json`),
    );
  });

  it("exits 2 for a gzip that grows as no log does, and reads one that grows a little", async () => {
    log("bomb.gz", gzipSync(Buffer.alloc(FREE_LOG_BYTES + 1, 10)));
    const ran = await cli(["import", log("fine.json", record()), "bomb.gz", "--out", "bomb"]);
    expect(ran.code).toBe(2);
    expect(ran.out).toContain(
      "log-too-large: bomb.gz grows beyond 16777216 bytes and 200 times its size when gunzipped",
    );
    expect(ran.out).toContain("1 cassette written to bomb, 0 existed already, 1 refused\n");
    log("blank.gz", gzipSync(Buffer.alloc(FREE_LOG_BYTES, 10)));
    expect((await cli(["import", "blank.gz", "--out", "blank"])).out).toContain(
      "nothing-found: blank.gz contains no record",
    );
  });

  it("imports the other logs when one cannot be read", async () => {
    const ran = await cli(["import", "gone", log("here.json", record()), "--out", "some"]);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("1 cassette written to some, 0 existed already, 1 refused");
  });

  it("exits 2 for a format nobody reads, and suggests nothing it cannot do", async () => {
    const ran = await cli(["import", "one.json", "--out", "x", "--format", "none-such"]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(`Allowed choices are ${IMPORT_FORMATS.join(", ")}`);
  });

  it("keeps names from a log inside the folder and escapes them on the way to a terminal", async () => {
    const fields = { task: "../../../escape\u001b[2J", model: "../..", trial: "/etc/passwd" };
    const ran = await cli(["import", log("evil.json", record(fields)), "--out", "inside", "--json"]);
    expect(ran.code).toBe(0);
    expect(ran.out).not.toContain("\u001b");
    const [written] = documentOf(ran)["written"] as { file: string }[];
    expect(resolve(folder, (written as { file: string }).file).startsWith(join(folder, "inside"))).toBe(true);
    expect((await cli(["verify", "inside"])).code).toBe(0);
  });
});

describe("pathBelow", () => {
  it.each(["../x.json", "a/../../x.json", "/etc/x.json", "..", ""])("refuses %j", (path) => {
    expect(refusal(() => pathBelow("out", path))).toMatchObject({ code: "path-outside" });
  });

  it("joins what stays inside", () => {
    expect(pathBelow("out", "a/..b/c.json")).toBe(join("out", "a", "..b", "c.json"));
  });
});

describe("readLog", () => {
  it("says that a limit was reached, before and after gunzip", async () => {
    const plain = join(folder, log("plain.log", "x".repeat(101)));
    const bomb = join(folder, log("bomb.log", gzipSync("x".repeat(100_000))));
    expect(await rejection(readLog(nodeFiles(), plain, 100))).toMatchObject({
      code: "log-too-large",
      message: `${plain} has 101 bytes, more than the limit of 100`,
    });
    expect(await rejection(readLog(nodeFiles(), bomb, 50_000))).toMatchObject({
      code: "log-too-large",
      message: `${bomb} has more than the limit of 50000 bytes when gunzipped`,
    });
    expect(await readLog(nodeFiles(), bomb, 100_000)).toHaveLength(100_000);
  });
});
