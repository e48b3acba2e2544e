// The variables that point the vendors' clients to one of our servers.

import { KEY_VARIABLES, VENDORS, type Vendor } from "../../core/index.js";

const vendors = Object.values<Vendor>(VENDORS);

const variables = [...new Set(vendors.map(({ client }) => client.variable))];

/** "OPENAI_BASE_URL, ANTHROPIC_BASE_URL or OLLAMA_HOST" */
export const BASE_VARIABLES = `${variables.slice(0, -1).join(", ")} or ${variables.at(-1)}`;

/** `target` is the base URL behind a proxy. If it has its own path, a client's base URL has no path after our address. */
export function clientSettings(url: string, target?: URL): Record<string, string> {
  const behind = target?.pathname.replace(/\/+$/, "") ?? "";
  return Object.fromEntries(
    vendors.map(({ client: { variable, path } }) => [
      variable,
      behind === "" || behind.endsWith(path) ? `${url}${path}` : url,
    ]),
  );
}

/** Keys for clients that do not start without one. They are sent nowhere. */
export const PLACEHOLDER_KEYS: Readonly<Record<string, string>> = Object.fromEntries(
  KEY_VARIABLES.map((name) => [name, "cassette-serve"]),
);

/** The variables in shell syntax. */
export function settingsText(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
