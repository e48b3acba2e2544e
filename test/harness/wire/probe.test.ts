import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PROBES, probeReply } from "../../../src/harness/wire/probe.js";

const request = { method: "GET", path: "/v1/responses", headers: {} };

describe("a connection check", () => {
  it("is HEAD of the root, and gets 200", () => {
    expect(probeReply({ ...request, method: "HEAD", path: "/" })).toMatchObject({ status: 200, body: "" });
  });

  it.each(["websocket", "WebSocket"])("is a request for an upgrade to %s, and gets 426", (upgrade) => {
    expect(probeReply({ ...request, headers: { upgrade } })).toMatchObject({
      status: 426,
      headers: { upgrade: "HTTP/1.1", connection: "Upgrade" },
    });
  });

  it.each([
    ["GET of the root", { method: "GET", path: "/" }],
    ["HEAD of another path", { method: "HEAD", path: "/v1/files/f1" }],
    ["a WebSocket to a path without turns", { path: "/v1/realtime", headers: { upgrade: "websocket" } }],
    ["an upgrade to HTTP/2", { headers: { upgrade: "h2c" } }],
  ])("is not %s", (_, fields) => expect(probeReply({ ...request, ...fields })).toBeUndefined());

  it("is listed in the guide, with its status", () => {
    const guide = readFileSync("docs/serve.md", "utf8");
    for (const { request, reply } of PROBES) expect(guide).toContain(`| ${request} | ${reply.status} |`);
  });
});
