import { expect, it } from "vitest";
import { benchHtml } from "../../../src/harness/bench/page.js";
import { benchMarkdown, benchText } from "../../../src/harness/bench/report-text.js";
import { toBenchedLength, type BenchReport } from "../../../src/harness/bench/report.js";

/** Eight pairs of runs that differ by `spread` in either direction. */
function reportOf(spread: number, clock: BenchReport["clock"]): BenchReport {
  const runs = (sign: number) =>
    Array.from({ length: 8 }, (_, run) => ({ start: 0, pauses: [1_000 + (run % 2 === 0 ? sign : -sign) * spread] }));
  const measured = { turns: 2, calls: 1, command: runs(1), reference: runs(-1) };
  const lengths = [toBenchedLength(measured, { amount: 20, isRelative: false })];
  return { cassette: "a.cassette.json", ran: "agent", reference: "old", runs: 8, clock, load: 0, cores: 2, lengths };
}

it("says in each report what the noise of a benchmark hides", () => {
  for (const toText of [benchText, benchMarkdown, benchHtml]) {
    expect(toText(reportOf(500, "wall"))).toMatch(
      /The noise hides a slowdown of up to 1\.02 ms a turn\. More turns \(--turns\), more --runs and --cpu reduce it\./,
    );
    expect(toText(reportOf(500, "cpu"))).toContain("More turns (--turns) and more --runs reduce it.");
    expect(toText(reportOf(1, "wall"))).not.toContain("The noise hides");
  }
});
