import { describe, expect, it } from "vitest";
import { probeReply } from "../../../src/harness/wire/probe.js";

const request = { method: "GET", path: "/v1/responses", headers: {} };

describe("a connection check", () => {
  it("is HEAD of the root, and gets 200", () => {
    expect(probeReply({ ...request, method: "HEAD", path: "/" })).toMatchObject({ status: 200, body: "" });
  });

  it.each(["websocket", "WebSocket"])("is a request for an upgrade to %s, and gets 426", (upgrade) => {
    expect(probeReply({ ...request, headers: { upgrade } })?.status).toBe(426);
  });

  it.each([
    ["GET of the root", { method: "GET", path: "/" }],
    ["HEAD of another path", { method: "HEAD", path: "/v1/files/f1" }],
    ["an upgrade to HTTP/2", { headers: { upgrade: "h2c" } }],
  ])("is not %s", (_, fields) => expect(probeReply({ ...request, ...fields })).toBeUndefined());
});
