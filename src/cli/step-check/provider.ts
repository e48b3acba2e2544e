// The model of `--provider`: `vendor:MODEL` with the key from the environment, or a module of the user. Nothing is read or loaded
// before the first call.

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

interface ProviderFlags {
  baseUrl?: string;
  keyEnv?: string;
  price?: Rate;
}

/** The price of the model: as the user says, else by the vendor's list, else unknown. Throws `usage` for an unknown vendor. */
export function rateOf(spec: string, price: Rate | undefined): Rate | undefined {
  const [vendor, model] = partsOf(spec);
  const { pricing = {} } = vendorOf(vendor) ?? {};
  return price ?? findRate(pricing, model);
}

/** The model by its name on the command line. Opening it throws `CliError`, always if CI is set. */
export function toSource(spec: string, flags: ProviderFlags, io: CommandIo): StepSource {
  let opened: Promise<LlmProviderAdapter> | undefined;
  return { name: spec, open: () => (opened ??= open(spec, flags, io)) };
}

async function open(spec: string, flags: ProviderFlags, io: CommandIo): Promise<LlmProviderAdapter> {
  if (isCI(io.env)) {
    const hint = "Run it on your own machine with --record OUT, commit OUT, and use --replay OUT here.";
    throw new CliError("live-in-ci", `${spec} would be called, but CI is set, and no model is called in CI`, hint);
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
  const apiKey = keyVariable === undefined ? undefined : readKey(keyEnv ?? keyVariable, io);
  return vendorProvider(known, { ...given, ...defined({ apiKey }) });
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
  const hint = "Set it to the key, or to any word if the host needs no key.";
  throw new CliError("key-missing", `${name} is not set`, hint);
}

/** The default export of a module: an adapter, or a function that gives one. */
async function load(path: string, { cwd }: CommandIo): Promise<LlmProviderAdapter> {
  const exported = (await importModule(path, cwd)).default;
  const provider: unknown = typeof exported === "function" ? await (exported as () => unknown)() : exported;
  if (isProvider(provider)) return provider;
  const hint = "Export an object with turn(request), or a function that returns one.";
  throw new CliError("provider-unclear", `the default export of ${path} is not a provider`, hint, path);
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

/** The provider with the price of `--price`. */
function priced(provider: LlmProviderAdapter, rate: Rate): LlmProviderAdapter {
  return {
    ...defined({ name: provider.name }),
    async turn(request) {
      const response = await provider.turn(request);
      return response.usage === undefined ? response : { ...response, costUsd: costOf(response.usage, rate) };
    },
  };
}
