// What a thread of `cassette lock`, `prune` and `stats` runs.

import { serveJobs, threadFiles } from "../../host/index.js";
import { filesAt } from "../terminal/io.js";
import { createFactsReader, type FactsSettings } from "./facts.js";

await serveJobs((given) => {
  const settings = given as FactsSettings;
  return Promise.resolve(createFactsReader(filesAt({ files: threadFiles(), cwd: settings.cwd }), settings));
});
