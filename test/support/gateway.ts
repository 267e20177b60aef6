import { fileURLToPath } from 'node:url';
import { parseConfig } from '../../src/config/parse.ts';
import type { Config } from '../../src/config/types.ts';
import type { Logger } from '../../src/core/ports/logger.ts';
import { previews } from '../../src/dialects/registry.ts';
import { createGateway, type Gateway, type GatewayDeps } from '../../src/gateway/compose/gateway.ts';
import { silent } from './core.ts';
import { endAfterTest } from './peer.ts';

/** A gateway that listens on a loopback port of its own. */
export interface Running {
  /** `http://localhost:PORT`, as its cards say. */
  readonly origin: string;
  /** Host and port, without a scheme. */
  readonly target: string;
  readonly port: number;
  close(): Promise<void>;
}

/** The admin keys that the gateways of this process made, by their URLs. */
const adminKeys = new Map<string, string>();

/** Receives the admin keys that a gateway makes. They are known by its URL once it listens. */
export function adminKeysOf() {
  let origin: string | undefined;
  let latest: string | undefined;
  const keep = (): void => {
    if (origin !== undefined && latest !== undefined) adminKeys.set(origin, latest);
  };
  return {
    onAdminKey(key: string): void {
      latest = key;
      keep();
    },
    listensAt(url: string): void {
      origin = new URL(url).origin;
      adminKeys.delete(origin);
      keep();
    },
  };
}

/** The header with the admin key of a gateway of this process; none where a configured credential has the scope. */
export function adminHeaders(url: string): Readonly<Record<string, string>> {
  const key = adminKeys.get(new URL(url).origin);
  return key === undefined ? {} : { 'x-api-key': key };
}

/** The reference agent at the root, and agents with fewer capabilities or more requirements. */
const agents = `
defaultAgent: demo
agents:
  demo: { kind: reference }
  frugal: { kind: module, path: ./agents/frugal-agent.ts }
  demanding: { kind: module, path: ./agents/demanding-agent.ts }
  conformance: { kind: module, path: ../../examples/conformance-agent.ts }
  hello: { kind: module, path: ../../examples/hello-agent.ts }
`;

/** A gateway of its own configuration. */
export interface Opened extends Running {
  readonly gateway: Gateway;
  readonly url: string;
}

export interface OpenOptions extends GatewayDeps {
  /** Path of the configuration, for the paths in it. Default: a file that does not exist. */
  readonly file?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts a gateway, which is closed after the test or the file that starts it. The configuration may leave out `listen` (then a free port of loopback), `store` (then memory) and
 * `preview` (then all); the logger is silent unless there is one.
 *
 * @param settings the configuration, in YAML or as an object
 */
export async function openGateway(settings: string | Config, options: OpenOptions = {}): Promise<Opened> {
  const { file = '/gateway.yaml', env = {}, ...parts } = options;
  const config = typeof settings === 'string' ? parseConfig(withDefaults(settings), { file, env }) : settings;
  const keys = adminKeysOf();
  const created = createGateway(config, { logger: silent, onAdminKey: keys.onAdminKey, ...parts });
  const { port, url } = await created.listen();
  const gateway = { ...created, close: endAfterTest(created.close, { drainMs: 0 }) };
  keys.listensAt(url);
  const close = (): Promise<void> => gateway.close({ drainMs: 0 });
  return { gateway, url, origin: url, target: new URL(url).host, port, close };
}

/** Previews are on, so that every test shows that they change nothing for callers who do not ask for them. */
const defaults = { listen: '{ host: localhost, port: 0 }', store: '"memory:"', preview: `[${previews.join(', ')}]` };

function withDefaults(yaml: string): string {
  if (yaml.startsWith('{')) return yaml;
  const absent = Object.entries(defaults).filter(([key]) => !new RegExp(`^${key}:`, 'm').test(yaml));
  return `${absent.map(([key, value]) => `${key}: ${value}\n`).join('')}${yaml}`;
}

export interface GatewayOptions {
  /** Origins of browser clients. */
  readonly cors?: readonly string[];
  /** More of the configuration, in YAML. */
  readonly settings?: string;
  readonly logger?: Logger;
}

/** Starts a gateway with the agents above, over a store in memory. */
export function startGateway(options: GatewayOptions = {}): Promise<Running> {
  const { cors = [], settings = '', logger = silent } = options;
  const listen = `listen: { host: localhost, port: 0, cors: [${cors.join(', ')}] }`;
  const file = fileURLToPath(new URL('gateway.yaml', import.meta.url));
  return openGateway(`${listen}\n${agents}${settings}`, { file, logger });
}
