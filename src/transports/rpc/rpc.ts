import type { Reservation } from '../../core/limits/reservation.ts';
import type { BindingKind, Call, CallContext } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { withSignal } from '../../core/model/lazy-signal.ts';
import type { Principal } from '../../core/model/principal.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import { majorMinor } from '../../dialects/kernel/lookup.ts';
import type { Method, WireProtocol } from '../../dialects/kernel/wire.ts';
import type { Api } from '../../gen/api.ts';
import type { Operation } from '../../gen/operations.ts';
import { type CallHead, contextFromHead, hopsOf } from '../http/call-head.ts';
import { type StatusOfError, statusOfError } from './errors.ts';

/** What the protobuf transports (gRPC, Connect, gRPC-Web) share: which rpcs there are, and how a call is made of one. */

/** One rpc of one dialect's protobuf face. */
export interface Rpc {
  readonly dialect: WireProtocol;
  readonly api: Api;
  readonly operation: Operation;
  readonly method: Method;
  /** Sent back as `a2a-version`; undefined where the dialect has no such header. */
  readonly version: string | undefined;
  /** Names under which activated extensions are sent back. */
  readonly extensionHeaders: readonly string[];
  readonly statusOfError: StatusOfError;
}

/** Every rpc of the dialects that have a protobuf face. Those that a face has no method for are left out. */
export function rpcsOf(dialects: readonly WireProtocol[]): Rpc[] {
  return dialects.flatMap((dialect) =>
    (dialect.grpc?.api.operations ?? []).flatMap((operation): Rpc[] => {
      const { api, methods, encodeError = statusOfError } = dialect.grpc as NonNullable<WireProtocol['grpc']>;
      const method = methods.get(operation.rpc);
      if (!method) return [];
      const extensionHeaders = dialect.extensionHeaders.map((name) => name.toLowerCase());
      const version = dialect.versions[0];
      return [{ dialect, api, operation, method, version, extensionHeaders, statusOfError: encodeError }];
    }),
  );
}

/** The head of a call, and what else says which agent it means. */
export interface RpcHead extends CallHead {
  /** Host header or `:authority`. */
  readonly host: string | undefined;
  /** The agent that a path named already. */
  readonly agent?: string;
}

/**
 * What can be refused before a message is read.
 *
 * @throws A2AError `versionNotSupported`: the service's name fixes the version, so `a2a-version`, where it is given,
 *   must be one that the service's dialect answers to (major and minor count); `invalidRequest` for too many hops
 */
export function checkHead({ dialect }: Rpc, head: RpcHead): void {
  const version = head.header('a2a-version')?.trim();
  // What has no versions is the same in all of them.
  if (version && dialect.versions.length > 0 && !dialect.versions.includes(majorMinor(version))) {
    const spoken = dialect.versions.join(', ');
    throw new A2AError('versionNotSupported', `This service speaks A2A ${spoken}, not ${version.slice(0, 32)}`, {
      metadata: { supportedVersions: spoken },
    });
  }
  hopsOf(head);
}

/** Everything about a call that its message does not say. */
export interface RpcCallOptions {
  readonly binding: BindingKind;
  readonly head: RpcHead;
  readonly principal: Principal;
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** Room for the answer. */
  readonly reservation: Reservation;
  /** Milliseconds since the epoch. */
  readonly deadline?: number | undefined;
}

/**
 * Makes the call: converts the message to v1, which holds it against its type, and finds the agent.
 *
 * @param message as `decode` or a JSON parser gave it
 * @throws A2AError `invalidParams`, `agentNotFound`
 */
export function createCall(rpc: Rpc, agents: AgentDirectory, message: unknown, caller: RpcCallOptions): Call {
  const { head, principal, requestId, deadline, binding, reservation } = caller;
  const notes = {
    extensions: new Set<string>(),
    losses: new Set<string>(),
    ...(rpc.dialect.software && { peerSoftware: { userAgent: head.header('user-agent'), binary: true as const } }),
  };
  const decoded = rpc.method.request.decode(message, notes);
  const { tenant: named = '', ...rest } = decoded.request as { tenant?: string };
  const { agent, tenant } = resolveAgent(agents, head, named);
  const facts = {
    requestId,
    agent,
    tenant,
    principal,
    dialect: rpc.dialect.name,
    binding,
    notes,
    reservation,
    ...contextFromHead(head, decoded.semantics, rpc.operation.streaming, principal),
    ...(deadline !== undefined && { deadline }),
  };
  const context = withSignal<CallContext>(facts, () => caller.signal);
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

/** Text as a header or metadata may carry it: whatever is not printable ASCII is percent-encoded. */
export const headerText = (text: string): string => text.toWellFormed().replace(/[^ -~]+/g, encodeURIComponent);
