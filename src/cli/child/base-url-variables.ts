// The variables that point the vendors' clients to one of our servers.

import { KEY_VARIABLES, VENDORS, type Vendor } from "../../core/index.js";
import type { CommandIo } from "../terminal/io.js";

const vendors = Object.values<Vendor>(VENDORS);

const variables = [...new Set(vendors.map(({ client }) => client.variable))];

/** "OPENAI_BASE_URL, ANTHROPIC_BASE_URL or OLLAMA_HOST" */
export const BASE_VARIABLES = `${variables.slice(0, -1).join(", ")} or ${variables.at(-1)}`;

/** The first vendor of each variable, by its name in a base URL. */
export const CLIENT_VENDORS: ReadonlyMap<string, Vendor> = new Map(
  variables.flatMap((variable) =>
    vendors
      .filter(({ client }) => client.variable === variable)
      .slice(0, 1)
      .map((vendor) => [vendor.name, vendor]),
  ),
);

/** `target` is the base URL behind a proxy. If it has its own path, a client's base URL has no path after our address. */
export function clientSettings(url: string, target?: URL): Record<string, string> {
  return Object.fromEntries(vendors.map(({ client }) => [client.variable, settingOf(client, url, target)]));
}

function settingOf({ path }: Vendor["client"], url: string, target: URL | undefined): string {
  const behind = target?.pathname.replace(/\/+$/, "") ?? "";
  return behind === "" || behind.endsWith(path) ? `${url}${path}` : url;
}

/** The settings for one server in front of several vendors: `prefix` and the vendor's name begin the path. */
export function settingsByVendor(prefix: string, env: CommandIo["env"]): Record<string, string> {
  return Object.fromEntries(
    [...CLIENT_VENDORS].map(([name, vendor]) => {
      const target = targetOf(vendor, env);
      const parsed = URL.canParse(target) ? new URL(target) : undefined;
      return [vendor.client.variable, settingOf(vendor.client, `${prefix}-${name}`, parsed)];
    }),
  );
}

/** The base URL that a vendor's client would use with these variables. It may not be a URL. */
export function targetOf({ client: { variable, baseURLs } }: Vendor, env: CommandIo["env"]): string {
  const own = env[variable] ?? "";
  // OLLAMA_HOST may come without a scheme.
  if (own !== "") return own.includes("://") ? own : `http://${own}`;
  const region = env["AWS_REGION"] ?? env["AWS_DEFAULT_REGION"] ?? "";
  return baseURLs.find((url) => region !== "" && url.includes(`.${region}.`)) ?? baseURLs[0] ?? "";
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
