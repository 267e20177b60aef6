import type { AgentInterface } from '../../core/model/a2a.ts';
import type { Api } from '../../gen/api.ts';
import { cardBindings } from './binding-names.ts';
import type { Dialect, DialectName } from './dialect.ts';
import type { JsonRpcBinding, RestBinding } from './wire.ts';

/** Location at which a gateway serves one agent. */
export interface ServedAt {
  /** Origin, such as `https://agents.example.com`. */
  readonly origin: string;
  /** Path of the agent: '' for the root, or `/{agent}`, either with or without `/as/{dialect}`. */
  readonly base: string;
  /** Tenant that names the agent if neither the path nor the host does; '' for an agent that needs no name. */
  readonly tenant: string;
  /** Whether gRPC is served: an HTTP/1.1 server that the gateway is mounted in does not serve it. */
  readonly grpc: boolean;
  /** Returns the bindings of a dialect to list, by their names in cards. Undefined: all but gRPC-Web. */
  readonly listed?: (dialect: DialectName) => readonly string[] | undefined;
}

/**
 * Whether an interface has a usual binding: no version of A2A names gRPC-Web, and some clients refuse a card with an
 * unknown name.
 */
const isUsual = ({ protocolBinding }: AgentInterface): boolean => protocolBinding !== 'GRPC-WEB';

/**
 * Returns the interfaces of an agent's v1 card: every binding of the dialects that accepts messages. gRPC has no paths,
 * so the tenant names the agent; a dialect without tenants is listed only if none is needed. gRPC-Web is listed only if
 * it is chosen. A choice of bindings that would leave no interface is ignored.
 */
export function interfacesOf(dialects: readonly Dialect[], served: ServedAt): AgentInterface[] {
  const { listed } = served;
  const all = dialects.map((dialect) => ({ dialect, interfaces: allInterfaces(dialect, served) }));
  const chosen = all.flatMap(({ dialect: { name }, interfaces }) => {
    const only = listed?.(name);
    return interfaces.filter((one) => (only ? only.includes(one.protocolBinding) : isUsual(one)));
  });
  return chosen.length > 0 ? chosen : all.flatMap(({ interfaces }) => interfaces.filter(isUsual));
}

const allInterfaces = (dialect: Dialect, { origin, base, tenant, grpc }: ServedAt): AgentInterface[] =>
  Object.entries(cardBindings).flatMap(([protocolBinding, binding]): AgentInterface[] => {
    const { protocolVersion } = dialect.card;
    if (binding !== 'grpc') {
      return takesMessages(dialect[binding]) ? [{ url: `${origin}${base}`, protocolBinding, protocolVersion }] : [];
    }
    if (!grpc || !dialect.grpc || (tenant !== '' && !namesTenants(dialect.grpc.api))) return [];
    const url = protocolBinding === 'GRPC' ? authorityOf(origin) : origin;
    return [{ url, protocolBinding, protocolVersion, ...(tenant && { tenant }) }];
  });

/** Whether a binding serves more than a card. */
const takesMessages = (binding: JsonRpcBinding | RestBinding | undefined): boolean =>
  binding !== undefined &&
  ('routes' in binding
    ? binding.routes.some(({ method }) => method.operation === 'SendMessage')
    : binding.calls.has('SendMessage'));

const namesTenants = ({ operations, fields }: Api): boolean =>
  operations.some(({ request }) => fields.messages[request]?.fields.some(({ protoName }) => protoName === 'tenant'));

/** Returns `host:port`, the form of gRPC addresses in v1 cards. */
function authorityOf(origin: string): string {
  const { host, protocol, port } = new URL(origin);
  return port ? host : `${host}:${protocol === 'https:' ? 443 : 80}`;
}

/**
 * Returns the address at which clients of a dialect call an agent: its interface of this version, else the first for
 * JSON-RPC, else the first.
 */
export function endpointOf(interfaces: readonly AgentInterface[], version: string): string {
  const jsonrpc = interfaces.filter(({ protocolBinding }) => protocolBinding === 'JSONRPC');
  const own = jsonrpc.find(({ protocolVersion }) => protocolVersion === version);
  return (own ?? jsonrpc[0] ?? interfaces[0])?.url ?? '';
}
