// The published JSON Schemas. That they fit what the commands print is held where the commands are tested: test/cli/run.ts looks
// at every document of every test. Here: that there is one for each command, and that they refuse what is wrong.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "./support/built.js";
import { gateReport, richReport } from "./support/gate-report.js";
import { assertDocument, assertPublished, PUBLISHED } from "./support/published-schemas.js";

const commands = readdirSync(join(repositoryRoot, "src/cli/commands"))
  .map((file) => readFileSync(join(repositoryRoot, "src/cli/commands", file), "utf8"))
  .filter((text) => text.includes('"--json"'))
  .flatMap((text) => [...text.matchAll(/\.command\("([a-z-]+)/g)].map((match) => match[1] as string));

describe("the published schemas", () => {
  it("are there for each command that takes --json", () => {
    expect(commands.length).toBeGreaterThan(15);
    expect(commands.filter((name) => !PUBLISHED.has(name))).toEqual([]);
  });

  it("are of draft 2020-12, titled, and named as their files", () => {
    for (const [name, schema] of PUBLISHED) {
      expect(schema).toMatchObject({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        title: expect.stringMatching(/\S/) as string,
        $id: `https://playhead.example/schemas/${name}.schema.json`,
      });
    }
  });

  it("take the report of the gate, rich and empty", () => {
    for (const report of [richReport(), gateReport([])]) {
      assertPublished("gate-report", JSON.parse(JSON.stringify(report)));
      assertDocument(JSON.parse(JSON.stringify({ ...report, command: "drift", exitCode: 1 })) as { command: string });
    }
  });

  it("take a failure of any command, and a document with fields they do not name", () => {
    const error = { code: "usage", message: "no path was given", hint: "Name one." };
    for (const command of commands)
      assertDocument({ schemaVersion: 1, command, exitCode: 2, error } as { command: string });
    const report = { ...gateReport([]), later: true };
    assertPublished("gate-report", JSON.parse(JSON.stringify(report)));
  });

  it("refuse a document without its fields, with another version or a verdict that there is not", () => {
    const whole = JSON.parse(JSON.stringify(richReport())) as Record<string, unknown>;
    const { scenarios: _scenarios, ...without } = whole;
    expect(() => assertPublished("gate-report", without)).toThrow("scenarios");
    expect(() => assertPublished("gate-report", { ...whole, schemaVersion: 2 })).toThrow("/schemaVersion");
    expect(() => assertPublished("gate-report", { ...whole, verdict: "fine" })).toThrow("/verdict");
    for (const command of commands) {
      expect(() => assertDocument({ schemaVersion: 1, command, exitCode: 0 } as { command: string })).toThrow();
    }
  });
});
