// Checked by tsc alone: our own types of the OpenAI Agents SDK against the package.

import { Agent, type Model, type ModelProvider } from "@openai/agents";
import { ScriptedModel } from "@openai/agents-core/testing";
import { expectTypeOf } from "vitest";
import type { LlmProviderAdapter } from "../../src/core/index.js";
import { fromAgentsModel, toAgentsModel } from "../../src/entry/openai-agents.js";
import type { AnyAgentsModel } from "../../src/harness/adapters/openai-agents/sdk-types.js";
import type { AgentsModel } from "../../src/harness/adapters/openai-agents/sdk-types.js";

declare const provider: LlmProviderAdapter;
declare const models: ModelProvider;

expectTypeOf<AgentsModel>().toExtend<Model>();
expectTypeOf<Model>().toExtend<AnyAgentsModel>();
expectTypeOf(fromAgentsModel(await models.getModel("gpt-5"), "openai:gpt-5")).toEqualTypeOf<LlmProviderAdapter>();
expectTypeOf(fromAgentsModel(new ScriptedModel())).toEqualTypeOf<LlmProviderAdapter>();
void new Agent({ name: "guide", model: toAgentsModel(provider) });

// @ts-expect-error -- A name reaches no model.
fromAgentsModel("gpt-5");
