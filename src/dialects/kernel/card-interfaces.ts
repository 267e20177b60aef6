import type { AgentInterface } from '../../core/model/a2a.ts';
import type { Api } from '../../gen/api.ts';
import type { Dialect, DialectName } from './dialect.ts';
import type { JsonRpcBinding, RestBinding } from './wire.ts';

/** Where a gateway serves one agent. */
export interface ServedAt {
  /** Scheme and authority that clients use, such as `https://agents.example.com`. */
  readonly origin: string;
  /** Path below which clients shall stay: '' for the root, or `/{agent}`, or either with `/as/{dialect}`. */
  readonly base: string;
  /** Names the agent where neither a path nor the host does: '' for an agent that is called without a name. */
  readonly tenant: string;
  /** Whether gRPC is served there: an HTTP/1.1 server that the gateway is mounted in cannot. */
  readonly grpc: boolean;
  /** Which bindings of a dialect are to be listed, as cards call them. Undefined: all. */
  readonly listed?: (dialect: DialectName) => readonly string[] | undefined;
}

/** How v1 cards call the faces of a dialect (A2A 1.0.1 section 5.2.1), in the order in which cards prefer them. */
const bindings = [
  ['jsonrpc', 'JSONRPC'],
  ['rest', 'HTTP+JSON'],
  ['grpc', 'GRPC'],
] as const satisfies readonly (readonly ['jsonrpc' | 'rest' | 'grpc', string])[];

/**
 * The interfaces of an agent's v1 card: every face of the given dialects over which it can be sent messages, in their
 * order. gRPC has no paths, so that its callers name the agent by the tenant; a dialect without tenants is listed only where
 * none is needed. A choice of bindings that would leave none is none.
 */
export function interfacesOf(dialects: readonly Dialect[], served: ServedAt): AgentInterface[] {
  const { listed } = served;
  const all = dialects.map((dialect) => ({ dialect, interfaces: facesOf(dialect, served) }));
  const chosen = all.flatMap(({ dialect: { name }, interfaces }) => {
    const only = listed?.(name);
    return only ? interfaces.filter(({ protocolBinding }) => only.includes(protocolBinding)) : interfaces;
  });
  return chosen.length > 0 ? chosen : all.flatMap(({ interfaces }) => interfaces);
}

const facesOf = (dialect: Dialect, { origin, base, tenant, grpc }: ServedAt): AgentInterface[] =>
  bindings.flatMap(([face, protocolBinding]): AgentInterface[] => {
    const { protocolVersion } = dialect.card;
    if (face !== 'grpc') {
      return takesMessages(dialect[face]) ? [{ url: `${origin}${base}`, protocolBinding, protocolVersion }] : [];
    }
    if (!grpc || !dialect.grpc || (tenant !== '' && !namesTenants(dialect.grpc.api))) return [];
    return [{ url: authorityOf(origin), protocolBinding, protocolVersion, ...(tenant && { tenant }) }];
  });

/** Whether a face is more than a route or two beside another one. */
function takesMessages(face: JsonRpcBinding | RestBinding | undefined): boolean {
  if (face === undefined) return false;
  return 'routes' in face
    ? face.routes.some(({ method }) => method.operation === 'SendMessage')
    : face.calls.has('SendMessage');
}

/** Whether requests of an api have a place for the tenant. */
const namesTenants = ({ operations, fields }: Api): boolean =>
  operations.every(({ request }) => fields.messages[request]?.fields.some(({ protoName }) => protoName === 'tenant'));

/** `host:port`, as v1 cards write the addresses of gRPC. */
function authorityOf(origin: string): string {
  const { host, protocol, port } = new URL(origin);
  return port ? host : `${host}:${protocol === 'https:' ? 443 : 80}`;
}
