// The table of addresses: one of each network at both ends, in the forms that URL, a resolver and a socket write.

import { describe, expect, it } from "vitest";
import { classifyAddress, type AddressClass } from "../../../src/host/verbs/address-class.js";

const TABLE: Readonly<Record<AddressClass, readonly string[]>> = {
  public: [
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450::8a",
    "::ffff:1.1.1.1",
    "::ffff:808:808",
    "64:ff9b::8.8.8.8",
  ],
  loopback: [
    "127.0.0.1",
    "127.255.255.255",
    "::1",
    "0:0:0:0:0:0:0:1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "64:ff9b::7f00:1",
  ],
  private: [
    "10.0.0.0",
    "10.255.255.255",
    "100.64.0.0",
    "100.127.255.255",
    "172.16.0.0",
    "172.31.255.255",
    "192.168.0.1",
    "fc00::",
    "fdff:ffff::1",
    "fec0::1",
    "64:ff9b:1::1",
    "::ffff:10.1.2.3",
    "::FFFF:C0A8:1",
  ],
  "link-local": [
    "169.254.0.0",
    "169.254.169.254",
    "fe80::1",
    "fe80::1%eth0",
    "febf::1",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "fd00:ec2::254",
    "100.100.100.200",
    "168.63.129.16",
  ],
  multicast: ["224.0.0.1", "239.255.255.255", "ff02::1", "ffff::"],
  reserved: [
    "0.0.0.0",
    "0.255.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "240.0.0.0",
    "255.255.255.255",
    "::",
    "::2",
    "::127.0.0.1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "4000::",
    "localhost",
    "127.1",
    "0177.0.0.1",
    "2130706433",
    "",
    "1.2.3.4.5",
    "::1::",
  ],
};

const rows = Object.entries(TABLE).flatMap(([what, addresses]) => addresses.map((address) => [address, what] as const));

describe("an address", () => {
  it.each(rows)("%s is %s", (address, what) => {
    expect(classifyAddress(address)).toBe(what);
  });
});
