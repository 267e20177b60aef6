/**
 * The extension by which a card tells what the tools behind an agent take: its params are `ToolsParams`. Nothing needs to
 * be activated.
 */
export const toolsExtension = 'urn:a2a-gateway-extension:mcp-tools';

/** A tool that a skill stands for. Schemas that a card has no room for are left out. */
export interface DescribedTool {
  /** The skill's id. */
  readonly skill: string;
  /** What the data part of a message names the server and the tool by. */
  readonly server: string;
  readonly name: string;
  /** JSON Schemas of the arguments and of the structured result. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** MCP's hints of what the tool does, such as `readOnlyHint`. */
  readonly annotations?: Readonly<Record<string, unknown>>;
  /** How many gateways it comes through, where its server says so. */
  readonly gateways?: number;
}

/** The params of the extension. */
export interface ToolsParams {
  readonly tools: readonly DescribedTool[];
}
