// Text without secrets, for failures and reports.

import { findSecrets, replaceSecrets } from "../../cassette/index.js";
import { shorten, toVisible } from "../../core/index.js";

/** The text with the name of a rule in the place of each secret that the rule finds. */
export function hideSecrets(text: string): string {
  return replaceSecrets(text, findSecrets(text), (rule) => `<hidden:${rule}>`);
}

/** At most 80 characters on one line, without secrets and with invisible characters as escapes. */
export function cutText(text: string, most = 80): string {
  // Secrets go first: no rule finds half of one.
  return toVisible(shorten(hideSecrets(text), most));
}
