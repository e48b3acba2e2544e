// cassette serve in a process of its own: every request hashed and compared, every turn used once.

import { fileURLToPath } from "node:url";
import { startServer } from "../exchange.mjs";
import { record } from "../recording.mjs";

const bin = fileURLToPath(new URL("../../../dist/cli/bin.js", import.meta.url));
let file;

export async function open() {
  file ??= await record();
  return startServer([bin, "serve", file, "--port", "0"]);
}
