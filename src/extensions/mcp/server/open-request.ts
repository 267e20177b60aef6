import type { ProtocolEra } from '@modelcontextprotocol/server';
import type { CheckOperation } from '../../../core/limits/admission.ts';
import { newId } from '../../../core/model/ids.ts';
import type { Exchange } from '../../../transports/http/exchange.ts';
import type { CallStates } from './asking.ts';
import { type Elicitations, elicitationMark, markedElicitation } from './elicitations.ts';
import type { McpRequest } from './mcp-request.ts';
import type { McpServerOptions, Offer } from './server.ts';
import { type AgentToolsOptions, offerOf } from './tool-agents.ts';
import { acceptsStream } from './web-exchange.ts';

/** A request being served, in one of the two eras of MCP. */
export interface OpenRequest {
  answer(): Promise<Response>;
  /** Reports changes of tools to the client. */
  changed(): void;
  close(): Promise<void>;
}

export interface OpenRequestOptions extends Pick<McpServerOptions, 'version' | 'retention' | 'stopping' | 'onFailure'> {
  readonly tools: AgentToolsOptions;
  readonly states: CallStates;
  readonly elicitations: Elicitations;
  readonly checkOperation: CheckOperation;
  /** Maximum milliseconds of a response. */
  readonly answerTime: number;
}

/** A client's request, in the forms of the endpoint and of the SDK. */
interface Asked {
  readonly exchange: Exchange;
  readonly read: McpRequest;
  readonly request: Request;
}

/** Default waiting time of a call in milliseconds, slightly less than the official client's time-out. */
const defaultWait = 50_000;

/** Opens a server for one request. All state between requests is in the store. */
export async function openRequest(asked: Asked, options: OpenRequestOptions): Promise<OpenRequest> {
  const { exchange, read, request } = asked;
  // Large, so loaded only for MCP.
  const [sdk, mcp] = await Promise.all([import('@modelcontextprotocol/server'), import('./server.ts')]);
  // Refused with an HTTP status, so that clients can obtain a token with more scopes and try again.
  const operation = mcp.operationFor(read.method, read.params?.name);
  if (operation !== undefined) options.checkOperation(exchange.principal, operation, exchange.requestId);
  const opening = new RequestOpening(asked, options, sdk, mcp);
  return (await sdk.isLegacyRequest(request, read.body)) ? opening.openLegacy() : opening.openModern();
}

/** Chooses the server for one request, by the era of MCP. */
class RequestOpening {
  readonly #asked: Asked;
  readonly #options: OpenRequestOptions;
  readonly #sdk: typeof import('@modelcontextprotocol/server');
  readonly #mcp: typeof import('./server.ts');
  /** Whether the response may be an event stream. */
  readonly #takesStream: boolean;
  #offered: Offer | undefined;

  constructor(
    asked: Asked,
    options: OpenRequestOptions,
    sdk: typeof import('@modelcontextprotocol/server'),
    mcp: typeof import('./server.ts'),
  ) {
    this.#asked = asked;
    this.#options = options;
    this.#sdk = sdk;
    this.#mcp = mcp;
    this.#takesStream = acceptsStream(asked.exchange.req);
  }

  /** Serves a request of MCP 2026-07-28. */
  openModern(): OpenRequest {
    const { read, request } = this.#asked;
    const { id, method, params, body } = read;
    // Sending headers and keep-alive comments before the result prevents proxies from timing out.
    const waits = this.#takesStream && this.#mcp.waits(() => this.#offer(), method, params?.name);
    const handler = this.#sdk.createMcpHandler(({ era }) => this.#newServer(era), {
      legacy: 'reject',
      responseMode: waits ? 'sse' : 'auto',
      keepAliveMs: 0,
    });
    const fault = method === 'subscriptions/listen' ? this.#mcp.listenFault(params) : undefined;
    const { code, message, data } = fault ?? {};
    const refusal = fault && { jsonrpc: '2.0', id, error: { code, message, data } };
    return {
      answer: async () =>
        refusal ? Response.json(refusal, { status: 400 }) : handler.fetch(request, { parsedBody: body }),
      changed: () => handler.notify.toolsChanged(),
      close: handler.close,
    };
  }

  /** Serves a request of MCP 2025-11-25 or earlier. */
  async openLegacy(): Promise<OpenRequest> {
    const { exchange, read, request } = this.#asked;
    const { id, method, params, body } = read;
    const { answerTime, elicitations } = this.#options;
    const takesStream = this.#takesStream;
    const server = this.#newServer('legacy', {
      // Asking the client requires a stream.
      ...(takesStream && { declared: markedElicitation(exchange.req.headers['mcp-session-id']) }),
      elicit: (asked, signal) => {
        const during = AbortSignal.any([signal, AbortSignal.timeout(answerTime)]);
        return elicitations.ask(asked, (message) => transport.send(message, { relatedRequestId: id ?? 0 }), during);
      },
    });
    const transport = new this.#sdk.WebStandardStreamableHTTPServerTransport({
      ...(method === 'initialize' && { sessionIdGenerator: () => newId() + elicitationMark(params?.capabilities) }),
      // Only calls report progress before their response.
      enableJsonResponse: !takesStream || method !== 'tools/call',
      keepAliveMs: 0,
    });
    await server.connect(transport);
    return {
      answer: () => transport.handleRequest(request, { parsedBody: body }),
      changed: () => void server.server.sendToolListChanged().catch(() => undefined),
      close: () => transport.close(),
    };
  }

  #offer(): Offer {
    this.#offered ??= offerOf(this.#asked.exchange, this.#options.tools);
    return this.#offered;
  }

  #newServer(era: ProtocolEra, before2026?: Pick<McpServerOptions['asking'], 'declared' | 'elicit'>) {
    const { base, agent } = this.#asked.exchange;
    const { version, retention, states, tools, answerTime, stopping, onFailure } = this.#options;
    return this.#mcp.createMcpServer({
      version,
      era,
      retention,
      asking: { states, ...before2026 },
      title: base === '' ? undefined : tools.agents.get(agent)?.card.name,
      reportsProgress: this.#takesStream,
      offer: () => this.#offer(),
      waitLimits: { default: Math.min(defaultWait, answerTime), most: answerTime },
      stopping,
      onFailure,
    });
  }
}
