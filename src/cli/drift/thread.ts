// What a thread of `cassette drift` runs: it loads and measures scenarios, or does a test over all of them.

import { doPooledJob, type PooledJob } from "../../harness/index.js";
import { serveJobs, threadFiles } from "../../host/index.js";
import { filesAt } from "../terminal/io.js";
import { createLoader, type LoadJob, type LoadSettings } from "./scenario.js";

await serveJobs(async (given) => {
  const settings = given as LoadSettings;
  const load = await createLoader(filesAt({ files: threadFiles(), cwd: settings.cwd }), settings);
  return async (job: LoadJob | PooledJob) => ("test" in job ? doPooledJob(job, settings) : load(job));
});
