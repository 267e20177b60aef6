/** The extension in cards that describes the arguments of an agent's tools (ToolsParams). It needs no activation. */
export const toolsExtension = 'urn:a2a-gateway-extension:mcp-tools';

/** The tool behind a skill. Schemas that exceed the card's size limit are left out. */
export interface DescribedTool {
  /** The skill's id. */
  readonly skill: string;
  /** Names of the server and the tool in the data part of a message. */
  readonly server: string;
  readonly name: string;
  /** JSON Schemas of the arguments and of the structured result. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** MCP's hints of what the tool does, such as `readOnlyHint`. */
  readonly annotations?: Readonly<Record<string, unknown>>;
  /** Number of gateways between here and the tool, where its server reports it. */
  readonly gateways?: number;
}

/** The params of the extension. */
export interface ToolsParams {
  readonly tools: readonly DescribedTool[];
}
