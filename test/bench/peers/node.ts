import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/peer.ts';
import { ServerProcess } from '../server-process.ts';
import { type Peer, Running } from './peer.ts';

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

const nginx: Peer = {
  name: 'nginx',
  does: 'passes bytes on, in one process',
  async start({ agent, folder }) {
    const port = await freePort();
    const file = join(folder, 'nginx.conf');
    writeFileSync(
      file,
      `daemon off; master_process off; error_log stderr crit; pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  keepalive_requests 100000000;
  upstream agent { server 127.0.0.1:${agent}; keepalive 64; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://agent; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
`,
    );
    const process = new Running('nginx', ['-c', file, '-p', folder], { cwd: folder });
    await process.answers(`http://127.0.0.1:${port}/`, 20);
    return { pid: process.pid, port, path: '/', headers: {}, stop: () => process.stop() };
  },
};

const bridge = (agent: number, settings: object): Promise<ServerProcess> =>
  ServerProcess.start('bridge', `http://localhost:${agent}`, JSON.stringify(settings));

/** nginx, and what runs on Node. */
export const nodePeers: readonly Peer[] = [
  nginx,
  server(
    'a2a-gateway',
    'detects the dialect, validates, converts, keeps task and events durably (SQLite), limits, meters',
    (agent) => bridge(agent, {}),
  ),
  server(
    'a2a-gateway, keep: none',
    'detects the dialect, validates, converts, limits, meters; keeps nothing',
    (agent) => bridge(agent, { keep: 'none' }),
  ),
  server(
    'official SDK for JavaScript, forwarding agent',
    'decodes, keeps the task in memory, calls the agent with the SDK’s client, encodes',
    (agent) => ServerProcess.startWith({ folder: 'peers' }, 'sdk-forwarder', String(agent)),
  ),
];
