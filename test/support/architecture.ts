// The rules of the house as functions from source files to violations. Imports and identifiers come from the syntax
// tree, so a word in a comment or a string does not count.

import { builtinModules } from "node:module";
import { posix } from "node:path";
import ts from "typescript";

/** Source text by path from the repository's root, such as `src/core/index.ts`. */
export type Sources = ReadonlyMap<string, string>;

export interface Violation {
  rule: string;
  file: string;
  detail: string;
}

/** The layers that a layer may import, through their `index.ts`. `cli ► harness ► cassette ► core ◄ host ◄ cli`. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  cassette: ["core"],
  harness: ["cassette", "core"],
  host: ["core"],
  cli: ["harness", "cassette", "core", "host"],
  // The package's entry points join layers. `#crypto` chooses the platform, which imports no layer.
  entry: ["core", "cassette", "harness", "host", "cli"],
  platform: [],
};

/** A room imports the rooms before it. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  core: [
    "text",
    "canon",
    "model",
    "time",
    "tools",
    "http",
    "providers",
    "wire",
    "vendors",
    "events",
    "memory",
    "loop",
    "context",
    "receipts",
    "runtime",
    "env",
    "session",
    "vertex",
    "process",
  ],
  cassette: [
    "regex",
    "file",
    "redact",
    "prompt",
    "trust",
    "stream",
    "offer",
    "replay",
    "exchange",
    "record",
    "bundle",
    "count",
    "tolerance",
    "diff",
    "export",
    "import",
    "rules",
    "serve",
    "tape",
  ],
};

/** Rooms that import nothing of their layer, so that the files in its root may import them. */
const BASE_ROOMS: readonly string[] = ["src/core/text"];

/** The files that may lie in the root of a layer. A layer that is not listed may have any file there. */
const ROOT_FILES: Readonly<Record<string, readonly string[]>> = {
  core: ["index.ts", "defined.ts", "errors.ts", "limits.ts", "options.ts", "ports.ts", "properties.ts"],
};

const MAX_LOOSE_FILES = 14;

/** Rooms of any size, because each file is one item of a registry. */
const REGISTRIES = [
  "src/cassette/import/formats",
  "src/cli/commands",
  "src/entry",
  "src/harness/arbitraries",
  "src/harness/matchers",
  "src/host/verbs",
];

/**
 * Rooms that need a package which a user may not have. Only `entry` may import the room's `index.ts`. The rest of its layer does
 * not import it, so that the layer's `index.ts` never loads the package.
 */
const PEER_ROOMS: Readonly<Record<string, string>> = {
  "src/harness/arbitraries": "fast-check",
  "src/harness/properties": "fast-check",
};

/**
 * Rooms of a face, with the files under `entry` that alone open the room's `index.ts`, apart from rooms of the same name in other layers.
 * A face may build on the faces before it. The rest of its layer does not import it, but for types that the layer's `index.ts` passes on, so that no other import path loads it.
 */
const FACE_ROOMS: Readonly<Record<string, readonly string[]>> = {
  "src/core/env": ["src/entry/env.ts"],
  "src/core/session": [
    "src/entry/session.ts",
    "src/entry/plugins.ts",
    "src/entry/execution.ts",
    "src/entry/session-store-memory.ts",
  ],
  "src/core/vertex": ["src/entry/agent-runner.ts"],
  "src/core/process": ["src/entry/process.ts"],
  "src/host/bullmq": ["src/entry/bullmq.ts"],
  "src/host/postgres": ["src/entry/postgres.ts"],
  "src/host/process": ["src/entry/process.ts"],
  "src/cli/postgres": ["src/cli/job/store.ts"],
  "src/cli/process": ["src/cli/commands/agent.ts"],
};

/** Rooms that share no code with the rest, with the packages they may use. All their other imports are their own files or Node's. */
const CLOSED_ROOMS: Readonly<Record<string, readonly string[]>> = {
  "src/cli/verify/independent": ["json-canonicalize", "@noble/hashes", "@noble/ed25519"],
};

/** The one file of a layer for its limits and times: a leaf, which any room may import. */
const LIMITS_FILE = "limits.ts";

/** A constant with such a name is a limit or a time. One that only shapes a report is named `SHOWN_…`. */
const LIMIT_NAME = /^(DEFAULT_)?MAX_|_(MS|BYTES)$|TIMEOUT|GRACE|PATIENCE/;

const DETERMINISTIC = ["core", "cassette"];
const EFFECTS_DOOR = "src/core/ports.ts";
const MAX_LINES = 300;
const VAGUE_NAMES = ["utils", "helpers", "common", "misc"];
const AMBIENT = ["setTimeout", "setInterval", "setImmediate", "fetch", "console", "process", "performance", "crypto"];
const AMBIENT_MEMBERS = ["Date.now", "Math.random", "AbortSignal.timeout"];

interface Import {
  file: string;
  specifier: string;
  /** The source file a relative specifier means. */
  target: string | undefined;
  /** `import type`, `export type`, or an import inside a type: nothing of it is loaded. */
  isType: boolean;
}

/** Everything that is wrong with these files, in the order of the rules. */
export function findViolations(sources: Sources): Violation[] {
  const program = parse(sources);
  const imports = [...sources.keys()].flatMap((file) => importsOf(file, program));
  return [
    ...imports.flatMap(checkArrow),
    ...imports.flatMap(checkRoom),
    ...imports.flatMap(checkPeer),
    ...imports.flatMap(checkFace),
    ...imports.flatMap(checkClosed),
    ...imports.flatMap(checkSpecifier),
    ...findCycles(imports, sources),
    ...[...sources.keys()].flatMap((file) => findAmbientEffects(file, program)),
    ...[...sources].flatMap(([file, text]) => checkFile(file, text)),
    ...checkLimits([...sources.keys()], imports, program),
    ...findCrowds([...sources.keys()]),
  ];
}

/** The import graph of one layer with its rooms as boxes; a file in the layer's root is a box of its own. Its door and limits are not drawn. */
export function drawRooms(sources: Sources, layer: string): { boxes: string[]; arrows: string[] } {
  const program = parse(sources);
  const files = [...sources.keys()].filter(
    (file) => placeOf(file).layer === layer && !isLayerDoor(file) && !isLimitsFile(file),
  );
  const boxOf = (file: string): string => placeOf(file).room ?? placeOf(file).name;
  const arrows = files
    .flatMap((file) => importsOf(file, program))
    .filter(({ target }) => target !== undefined && files.includes(target))
    .map(({ file, target = "" }) => [boxOf(file), boxOf(target)])
    .filter(([from, to]) => from !== to);
  return { boxes: [...new Set(files.map(boxOf))], arrows: [...new Set(arrows.map((arrow) => arrow.join(" → ")))] };
}

function isLayerDoor(file: string): boolean {
  const { room, name } = placeOf(file);
  return room === undefined && name === "index.ts";
}

function isLimitsFile(file: string): boolean {
  const { room, name } = placeOf(file);
  return room === undefined && name === LIMITS_FILE;
}

/** Limits and times lie in the limits file of their layer, each under a name of its own, and that file imports no file of its layer. */
function checkLimits(files: readonly string[], imports: readonly Import[], program: ts.Program): Violation[] {
  const numbers = files.flatMap((file) => numbersOf(file, program).map((name) => ({ file, name })));
  const limits = numbers.filter(({ file }) => isLimitsFile(file));
  const astray = numbers.filter(({ file, name }) => !isLimitsFile(file) && LIMIT_NAME.test(name));
  const twice = limits.filter(({ name }, index) => limits.findIndex((other) => other.name === name) < index);
  const bound = imports.filter(({ file, target }) => {
    return isLimitsFile(file) && placeOf(target ?? "").layer === placeOf(file).layer;
  });
  return [
    ...astray.map(({ file, name }) => ({ rule: "limits", file, detail: `${name} belongs into ${LIMITS_FILE}` })),
    ...twice.map(({ file, name }) => ({ rule: "limits", file, detail: `${name} is the limit of another layer` })),
    ...bound.map(({ file, specifier }) => ({ rule: "limits", file, detail: `imports ${specifier}` })),
  ];
}

/** The constants of a file, at its top level, whose value is written with numbers and other constants. */
function numbersOf(file: string, program: ts.Program): string[] {
  const isNumber = (node: ts.Node): boolean =>
    ts.isNumericLiteral(node) ||
    (ts.isIdentifier(node) && /^[A-Z][A-Z0-9_]*$/.test(node.text)) ||
    (ts.isBinaryExpression(node) && isNumber(node.left) && isNumber(node.right)) ||
    ((ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) && isNumber(node.expression)) ||
    (ts.isPrefixUnaryExpression(node) && isNumber(node.operand));
  const { statements } = program.getSourceFile(file) as ts.SourceFile;
  const declared = statements.filter(ts.isVariableStatement).flatMap((list) => list.declarationList.declarations);
  return declared
    .filter(({ initializer }) => initializer !== undefined && isNumber(initializer))
    .map(({ name }) => name.getText());
}

/** A folder with too many files in it to choose from. */
function findCrowds(files: readonly string[]): Violation[] {
  const folders = new Set(files.map((file) => posix.dirname(file)));
  return [...folders].flatMap((folder) => {
    const loose = files.filter((file) => posix.dirname(file) === folder && !file.endsWith("/index.ts"));
    if (loose.length <= MAX_LOOSE_FILES || REGISTRIES.includes(folder)) return [];
    return [{ rule: "crowd", file: folder, detail: `${loose.length} files` }];
  });
}

function parse(sources: Sources): ts.Program {
  const options: ts.CompilerOptions = { noLib: true, noResolve: true, target: ts.ScriptTarget.ESNext, types: [] };
  const host: ts.CompilerHost = {
    getSourceFile: (name, target) => {
      const text = sources.get(name);
      return text === undefined ? undefined : ts.createSourceFile(name, text, target, true);
    },
    fileExists: (name) => sources.has(name),
    readFile: (name) => sources.get(name),
    getDefaultLibFileName: () => "lib.d.ts",
    writeFile: () => undefined,
    getCurrentDirectory: () => "",
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
  };
  return ts.createProgram([...sources.keys()], options, host);
}

function importsOf(file: string, program: ts.Program): Import[] {
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier !== undefined && ts.isStringLiteralLike(specifier))
      found.push({ ...toImport(file, specifier.text), isType: isTypeImport(node) });
    ts.forEachChild(node, visit);
  };
  visit(program.getSourceFile(file) as ts.SourceFile);
  return found;
}

function isTypeImport(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node)) return node.importClause?.isTypeOnly === true;
  return ts.isImportTypeNode(node) || (ts.isExportDeclaration(node) && node.isTypeOnly);
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isExternalModuleReference(node)) return node.expression;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal;
  if (!ts.isCallExpression(node)) return undefined;
  const isDynamic = node.expression.kind === ts.SyntaxKind.ImportKeyword;
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === "require";
  return isDynamic || isRequire ? node.arguments[0] : undefined;
}

function toImport(file: string, specifier: string): Omit<Import, "isType"> {
  if (!specifier.startsWith(".")) return { file, specifier, target: undefined };
  const path = posix.join(posix.dirname(file), specifier);
  return { file, specifier, target: path.endsWith(".ts") ? path : `${path.replace(/\.js$/, "")}.ts` };
}

/** `src/core/loop/turn.ts` is in layer `core`, room `loop`. The room of a file in a layer's root is undefined. */
function placeOf(file: string): { layer: string; room: string | undefined; name: string } {
  const [, layer = "", ...rest] = file.split("/");
  return { layer, room: rest.length > 1 ? rest[0] : undefined, name: rest.at(-1) ?? layer };
}

function checkArrow({ file, specifier, target }: Import): Violation[] {
  if (target === undefined) return [];
  const from = placeOf(file);
  const to = placeOf(target);
  const room = posix.dirname(target);
  const isRoomDoor = to.name === "index.ts" && (PEER_ROOMS[room] ?? FACE_ROOMS[room]) !== undefined;
  const isDoor = isRoomDoor
    ? ["entry", to.layer].includes(from.layer) || isSameFace(file, room)
    : to.room === undefined && to.name === "index.ts";
  const detail = `imports ${specifier}`;
  if (to.layer === "entry") return [{ rule: "entry", file, detail }];
  if (from.layer === to.layer) return isDoor ? [{ rule: "own-door", file, detail }] : [];
  if (to.layer === "platform" || from.layer === "platform") return [{ rule: "platform", file, detail }];
  const violations: Violation[] = [];
  if (!(LAYERS[from.layer] ?? []).includes(to.layer)) violations.push({ rule: "arrow", file, detail });
  if (!isDoor) violations.push({ rule: "door", file, detail });
  return violations;
}

function checkRoom({ file, specifier, target }: Import): Violation[] {
  const from = placeOf(file);
  const to = placeOf(target ?? "");
  const rooms = ROOMS[from.layer];
  if (rooms === undefined || from.layer !== to.layer || to.room === undefined) return [];
  if (from.room === undefined && from.name === "index.ts") return [];
  if (BASE_ROOMS.includes(posix.dirname(target ?? "")) && from.room === undefined) return [];
  const above = from.room === undefined ? [] : rooms.slice(0, rooms.indexOf(from.room) + 1);
  return above.includes(to.room) ? [] : [{ rule: "room", file, detail: `imports ${specifier}` }];
}

/** The optional package that the room of a file needs. */
function peerOf(file: string): string | undefined {
  return Object.entries(PEER_ROOMS).find(([room]) => file.startsWith(`${room}/`))?.[1];
}

/** Only its rooms import an optional package, and no other room of their layer imports these rooms. */
function checkPeer({ file, specifier, target }: Import): Violation[] {
  const detail = `imports ${specifier}`;
  if (target === undefined) {
    const peer = Object.values(PEER_ROOMS).find((name) => specifier === name || specifier.startsWith(`${name}/`));
    return peer === undefined || peer === peerOf(file) ? [] : [{ rule: "peer", file, detail }];
  }
  const isSameLayer = placeOf(file).layer === placeOf(target).layer;
  const peer = peerOf(target);
  return isSameLayer && peer !== undefined && peer !== peerOf(file) ? [{ rule: "peer", file, detail }] : [];
}

function faceOf(file: string): readonly string[] | undefined {
  return Object.entries(FACE_ROOMS).find(([room]) => file.startsWith(`${room}/`))?.[1];
}

/** A face may have a room in several layers. These rooms have the same name. */
function isSameFace(file: string, room: string): boolean {
  return faceOf(file) !== undefined && placeOf(file).room === posix.basename(room);
}

/** A face is loaded by its own entries, and by the faces behind it. */
function checkFace({ file, specifier, target, isType }: Import): Violation[] {
  const entries = faceOf(target ?? "");
  if (entries === undefined || entries.includes(file) || faceOf(file) !== undefined) return [];
  if (isType && isLayerDoor(file) && placeOf(file).layer === placeOf(target ?? "").layer) return [];
  return [{ rule: "face", file, detail: `imports ${specifier}` }];
}

/** The source files that loading `file` loads, itself included. Imports of types load nothing. */
export function loadedBy(file: string, sources: Sources): readonly string[] {
  const program = parse(sources);
  const loaded = new Set([file]);
  for (const next of loaded) {
    if (!sources.has(next)) continue;
    for (const { target, isType } of importsOf(next, program)) if (target !== undefined && !isType) loaded.add(target);
  }
  return [...loaded];
}

/** The rooms of faces. */
export const faceRooms: readonly string[] = Object.keys(FACE_ROOMS);

/** A second opinion must not import the first. */
function checkClosed({ file, specifier, target }: Import): Violation[] {
  const closed = Object.entries(CLOSED_ROOMS).find(([room]) => file.startsWith(`${room}/`));
  if (closed === undefined) return [];
  const [room, packages] = closed;
  const isOwn = target?.startsWith(`${room}/`) ?? specifier.startsWith("node:");
  const isAllowed = packages.some((name) => specifier === name || specifier.startsWith(`${name}/`));
  return isOwn || isAllowed ? [] : [{ rule: "closed", file, detail: `imports ${specifier}` }];
}

function checkSpecifier({ file, specifier, target }: Import): Violation[] {
  const violations: Violation[] = [];
  if (target !== undefined && !specifier.endsWith(".js")) {
    violations.push({ rule: "extension", file, detail: `imports ${specifier}` });
  }
  const isNode = specifier.startsWith("node:") || builtinModules.includes(specifier.split("/")[0] ?? "");
  if (isNode && DETERMINISTIC.includes(placeOf(file).layer)) {
    violations.push({ rule: "node", file, detail: `imports ${specifier}` });
  }
  return violations;
}

function findCycles(imports: readonly Import[], sources: Sources): Violation[] {
  const state = new Map<string, "open" | "closed">();
  const violations: Violation[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === "closed") return;
    if (state.get(file) === "open") {
      violations.push({ rule: "cycle", file, detail: [...path.slice(path.indexOf(file)), file].join(" → ") });
      return;
    }
    state.set(file, "open");
    for (const { target } of imports.filter((next) => next.file === file)) {
      if (target !== undefined && sources.has(target)) visit(target, [...path, file]);
    }
    state.set(file, "closed");
  };
  for (const file of sources.keys()) visit(file, []);
  return violations;
}

function findAmbientEffects(file: string, program: ts.Program): Violation[] {
  if (!DETERMINISTIC.includes(placeOf(file).layer) || file === EFFECTS_DOOR) return [];
  const source = program.getSourceFile(file) as ts.SourceFile;
  const checker = program.getTypeChecker();
  const violations: Violation[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    const effect = effectOf(node, checker);
    if (effect !== undefined) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      violations.push({ rule: "ambient", file, detail: `${effect} in line ${line}` });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return violations;
}

function effectOf(node: ts.Node, checker: ts.TypeChecker): string | undefined {
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
    const owner = globalName(node.expression, checker);
    const member = ts.isPropertyAccessExpression(node) ? node.name.text : textOf(node.argumentExpression);
    if (owner === "globalThis" && AMBIENT.includes(member ?? "")) return `globalThis.${member ?? ""}`;
    const path = `${owner ?? ""}.${member ?? ""}`;
    return AMBIENT_MEMBERS.includes(path) ? path : undefined;
  }
  if (ts.isNewExpression(node) && globalName(node.expression, checker) === "Date") {
    return (node.arguments ?? []).length === 0 ? "new Date()" : undefined;
  }
  if (ts.isCallExpression(node) && globalName(node.expression, checker) === "Date") return "Date()";
  const name = globalName(node, checker);
  return name !== undefined && AMBIENT.includes(name) ? name : undefined;
}

function textOf(node: ts.Expression): string | undefined {
  return ts.isStringLiteralLike(node) ? node.text : undefined;
}

/** The name of an identifier that is read but not declared in its file. Without a library, that is a global. */
function globalName(node: ts.Node, checker: ts.TypeChecker): string | undefined {
  if (!ts.isIdentifier(node)) return undefined;
  if (node.text === "globalThis") return node.text;
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return undefined;
  const symbol = ts.isShorthandPropertyAssignment(parent)
    ? checker.getShorthandAssignmentValueSymbol(parent)
    : checker.getSymbolAtLocation(node);
  return symbol === undefined || symbol.declarations === undefined ? node.text : undefined;
}

function checkFile(file: string, text: string): Violation[] {
  const { layer, room, name } = placeOf(file);
  const violations: Violation[] = [];
  const add = (rule: string, detail: string) => violations.push({ rule, file, detail });

  const lines = text.trimEnd().split("\n").length;
  if (lines > MAX_LINES) add("size", `${lines} lines`);
  if (!/^(#!.*\n)?\s*(\/\/|\/\*)/.test(text)) add("header", "does not start with a comment");
  const words = file.replace(/\.ts$/, "").split("/").slice(1);
  for (const word of words) {
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(word)) add("kebab-case", word);
    if (VAGUE_NAMES.includes(word)) add("vague-name", word);
  }
  if (LAYERS[layer] === undefined) add("layer", `${layer} is not a layer`);
  if (room !== undefined && ROOMS[layer]?.includes(room) === false)
    add("unknown-room", `${room} is not a room of ${layer}`);
  if (room === undefined && ROOT_FILES[layer]?.includes(name) === false) add("unknown-room", `${name} lies in no room`);
  return violations;
}
