// Runs the hooks of helper modules. Vitest loads this file anew for each test file.

import { afterAll, afterEach } from "vitest";
import { afterFiles, afterTests } from "./hooks.js";

afterEach(async () => {
  for (const hook of afterTests) await hook();
});
afterAll(async () => {
  for (const hook of afterFiles) await hook();
});
