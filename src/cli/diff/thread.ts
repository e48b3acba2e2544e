// What a thread of `cassette diff` runs.

import { serveJobs, threadFiles } from "../../host/index.js";
import { filesAt } from "../terminal/io.js";
import { createComparer, type PairSettings } from "./pair.js";

await serveJobs((given) => {
  const settings = given as PairSettings;
  return createComparer(filesAt({ files: threadFiles(), cwd: settings.cwd }), settings);
});
