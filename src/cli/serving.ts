import { relative } from 'node:path';
import type { Config } from '../config/index.ts';

/** A store as it may be shown: without a password, and with a path that is short to read from here. */
export function shownStore(store: string): string {
  if (store.startsWith('sqlite:')) {
    const path = store.slice('sqlite:'.length);
    const near = relative('.', path);
    return `sqlite:${near.length < path.length ? near : path}`;
  }
  const url = URL.parse(store);
  if (url === null || store === 'memory:') return store;
  url.password = '';
  url.search = '';
  return url.href;
}

/** What is allowed and may still surprise. */
export function configWarnings({ auth, listen, defaultAgent, agents }: Config): string[] {
  const warnings: string[] = [];
  if (auth.anonymous === 'nobody') {
    const why =
      listen.publicUrl === undefined ? 'auth.anonymous is false' : 'with a publicUrl nobody is taken for a local user';
    warnings.push(`nobody can call this gateway: ${why}, and no other way in is configured`);
  }
  if (auth.anonymous === 'anyone') warnings.push('anyone who reaches this gateway can call it: auth.anonymous is true');
  if (defaultAgent === undefined) {
    warnings.push(`nothing is served at the root: defaultAgent names none of ${[...agents.keys()].join(', ')}`);
  }
  return warnings;
}

/** Where an agent is served, for people. */
export interface ServedAgent {
  readonly name: string;
  readonly kind: string;
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
  const agents = [...config.agents].map(([agent, { kind }]): ServedAgent => {
    const root = agent === config.defaultAgent;
    const url = root ? base : `${base}/${agent}`;
    return {
      name: agent,
      kind,
      root,
      rows: [
        ['card', `${url}/.well-known/agent-card.json`],
        ['JSON-RPC', `${url}/`],
        ['HTTP+JSON', `${url}/message:send`],
        ['gRPC', root ? grpc : `${grpc} (tenant ${agent})`],
        ['Connect', `${base}/lf.a2a.v1.A2AService/SendMessage`],
      ],
    };
  });
  return { base, agents };
}
