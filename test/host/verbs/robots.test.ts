// The parser of robots.txt against RFC 9309, its own examples included.

import { describe, expect, it } from "vitest";
import { askRobots } from "../../../src/host/verbs/robots.js";

const ask = (text: string, path: string, agent = "playhead") => askRobots(text, agent, path).allowed;

describe("robots.txt", () => {
  it("allows everything that no rule names", () => {
    expect(ask("", "/a")).toBe(true);
    expect(ask("User-agent: *\nDisallow:\n", "/a")).toBe(true);
    expect(ask("User-agent: *\nDisallow: /b\n", "/a")).toBe(true);
    expect(ask("Disallow: /\n", "/a")).toBe(true);
  });

  it("reads the group of the agent's name, and * without one", () => {
    const text = "User-agent: *\nDisallow: /\nUser-agent: PlayHead/1.0\nAllow: /a\nDisallow: /b";
    expect([ask(text, "/a"), ask(text, "/b"), ask(text, "/c"), ask(text, "/a", "other")]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it("takes several names for one group and several groups for one name", () => {
    const text =
      "user-agent: x\nuser-agent: playhead\ndisallow: /x\n\nuser-agent: y\ndisallow: /y\nuser-agent: playhead\ndisallow: /z";
    expect(["/x", "/y", "/z"].map((path) => ask(text, path))).toEqual([false, true, false]);
  });

  it("lets the longest match decide, and Allow in a tie", () => {
    const text =
      "User-agent: *\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\nDisallow: /t\nAllow: /t";
    expect(ask(text, "/example/page/a")).toBe(true);
    expect(askRobots(text, "playhead", "/example/page/disallowed.gif")).toEqual({
      allowed: false,
      rule: "Disallow: /example/page/disallowed.gif",
    });
    expect(ask(text, "/t")).toBe(true);
  });

  it.each([
    ["/*.gif$", "/a/b.gif", false],
    ["/*.gif$", "/a/b.gif?x", true],
    ["/a*b*c", "/a-b-b-c-d", false],
    ["/a*b*c", "/a-c-b", true],
    ["/$", "/", false],
    ["/$", "/a", true],
    ["*/x", "/a/x", false],
    ["/a*a$", "/a", true],
    ["/a*a$", "/aa", false],
    ["/ü", "/%C3%BC", false],
    ["/%c3%bc", "/%C3%BC", false],
    ["/%7Ea", "/~a", false],
    ["/a%2Fb", "/a/b", true],
  ])("Disallow: %s leaves %s allowed: %s", (pattern, path, allowed) => {
    expect(ask(`User-agent: *\nDisallow: ${pattern}`, path)).toBe(allowed);
  });

  it("ends lines in all three ways and drops comments", () => {
    expect(ask("User-agent: * # all\r\nDisallow: /a # no\rDisallow: /b\nDisallow:/c", "/c")).toBe(false);
    expect(ask("User-agent: * # all\r\nDisallow: /a # no\rDisallow: /b\n", "/a")).toBe(false);
  });

  it("always allows robots.txt itself", () => {
    expect(ask("User-agent: *\nDisallow: /", "/robots.txt")).toBe(true);
  });

  it("takes no time over patterns of nothing but stars", () => {
    expect(ask(`User-agent: *\nDisallow: /${"*a".repeat(900)}$`, `/${"a".repeat(800)}`)).toBe(true);
  });
});
