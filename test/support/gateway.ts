import { fileURLToPath } from 'node:url';
import { parseConfig } from '../../src/config/parse.ts';
import type { Logger } from '../../src/core/ports/logger.ts';
import { createGateway } from '../../src/gateway/compose/gateway.ts';
import { silent } from './core.ts';

/** A gateway that listens on a loopback port of its own. */
export interface Running {
  /** `http://localhost:PORT`, as its cards say. */
  readonly origin: string;
  /** The same without a scheme. */
  readonly target: string;
  readonly port: number;
  close(): Promise<void>;
}

/** The reference agent at the root, and agents with fewer or more demands beside it. */
const agents = `
defaultAgent: demo
agents:
  demo: { kind: reference }
  frugal: { kind: module, path: ./agents/frugal-agent.ts }
  demanding: { kind: module, path: ./agents/demanding-agent.ts }
  conformance: { kind: module, path: ../../examples/conformance-agent.ts }
  hello: { kind: module, path: ../../examples/hello-agent.ts }
`;

export interface GatewayOptions {
  /** Origins of browser clients. */
  readonly cors?: readonly string[];
  /** More of the configuration, in YAML. */
  readonly settings?: string;
  /** Left out: nobody reads it. */
  readonly logger?: Logger;
}

/** Starts the whole gateway over a store in memory. */
export async function startGateway(options: GatewayOptions = {}): Promise<Running> {
  const listen = `listen: { host: localhost, port: 0, cors: [${(options.cors ?? []).join(', ')}] }`;
  const text = `${listen}\nstore: "memory:"\n${agents}${options.settings ?? ''}`;
  const config = parseConfig(text, { file: fileURLToPath(new URL('gateway.yaml', import.meta.url)) });
  const gateway = createGateway(config, { logger: options.logger ?? silent });
  const { port, url } = await gateway.listen();
  return { origin: url, target: new URL(url).host, port, close: () => gateway.close({ drainMs: 0 }) };
}
