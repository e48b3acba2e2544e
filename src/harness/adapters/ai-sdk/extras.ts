// The extras of the AI SDK. A request that has any carries a setting of the same name, which only `fromAiSdk` understands.

import { createExtras } from "../extras.js";

/** The name of the field, and of the setting. */
export const EXTRAS = "aiSdk";

export const { withExtras, extrasOf, hasExtras, refuse } = createExtras(EXTRAS, "AI SDK", "docs/frameworks.md");
