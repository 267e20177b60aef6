import { ServerProcess } from '../server-process.ts';
import type { Peer } from './peer.ts';

/** A peer that is a server of the benchmarks. */
const server = (name: string, does: string, start: (agent: number) => Promise<ServerProcess>): Peer => ({
  name,
  does,
  async start({ agent }) {
    const process = await start(agent);
    return { pid: process.pid, port: process.http, path: '/', headers: {}, stop: () => process.stop() };
  },
});

/** The baseline for the other peers. */
export const proxy = server('proxy on node:http', 'passes bytes on', (agent) =>
  ServerProcess.start('proxy', String(agent)),
);

const bridge = (agent: number, settings: object, more: object = {}): Promise<ServerProcess> =>
  ServerProcess.start('bridge', `http://localhost:${agent}`, JSON.stringify(settings), JSON.stringify(more));

/** Peers that run on Node. */
export const nodePeers: readonly Peer[] = [
  proxy,
  server(
    'a2a-gateway',
    'detects the dialect, validates, converts, keeps task and events durably (SQLite), limits, meters',
    (agent) => bridge(agent, {}),
  ),
  server('a2a-gateway, store: memory:', 'the same, and keeps task and events in memory', (agent) =>
    bridge(agent, {}, { store: 'memory:' }),
  ),
  server(
    'a2a-gateway, keep: none',
    'detects the dialect, validates, converts, limits, meters; keeps nothing',
    (agent) => bridge(agent, { keep: 'none' }),
  ),
  {
    ...server(
      'official SDK for JavaScript, forwarding agent',
      'decodes, keeps the task in memory, calls the agent with the SDK’s client, encodes',
      (agent) => ServerProcess.startWith({ folder: 'peers' }, 'sdk-forwarder', String(agent)),
    ),
    streams: false,
  },
];
