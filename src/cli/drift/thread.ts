// What a thread of `cassette drift` runs.

import { nodeFiles, serveJobs } from "../../host/index.js";
import { filesAt } from "../terminal/io.js";
import { createLoader, type LoadSettings } from "./scenario.js";

await serveJobs((given) => {
  const settings = given as LoadSettings;
  return createLoader(filesAt({ files: nodeFiles(), cwd: settings.cwd }), settings);
});
