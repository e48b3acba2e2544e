// The extras of the Agents SDK. A request with extras that a model must see carries a setting of the same name.

import type { LlmToolDefinition } from "../../../core/index.js";
import { createExtras } from "../extras.js";

/** The name of the field, and of the setting. */
export const EXTRAS = "openaiAgents";

export const { withExtras, extrasOf, hasExtras, refuse } = createExtras(EXTRAS, "OpenAI Agents", "docs/frameworks.md");

/** True if another vendor could not take the tool. A handoff is offered as a function, and `strict` concerns the wire alone. */
export function isToolOfAgents(tool: LlmToolDefinition): boolean {
  const { handoff: _handoff, strict: _strict, ...rest } = extrasOf(tool);
  return Object.keys(rest).length > 0;
}
