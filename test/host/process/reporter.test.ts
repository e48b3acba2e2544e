import { expect, it } from "vitest";
import { createReporter } from "../../../src/host/process/reporter.js";

it("reports a long list of flaws whole, and a longer text with a mark, without keys", () => {
  const lines: string[] = [];
  const reporter = createReporter((text) => lines.push(text));
  const flaws = Array.from({ length: 40 }, (_, index) => `flaw ${index} of a spec`).join("; ");
  const key = `sk-ant-api03-${"a1B2".repeat(20)}`;
  reporter.error(new Error(flaws));
  reporter.error(new Error(`${key} ${"x".repeat(1_000_000)}`));
  const [whole, cut] = lines.map((line) => (JSON.parse(line) as { error: string }).error);
  expect(whole).toBe(flaws);
  expect(cut?.endsWith("x…")).toBe(true);
  expect(cut).not.toContain(key);
});
