import type { OutboundAuthSettings } from './credentials/outbound-settings.ts';
import type { Secret } from './secret.ts';

/** Connection to one server of tools, and the tools that may be called there. */
export type ToolServerSettings = HttpToolServerSettings | StdioToolServerSettings | MethodToolServerSettings;

interface CommonToolServerSettings {
  /** Milliseconds without a result or progress after which a call is canceled. */
  readonly timeout: number;
  /** The newest version of MCP in which it is called. Absent: the newest that it speaks. */
  readonly protocol?: '2025-11-25';
  /** Bytes of one result. */
  readonly maxResult: number;
  /** URIs of the folders that the server may work in, as it gets them by `roots/list`. Absent: it gets none. */
  readonly roots?: readonly string[];
  /** Whether calls carry the path of the tree: the server is another gateway. Default false. */
  readonly path?: boolean;
  /** Name of the agent that says what the server wants a language model to say. Absent: the server is refused. */
  readonly sampling?: string;
  /** Milliseconds that a call of a server of MCP 2025-11-25 or before waits for an answer to its question. */
  readonly answerTimeout: number;
  /** Milliseconds that a tool may take that works on as a task of MCP. */
  readonly taskTimeout: number;
  /** Names or patterns (`*` stands for any characters) of tools that may be called. Absent: all. */
  readonly allow?: readonly string[];
  /** Tools that may not be called, even if they are allowed. */
  readonly deny: readonly string[];
}

/** Client credentials at the authorization server that an MCP server names. Either `clientSecret` or `privateKey`. */
export interface DiscoveredAuthSettings {
  readonly type: 'oauth2Discovery';
  /** The only authorization server that gets them. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: Secret;
  /** Absolute path of a PEM file. */
  readonly privateKey?: string;
  /** The only scopes to ask for. Absent: those that the server names. */
  readonly scopes?: readonly string[];
}

/** The gateway's credentials at a server of tools. */
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
  /** For the card, because such servers cannot list their tools. `inputSchema`: a JSON Schema. */
  readonly tools: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
  }[];
}
