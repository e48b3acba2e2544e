// The responses of vendors' servers that refuse a request, and of a gateway in front of them.

import {
  VENDORS,
  WIRE_NAMES,
  type HttpFault,
  type HttpFaultName,
  type Vendor,
  type WireName,
} from "../../core/index.js";

export const GATEWAY_PAGE =
  "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n" +
  "<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n";

const badGateway: HttpFault = { status: 502, headers: { "content-type": "text/html" }, body: GATEWAY_PAGE };

const faultsOf = ({ faults }: Vendor): Vendor["faults"] => ({ ...faults, "bad-gateway": badGateway });

/** Every refusal by wire and name. A wire has only the names for which its vendor has an answer. */
export const HTTP_FAULTS = Object.fromEntries(WIRE_NAMES.map((name) => [name, faultsOf(VENDORS[name])])) as Readonly<
  Record<WireName, Vendor["faults"]>
>;

export function httpFault(wire: WireName, name: HttpFaultName): HttpFault | undefined {
  const known = HTTP_FAULTS[wire];
  return Object.hasOwn(known, name) ? known[name] : undefined;
}
