// CONNECT requests: connections that a client opens through this server as its HTTPS_PROXY. Their content is encrypted.

import { connect } from "node:net";
import type { Duplex } from "node:stream";

/** Returns why a host may not be reached, or undefined to let the connection through. */
export type TunnelRule = (host: string, port: number) => string | undefined;

/** "example.com:443", or an IPv6 address in brackets. */
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[^\s:/@?#]{1,255}):(\d{1,5})$/i;

/** The host and the port that a CONNECT request names. Undefined if it names none. */
export function readAuthority(authority: string): { host: string; port: number } | undefined {
  const [, host, port] = AUTHORITY.exec(authority) ?? [];
  if (host === undefined || Number(port) > 65_535) return undefined;
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

/** Connects `client` to the host, and ends both connections together. Calls `unreachable` if the host cannot be reached. */
export function openTunnel(
  { host, port }: { host: string; port: number },
  client: Duplex,
  head: Buffer,
  unreachable: (why: string) => void,
): void {
  const far = connect(port, host);
  let isOpen = false;
  far.once("connect", () => {
    isOpen = true;
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    far.write(head);
    client.pipe(far).pipe(client);
  });
  far.on("error", (error) => {
    if (isOpen) client.destroy();
    else unreachable(`${host} could not be reached: ${error.message}`);
  });
  client.on("error", () => far.destroy());
  client.once("close", () => far.destroy());
  far.once("close", () => isOpen && client.destroy());
}
