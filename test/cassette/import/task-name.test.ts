import { describe, expect, it } from "vitest";
import { importLog } from "../../../src/cassette/import/import.js";

const session = (task: string, ask: string, more: object = {}) => ({
  ...{ task_id: task, model: "m", ...more },
  messages: [
    { role: "user", content: ask },
    { role: "assistant", content: "Done." },
  ],
});

function paths(pattern: string, sessions: readonly object[], source = "logs/a.json"): string[] {
  return [...importLog(JSON.stringify(sessions), { source, recordedAt: "2026-01-01T00:00:00Z", task: pattern })].map(
    ({ path }) => path,
  );
}

describe("a pattern for tasks", () => {
  it("names runs by what they have, and numbers those of one name", () => {
    const two = [session("id-1", "Fix it"), session("id-2", "Fix it"), session("id-3", "Leave it")];
    expect(paths("{prompt}", two)).toEqual([
      "m/Fix_it.1.cassette.json",
      "m/Fix_it.2.cassette.json",
      "m/Leave_it.1.cassette.json",
    ]);
    expect(paths("{path}/{task}", two.slice(0, 1))).toEqual(["m/a/id-1.1.cassette.json"]);
  });

  it("takes the text between two others", () => {
    expect(paths("{prompt:ticket *:}", [session("1", "Fix ticket A-7: twice")])).toEqual(["m/A-7.1.cassette.json"]);
    expect(paths("{prompt:* }", [session("1", "Fix ticket")])).toEqual(["m/Fix.1.cassette.json"]);
    expect(paths("{prompt:ticket *}", [session("1", "Fix ticket 9")])).toEqual(["m/9.1.cassette.json"]);
  });

  it("skips blocks that a program put before the request", () => {
    const ask = "<environment_context>\n<cwd>/a</cwd>\n</environment_context>\nFix it";
    expect(paths("{prompt}", [session("1", ask)])).toEqual(["m/Fix_it.1.cassette.json"]);
  });

  it("makes no folders of a text, and keeps long ones apart", () => {
    const long = "x".repeat(500);
    const [first = "", second = ""] = paths("{prompt}", [session("1", `${long}1`), session("2", `${long}2`)]);
    expect(first).not.toBe(second);
    expect(paths("{prompt}", [session("1", "../../etc/passwd")])).toEqual(["m/___.._etc_passwd.1.cassette.json"]);
  });

  it("contains no secret", () => {
    const key = `sk-ant-api03-${"aB3".repeat(31)}AA`;
    expect(paths("{prompt}", [session("1", `Use ${key} now`)]).join()).not.toContain("aB3aB3");
  });

  it("refuses a run without the field", () => {
    expect(() => paths("{branch}", [session("1", "Fix it")])).toThrow(
      "the task pattern has {branch}, and this log has no branch",
    );
    expect(() => paths("{prompt:ticket *:}", [session("1", "Fix it")])).toThrow("nothing in this log fits it");
  });

  it.each(["plain", "{nothing}", "{prompt", "prompt}", "{prompt:no star}", "{prompt:*a*}"])("refuses %s", (pattern) => {
    expect(() => paths(pattern, [session("1", "Fix it")])).toThrow(/the task pattern .* cannot be read/);
  });
});
