// Classifies IP addresses by the IANA special-purpose registries (RFC 6890). An IPv6 address that carries an IPv4 address (RFC 4291
// §2.5.5.2, RFC 6052 §2.1) counts as that.

import { isIPv4, isIPv6 } from "node:net";

/**
 * `link-local` includes the addresses at which clouds serve credentials, in any network. `reserved` is everything that nobody on the
 * internet uses, and every text that is not an address.
 */
export type AddressClass = "public" | "loopback" | "private" | "link-local" | "multicast" | "reserved";

type Row = readonly [network: string, bits: number, what: AddressClass];

/** The first row that matches counts. */
const IPV4: readonly Row[] = [
  ["100.100.100.200", 32, "link-local"],
  ["168.63.129.16", 32, "link-local"],
  ["0.0.0.0", 8, "reserved"],
  ["10.0.0.0", 8, "private"],
  ["100.64.0.0", 10, "private"],
  ["127.0.0.0", 8, "loopback"],
  ["169.254.0.0", 16, "link-local"],
  ["172.16.0.0", 12, "private"],
  ["192.0.0.0", 24, "reserved"],
  ["192.0.2.0", 24, "reserved"],
  ["192.88.99.0", 24, "reserved"],
  ["192.168.0.0", 16, "private"],
  ["198.18.0.0", 15, "reserved"],
  ["198.51.100.0", 24, "reserved"],
  ["203.0.113.0", 24, "reserved"],
  ["224.0.0.0", 4, "multicast"],
  ["240.0.0.0", 4, "reserved"],
];

/** All other addresses are reserved: only 2000::/3 is assigned (RFC 4291 §2.4). */
const IPV6: readonly Row[] = [
  ["fd00:ec2::254", 128, "link-local"],
  ["fd20:ce::254", 128, "link-local"],
  ["::1", 128, "loopback"],
  ["fc00::", 7, "private"],
  ["fec0::", 10, "private"],
  ["64:ff9b:1::", 48, "private"],
  ["fe80::", 10, "link-local"],
  ["ff00::", 8, "multicast"],
  ["2001::", 23, "reserved"],
  ["2001:db8::", 32, "reserved"],
  ["2002::", 16, "reserved"],
  ["3fff::", 20, "reserved"],
  ["2000::", 3, "public"],
];

/** IPv6 networks whose last 32 bits are an IPv4 address. */
const CARRIERS: readonly bigint[] = [toNumber6("::ffff:0:0") >> 32n, toNumber6("64:ff9b::") >> 32n];

/** Takes an address of a `URL`, a resolver or a socket, with or without a zone (`%eth0`). Never throws. */
export function classifyAddress(address: string): AddressClass {
  if (isIPv4(address)) return find(IPV4, toNumber4(address), 32, toNumber4) ?? "public";
  if (!isIPv6(address)) return "reserved";
  const value = toNumber6(address);
  if (CARRIERS.includes(value >> 32n)) {
    return find(IPV4, value & 0xffff_ffffn, 32, toNumber4) ?? "public";
  }
  return find(IPV6, value, 128, toNumber6) ?? "reserved";
}

function find(
  rows: readonly Row[],
  value: bigint,
  size: number,
  read: (text: string) => bigint,
): AddressClass | undefined {
  return rows.find(([network, bits]) => {
    const rest = BigInt(size - bits);
    return value >> rest === read(network) >> rest;
  })?.[2];
}

function toNumber4(text: string): bigint {
  return text.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

function toNumber6(text: string): bigint {
  const [head = "", tail] = (text.split("%")[0] as string).split("::");
  const front = toGroups(head);
  const back = toGroups(tail ?? "");
  const zeros = tail === undefined ? [] : Array<bigint>(8 - front.length - back.length).fill(0n);
  return [...front, ...zeros, ...back].reduce((sum, group) => (sum << 16n) | group, 0n);
}

/** The last group may be a dotted IPv4 address, which counts as two groups. */
function toGroups(text: string): bigint[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return [BigInt(`0x${group}`)];
    const value = toNumber4(group);
    return [value >> 16n, value & 0xffffn];
  });
}
