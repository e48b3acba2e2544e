import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Pull } from "zeromq";
import { loadZeromq } from "../../../../src/host/process/zmq/driver.js";
import { Sockets } from "../../../../src/host/process/zmq/sockets.js";

it("PLM-34 a writer takes everything although its reader takes nothing, since the fabric controls the flow", async () => {
  const folder = mkdtempSync(join(tmpdir(), "playhead-test-"));
  const sockets = await Sockets.open(await loadZeromq(), undefined);
  const reader = new Pull({ receiveHighWaterMark: 1, linger: 0 });
  onTestFinished(() => {
    sockets.close(false);
    reader.close();
    rmSync(folder, { recursive: true });
  });
  const endpoint = `ipc://${join(folder, "out")}`;
  const sender = await sockets.bind(endpoint);
  reader.connect(endpoint);
  // Behind the mark of 1,000 that is the default, and what the system holds.
  const frame = new Uint8Array(4_096);
  const sent = Promise.all(Array.from({ length: 1_500 }, () => sender.send(frame)));
  await expect(sent).resolves.toHaveLength(1_500);
  for (let at = 0; at < 1_500; at++) expect((await reader.receive())[0]).toHaveLength(4_096);
});
