// Where the proxy sends what it is asked: the vendor's base URL, and the client's path below it.

import { isLoopback } from "../../host/index.js";
import { CliError } from "../errors.js";

/** The base URL of `--target`. Throws `usage` for one that would carry a key in the open or to an unclear place. */
export function parseTarget(text: string): URL {
  const hint = "Give the vendor's base URL, such as https://api.openai.com/v1.";
  const refuse = (what: string): never => {
    throw new CliError("usage", `the target ${what}`, hint);
  };
  if (!URL.canParse(text)) refuse(`${JSON.stringify(text)} is not an absolute URL`);
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    refuse("has a user name or password in it; clients send their own key");
  if (url.search !== "" || url.hash !== "") refuse(`${text} has a query or fragment; clients send their own`);
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))) return url;
  return refuse(`${url.protocol}//${url.host} is not https; plain http is for this machine only`);
}

/** The client's path put below the base. A client that has `/v1` in its own base URL does not get it twice. */
export function below(target: URL, path: string, search: string): URL {
  const base = target.pathname.replace(/\/+$/, "");
  const rest = base.endsWith("/v1") && path.startsWith("/v1/") ? path.slice("/v1".length) : path;
  const url = new URL(target);
  url.pathname = base + rest;
  url.search = search;
  return url;
}
