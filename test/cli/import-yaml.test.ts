import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { yamlToJson } from "../../src/cli/import/yaml.js";
import { MAX_YAML_CHARACTERS } from "../../src/cli/limits.js";
import { rejection } from "../support/refusal.js";
import { cli, documentOf, folder } from "./run.js";

const answer = JSON.stringify({ choices: [{ finish_reason: "stop", message: { role: "assistant", content: "hi" } }] });
const request = JSON.stringify({ model: "m-1", messages: [{ role: "user", content: "hello" }] });

/** A recording as vcr.py writes it, its answer's body written as `body` says. */
function vcrPy(body: string): string {
  return `interactions:
- request:
    body: '${request}'
    headers: &id001
      accept:
      - application/json
    method: POST
    uri: https://api.openai.com/v1/chat/completions
  response:
    body:
      string: ${body}
    headers: *id001
    status:
      code: 200
      message: OK
version: 1
`;
}

const binary = `!!binary |\n        ${gzipSync(answer).toString("base64").replace(/.{60}/g, "$&\n        ")}`;

describe("cassette import of YAML", () => {
  it.each([
    ["text", `'${answer}'`],
    ["bytes that are packed", binary],
    ["text that Python tagged", `!!python/unicode '${answer}'`],
  ])("reads a recording whose answer is %s", async (_, body) => {
    writeFileSync(join(folder, "rec.yaml"), vcrPy(body));
    const ran = await cli(["import", "rec.yaml", "--out", "yaml", "--force", "--json"]);
    expect(ran.code).toBe(0);
    expect(documentOf(ran)).toMatchObject({ written: [{ model: "m-1", turns: 1 }], repairs: {} });
  });

  it("reads a recording of Ruby's VCR, gzipped", async () => {
    const text = `---
http_interactions:
- request:
    method: post
    uri: https://api.openai.com/v1/chat/completions
    body:
      encoding: UTF-8
      string: '${request}'
  response:
    status:
      code: 200
      message: OK
    headers: {}
    body:
      encoding: ASCII-8BIT
      base64_string: !binary |-
        ${Buffer.from(answer).toString("base64")}
recorded_with: VCR 6.3.1
`;
    writeFileSync(join(folder, "rec.yml.gz"), gzipSync(text));
    const ran = await cli(["import", "rec.yml.gz", "--out", "ruby", "--json"]);
    expect(documentOf(ran)).toMatchObject({ written: [{ model: "m-1", turns: 1 }], summary: { refused: 0 } });
  });

  it("forces the format and refuses another's name", async () => {
    writeFileSync(join(folder, "forced.yaml"), vcrPy(`'${answer}'`));
    expect((await cli(["import", "forced.yaml", "--out", "forced", "--format", "vcr"])).code).toBe(0);
    const ran = await cli(["import", "forced.yaml", "--out", "forced", "--format", "har"]);
    expect(ran.code).toBe(2);
    expect(ran.out).toContain("it is not in har format");
    expect(ran.out).toContain("Read it as vcr");
  });

  it.each([
    ["aliases that stand for each other", bomb()],
    ["an alias of itself", "interactions: &a [*a]\n"],
    ["an alias of nothing", "interactions: [*b]\n"],
    ["lists without end", `interactions: ${"[".repeat(100_000)}\n`],
    ["torn quotes", "interactions:\n- request: 'a\n"],
  ])("refuses %s in words", async (_, text) => {
    await expect(rejection(yamlToJson(text, "bad.yaml"))).resolves.toMatchObject({ code: "log-unreadable" });
  });

  it("makes nothing of a tag that would run something, nor of prototypes", async () => {
    const text = `interactions:\n- run: !!python/object/apply:os.system ["true"]\n  __proto__: {polluted: 1}\n`;
    expect(await yamlToJson(text, "tag.yaml")).toBe('{"interactions":[{"run":["true"],"__proto__":{"polluted":1}}]}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it("refuses more YAML than it has room for, and leaves other texts alone", async () => {
    const long = `interactions: []\n#${"x".repeat(MAX_YAML_CHARACTERS)}`;
    await expect(rejection(yamlToJson(long, "long.yaml"))).resolves.toMatchObject({ code: "log-too-large" });
    for (const text of ['{"interactions":[]}', "interactions are fine", ""]) {
      expect(await yamlToJson(text, "other")).toBe(text);
    }
  });
});

/** Nine lists of nine aliases each: nine to the ninth values. */
function bomb(): string {
  const names = [..."bcdefghij"];
  const lists = names.map((name, index) => {
    const before = index === 0 ? "a" : (names[index - 1] ?? "");
    return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(",")}]`;
  });
  return `interactions: []\na: &a [x]\n${lists.join("\n")}\n`;
}
