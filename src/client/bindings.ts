import type { CallContext, Invoke, Quirks } from '../core/model/call.ts';
import type { BindingName } from '../dialects/kernel/binding-names.ts';
import type { WireProtocol } from '../dialects/kernel/wire.ts';
import type { ClientTls } from '../net/client-tls.ts';
import type { HttpClient } from '../net/http-client.ts';
import { requireAllowed } from '../net/network-errors.ts';
import type { OnWire } from '../net/wire-log.ts';
import type { SkippedFrame } from '../transports/outbound/response-stream.ts';

export type { BindingName, SkippedFrame };

/** Options with which a binding calls an interface. */
export interface OpenOptions {
  /** The interface's URL; for gRPC and Connect an origin. */
  readonly url: string;
  readonly dialect: WireProtocol;
  /** The connection pool. Its guard checks the URL even if the binding does not use the pool. */
  readonly http: HttpClient;
  /** Returns the headers of one call, such as credentials, with lower-case names. */
  readonly headers: (context: CallContext) => Record<string, string> | Promise<Record<string, string>>;
  /** TLS settings, for bindings that do not use `http`. */
  readonly tls?: ClientTls;
  /** Called with everything sent and received, by bindings that do not use `http`. */
  readonly onWire?: OnWire;
  readonly timeout: number;
  /** Largest response, or event of a stream, in bytes. Default: the gateway's limit. */
  readonly maxAnswer?: number;
  readonly strict: boolean;
  /** Called with each frame of a stream that is not a response, such as a heartbeat. */
  readonly onSkipped?: ((frame: SkippedFrame) => void) | undefined;
  /** Returns the quirks of the agent's software that are known so far. */
  readonly quirks?: () => Quirks;
}

export interface Binding {
  readonly name: BindingName;
  /** Name shown to users. */
  readonly title: string;
  /** Name in agent cards, in upper case. */
  readonly protocolBinding: string;
  /** Wire format that a dialect must define for this binding. */
  readonly wireFormat: 'jsonrpc' | 'rest' | 'grpc';
  /**
   * True if the binding is used only when the caller selects it: cards do not list it, because it shares the URL of
   * another one.
   */
  readonly onRequest?: true;
  /** Loads the binding and opens it. Rejects with `upstreamUnreachable` for a URL that the guard refuses. */
  open(options: OpenOptions): Promise<{ readonly invoke: Invoke; close(): void | Promise<void> }>;
}

const rows: readonly Binding[] = [
  {
    name: 'jsonrpc',
    title: 'JSON-RPC',
    protocolBinding: 'JSONRPC',
    wireFormat: 'jsonrpc',
    open: async (options) => (await import('../transports/jsonrpc/client.ts')).createJsonRpcClient(options),
  },
  {
    name: 'rest',
    title: 'HTTP+JSON',
    protocolBinding: 'HTTP+JSON',
    wireFormat: 'rest',
    open: async (options) => (await import('../transports/rest/client.ts')).createRestClient(options),
  },
  {
    name: 'grpc',
    title: 'gRPC',
    protocolBinding: 'GRPC',
    wireFormat: 'grpc',
    open: async (options) =>
      (await import('../transports/grpc/client.ts')).createGrpcClient({ ...options, guard: options.http.guard }),
  },
  {
    name: 'connect',
    title: 'Connect',
    protocolBinding: 'GRPC',
    wireFormat: 'grpc',
    onRequest: true,
    open: async (options) => (await import('../transports/connect/client.ts')).createConnectClient(options),
  },
];

/** Every binding. `open` first checks the URL against the guard of the connection pool. */
export const bindings: readonly Binding[] = rows.map((binding) => ({
  ...binding,
  async open(options) {
    const url = URL.parse(options.url);
    if (url !== null) requireAllowed(options.http.guard, url);
    return binding.open(options);
  },
}));
