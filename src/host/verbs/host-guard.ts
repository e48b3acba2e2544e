// Decides which hosts may be reached. Every URL is checked before it is requested, redirects included. Every address of a name is checked
// in the connection's own lookup. So the checked address is the connected one, even if the name changes its answer (DNS rebinding).

import { isIP, type LookupFunction } from "node:net";
import { classifyAddress } from "./address-class.js";
import { VerbError } from "./error.js";
import type { Net } from "./options.js";

/** Throws `VerbError` for a URL with another scheme, with credentials, or with a host that may not be reached. */
export function assertReachable(url: URL, net: Net): void {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new VerbError("bad-target", `${url.protocol} is not a supported scheme. Use http: or https:`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new VerbError("bad-target", "a URL with a user name or password in it is refused");
  }
  if (net.allowHosts !== undefined && !matchesHost(net.allowHosts, url)) {
    throw new VerbError("not-allowed", `${url.hostname} is not among the hosts that may be reached`);
  }
  const host = bareHost(url);
  const isLocalName = host === "localhost" || host.endsWith(".localhost");
  if (isIP(host) === 0 ? isLocalName && !mayConnect("127.0.0.1", url, net) : !mayConnect(host, url, net)) {
    throw new VerbError("not-allowed", `${url.hostname} is not an address that may be reached`);
  }
}

/** A name with any forbidden address is refused like a missing name, so that nobody learns which internal names exist. */
export function guardedLookup(url: URL, net: Net): LookupFunction {
  return (hostname, { all, family }, callback) => {
    void resolve(hostname, url, net).then((found) => {
      const fitting = found.filter((entry) => isWanted(entry.family, family));
      const [first] = fitting;
      if (first === undefined) {
        const what = `the name ${hostname} has no address that may be reached`;
        callback(new VerbError("not-allowed", what), "", 0);
      } else if (all === true) {
        callback(null, fitting);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}

/** Empty for a name that cannot be resolved or has a forbidden address. Never rejects. */
async function resolve(hostname: string, url: URL, net: Net): Promise<{ address: string; family: number }[]> {
  try {
    const found = (await net.lookup(hostname)).map(({ address }) => ({ address, family: isIP(address) }));
    return found.every(({ address, family }) => family !== 0 && mayConnect(address, url, net)) ? found : [];
  } catch {
    return [];
  }
}

function isWanted(family: number, wanted: number | string | undefined): boolean {
  return wanted === undefined || wanted === 0 || wanted === family || wanted === `IPv${family}`;
}

function mayConnect(address: string, url: URL, net: Net): boolean {
  if (matchesHost(net.privateHosts, url)) return true;
  const what = classifyAddress(address);
  return what === "public" || (net.allowsPrivate && (what === "loopback" || what === "private"));
}

/** `*.example.com` matches every name below example.com, and not that name itself. A port, if given, must match. */
function matchesHost(entries: readonly string[], url: URL): boolean {
  const host = bareHost(url);
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  const written = isIP(host) === 6 ? [host, `[${host}]`, `[${host}]:${port}`] : [host, `${host}:${port}`];
  return entries.some((entry) => {
    const wanted = entry.toLowerCase();
    if (!wanted.startsWith("*.")) return written.includes(wanted);
    return isIP(host) === 0 && written.some((name) => name.endsWith(wanted.slice(1)));
  });
}

/** The host without the brackets of IPv6 and without a final dot. */
function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}
