// How a fabric reaches its agents: standard streams, sockets in a private folder, or addresses of the caller.

import { showValue, type Ports } from "../../../core/index.js";
import { PlumbError, type PortName } from "../../../core/process/index.js";
import type { PrivateFolder } from "./private-folder.js";
import { loadZeromq } from "../zmq/driver.js";
import type { Link } from "./link.js";
import type { FabricOptions } from "./options.js";
import { StdioLink, type Streams } from "./stdio-link.js";
import { openZmqLink } from "./zmq-link.js";

/** `stdio`, `ipc`, or a function that returns the address of each stream of each agent, such as `tcp://127.0.0.1:5550`. */
export type TransportChoice = NonNullable<FabricOptions["transport"]>;

export interface LinkOrder extends Streams {
  readonly name: string;
}

export interface Transport {
  link(order: LinkOrder): Promise<Link>;
}

/** Rejects with `AgentError` `capability-missing`. */
export async function openTransport(choice: TransportChoice, folder: PrivateFolder, ports: Ports): Promise<Transport> {
  if (choice === "stdio") return { link: (order) => Promise.resolve(new StdioLink(order)) };
  const driver = await loadZeromq();
  const place = choice === "ipc" ? await folder.path() : "";
  let links = 0;
  return {
    link({ name, hasControl, hasTelemetry, hasTools }) {
      links += 1;
      const streams: PortName[] = ["data_in", "data_out", "ctrl_out"];
      if (hasControl) streams.push("ctrl_in");
      if (hasTelemetry) streams.push("telemetry");
      if (hasTools) streams.push("tool_req", "tool_resp");
      // The path of a socket can have only about 100 bytes, so it contains a number instead of the agent's name.
      const addressOf = (stream: PortName): string =>
        typeof choice === "function"
          ? readAddress(choice(name, stream), `${stream} of ${name}`)
          : `ipc://${place}/${links}.${stream}`;
      const endpoints = new Map(streams.map((stream) => [stream, addressOf(stream)]));
      const isLocked = [...endpoints.values()].some((address) => !address.startsWith("ipc:"));
      return openZmqLink({ name, driver, endpoints, isLocked, isOnlyForReady: !hasControl, ports });
    },
  };
}

function readAddress(address: unknown, of: string): string {
  if (typeof address === "string") return address;
  const hint = "Return a string such as tcp://127.0.0.1:5550 from transport.";
  throw new PlumbError("endpoint-invalid", `the address of ${of} is ${showValue(address)}`, hint);
}
