import type { CallContext, Invoke, Quirks } from '../core/model/call.ts';
import type { WireProtocol } from '../dialects/kernel/wire.ts';
import type { ClientTls } from '../net/client-tls.ts';
import type { HttpClient } from '../net/http-client.ts';
import { requireAllowed } from '../net/network-errors.ts';

/** The ways to call an agent, as `via` names them. */
export type BindingName = 'jsonrpc' | 'rest' | 'grpc' | 'connect';

/** What a binding needs to call an interface. */
export interface OpenOptions {
  /** The interface's URL; for gRPC and Connect an origin. */
  readonly url: string;
  readonly dialect: WireProtocol;
  /** Its guard judges the URL, whether the binding uses the pool or not. */
  readonly http: HttpClient;
  /** Headers of one call, such as credentials, their names in lower case. */
  readonly headers: (context: CallContext) => Record<string, string> | Promise<Record<string, string>>;
  /** What is shown in a TLS handshake, for bindings that do not use `http`. */
  readonly tls?: ClientTls;
  readonly timeout: number;
  readonly strict: boolean;
  /** What is known by now of the agent's software. */
  readonly quirks?: () => Quirks;
}

/** One binding. */
export interface Binding {
  readonly name: BindingName;
  /** What users call it. */
  readonly title: string;
  /** How cards call it, in capitals. */
  readonly protocolBinding: string;
  /** The part of a dialect that it needs. */
  readonly wireFormat: 'jsonrpc' | 'rest' | 'grpc';
  /** Whether it is used only when asked for: no card lists it, it shares the URL of another. */
  readonly onRequest?: true;
  /** Loaded when it is used. Rejects with `upstreamUnreachable` for a URL that is not let through. */
  open(options: OpenOptions): Promise<{ readonly invoke: Invoke; close(): void | Promise<void> }>;
}

/** Nothing is opened where the guard does not let requests go. */
const checkedByGuard =
  (open: Binding['open']): Binding['open'] =>
  async (options) => {
    const url = URL.parse(options.url);
    if (url !== null) requireAllowed(options.http.guard, url);
    return open(options);
  };

/** Every binding; one row each. */
export const bindings: readonly Binding[] = [
  {
    name: 'jsonrpc',
    title: 'JSON-RPC',
    protocolBinding: 'JSONRPC',
    wireFormat: 'jsonrpc',
    open: checkedByGuard(async (options) =>
      (await import('../transports/jsonrpc/client.ts')).createJsonRpcClient(options),
    ),
  },
  {
    name: 'rest',
    title: 'HTTP+JSON',
    protocolBinding: 'HTTP+JSON',
    wireFormat: 'rest',
    open: checkedByGuard(async (options) => (await import('../transports/rest/client.ts')).createRestClient(options)),
  },
  {
    name: 'grpc',
    title: 'gRPC',
    protocolBinding: 'GRPC',
    wireFormat: 'grpc',
    open: checkedByGuard(async (options) =>
      (await import('../transports/grpc/client.ts')).createGrpcClient({ ...options, guard: options.http.guard }),
    ),
  },
  {
    name: 'connect',
    title: 'Connect',
    protocolBinding: 'GRPC',
    wireFormat: 'grpc',
    onRequest: true,
    open: checkedByGuard(async (options) =>
      (await import('../transports/connect/client.ts')).createConnectClient(options),
    ),
  },
];
