// Checked by tsc alone: a client of the official SDK is what mcpTools takes.

import type { Client } from "@modelcontextprotocol/client";
import { expectTypeOf } from "vitest";
import type { McpClientLike } from "../../src/harness/adapters/mcp/client.js";

expectTypeOf<Client>().toExtend<McpClientLike>();
