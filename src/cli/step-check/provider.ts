// A model named on the command line: `vendor:MODEL` with the key from the environment, or a module of the user's own. Nothing is
// read or loaded before the first call has to be made.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  costOf,
  defined,
  findRate,
  isWireName,
  thrownText,
  vendorProvider,
  VENDORS,
  WIRE_NAMES,
  type LlmProviderAdapter,
  type Rate,
  type Vendor,
} from "../../core/index.js";
import { isCI, type StepSource } from "../../harness/index.js";
import { CliError } from "../errors.js";
import type { CommandIo } from "../terminal/io.js";
import { createNotes } from "../terminal/output.js";

/** The flags that say which model is asked. */
export interface ProviderFlags {
  baseUrl?: string;
  keyEnv?: string;
  price?: Rate;
}

/** The price of the model, if known: the user's, else that of the vendor's list. Throws `usage` for an unknown vendor. */
export function rateOf(spec: string, price: Rate | undefined): Rate | undefined {
  const [vendor, model] = partsOf(spec);
  const { pricing = {} } = vendorOf(vendor) ?? {};
  return price ?? findRate(pricing, model);
}

/** The model by the name it was given on the command line. Opening it throws `CliError`; nothing is asked where CI is set. */
export function toSource(spec: string, flags: ProviderFlags, io: CommandIo): StepSource {
  let opened: Promise<LlmProviderAdapter> | undefined;
  return {
    name: spec,
    open: () => (opened ??= open(spec, flags, io)),
  };
}

async function open(spec: string, flags: ProviderFlags, io: CommandIo): Promise<LlmProviderAdapter> {
  if (isCI(io.env)) {
    throw new CliError(
      "live-in-ci",
      `${spec} would have to be asked, but CI is set and CI asks no model`,
      "Run it on your own machine with --record OUT, commit OUT, and run it here with --replay OUT.",
    );
  }
  const provider = await build(spec, flags, io);
  return flags.price === undefined ? provider : priced(provider, flags.price);
}

async function build(spec: string, { baseUrl, keyEnv }: ProviderFlags, io: CommandIo): Promise<LlmProviderAdapter> {
  const [vendor, model] = partsOf(spec);
  const ports = { warn: (text: string) => createNotes(io)(text) };
  const given = { model, ports, ...defined({ baseURL: baseUrl }) };
  const known = vendorOf(vendor);
  if (known === undefined) return load(model, io);
  const { keyVariable } = known;
  return vendorProvider(known, {
    ...given,
    ...(keyVariable === undefined ? {} : { apiKey: readKey(keyEnv ?? keyVariable, io) }),
  });
}

/** Undefined for `module`. Throws `usage` for any other name that is not a vendor's. */
function vendorOf(name: string): Vendor | undefined {
  if (isWireName(name)) return VENDORS[name];
  if (name === "module") return undefined;
  const known = [...WIRE_NAMES.map((vendor) => `${vendor}:MODEL`), "module:./provider.mjs"];
  throw new CliError("usage", `there is no vendor ${JSON.stringify(name)}`, `Use one of ${known.join(", ")}.`);
}

function partsOf(spec: string): [vendor: string, model: string] {
  const colon = spec.indexOf(":");
  return [spec.slice(0, colon), spec.slice(colon + 1)];
}

function readKey(name: string, { env }: CommandIo): string {
  const key = env[name] ?? "";
  if (key !== "") return key;
  throw new CliError("key-missing", `${name} is not set`, "Set it to the key; a host that wants none takes any word.");
}

/** The default export of a module: an adapter, or a function that gives one. */
async function load(path: string, { cwd }: CommandIo): Promise<LlmProviderAdapter> {
  const module = await importModule(path, cwd);
  const exported = module.default;
  const provider: unknown = typeof exported === "function" ? await (exported as () => unknown)() : exported;
  if (isProvider(provider)) return provider;
  throw new CliError(
    "provider-unclear",
    `the default export of ${path} is no provider`,
    "Export an object with a turn(request), or a function that gives one.",
    path,
  );
}

async function importModule(path: string, cwd: string): Promise<{ default?: unknown }> {
  try {
    return (await import(pathToFileURL(resolve(cwd, path)).href)) as { default?: unknown };
  } catch (error) {
    const why = thrownText(error);
    throw new CliError("provider-unclear", `${path} cannot be loaded: ${why}`, "Give the path of a module.", path);
  }
}

function isProvider(value: unknown): value is LlmProviderAdapter {
  return typeof value === "object" && value !== null && "turn" in value && typeof value.turn === "function";
}

/** The same, at the price that the user gave. */
function priced(provider: LlmProviderAdapter, rate: Rate): LlmProviderAdapter {
  return {
    ...defined({ name: provider.name }),
    async turn(request) {
      const response = await provider.turn(request);
      return response.usage === undefined ? response : { ...response, costUsd: costOf(response.usage, rate) };
    },
  };
}
