import type { Call, CallContext, Principal } from '../core/call.ts';
import { A2AError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import type { AgentDirectory } from '../core/ports.ts';
import { majorMinor } from '../dialects/detect.ts';
import type { Dialect, Method } from '../dialects/dialect.ts';
import type { Api, Operation } from '../gen/operations.ts';

/** What the protobuf transports (gRPC, Connect, gRPC-Web) share: which rpcs there are, and how a call is made of one. */

/** One rpc of one dialect's protobuf face. */
export interface Rpc {
  readonly dialect: Dialect;
  readonly api: Api;
  readonly operation: Operation;
  readonly method: Method;
  /** Sent back as `a2a-version`; undefined where the dialect has no such header. */
  readonly version: string | undefined;
}

/** Every rpc of the dialects that have a protobuf face. Those that a face has no method for are left out. */
export function rpcsOf(dialects: readonly Dialect[]): Rpc[] {
  return dialects.flatMap((dialect) =>
    (dialect.grpc?.api.operations ?? []).flatMap((operation): Rpc[] => {
      const { api, methods } = dialect.grpc as NonNullable<Dialect['grpc']>;
      const method = methods.get(operation.rpc);
      return method ? [{ dialect, api, operation, method, version: dialect.versions[0] }] : [];
    }),
  );
}

/** A request's headers, or gRPC's metadata. */
export interface RpcHead {
  /** By name in lower case; several values joined by commas. */
  header(name: string): string | undefined;
  /** Host header or `:authority`. */
  readonly host: string | undefined;
  /** The agent that a path named already. */
  readonly agent?: string;
}

/** The caller's own request id where it has a usable one, or a new one. */
export function requestIdOf(head: RpcHead): string {
  const given = head.header('x-request-id');
  return given !== undefined && /^[\w.~:-]{1,128}$/.test(given) ? given : newId();
}

/** A gateway that calls a gateway that calls a gateway: more is a circle (CONTRACT, "Behaviour"). */
const maxHops = 8;

/**
 * What can be refused before a message is read.
 *
 * @throws A2AError `versionNotSupported`: the service's name fixes the version, so `a2a-version`, where it is given,
 *   must be one that the service's dialect answers to (major and minor count); `invalidRequest` for too many hops
 */
export function checkHead({ dialect }: Rpc, head: RpcHead): void {
  const version = head.header('a2a-version')?.trim();
  if (version && !dialect.versions.includes(majorMinor(version))) {
    const spoken = dialect.versions.join(', ');
    throw new A2AError('versionNotSupported', `This service speaks A2A ${spoken}, not ${version.slice(0, 32)}`, {
      metadata: { supportedVersions: spoken },
    });
  }
  if (hopsOf(head) > maxHops) {
    throw new A2AError('invalidRequest', `The call has passed more than ${maxHops} gateways`);
  }
}

function hopsOf(head: RpcHead): number {
  const hops = Number(head.header('a2a-hops') ?? 0);
  return Number.isInteger(hops) && hops >= 0 ? hops : 0;
}

/** Everything about a call that its message does not say. */
export interface RpcCaller {
  readonly head: RpcHead;
  readonly principal: Principal;
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly deadline?: number | undefined;
}

/**
 * Makes the call: converts the message to v1, which holds it against its type, and finds the agent.
 *
 * @param message as `decode` or a JSON parser gave it
 * @throws A2AError `invalidParams`, `agentNotFound`
 */
export function makeCall(rpc: Rpc, agents: AgentDirectory, message: unknown, caller: RpcCaller): Call {
  const { head, principal, requestId, signal, deadline } = caller;
  const notes = { extensions: new Set<string>(), losses: new Set<string>() };
  const decoded = rpc.method.request.decode(message, notes);
  const { tenant: named = '', ...rest } = decoded.request as { tenant?: string };
  const { agent, tenant } = resolveAgent(agents, head, named);
  const replay = decoded.replay ?? (rpc.operation.streaming ? replayOf(head) : undefined);
  const idempotencyKey = head.header('idempotency-key');
  const traceparent = head.header('traceparent');
  const context: CallContext = {
    requestId,
    agent,
    tenant,
    principal,
    dialect: rpc.dialect.name,
    tasksOnly: rpc.dialect.tasksOnly,
    extensions: extensionsOf(head),
    signal,
    hops: hopsOf(head),
    notes,
    ...(deadline !== undefined && { deadline }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(replay !== undefined && { replay }),
    ...(traceparent !== undefined && { traceparent }),
  };
  return {
    operation: rpc.method.operation,
    request: (named === '' ? decoded.request : rest) as Call['request'],
    context,
  };
}

/**
 * Which agent a call means, and for which tenant. An agent in the path, where there is one, has the whole of `tenant` as
 * its tenant. Otherwise, in this order:
 *
 * 1. The first segment of the message's `tenant` (`AGENT` or `AGENT/TENANT`), when an agent has that name. The rest is
 *    the tenant that the core sees.
 * 2. Metadata `a2a-agent`; an unknown name is `agentNotFound`. The whole of `tenant` is then a tenant of that agent.
 * 3. The host, when it is an agent's own. The whole of `tenant` is then a tenant of that agent.
 * 4. The default agent, for messages without `tenant`. A `tenant` that begins with no agent's name is `agentNotFound`
 *    here, just as the first segment of a path at the root is an agent and never a tenant: a misspelt agent must not
 *    quietly become a tenant of another. A tenant of the default agent is written `AGENT/TENANT`, as for any other.
 *
 * @throws A2AError `agentNotFound`
 */
export function resolveAgent(
  agents: AgentDirectory,
  head: RpcHead,
  named: string,
): { readonly agent: string; readonly tenant: string } {
  if (head.agent !== undefined) return { agent: head.agent, tenant: named };
  let first = '';
  if (named !== '') {
    const slash = named.indexOf('/');
    first = slash < 0 ? named : named.slice(0, slash);
    if (agents.get(first)) return { agent: first, tenant: slash < 0 ? '' : named.slice(slash + 1) };
  }
  const chosen = head.header('a2a-agent');
  if (chosen !== undefined && chosen !== '') {
    if (!agents.get(chosen)) throw noAgent(chosen);
    return { agent: chosen, tenant: named };
  }
  const agent = head.host === undefined ? undefined : agents.forHost(head.host);
  if (agent !== undefined) return { agent, tenant: named };
  if (named !== '') throw noAgent(first);
  if (agents.defaultName === undefined) {
    throw new A2AError('agentNotFound', 'No agent is named, and there is no default: set tenant or a2a-agent');
  }
  return { agent: agents.defaultName, tenant: '' };
}

const noAgent = (name: string): A2AError => new A2AError('agentNotFound', `No such agent: ${name.slice(0, 128)}`);

/** Position after which a stream is taken up again; what is no position is as good as none. */
function replayOf(head: RpcHead): { readonly after: number } | undefined {
  const id = head.header('last-event-id');
  return id !== undefined && /^\d{1,15}$/.test(id) ? { after: Number(id) } : undefined;
}

const none: readonly string[] = [];

/** URIs under the header's v1 name and under that of 0.3. */
function extensionsOf(head: RpcHead): readonly string[] {
  const now = head.header('a2a-extensions');
  const before = head.header('x-a2a-extensions');
  if (now === undefined && before === undefined) return none;
  const uris = `${now ?? ''},${before ?? ''}`.split(',').map((uri) => uri.trim());
  return [...new Set(uris.filter((uri) => uri !== ''))];
}

/** At most 1 KiB of the losses of a call, for `a2a-gateway-loss`. '' when there are none. */
export function lossHeader(losses: ReadonlySet<string>): string {
  let text = '';
  for (const path of losses) {
    if (text.length + path.length + 2 > 1024) break;
    text += text === '' ? path : `, ${path}`;
  }
  return headerText(text);
}

/** Text as a header or metadata may carry it: whatever is not printable ASCII is percent-encoded. */
export const headerText = (text: string): string => text.toWellFormed().replace(/[^ -~]+/g, encodeURIComponent);
