// A process that takes the claim of each folder that it is sent, and answers how that went.

import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { withClaim } from "../../.playhead/modules/cli/claim.js";
import { nodeFiles } from "../../.playhead/modules/host/index.js";

const claimant = { command: "record", refusal: "nothing was recorded", notWritten: "report-unusable" };

process.on("message", async (folder) => {
  const mark = `inside-${process.pid}`;
  const others = () => readdirSync(folder).filter((name) => name.startsWith("inside-") && name !== mark);
  try {
    const work = async () => {
      writeFileSync(join(folder, mark), "");
      const before = others();
      await setTimeout(30);
      const met = [...before, ...others()];
      rmSync(join(folder, mark));
      return met.length === 0 ? "alone" : `with ${met.join()}`;
    };
    process.send(await withClaim(nodeFiles(), folder, claimant, work));
  } catch (error) {
    process.send(error.code ?? String(error));
  }
});
