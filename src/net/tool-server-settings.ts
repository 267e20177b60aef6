import type { OutboundAuthSettings } from './credentials/outbound-settings.ts';
import type { Secret } from './secret.ts';

/** Settings of one tool server: its connection, and the tools that may be called. */
export type ToolServerSettings = HttpToolServerSettings | StdioToolServerSettings | MethodToolServerSettings;

interface CommonToolServerSettings {
  /** Milliseconds without a result or progress after which a call is canceled. */
  readonly timeout: number;
  /** The newest version of MCP to use. Absent to use the newest version that the server supports. */
  readonly protocol?: '2025-11-25';
  /** Largest result, in bytes. */
  readonly maxResult: number;
  /** URIs of the folders in which the server may work, returned for `roots/list`. Absent for none. */
  readonly roots?: readonly string[];
  /** Whether calls carry the path of the tree, because the server is another gateway. Default false. */
  readonly path?: boolean;
  /** Name of the agent that answers the server's sampling requests. Absent if such requests are refused. */
  readonly sampling?: string;
  /** Milliseconds that a call waits for the answer to a question of the server, in MCP 2025-11-25 or earlier. */
  readonly answerTimeout: number;
  /** Milliseconds that a tool may take if it continues as an MCP task. */
  readonly taskTimeout: number;
  /** Names or patterns (`*` matches any characters) of tools that may be called. Absent for all tools. */
  readonly allow?: readonly string[];
  /** Names or patterns of tools that may not be called, even if `allow` lists them. */
  readonly deny: readonly string[];
}

/**
 * Client credentials for the authorization server that an MCP server names, with either `clientSecret` or `privateKey`.
 */
export interface DiscoveredAuthSettings {
  readonly type: 'oauth2Discovery';
  /** The only authorization server that receives the credentials. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: Secret;
  /** Absolute path of a PEM file. */
  readonly privateKey?: string;
  /** The only scopes to request. Absent to request the scopes that the server names. */
  readonly scopes?: readonly string[];
}

/** The gateway's credentials at a tool server. */
export type ToolServerAuthSettings = OutboundAuthSettings | DiscoveredAuthSettings;

/** MCP over streamable HTTP, or over HTTP with SSE as in MCP 2024-11-05. */
export interface HttpToolServerSettings extends CommonToolServerSettings {
  readonly type: 'http';
  readonly url: string;
  readonly auth: ToolServerAuthSettings | undefined;
}

/** MCP over the standard input and output of a program. */
export interface StdioToolServerSettings extends CommonToolServerSettings {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Environment variables, in addition to the few that every program receives. */
  readonly env: Readonly<Record<string, Secret>>;
  /** Working directory, as an absolute path. */
  readonly cwd: string;
}

/** JSON-RPC by `POST {url}/rpc` with the tool's name as the method, without MCP's handshake (AgentVault's proxy). */
export interface MethodToolServerSettings extends CommonToolServerSettings {
  readonly type: 'method-per-tool';
  readonly url: string;
  readonly auth: OutboundAuthSettings | undefined;
  /** Tools for the card, because such servers cannot list their tools. `inputSchema` is a JSON Schema. */
  readonly tools: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
  }[];
}
