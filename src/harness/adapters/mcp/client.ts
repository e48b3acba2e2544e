// The part of an MCP client that is needed; any client of the official SDK has it. Specification: Model Context Protocol, revisions
// 2025-06-18 to 2026-07-28.

/** A tool as a server lists it. */
export interface McpTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined;
}

/** The result of a tool. `content` is for the model. */
export interface McpResult {
  readonly content?: readonly unknown[] | undefined;
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

/** Contract: both reject for a failure of the server or the connection. A failure of the tool itself is a result. */
export interface McpClientLike {
  listTools(params?: { cursor: string }): Promise<{ tools: readonly McpTool[]; nextCursor?: string | undefined }>;
  callTool(
    params: { name: string; arguments: Record<string, unknown> },
    options: { signal: AbortSignal; timeout: number },
  ): Promise<McpResult>;
}
