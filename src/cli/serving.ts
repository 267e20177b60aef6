import { relative } from 'node:path';
import {
  type AgentConfig,
  type Config,
  isLoopbackHost,
  type UpstreamConfig,
  withoutPassword,
} from '../config/index.ts';
import { accessWarnings } from './who-gets-in.ts';

/** A store as it may be shown: without a password, and with a path that is short to read from here. */
export function shownStore(store: string): string {
  if (store.startsWith('sqlite:')) {
    const path = store.slice('sqlite:'.length);
    const near = relative('.', path);
    return `sqlite:${near.length < path.length ? near : path}`;
  }
  return withoutPassword(store);
}

/** An agent's URL as it may be shown: a query may hold a key. */
const shownUrl = (text: string): string => {
  const { origin, pathname, search } = new URL(text);
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
};

/** What an agent is, in a few words. */
export function shownAgent(agent: AgentConfig): string {
  return agent.knowledge ? `${shownKind(agent)}, with knowledge` : shownKind(agent);
}

function shownKind(agent: AgentConfig): string {
  if (agent.kind === 'module') return `module ${agent.path}`;
  if (agent.kind === 'mcp') return `mcp ${[...agent.servers.keys()].join(', ')}`;
  return agent.kind === 'upstream' ? `upstream ${shownUrl(agent.url)}` : agent.kind;
}

/** Where an agent calls others, and what it shows them. */
function placesOf(agent: AgentConfig): readonly Pick<UpstreamConfig, 'url' | 'auth'>[] {
  if (agent.kind === 'upstream') return [agent];
  return agent.kind === 'mcp' ? [...agent.servers.values()].filter((server) => server.type !== 'stdio') : [];
}

/** URLs that credentials travel to without encryption, over a network. */
function* plainUrls({ agents }: Config): Generator<[agent: string, url: string]> {
  for (const [name, agent] of agents) {
    for (const { url, auth } of placesOf(agent)) {
      if (auth === undefined) continue;
      for (const each of [url, ...(auth.type === 'oauth2' ? [auth.tokenUrl] : [])]) {
        const { protocol, hostname } = new URL(each);
        if (protocol === 'http:' && !isLoopbackHost(hostname)) yield [name, shownUrl(each)];
      }
    }
  }
}

/** What is allowed and may still surprise. */
export function configWarnings(config: Config): string[] {
  const { defaultAgent, agents } = config;
  const warnings = accessWarnings(config);
  if (defaultAgent === undefined) {
    const [first = ''] = agents.keys();
    warnings.push(
      `no agent answers at the root (/), and clients that are given the gateway's URL alone find none; to change that, ` +
        `set defaultAgent to one of ${[...agents.keys()].join(', ')}, such as defaultAgent: ${first}`,
    );
  }
  for (const [name, url] of plainUrls(config)) {
    warnings.push(`agent ${name}: its credentials travel unencrypted to ${url}`);
  }
  return warnings;
}

/** The hosts at whose root an agent answers. */
export const hostsOf = ({ hosts }: Config, agent: string): string[] =>
  [...hosts].filter(([, owner]) => owner === agent).map(([host]) => host);

/** Where an agent is served, for people. */
export interface ServedAgent {
  readonly name: string;
  /** Its kind, and where it is. */
  readonly what: string;
  /** Whether it answers at the root as well. */
  readonly root: boolean;
  readonly rows: readonly (readonly [title: string, url: string])[];
}

/** The URLs that a gateway of this configuration serves on this port. */
export function servedUrls(config: Config, port: number): { base: string; agents: ServedAgent[] } {
  const { host, publicUrl, tls } = config.listen;
  const name = host.includes(':') ? `[${host.replace(/^\[|\]$/g, '')}]` : host;
  const base = publicUrl ?? `${tls === undefined ? 'http' : 'https'}://${name}:${port}`;
  const { hostname, port: publicPort, protocol } = new URL(base);
  const grpc = `${hostname}:${publicPort || (protocol === 'https:' ? 443 : 80)}`;
  const agents = [...config.agents].map(([agent, settings]): ServedAgent => {
    const root = agent === config.defaultAgent;
    const hosts = hostsOf(config, agent);
    const url = root ? base : `${base}/${agent}`;
    return {
      name: agent,
      what: shownAgent(settings),
      root,
      rows: [
        // With a slash at its end: the SDK for JavaScript resolves the card's path against it.
        ['base URL', `${url}/`],
        ['card', `${url}/.well-known/agent-card.json`],
        ['JSON-RPC', `${url}/`],
        ['HTTP+JSON', `${url}/message:send`],
        ['gRPC', root ? grpc : `${grpc} (tenant ${agent})`],
        ['Connect', `${base}/lf.a2a.v1.A2AService/SendMessage`],
        ['MCP', `${base}/${agent}/mcp`],
        ...(settings.knowledge ? [['knowledge', `${url}/knowledge:query`] as const] : []),
        ...(hosts.length === 0 ? [] : [['hosts', hosts.join(', ')] as const]),
      ],
    };
  });
  return { base, agents };
}
