import {
  type CallToolResult,
  Client,
  ProtocolError,
  SdkError,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { parseTarget } from '../../client/choose.ts';
import { openPool } from '../../client/connection.ts';
import { credentialHeaders } from '../../client/credentials.ts';
import { A2AError } from '../../client/index.ts';
import { isObject, parsedJson } from '../../core/model/json.ts';
import { oneLine, trimEnd } from '../../core/model/text.ts';
import { noValidator } from '../../extensions/mcp/validator.ts';
import type { HttpClient } from '../../net/http-client.ts';
import { webResponse } from '../../net/web-response.ts';
import { CommandFailed, UsageError } from '../exit-code.ts';
import { type Output, startWaiting } from '../output.ts';
import { type ConnectionFlags, connectOptions } from '../target.ts';

export interface ToolsOptions extends ConnectionFlags {
  readonly json?: boolean;
  /** Arguments of the call, as JSON. */
  readonly args?: string;
}

/** Milliseconds without progress after which a call fails. */
const silence = 120_000;
/** Longest call, in milliseconds. */
const longest = 3_600_000;

/** `a2a-gateway tools`: lists the MCP tools of a gateway, or calls one of them. */
export async function tools(
  target: string,
  name: string | undefined,
  options: ToolsOptions,
  output: Output,
): Promise<void> {
  const given = readArguments(options.args);
  if (name === undefined && given !== undefined) throw new UsageError('--args: needs the NAME of the tool');
  const url = endpointOf(target);
  const connection = await connectOptions(options, output);
  const headers = await credentialHeaders(connection)();
  const { http, close } = openPool(url, connection);
  const client = new Client(
    { name: 'a2a-gateway', version: '1' },
    { versionNegotiation: { mode: 'auto' }, jsonSchemaValidator: noValidator },
  );
  try {
    const transport = new StreamableHTTPClientTransport(url, {
      requestInit: { headers },
      fetch: fetchOver(http, connection.timeout),
    });
    await client.connect(transport);
    if (name === undefined) await list(client, options, output);
    else await call(client, name, given ?? {}, { ...options, within: connection.timeout }, output);
  } catch (thrown) {
    throw toA2AError(thrown, url);
  } finally {
    output.clearProgress();
    await client.close();
    close();
  }
}

/** Returns the URL at which a gateway, or one of its agents, serves MCP. */
function endpointOf(target: string): URL {
  const url = parseTarget(target);
  const path = trimEnd(url.pathname, '/');
  url.pathname = path.endsWith('/mcp') ? path : `${path}/mcp`;
  return url;
}

function readArguments(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined;
  const value = parsedJson(text);
  if (isObject(value)) return value;
  throw new UsageError('--args: expected a JSON object, such as \'{"message":"hello"}\'');
}

async function list(client: Client, { json }: ToolsOptions, output: Output): Promise<void> {
  const { tools: found } = await client.listTools();
  if (json === true) return output.json(found);
  const rows = found.map(({ name, description = '' }) => [
    { text: name, color: 'cyan' } as const,
    oneLine(description, 100),
  ]);
  output.table(['tool', 'description'], rows);
}

async function call(
  client: Client,
  name: string,
  given: Record<string, unknown>,
  { json, within }: ToolsOptions & { readonly within: number | undefined },
  output: Output,
): Promise<void> {
  const waiting = startWaiting(output, `waiting for ${name}`);
  try {
    const params = { name, arguments: given };
    const result = await client.callTool(params, {
      onprogress: ({ message }) => waiting.update(message ?? `waiting for ${name}`),
      timeout: within ?? silence,
      maxTotalTimeout: within ?? longest,
      resetTimeoutOnProgress: true,
    });
    waiting.stop();
    const text = result.content.map(blockText).join('\n');
    if (json === true) output.json(result);
    else if (result.isError !== true && text !== '') output.print(`${text}\n`);
    if (result.isError === true) throw new CommandFailed(text === '' ? 'the tool failed without a message' : text);
  } finally {
    waiting.stop();
  }
}

function blockText(block: CallToolResult['content'][number]): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'resource_link') return `[${block.name}: ${block.uri}]`;
  if (block.type === 'resource') {
    const { resource } = block;
    return 'text' in resource ? resource.text : `[${resource.uri}; --json shows it]`;
  }
  return `[${block.mimeType}; --json shows it]`;
}

/** Converts the errors of the MCP client. */
function toA2AError(thrown: unknown, url: URL): unknown {
  const { href } = url;
  if (thrown instanceof ProtocolError) {
    // Servers on the SDK 1.x repeat the code in the message.
    return new A2AError('invalidRequest', thrown.message.replace(/^(?:MCP error -?\d+: )+/, ''));
  }
  if (thrown instanceof SdkHttpError) return new A2AError(kindOf(thrown.status), `${href}: ${messageIn(thrown)}`);
  const { cause } = thrown as { cause?: NodeJS.ErrnoException };
  // The client's request for the version of the server failed.
  if (thrown instanceof SdkError && cause !== undefined) return toA2AError(cause, url);
  if (thrown instanceof TypeError && cause !== undefined) {
    const refused = cause.code === 'ECONNREFUSED';
    return new A2AError('upstreamUnreachable', `${href}: ${refused ? 'connection refused' : cause.message}`, { cause });
  }
  return thrown;
}

const kindOf = (status: number): A2AError['kind'] =>
  status === 401 ? 'unauthenticated' : status === 403 ? 'permissionDenied' : 'upstreamUnreachable';

/** Returns the gateway's message if it responded with a JSON-RPC error. */
function messageIn({ message, data }: SdkHttpError): string {
  const quoted = /"message":("(?:[^"\\]|\\.)*")/.exec(String(data.text))?.[1];
  return quoted === undefined ? message : String(JSON.parse(quoted));
}

/** Milliseconds without a byte of a response after which a request fails. */
const byteSilence = 600_000;

/**
 * Creates a `fetch` over a connection pool, for libraries that accept one. Request bodies are strings; redirects are
 * not followed.
 *
 * @param timeout milliseconds within which a response must begin
 */
const fetchOver =
  (http: HttpClient, timeout = 330_000) =>
  async (input: string | URL, { method = 'GET', headers, body, signal }: RequestInit = {}): Promise<Response> => {
    const answer = await http.request({
      method,
      url: new URL(input),
      headers: Object.fromEntries(new Headers(headers)),
      body: typeof body === 'string' ? body : undefined,
      signal: signal ?? new AbortController().signal,
      timeout,
      silence: byteSilence,
    });
    return webResponse(answer);
  };
