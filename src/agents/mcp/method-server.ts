import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import { trimEnd } from '../../core/model/text.ts';
import { traceOf } from '../../core/telemetry/trace-context.ts';
import type { HttpClient } from '../../net/http-client.ts';
import type { HttpAnswer } from '../../net/http-exchange.ts';
import type { OutboundAuth } from '../../net/outbound-auth.ts';
import type { MethodToolServerSettings } from '../../net/tool-server-settings.ts';
import { ToolFailure, tooLarge } from './failures.ts';
import type { Tool, ToolCall, ToolServer, ToolServerHealth } from './tool-server.ts';

/** Milliseconds that a look for the server takes at most, and between two of them while nobody is there. */
const [lookPatience, lookPause] = [5_000, 5_000];

/** Beside a result, an answer holds the frame that it comes in. Bytes. */
const frame = 64 * 1024;

/** One request that has been answered. */
interface Sent {
  readonly id: string;
  readonly answer: HttpAnswer;
  /** What the server was shown of who asks. */
  readonly shown: Record<string, string>;
}

/**
 * A server as AgentVault's proxy pattern knows it (1.0.0, section 6): `POST {url}/rpc` with the tool's name as the
 * method. No handshake, no list of tools, no progress; a call that is given up is cut off.
 */
export class MethodServer implements ToolServer {
  readonly #settings: MethodToolServerSettings;
  readonly #url: URL;
  readonly #http: HttpClient;
  readonly #auth: OutboundAuth;
  readonly tools: readonly Tool[] | undefined;
  #failure: ToolFailure | undefined;
  #looking: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(settings: MethodToolServerSettings, net: { readonly http: HttpClient; readonly auth: OutboundAuth }) {
    this.#settings = settings;
    this.#url = new URL(settings.url);
    this.#url.pathname = `${trimEnd(this.#url.pathname, '/')}/rpc`;
    this.#http = net.http;
    this.#auth = net.auth;
    this.tools = settings.tools.length > 0 ? settings.tools : undefined;
  }

  get health(): ToolServerHealth {
    return this.#failure ? { state: 'unreachable', reason: this.#failure.message } : { state: 'ok' };
  }

  /** There is no handshake: whether somebody is there is looked for by itself, until somebody is. */
  open(): void {
    const { hostname, port, protocol } = this.#url;
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80), timeout: lookPatience });
    const settle = (reason: string | undefined): void => {
      socket.destroy();
      if (this.#closed) return;
      this.#failure = reason === undefined ? undefined : new ToolFailure('connection', reason);
      if (this.#failure) this.#looking = setTimeout(() => this.open(), lookPause).unref();
    };
    socket.unref();
    socket.once('connect', () => settle(undefined));
    socket.once('timeout', () => settle('The server cannot be reached in time'));
    socket.once('error', ({ message }) => settle(`The server cannot be reached: ${message}`));
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#looking);
    this.#http.close();
  }

  /** What the configuration tells of its tools need not be all. */
  async list(): Promise<undefined> {
    return undefined;
  }

  async call(call: ToolCall): Promise<JsonObject> {
    try {
      const result = await this.#exchange(call);
      this.#failure = undefined;
      return result;
    } catch (thrown) {
      call.signal.throwIfAborted();
      const failure = ToolFailure.from(thrown);
      this.#failure = failure.condition === 'connection' ? failure : undefined;
      throw failure;
    }
  }

  async #exchange(call: ToolCall): Promise<JsonObject> {
    const first = await this.#send(call);
    const retry = first.answer.status === 401 && this.#auth.rejected(first.shown);
    if (retry) first.answer.discard();
    return this.#read(retry ? await this.#send(call) : first);
  }

  async #send(call: ToolCall): Promise<Sent> {
    const { name: method, arguments: params, signal, hops, credentials } = call;
    const id = `mcp-req-${randomBytes(4).toString('hex')}`;
    const shown = await this.#auth.headers(credentials?.(), this.#url, signal);
    const answer = await this.#http.request({
      method: 'POST',
      url: this.#url,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'a2a-hops': String(hops),
        ...traceOf(call),
        ...shown,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      signal,
      timeout: this.#settings.timeout,
    });
    return { id, answer, shown };
  }

  /** The conditions are judged in the order of AgentVault's proxy. Of all statuses only 404 means something to it. */
  async #read({ id, answer }: Sent): Promise<JsonObject> {
    const { status } = answer;
    const details = { http_status: status };
    if (status === 404) {
      answer.discard();
      throw new ToolFailure('unknownTool', 'The server knows no such tool (HTTP 404)', { details });
    }
    const limit = this.#settings.maxResult;
    const body = await answer.read(limit + frame).catch((thrown) => {
      throw ToolFailure.from(thrown).condition === 'invalidResponse' ? tooLarge(limit) : thrown;
    });
    const json = parsed(body);
    if (!isObject(json)) {
      throw new ToolFailure('invalidResponse', `The server answered with no JSON-RPC (HTTP ${status})`, { details });
    }
    if (json.id !== undefined && json.id !== null && json.id !== id) {
      throw new ToolFailure('invalidResponse', 'The server answered with an id that it was not asked with', {
        details,
      });
    }
    if (json.error !== undefined && json.error !== null) throw errorOf(json.error);
    if (json.result === undefined) {
      throw new ToolFailure('invalidResponse', 'The server answered with neither a result nor an error', { details });
    }
    return asResult(json.result);
  }
}

/** A result as MCP has it: the pattern asks for no form, and servers answer with a bare text, a list or nothing as well. */
function asResult(result: unknown): JsonObject {
  if (isObject(result)) return result;
  if (result === null) return { content: [] };
  if (typeof result === 'string') return { content: [{ type: 'text', text: result }] };
  const isContent = Array.isArray(result) && result.every((item) => isObject(item) && typeof item.type === 'string');
  return isContent ? { content: result } : { content: [], structuredContent: result };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function errorOf(error: unknown): ToolFailure {
  const { code, message, data } = isObject(error) ? error : {};
  const known = typeof code === 'number' || typeof code === 'string';
  return new ToolFailure('protocolError', typeof message === 'string' ? message : 'The server refused the call', {
    ...(known && { code: String(code) }),
    ...(data !== undefined && { details: { mcp_protocol_error_data: data } }),
  });
}
