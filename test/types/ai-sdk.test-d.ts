// Checked by tsc alone: our own types of the AI SDK against the packages, version by version.

import type { LanguageModelV2, LanguageModelV3 } from "@ai-sdk/provider";
import { generateText, streamText, ToolLoopAgent, wrapLanguageModel, type LanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import {
  generateText as generateText5,
  wrapLanguageModel as wrapLanguageModel5,
  type LanguageModel as LanguageModel5,
} from "ai5";
import { MockLanguageModelV2 } from "ai5/test";
import {
  generateText as generateText7,
  wrapLanguageModel as wrapLanguageModel7,
  type LanguageModel as LanguageModel7,
} from "ai7";
import { MockLanguageModelV4 } from "ai7/test";
import { expectTypeOf } from "vitest";
import type { LlmProviderAdapter } from "../../src/core/index.js";
import { cassetteMiddleware, cassetteModel, fromAiSdk, toAiSdk, wrappedModel } from "../../src/entry/ai-sdk.js";
import type { CassetteHandle } from "../../src/harness/index.js";
import type { CassetteModel } from "../../src/harness/adapters/ai-sdk/middleware.js";
import type { AiSdkModel } from "../../src/harness/adapters/ai-sdk/sdk-types.js";

declare const provider: LlmProviderAdapter;
declare const handle: CassetteHandle;
declare const v2: LanguageModelV2;
declare const v3: LanguageModelV3;

expectTypeOf<AiSdkModel>().toExtend<LanguageModelV3>();
expectTypeOf<AiSdkModel>().toExtend<LanguageModel>();
expectTypeOf<AiSdkModel>().toExtend<LanguageModel7>();
expectTypeOf<CassetteModel>().toExtend<LanguageModel>();

expectTypeOf(fromAiSdk(v2)).toEqualTypeOf<LlmProviderAdapter>();
expectTypeOf(fromAiSdk(v3)).toEqualTypeOf<LlmProviderAdapter>();
expectTypeOf(fromAiSdk(new MockLanguageModelV3())).toEqualTypeOf<LlmProviderAdapter>();
expectTypeOf(fromAiSdk(new MockLanguageModelV4())).toEqualTypeOf<LlmProviderAdapter>();
expectTypeOf(wrappedModel()).toEqualTypeOf<LlmProviderAdapter>();

void generateText({ model: toAiSdk(provider), prompt: "Hi" });
void streamText({ model: cassetteModel({}), prompt: "Hi" });
void generateText7({ model: toAiSdk(provider), prompt: "Hi" });
void new ToolLoopAgent({ model: toAiSdk(provider) });
void wrapLanguageModel({ model: v3, middleware: cassetteMiddleware(handle) });
void wrapLanguageModel7({ model: v3, middleware: cassetteMiddleware(handle) });

// AI SDK 5 takes models of version 2 alone.
expectTypeOf(toAiSdk(provider, { specificationVersion: "v2" })).toExtend<LanguageModel5>();
expectTypeOf(cassetteModel({}, { specificationVersion: "v2" })).toExtend<LanguageModel5>();
expectTypeOf(fromAiSdk(new MockLanguageModelV2())).toEqualTypeOf<LlmProviderAdapter>();
void generateText5({ model: toAiSdk(provider, { specificationVersion: "v2" }), prompt: "Hi" });
void wrapLanguageModel5({ model: new MockLanguageModelV2(), middleware: cassetteMiddleware(handle) });
// @ts-expect-error -- A model of version 3.
void generateText5({ model: toAiSdk(provider), prompt: "Hi" });

// @ts-expect-error -- A name reaches no model.
fromAiSdk("openai/gpt-5");
// @ts-expect-error -- An unknown option.
toAiSdk(provider, { version: "v3" });
