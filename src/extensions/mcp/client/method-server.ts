import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { isObject, type JsonObject, parsedJson } from '../../../core/model/json.ts';
import { trimEnd } from '../../../core/model/text.ts';
import type { HttpAnswer } from '../../../net/http-exchange.ts';
import type { MethodToolServerSettings } from '../../../net/tool-server-settings.ts';
import { asResult } from '../tool-result.ts';
import { ToolFailure, tooLarge } from './failures.ts';
import { sendToServer, type ToolNet } from './net.ts';
import type { Tool, ToolCall, ToolServer, ToolServerHealth } from './tool-server.ts';

/** Time-out of a connection check in milliseconds. */
const checkTimeout = 5_000;
/** Milliseconds between two checks while the server is unreachable. */
const checkPause = 5_000;

/** Maximum bytes of a response in addition to its result. */
const envelope = 64 * 1024;

/**
 * A server of AgentVault's proxy pattern (1.0.0, section 6): `POST {url}/rpc` with the tool's name as the method. The
 * protocol has no handshake, no list of tools and no progress. A call is canceled by disconnecting.
 */
export class MethodServer implements ToolServer {
  readonly tools: readonly Tool[] | undefined;
  readonly #settings: MethodToolServerSettings;
  readonly #net: ToolNet;
  readonly #url: URL;
  #failure: ToolFailure | undefined;
  #nextCheck: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(settings: MethodToolServerSettings, net: ToolNet) {
    this.tools = settings.tools.length > 0 ? settings.tools : undefined;
    this.#settings = settings;
    this.#net = net;
    this.#url = new URL(settings.url);
    this.#url.pathname = `${trimEnd(this.#url.pathname, '/')}/rpc`;
  }

  get health(): ToolServerHealth {
    return this.#failure ? { state: 'unreachable', reason: this.#failure.message } : { state: 'ok' };
  }

  open(): void {
    this.#check();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#nextCheck);
    this.#net.http.close();
  }

  /** Returns undefined: the tools are unknown, since the configuration need not list all of them. */
  async list(): Promise<undefined> {}

  async call(call: ToolCall): Promise<JsonObject> {
    try {
      const result = await this.#exchange(call);
      this.#failure = undefined;
      return result;
    } catch (thrown) {
      call.signal.throwIfAborted();
      const failed = ToolFailure.from(thrown).hiding((text) => this.#net.hide(text, call));
      this.#failure = failed.condition === 'connection' ? failed : undefined;
      throw failed;
    }
  }

  /** Checks repeatedly whether the server accepts TCP connections, until it does. The protocol has no handshake. */
  #check(): void {
    const { hostname, port, protocol } = this.#url;
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80), timeout: checkTimeout });
    const settle = (reason?: string): void => {
      socket.destroy();
      if (this.#closed) return;
      this.#failure = reason === undefined ? undefined : new ToolFailure('connection', reason);
      if (this.#failure) this.#nextCheck = setTimeout(() => this.#check(), checkPause).unref();
    };
    socket.unref();
    socket.once('connect', () => settle());
    socket.once('timeout', () => settle('Cannot connect to the server: timed out'));
    socket.once('error', ({ message }) => settle(`Cannot connect to the server: ${message}`));
  }

  async #exchange({ name: method, arguments: params, signal, ...facts }: ToolCall): Promise<JsonObject> {
    const { timeout, maxResult } = this.#settings;
    const id = `mcp-req-${randomBytes(4).toString('hex')}`;
    const answer = await sendToServer(this.#net, facts, {
      method: 'POST',
      url: this.#url,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      signal,
      timeout,
    });
    return readResult(id, answer, maxResult);
  }
}

/** Checks a response in the order of AgentVault's proxy, which treats only HTTP status 404 specially. */
async function readResult(id: string, answer: HttpAnswer, limit: number): Promise<JsonObject> {
  const { status } = answer;
  const details = { http_status: status };
  const invalid = (why: string): ToolFailure => new ToolFailure('invalidResponse', why, { details });
  if (status === 404) {
    answer.discard();
    throw new ToolFailure('unknownTool', 'The server does not know this tool (HTTP 404)', { details });
  }
  const body = await answer.read(limit + envelope).catch((thrown) => {
    throw ToolFailure.from(thrown).condition === 'invalidResponse' ? tooLarge(limit) : thrown;
  });
  const json = parsedJson(body.toString('utf8'));
  if (!isObject(json)) throw invalid(`The server did not answer with JSON-RPC (HTTP ${status})`);
  const { id: answered, error = null, result } = json;
  if (answered !== undefined && answered !== null && answered !== id) {
    throw invalid('The server answered with an unknown request id');
  }
  if (error !== null) throw errorOf(error);
  if (result === undefined) throw invalid('The server answered with neither a result nor an error');
  return asResult(result);
}

function errorOf(error: unknown): ToolFailure {
  const { code, message, data } = isObject(error) ? error : {};
  const hasCode = typeof code === 'number' || typeof code === 'string';
  return new ToolFailure('protocolError', typeof message === 'string' ? message : 'The server refused the call', {
    ...(hasCode && { code: String(code) }),
    ...(data !== undefined && { details: { mcp_protocol_error_data: data } }),
  });
}
