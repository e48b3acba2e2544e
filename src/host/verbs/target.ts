// Parses a model's target: an http(s) URL, a `file:` URL or a relative path. Files are below the root folder, the root of `file:` URLs.

import { isDeviceName } from "../../core/index.js";
import type { RootPath } from "./descent.js";
import { VerbError } from "./error.js";
import type { World } from "./options.js";
import type { Root } from "./root.js";

export type Target =
  | { readonly kind: "http"; readonly url: URL }
  | { readonly kind: "file"; readonly path: RootPath; readonly root: Root };

/** Throws `VerbError` `bad-target` or `outside-root`. Whether a URL may be reached is checked later. */
export function parseTarget(uri: string, { root }: Pick<World, "root">): Target {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase();
  if (scheme === "http" || scheme === "https") return { kind: "http", url: parseUrl(uri) };
  if (scheme !== undefined && scheme !== "file") {
    throw new VerbError("bad-target", `${scheme}: is not a supported scheme. Use http, https or a path`);
  }
  if (root === undefined) throw new VerbError("bad-target", "files are not available. Use an http(s) URL");
  return { kind: "file", path: scheme === "file" ? pathOfUrl(uri) : pathOf(uri.split("/")), root };
}

/** The URL of a path below the root, for resolving links in a file. */
export function fileUrl(path: RootPath): URL {
  return new URL(`file:///${path.map(encodeURIComponent).join("/")}`);
}

function parseUrl(uri: string): URL {
  if (!URL.canParse(uri)) throw new VerbError("bad-target", "the target is not a valid URL");
  return new URL(uri);
}

function pathOfUrl(uri: string): RootPath {
  const { host, pathname } = parseUrl(uri);
  if (host !== "") throw new VerbError("bad-target", "a file URL must not have a host. Write file:///path");
  return pathOf(pathname.slice(1).split("/").map(decode));
}

function decode(component: string): string {
  try {
    return decodeURIComponent(component);
  } catch {
    throw new VerbError("bad-target", "the path has an invalid % escape");
  }
}

/** Drops components that are empty or ".". Refuses those that could mean another folder, here or on Windows. */
function pathOf(components: readonly string[]): RootPath {
  if (components.length > 1 && components[0] === "") throw outside("a path must be relative, without a first slash");
  const path = components.filter((component) => component !== "" && component !== ".");
  for (const component of path) {
    if (component === "..") throw outside("a path with .. in it is refused");
    if (/[/\\\0]/.test(component)) throw outside("a path with a slash, backslash or NUL in a name is refused");
    if (process.platform === "win32" && (WINDOWS_MEANS_ANOTHER.test(component) || isDeviceName(component))) {
      throw outside("the path has a name with another meaning on this system");
    }
  }
  return path;
}

/** Streams, and names whose end is dropped. */
const WINDOWS_MEANS_ANOTHER = /[:<>"|?*]|[. ]$/;

function outside(why: string): VerbError {
  return new VerbError("outside-root", why);
}
