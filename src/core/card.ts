import type { AgentCard, AgentInterface } from '../gen/a2a-v1/types.ts';
import type { AgentDescription } from './agent.ts';

/** Where one binding of the gateway serves an agent. */
export interface BindingRow {
  /** As cards name it (A2A 1.0.1 section 5.2.1): `JSONRPC`, `HTTP+JSON`, `GRPC`. */
  readonly protocolBinding: string;
  readonly protocolVersion: string;
  /** The agent is part of the URL's path; otherwise it is named by the tenant. */
  readonly byPath: boolean;
}

/** The bindings of A2A v1 in the order in which cards prefer them. */
export const bindings: readonly BindingRow[] = [
  { protocolBinding: 'JSONRPC', protocolVersion: '1.0', byPath: true },
  { protocolBinding: 'HTTP+JSON', protocolVersion: '1.0', byPath: true },
  { protocolBinding: 'GRPC', protocolVersion: '1.0', byPath: false },
];

/**
 * An agent's card as the gateway serves it: what the agent says of itself, and where the gateway serves it.
 *
 * @param origin scheme and authority that clients use, such as `https://agents.example.com`.
 * @param base the path below which clients shall stay: `''` for the root, or `/{agent}`, or either with
 *   `/as/{dialect}`.
 * @param tenant names the agent where the path does not: `''` where the agent is the default.
 */
export function completeCard(description: AgentDescription, origin: string, base: string, tenant: string): AgentCard {
  return { ...description, supportedInterfaces: bindings.map((row) => interfaceOf(row, origin, base, tenant)) };
}

function interfaceOf(
  { protocolBinding, protocolVersion, byPath }: BindingRow,
  origin: string,
  base: string,
  tenant: string,
): AgentInterface {
  if (byPath) return { url: `${origin}${base}`, protocolBinding, protocolVersion };
  const { host, protocol, port } = new URL(origin);
  const target = port ? host : `${host}:${protocol === 'https:' ? 443 : 80}`;
  return { url: target, protocolBinding, protocolVersion, ...(tenant && { tenant }) };
}
