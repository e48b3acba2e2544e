import { expect, it, vi } from "vitest";
import { loadZeromq } from "../../../../src/host/process/zmq/driver.js";

vi.mock("zeromq", () => {
  throw new Error("no such package");
});

it("says which package ZeroMQ needs", async () => {
  await expect(loadZeromq()).rejects.toMatchObject({
    code: "capability-missing",
    hint: "Run npm install zeromq, or use standard streams.",
  });
});
