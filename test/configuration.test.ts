// docs/configuration.md names every environment variable of ours and every file that the source calls by name; pages that the source names exist.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repositoryRoot } from "./support/built.js";

const page = readFileSync(join(repositoryRoot, "docs/configuration.md"), "utf8");
const sources = readdirSync(join(repositoryRoot, "src"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => readFileSync(join(repositoryRoot, "src", path), "utf8"))
  .join("\n");

/** Those of the names that the page does not show as code. */
function missing(found: Iterable<RegExpExecArray>, except: RegExp): string[] {
  const names = [...new Set(Array.from(found, ([, name]) => name ?? ""))].filter((name) => !except.test(name));
  expect(names.length).toBeGreaterThan(3);
  return names.filter((name) => !page.includes(`\`${name}\``));
}

it("names every variable that begins with CASSETTE_", () => {
  const constants = /^CASSETTE_(MODES|PAYLOAD_TYPE|SUFFIX)$/;
  expect(missing(sources.matchAll(/\b(CASSETTE_[A-Z_]+)\b/g), constants)).toEqual([]);
});

it("names every file that a constant of the source names", () => {
  const demo = /^orbit-|^drift-report/;
  expect(missing(sources.matchAll(/^(?:export )?const [A-Z]+_FILE = "([\w.-]+)";$/gm), demo)).toEqual([]);
});

it("exists, like every page of the docs that the source names", () => {
  const named = new Set(Array.from(sources.matchAll(/(?<!ollama )docs\/([\w/-]+\.md)/g), ([, name]) => name ?? ""));
  expect(named.size).toBeGreaterThan(10);
  expect([...named].filter((name) => !existsSync(join(repositoryRoot, "docs", name)))).toEqual([]);
});
