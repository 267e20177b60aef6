import type { BindingKind, Call, ReplyNotes } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import { majorMinor } from '../../dialects/kernel/detect.ts';
import { noteLostDigits } from '../../dialects/kernel/number-losses.ts';
import type { Method, WireProtocol } from '../../dialects/kernel/wire.ts';
import type { Api } from '../../gen/api.ts';
import type { Operation } from '../../gen/operations.ts';
import { type CallFacts, type CallHead, createContext, hopsOf, newNotes } from '../http/call-head.ts';
import { type StatusOfError, statusOfError } from './errors.ts';
import type { RequestStream } from './request-stream.ts';

/** Parts that gRPC, Connect and gRPC-Web share: the rpcs, and the conversion of a request to a call. */

/** One rpc of a dialect's gRPC binding. */
export interface Rpc {
  readonly dialect: WireProtocol;
  readonly api: Api;
  readonly operation: Operation;
  readonly method: Method;
  readonly statusOfError: StatusOfError;
}

/** The rpcs at one path. Several versions of A2A 1.x have rpcs at the same paths. */
export type RpcsOfPath = readonly [Rpc, ...Rpc[]];

/** All rpcs of the dialects' gRPC bindings, except those without a method. */
export function rpcsOf(dialects: readonly WireProtocol[]): Rpc[] {
  return dialects.flatMap((dialect) => {
    if (!dialect.grpc) return [];
    const { api, methods, encodeError = statusOfError } = dialect.grpc;
    return api.operations.flatMap((operation) => {
      const method = methods.get(operation.rpc);
      return method ? [{ dialect, api, operation, method, statusOfError: encodeError }] : [];
    });
  });
}

/** The rpcs of the dialects by path, in the order of the dialects. */
export function rpcsByPath(dialects: readonly WireProtocol[]): Map<string, RpcsOfPath> {
  const byPath = new Map<string, [Rpc, ...Rpc[]]>();
  for (const rpc of rpcsOf(dialects)) {
    const { grpcPath } = rpc.operation;
    const others = byPath.get(grpcPath);
    if (others) others.push(rpc);
    else byPath.set(grpcPath, [rpc]);
  }
  return byPath;
}

/**
 * The rpc of the version that a request names; the first rpc if none has that version. Undefined if the request names no version,
 * and all versions with this rpc must be named.
 */
export function rpcOfVersion(rpcs: RpcsOfPath, version: string | undefined): Rpc | undefined {
  const [first] = rpcs;
  if (!version) return first.dialect.needsVersion ? undefined : first;
  if (rpcs.length === 1) return first;
  const named = majorMinor(version);
  return rpcs.find(({ dialect }) => dialect.versions.includes(named)) ?? first;
}

/** The head of a call, with the other facts that may name its agent. */
export interface RpcHead extends CallHead {
  /** Host header or `:authority`. */
  readonly host: string | undefined;
  /** The agent in the path, if any. */
  readonly agent?: string;
}

/**
 * Checks a call before its message is read.
 *
 * @param served the dialects, of which the error names the versions that this service has
 * @throws A2AError `versionNotSupported` when `a2a-version` is given and is not one of the service's dialect (major and
 *   minor count); `invalidRequest` for too many hops
 */
export function checkHead({ dialect, api }: Rpc, head: RpcHead, served: readonly WireProtocol[]): void {
  const version = head.header('a2a-version')?.trim();
  // Services without versions serve all of them.
  if (version && dialect.versions.length > 0 && !dialect.versions.includes(majorMinor(version))) {
    const ofService = served.filter(({ grpc }) => grpc?.service === api.service);
    const supportedVersions = ofService.flatMap(({ versions }) => versions).join(', ');
    const message = `This service speaks A2A ${supportedVersions}, not ${version.slice(0, 32)}`;
    throw new A2AError('versionNotSupported', message, { metadata: { supportedVersions } });
  }
  hopsOf(head);
}

/** The part of a call that is not in its message. */
export interface RpcCaller extends Pick<CallFacts, 'principal' | 'requestId' | 'deadline'> {
  readonly binding: BindingKind;
  readonly head: RpcHead;
  /** The further messages of a client that streams. */
  readonly requests?: RequestStream | undefined;
  readonly signal: () => AbortSignal;
}

/**
 * Creates the call: validates the message, converts it to v1, and resolves the agent.
 *
 * @param message the result of `decode` or of a JSON parser; undefined for a client that streams without any message
 * @throws A2AError `invalidParams`, `agentNotFound`
 */
export function createCall(rpc: Rpc, agents: AgentDirectory, message: unknown, caller: RpcCaller): Call {
  const { dialect, method, operation } = rpc;
  const { head, principal, requestId, deadline, binding, requests } = caller;
  const notes = newNotes(dialect, { userAgent: head.header('user-agent'), binary: true });
  const { request, semantics } = method.request.decode(message, notes);
  noteLostDigits(message, request, notes);
  const { tenant: named = '', ...rest } = dialect.ofGateway ? {} : (request as { tenant?: string });
  const { agent, tenant } = dialect.ofGateway ? ofGateway : resolveAgent(agents, head, named);
  const { streaming } = operation;
  const from = { requestId, principal, binding, deadline };
  const facts = { ...from, agent, tenant, dialect, notes, semantics, streaming };
  const call: Call = {
    operation: method.operation,
    request: (named === '' ? request : rest) as Call['request'],
    context: createContext(head, facts, caller.signal),
  };
  return requests ? { ...call, requests: furtherRequests(requests, method, notes) } : call;
}

/** The further messages of a client that streams, in v1. The first message has determined their tenant. */
function furtherRequests(requests: RequestStream, method: Method, notes: ReplyNotes): AsyncIterable<Call['request']> {
  return requests.converted((message) => {
    const { tenant: _, ...request } = method.request.decode(message, notes).request as { tenant?: string };
    return request as Call['request'];
  });
}

/** Agent and tenant of a call that is not about an agent. */
const ofGateway = { agent: '', tenant: '' };

/**
 * The agent and the tenant of a call. With an agent in the path, the whole `tenant` of the message is its tenant. Otherwise,
 * in this order:
 *
 * 1. The first segment of `tenant` (`AGENT` or `AGENT/TENANT`), when an agent has that name. The rest is the tenant.
 * 2. Metadata `a2a-agent`; an unknown name is `agentNotFound`. The whole `tenant` is the tenant.
 * 3. The host, when it is an agent's own. The whole `tenant` is the tenant.
 * 4. The default agent, for messages without `tenant`. A `tenant` that begins with no agent's name is `agentNotFound`, so
 *    that a misspelt agent does not become a tenant of another. Tenants of the default agent are written `AGENT/TENANT`.
 *
 * @throws A2AError `agentNotFound`
 */
function resolveAgent(agents: AgentDirectory, head: RpcHead, named: string): Record<'agent' | 'tenant', string> {
  if (head.agent !== undefined) return { agent: head.agent, tenant: named };
  const slash = named.indexOf('/');
  const first = slash < 0 ? named : named.slice(0, slash);
  if (first !== '' && agents.get(first)) return { agent: first, tenant: slash < 0 ? '' : named.slice(slash + 1) };
  const chosen = head.header('a2a-agent');
  if (chosen !== undefined && chosen !== '') {
    if (!agents.get(chosen)) throw unknownAgent(chosen);
    return { agent: chosen, tenant: named };
  }
  const { host } = head;
  const agent = host === undefined ? undefined : agents.forHost(host);
  if (agent !== undefined) return { agent, tenant: named };
  if (named !== '') throw unknownAgent(first);
  if (agents.defaultName === undefined) {
    throw new A2AError('agentNotFound', 'No agent is named, and there is no default: set tenant or a2a-agent');
  }
  return { agent: agents.defaultName, tenant: '' };
}

const unknownAgent = (name: string): A2AError => new A2AError('agentNotFound', `No such agent: ${name.slice(0, 128)}`);

/** Text for a header or metadata. Characters other than printable ASCII are percent-encoded. */
export const headerText = (text: string): string => text.toWellFormed().replace(/[^ -~]+/g, encodeURIComponent);

const units = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/** Milliseconds of a `grpc-timeout`; undefined if it is malformed. */
export function parseGrpcTimeout(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * units[unit as keyof typeof units];
}
