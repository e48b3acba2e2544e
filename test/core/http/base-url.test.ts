import { describe, expect, it } from "vitest";
import { baseUrlProblem } from "../../../src/core/http/base-url.js";

const turnPaths = ["/chat/completions", "/messages", "/api/chat"];
const openai = { path: "/chat/completions", needsKey: true, turnPaths };
const ollama = { path: "/api/chat", needsKey: false, turnPaths };

describe("baseUrlProblem", () => {
  it.each([
    ["localhost:8000", "http"],
    ["localhost:8000/v1", "http"],
    ["127.0.0.1", "http"],
    ["[::1]:8000/v1", "http"],
    ["api.example.com/v1", "https"],
    ["api.example.com:8443", "https"],
    ["localhost.example.com:80", "https"],
  ])("says that %s has no scheme, and that it is %s", (baseURL, scheme) => {
    const problem = baseUrlProblem(baseURL, openai);
    expect(problem).toContain(`"${baseURL}" is not an absolute URL: the scheme is missing, write ${scheme}://`);
  });

  it.each([[5], [null], [{}], [""], ["//example.com"], ["https://"], ["mailto:x"]])("refuses %j", (baseURL) => {
    expect(baseUrlProblem(baseURL, openai)).toContain("not an absolute URL");
  });

  it.each([
    "me:hunter22@example.com/v1",
    "//me:hunter22@example.com",
    "example.com/?key=hunter22",
    "https://a b@hunter22",
  ])("does not show what %s may keep secret", (baseURL) => {
    const problem = baseUrlProblem(baseURL, openai);
    expect(problem).toContain("baseURL");
    expect(problem).not.toContain("hunter22");
  });

  it.each(["/chat/completions", "/messages", "/api/chat"])("refuses an address that was copied with its %s", (path) => {
    for (const end of [path, `${path}/`, `${path}?api-version=1`]) {
      const problem = baseUrlProblem(`https://example.com/v1${end}`, openai);
      expect(problem).toBe(`baseURL ends in ${path}: remove that, because /chat/completions is added automatically`);
    }
    expect(baseUrlProblem(`https://example.com/v1${path}/x`, openai)).toBe("");
  });

  it("sends the credentials of an address elsewhere: into apiKey, or for Ollama, which takes none, into a header", () => {
    expect(baseUrlProblem("https://me:hunter22@example.com", openai)).toContain("pass apiKey instead");
    const problem = baseUrlProblem("https://me:hunter22@example.com", ollama);
    expect(problem).not.toContain("apiKey");
    expect(problem).toContain("authorization header with your own fetch");
  });
});
