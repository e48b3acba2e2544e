// Checks a base URL before anything is sent there, since the key goes to its host.

import { showValue } from "../text/show.js";

export interface BaseUrlTerms {
  path: string;
  needsKey: boolean;
  /** Endpoints of all vendors. A base URL that ends in one was copied whole. */
  turnPaths: readonly string[];
}

const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** The problem of a `baseURL`, or "". Never shows a user name, a password or a query. */
export function baseUrlProblem(baseURL: unknown, terms: BaseUrlTerms): string {
  if (typeof baseURL !== "string") return `baseURL is ${showValue(baseURL)}, which is not an absolute URL`;
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(baseURL) || !URL.canParse(baseURL)) return malformed(baseURL);
  const url = new URL(baseURL);
  if (url.username !== "" || url.password !== "") {
    return terms.needsKey
      ? "baseURL has a user name or password in it: pass apiKey instead"
      : "baseURL has a user name or password in it: remove them, and add an authorization header with your own fetch";
  }
  const isLoopback = LOOPBACK_HOSTS.includes(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback)) {
    return `baseURL ${url.protocol}//${url.host} is not https: plain http is for ${LOOPBACK_HOSTS.join(", ")} only`;
  }
  const end = terms.turnPaths.find((path) => url.pathname.replace(/\/+$/, "").endsWith(path));
  if (end === undefined) return "";
  return `baseURL ends in ${end}: remove that, because ${terms.path} is added automatically`;
}

/** The problem of a URL without a scheme, or with nothing after it. Text with an @ may hold a password and is not shown. */
function malformed(baseURL: string): string {
  const bare = baseURL.replace(/[?#].*$/s, "");
  const shown = bare.includes("@") ? "" : ` ${showValue(bare)}`;
  const isBare = /^(?:[\w.-]+|\[[\d:a-f]+\])(?::\d+)?(?:\/|$)/i.test(bare);
  if (!isBare) return `baseURL${shown} is not an absolute URL`;
  const host = /^(?:\[[^\]]*\]|[^:/]*)/.exec(bare)?.[0].toLowerCase() ?? "";
  const scheme = LOOPBACK_HOSTS.includes(host) ? "http" : "https";
  return `baseURL${shown} is not an absolute URL: the scheme is missing, write ${scheme}:// before it`;
}
