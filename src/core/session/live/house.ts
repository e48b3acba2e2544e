// The parts of an agent that all its sessions share.

import type { EventListener } from "../../events/log.js";
import type { LlmMessage } from "../../model/message.js";
import type { RuntimeMemory } from "../../model/memory.js";
import type { Ports } from "../../ports.js";
import type { Agent as Definition } from "../../runtime/agent.js";
import type { RuntimeReceipts } from "../../runtime/receipts.js";
import type { Hlc } from "../../time/hlc.js";
import type { FunctionModel } from "../model/runtime-llm.js";
import type { Plugins } from "../plugins/plugins.js";
import type { Family } from "../subagents/family.js";

export interface House {
  readonly definition: Definition;
  /** The instructions, the same sealed message in every prompt. */
  readonly system: LlmMessage | undefined;
  /** Where a function is the model: the model of one turn. */
  readonly openModel: (() => FunctionModel) | undefined;
  readonly plugins: Plugins;
  readonly memory: RuntimeMemory;
  readonly listener: EventListener | undefined;
  readonly receipts: RuntimeReceipts;
  readonly hlc: Hlc;
  readonly ports: Ports;
  /** Subagents, if there are any. */
  readonly family?: Family;
  /** Called when a run of this agent is accepted. */
  readonly accepted: (() => void) | undefined;
}
