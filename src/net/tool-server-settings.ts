import type { OutboundAuthSettings } from './outbound-settings.ts';
import type { Secret } from './secret.ts';

/** How to reach one server of tools, and what may be called there: one of these, by `type`. */
export type ToolServerSettings = HttpToolServerSettings | StdioToolServerSettings | MethodToolServerSettings;

/** What is said of every server. */
export interface CommonToolServerSettings {
  /** Milliseconds without a result or a sign of progress after which a call is given up. */
  readonly timeout: number;
  /** Bytes of one result. */
  readonly maxResult: number;
  /** Names or patterns (`*` stands for any characters) of the tools that may be called. Absent: all. */
  readonly allow?: readonly string[];
  /** Those that may not, even if they are allowed. */
  readonly deny: readonly string[];
}

/** MCP over streamable HTTP, or over HTTP with SSE as servers of 2024-11-05 speak it. */
export interface HttpToolServerSettings extends CommonToolServerSettings {
  readonly type: 'http';
  readonly url: string;
  readonly auth: OutboundAuthSettings | undefined;
}

/** MCP over the standard input and output of a program. */
export interface StdioToolServerSettings extends CommonToolServerSettings {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the few variables that every program gets. */
  readonly env: Readonly<Record<string, Secret>>;
  /** Absolute path. */
  readonly cwd: string;
}

/** JSON-RPC by `POST {url}/rpc` with the tool's name as the method, without MCP's handshake (AgentVault's proxy). */
export interface MethodToolServerSettings extends CommonToolServerSettings {
  readonly type: 'method-per-tool';
  readonly url: string;
  readonly auth: OutboundAuthSettings | undefined;
  /** Such servers cannot be asked for their tools: what is told of them here is on the card. */
  readonly tools: readonly DeclaredTool[];
}

/** A tool as the configuration describes it. */
export interface DeclaredTool {
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema of its arguments. */
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
}
