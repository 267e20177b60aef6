import {
  type ClientCapabilities,
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
  type StreamableHTTPClientTransportOptions as ModernHttpOptions,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport, type StdioServerParameters } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult, Progress } from '@modelcontextprotocol/sdk/types.js';
import { afterTest } from '../../support/peer.ts';

/** The official clients of both eras, as the tests use them: that of the SDK 1.x, and that of the SDK 2. */

/** The result of a call, and its progress notifications. */
export interface Called {
  readonly result: CallToolResult;
  /** `structuredContent`, whatever is in it. */
  readonly structured: Record<string, unknown>;
  /** All text of the content, in lines. */
  readonly text: string;
  readonly progress: Progress[];
}

interface ToolsOf<C> {
  readonly client: C;
  readonly names: () => Promise<string[]>;
  readonly call: (name: string, args?: Record<string, unknown>, options?: CallOptions) => Promise<Called>;
}

export type Tools = ToolsOf<Client>;

export interface CallOptions extends Pick<RequestOptions, 'signal' | 'timeout'> {
  /** Undefined: no progress is asked for. Default: it is collected. */
  readonly onprogress?: RequestOptions['onprogress'] | undefined;
  /** Of the request. */
  readonly _meta?: Record<string, unknown>;
}

type CallTool = (params: Params, options: RequestOptions) => Promise<unknown>;
type Params = {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  readonly _meta?: CallOptions['_meta'];
};

/** Functions that clients of both eras share. */
function toolsWith<C extends Client | ModernClient>(client: C, callTool: CallTool): ToolsOf<C> {
  afterTest(() => client.close());
  return {
    client,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, { _meta, ...options } = {}) => {
      const progress: Progress[] = [];
      const params = { name, arguments: args, ...(_meta && { _meta }) };
      const onprogress = (one: Progress): void => void progress.push(one);
      const asked = { onprogress, ...options } as RequestOptions;
      const result = (await callTool(params, asked)) as CallToolResult;
      const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
      return { result, structured: result.structuredContent ?? {}, text, progress };
    },
  };
}

async function toolsOver(transport: Transport): Promise<Tools> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return toolsWith(client, (params, options) => client.callTool(params, undefined, options));
}

/** Connects over streamable HTTP. */
export const toolsAt = (url: string, options?: StreamableHTTPClientTransportOptions): Promise<Tools> =>
  toolsOver(new StreamableHTTPClientTransport(new URL(url), options) as Transport);

/** Connects to a program. */
export const toolsOf = (program: StdioServerParameters): Promise<Tools> =>
  toolsOver(new StdioClientTransport(program) as Transport);

/** Connects with a client that speaks MCP 2026-07-28 alone, to a URL or a program. */
export async function modernTools(
  to: string | ConstructorParameters<typeof ModernStdio>[0],
  options?: ModernHttpOptions,
  capabilities: ClientCapabilities = {},
): Promise<ToolsOf<ModernClient>> {
  const versionNegotiation = { mode: { pin: '2026-07-28' } } as const;
  const client = new ModernClient({ name: 'test', version: '2' }, { versionNegotiation, capabilities });
  // Of a program, the SDK takes no transport but its own.
  await client.connect(typeof to === 'string' ? new ModernHttp(new URL(to), options) : new ModernStdio(to));
  return toolsWith(client, (params, options) => client.callTool(params, options));
}
