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
  /** The pool of connections. Its guard judges the URL even if the binding does not use the pool. */
  readonly http: HttpClient;
  /** Headers of one call, such as credentials, with names in lower case. */
  readonly headers: (context: CallContext) => Record<string, string> | Promise<Record<string, string>>;
  /** For bindings that do not use `http`. */
  readonly tls?: ClientTls;
  /** For bindings that do not use `http`: gets what is sent and received. */
  readonly onWire?: OnWire;
  readonly timeout: number;
  /** Bytes of an answer, or of one event of a stream. Default: the gateway's. */
  readonly maxAnswer?: number;
  readonly strict: boolean;
  /** Called with each part of a stream that is not an answer, such as a heartbeat. */
  readonly onSkipped?: ((frame: SkippedFrame) => void) | undefined;
  /** The quirks of the agent's software that are known so far. */
  readonly quirks?: () => Quirks;
}

export interface Binding {
  readonly name: BindingName;
  /** For users. */
  readonly title: string;
  /** The name in cards, in capitals. */
  readonly protocolBinding: string;
  /** The part of a dialect that it needs. */
  readonly wireFormat: 'jsonrpc' | 'rest' | 'grpc';
  /** Only used if the caller asks for it: no card lists it, because it shares the URL of another binding. */
  readonly onRequest?: true;
  /** Loads the binding and opens it. Rejects with `upstreamUnreachable` for a URL that the guard refuses. */
  open(options: OpenOptions): Promise<{ readonly invoke: Invoke; close(): void | Promise<void> }>;
}

/** Every binding. */
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

export const bindings: readonly Binding[] = rows.map((binding) => ({
  ...binding,
  async open(options) {
    const url = URL.parse(options.url);
    if (url !== null) requireAllowed(options.http.guard, url);
    return binding.open(options);
  },
}));
