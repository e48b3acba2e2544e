import { describe, expect, it } from "vitest";
import { withoutEscapes } from "../../../../src/cassette/redact/detect/escapes.js";
import { createFinder } from "../../../../src/cassette/redact/detect/find.js";
import { createRedactor } from "../../../../src/cassette/redact/redactor.js";
import { SECRET_RULES } from "../../../../src/cassette/redact/detect/secret-rules.js";

const find = createFinder(SECRET_RULES);
const token = "gh" + "p_" + "a1B2c3D4e5".repeat(4);
const escape = String.fromCharCode(27);

describe("escapes before a secret", () => {
  it.each([
    ["a line break in JSON", JSON.stringify({ stdout: `token:\n${token}\n` })],
    ["a line break in JSON in JSON", JSON.stringify({ result: JSON.stringify({ stdout: `token:\n${token}` }) })],
    ["a tab", JSON.stringify(`a\t${token}`)],
    ["an escaped sign", `{"query":"a\\u0026token\\u003d${token}"}`],
    ["a byte of Python", `b'\\x00${token}'`],
    ["a percent sign", `https://example.com/?next=%2F%3Ftoken%3D${token}%26a%3D1`],
    ["a percent sign, encoded twice", `https://example.com/?next=token%253D${token}`],
    ["a colour", `${escape}[01;31m${escape}[K${token}${escape}[m`],
    ["a colour in JSON", JSON.stringify(`${escape}[31m${token}`)],
    ["a colour of a shell", `echo "\\033[1;31m${token}" "\\e[31m"`],
  ])("%s: it is found, and nothing next to it", (_, text) => {
    expect(find(text).map(({ start, end }) => text.slice(start, end))).toEqual([token]);
  });

  it("are taken for what they stand for", () => {
    const bearer = `Authorization%3A%20Bearer%20${"a1B2".repeat(8)}`;
    expect(find(bearer).map(({ rule }) => rule)).toEqual(["bearer-token"]);
    expect(find(`x\\u0061${token}`)).toEqual([]);
    expect(find(`x${token}`)).toEqual([]);
  });

  it("leave a text as long as it was, and one without any as it is", () => {
    for (const text of ["a\\n\\\\n%3D", `${escape}[0m x`, "100% of \\u00e9\\uZZ \\", "\\".repeat(200) + "n"]) {
      expect(withoutEscapes(text)).toHaveLength(text.length);
    }
    expect(withoutEscapes("a\\u0022b%3Dc\\nd\\x41e\\u2541f")).toBe('a     "b  =c  d   Ae      f');
    expect(withoutEscapes("plain\ntext")).toBe("plain\ntext");
  });

  it.each(["\\", "\\n", "%25", `${escape}[`, "\\u", "\\e[0;"])("go through a megabyte of %j", (piece) => {
    const text = piece.repeat(Math.ceil(1_048_576 / piece.length));
    expect(withoutEscapes(text)).toHaveLength(text.length);
  });

  it("hide no secret from a recording", () => {
    const message = { role: "user" as const, content: JSON.stringify({ stdout: `\n${token}` }) };
    const [clean] = createRedactor(undefined).messages([message]);
    expect(clean).toEqual({ role: "user", content: '{"stdout":"\\n<redacted:github-token:1>"}' });
  });
});
