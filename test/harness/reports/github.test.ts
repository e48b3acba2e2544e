import { describe, expect, it } from "vitest";
import { MAX_ANNOTATIONS } from "../../../src/harness/limits.js";
import { githubReport } from "../../../src/harness/reports/github.js";
import { gateReport, HOSTILE, rejudged, richReport, scenario, unpaired } from "../../support/gate-report.js";

/** As the runner of GitHub Actions reads a line. */
function parseCommand(line: string) {
  const found = /^::([a-z]+) ([^:]*)::(.*)$/.exec(line);
  if (found === null) throw new Error(`no command: ${line}`);
  const undo = (text: string) =>
    text
      .replaceAll("%2C", ",")
      .replaceAll("%3A", ":")
      .replaceAll("%0A", "\n")
      .replaceAll("%0D", "\r")
      .replaceAll("%25", "%");
  const properties = (found[2] ?? "").split(",").map((pair) => pair.split(/=(.*)/s).slice(0, 2).map(undo));
  return { kind: found[1], message: undo(found[3] ?? ""), ...Object.fromEntries(properties) } as Record<string, string>;
}

function commandsOf(text: string) {
  return text.trimEnd().split("\n").slice(0, -1).map(parseCommand);
}

describe("the annotations for GitHub", () => {
  it("stand at the line of the first divergence, errors before warnings and notices", () => {
    const report = richReport();
    const commands = commandsOf(githubReport(rejudged({ ...report, pooled: {}, unpaired: [] })));
    expect(commands[0]).toEqual({
      kind: "error",
      file: "cassettes/old/retail/12.0.cassette.json",
      line: "47",
      title: "retail/12: regression",
      message:
        'It succeeds less often: 4 of 4 runs before, 1 of 4 now.\nsuccess was lost: 4 of 4 runs before, 1 of 4 now (failed: cassettes/new/retail/12.1.cassette.json, cassettes/new/retail/12.2.cassette.json, cassettes/new/retail/12.3.cassette.json)\nFirst divergence: get_order({"order_id":"#W103"}) was removed; the old run made this call at turn 4.',
    });
    expect(commands.map(({ kind }) => kind)).toEqual(["error", "error", "error", "error", "notice"]);
    expect(commands[1]?.["title"]).toBe("retail/12: rule never-hand-over");
  });

  it("are errors for what fails over all scenarios, and for scenarios on one side", () => {
    const report = rejudged({ ...richReport(), scenarios: [scenario("a", "same")] });
    const errors = commandsOf(githubReport(report)).filter(({ kind }) => kind === "error");
    expect(errors.map(({ title }) => title)).toEqual([
      "all scenarios: regression",
      "all scenarios: drift",
      "retail/99: drift",
      expect.stringMatching(/: drift$/),
    ]);
    expect(errors[0]).toMatchObject({ file: "cassettes/new/a.0.cassette.json" });
    const [lone] = [unpaired("b", "candidate")];
    expect(commandsOf(githubReport(rejudged({ ...report, pooled: {}, unpaired: [lone] })))).toEqual([
      {
        kind: "error",
        file: "cassettes/candidate/b.0.cassette.json",
        title: "b: drift",
        message: "only the candidate has it (1 run)",
      },
    ]);
  });

  it("end with the verdict in a plain line", () => {
    expect(githubReport(richReport()).trimEnd().split("\n").at(-1)).toMatch(
      /^cassette drift: regression\. retail\/12 breaks a rule that it kept before: .* 1 scenario regressed and 2/,
    );
    expect(githubReport(gateReport([scenario("a", "same")]))).toBe(
      "cassette drift: same. Nothing changed beyond chance. No scenario differs. The gate passes.\n",
    );
  });

  it("cannot be broken by recorded text, which stays readable", () => {
    const text = githubReport(gateReport([scenario(HOSTILE, "drift", { reason: `a\n::error::b\r${HOSTILE}` })]));
    expect(text.split("\n")).toHaveLength(3);
    const [command] = commandsOf(text);
    expect(command?.["kind"]).toBe("error");
    expect(command?.["message"]).toContain("a\n::error::b\\r");
    expect(command?.["title"]).toContain("::error::x%0A \\u202e");
  });

  it("are at most ten of a kind, the last of which counts the rest", () => {
    const many = Array.from({ length: 40 }, (_, index) =>
      scenario(`s/${index}`, index < 25 ? "drift" : "inconclusive"),
    );
    const commands = commandsOf(githubReport(gateReport(many)));
    const of = (kind: string) => commands.filter((command) => command["kind"] === kind);
    expect(of("error")).toHaveLength(MAX_ANNOTATIONS + 1);
    expect(of("error").at(-1)?.["message"]).toBe("and 16 more");
    expect(of("notice").at(-1)?.["message"]).toBe("and 6 more");
  });

  it("are warnings where the settings let drift pass", () => {
    const text = githubReport(rejudged(richReport(), { failOn: [] }));
    expect(new Set(commandsOf(text).map(({ kind }) => kind))).toEqual(new Set(["warning", "notice"]));
  });
});
