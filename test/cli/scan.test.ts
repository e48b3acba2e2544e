import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { prompt, recordTurns } from "../support/recording.js";
import { SAMPLES } from "../support/secrets.js";
import { say } from "../support/script.js";
import { cli, documentOf, folder } from "./run.js";

const all = Object.entries(SAMPLES).flatMap(([rule, samples]) => samples.map((sample) => ({ rule, ...sample })));
const [{ text, secret }] = SAMPLES["github-token"] as [{ text: string; secret: string }];

let made = 0;
function files(contents: Record<string, string>): string {
  const name = `scan-${made++}`;
  mkdirSync(join(folder, name));
  for (const [file, content] of Object.entries(contents)) writeFileSync(join(folder, name, file), content);
  return name;
}

describe("cassette scan", () => {
  it("names file, line, column, rule and pointer, exits 1, and shows no secret", async () => {
    const name = files({
      "a.json": JSON.stringify({ list: [1, { key: text }] }, null, 2),
      "b.log": `first line\n  ${text}\n${JSON.stringify({ token: secret })}\n`,
    });
    const ran = await cli(["scan", name]);
    expect(ran).toEqual({
      code: 1,
      err: "",
      out: [
        `${name}/a.json:5:19  github-token  at /list/1/key`,
        `${name}/b.log:2:7  github-token`,
        `${name}/b.log:3:11  github-token  at /token`,
        "2 files scanned, 3 findings",
        "",
      ].join("\n"),
    });
  });

  it("looks into folders that are skipped elsewhere if they are named", async () => {
    const name = files({ "a.txt": "nothing" });
    for (const skipped of [".git/hooks", "node_modules/pkg"]) {
      mkdirSync(join(folder, name, skipped), { recursive: true });
      writeFileSync(join(folder, name, skipped, "b.txt"), text);
    }
    expect((await cli(["scan", name])).out).toBe("1 file scanned, 0 findings\n");
    const named = [`${name}/.git/hooks`, `${name}/node_modules/pkg/b.txt`];
    expect((await cli(["scan", name, ...named])).out).toContain("3 files scanned, 2 findings\n");
  });

  it("reads UTF-16 with a mark", async () => {
    const name = files({});
    const little = Buffer.from(`\ufeff${text}`, "utf16le");
    writeFileSync(join(folder, name, "le.log"), little);
    writeFileSync(join(folder, name, "be.log"), Buffer.from(little).swap16());
    expect((await cli(["scan", name])).out).toContain("2 files scanned, 2 findings\n");
  });

  it("finds a number that is a secret, as a recording does in arguments", async () => {
    const name = files({ "a.json": `{ "pay": [1, ${"4111" + "111111111111"}, -1.5e3] }` });
    const ran = await cli(["scan", name]);
    expect(ran.out).toBe(`${name}/a.json:1:14  payment-card  at /pay/1\n1 file scanned, 1 finding\n`);
  });

  it("shows no secret of any rule in any output: text, JSON, keys, paths and errors", async () => {
    const contents = all.map((sample, index) => [
      `${index}.json`,
      JSON.stringify({ [sample.text]: sample.text, deep: [sample.text] }),
    ]);
    const name = files({ ...Object.fromEntries(contents), [`${secret}.txt`]: text });
    for (const argv of [
      ["scan", name, "--email"],
      ["scan", name, "--email", "--json"],
      ["scan", join(name, `${secret}.txt`)],
      ["scan", `no-${secret}`],
      ["scan", `no-${secret}`, "--json"],
    ]) {
      const { code, out, err } = await cli(argv);
      expect(code).not.toBe(0);
      for (const sample of all) {
        expect(out + err).not.toContain(sample.secret);
        expect(out + err).not.toContain(JSON.stringify(sample.secret).slice(1, -1));
      }
    }
    const rules = documentOf(await cli(["scan", name, "--email", "--json"]))["findings"] as { rule: string }[];
    expect(new Set(rules.map(({ rule }) => rule))).toEqual(new Set(all.map(({ rule }) => rule)));
  });

  it("passes what was recorded with redaction, since a placeholder is not a finding", async () => {
    const recorded = await recordTurns([prompt(...all.map((sample) => sample.text))], [say(text)]);
    const open = await recordTurns([prompt(text)], [say(text)], { redact: false });
    const clean = files({ "a.cassette.json": formatCassette(recorded) });
    expect(await cli(["scan", clean])).toMatchObject({ code: 0, out: "1 file scanned, 0 findings\n" });
    expect((await cli(["scan", files({ "a.cassette.json": formatCassette(open) })])).code).toBe(1);
  });

  it("reads a text of any length, escaped or not", async () => {
    const long = "\\n".repeat(8_000_000) + "x".repeat(16_000_000);
    const name = files({ "long.json": `{"log":"${long} ${secret}"}` });
    const findings = documentOf(await cli(["scan", name, "--json"]))["findings"];
    const column = 9 + long.length + 1;
    expect(findings).toEqual([{ file: `${name}/long.json`, line: 1, column, rule: "github-token", pointer: "/log" }]);
  });

  it("looks for the environment's own secrets where asked to", async () => {
    const env = { SOME_TOKEN: "correct-horse-battery", HOME: "not-a-secret" };
    const name = files({ "a.txt": "say correct-horse-battery in not-a-secret" });
    expect((await cli(["scan", name], { env })).code).toBe(0);
    const ran = await cli(["scan", name, "--values-from-env"], { env });
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.out).toContain(`${name}/a.txt:1:5  value`);
    expect(ran.out).not.toContain("horse");
  });

  it("takes memory and time by the size of a file, however deep it is and however many secrets one text holds", async () => {
    const depth = 50_000;
    const name = files({
      "deep.json": `${'{"a":'.repeat(depth)}"${secret}"${"}".repeat(depth)}`,
      "one-text.json": JSON.stringify({ log: `${secret}\n`.repeat(25_000) }),
    });
    const findings = documentOf(await cli(["scan", name, "--json"]))["findings"] as Record<string, unknown>[];
    expect(findings).toHaveLength(25_001);
    expect(findings[0]).toEqual({ file: `${name}/deep.json`, line: 1, column: depth * 5 + 2, rule: "github-token" });
    const width = secret.length + 2;
    const last = { file: `${name}/one-text.json`, line: 1, column: 9 + 24_999 * width, rule: "github-token" };
    expect(findings.at(-1)).toEqual({ ...last, pointer: "/log" });
  });

  it("exits 2 where there is nothing to scan, or a file is not there", async () => {
    mkdirSync(join(folder, "scan-empty"));
    expect(await cli(["scan", "scan-empty"])).toMatchObject({ code: 2 });
    expect(await cli(["scan", "scan-missing.txt"])).toMatchObject({ code: 2 });
  });
});
