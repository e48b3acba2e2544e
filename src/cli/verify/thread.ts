// What a thread of `cassette verify` runs.

import { serveJobs, threadFiles } from "../../host/index.js";
import { filesAt } from "../terminal/io.js";
import { createChecker, type VerifySettings } from "./file-verdict.js";

await serveJobs((given) => {
  const settings = given as VerifySettings;
  return Promise.resolve(createChecker(filesAt({ files: threadFiles(), cwd: settings.cwd }), settings));
});
