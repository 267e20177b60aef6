import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/peer.ts';
import { type Peer, type Place, Running, type Started } from './peer.ts';

const nginx: Peer = {
  name: 'nginx',
  does: 'passes bytes on, in one process, and writes no access log',
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
    location / { proxy_pass http://agent; proxy_http_version 1.1; proxy_set_header Connection "";
                 proxy_buffering off; }
  }
}
`,
    );
    const process = new Running('nginx', ['-c', file, '-p', folder], { cwd: folder });
    await process.answers(`http://127.0.0.1:${port}/`, 20);
    return { pid: process.pid, port, path: '/', headers: {}, stop: () => process.stop() };
  },
};

/** Starts agentgateway with a route that is marked as A2A, and these settings of its front end. */
async function agentgateway({ agent, folder }: Place, frontendPolicies: object): Promise<Started> {
  const [port, admin, stats, readiness] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const local = (of: number | undefined): string => `127.0.0.1:${of}`;
  const config = {
    config: { adminAddr: local(admin), statsAddr: local(stats), readinessAddr: local(readiness) },
    frontendPolicies,
    binds: [{ port, listeners: [{ routes: [{ policies: { a2a: {} }, backends: [{ host: local(agent) }] }] }] }],
  };
  // JSON is YAML.
  const file = join(folder, 'agentgateway.yaml');
  writeFileSync(file, JSON.stringify(config));
  const process = new Running('agentgateway', ['-f', file], { cwd: folder });
  await process.answers(`http://127.0.0.1:${port}/`);
  return { pid: process.pid, port, path: '/', headers: {}, stop: () => process.stop() };
}

const inspects =
  'reads the method of the call, and kind, state and context of a JSON answer; rewrites cards; keeps nothing';

/** Reverse proxies that are on PATH. */
export const proxies: readonly Peer[] = [
  nginx,
  {
    name: 'agentgateway',
    does: `${inspects}; writes an access log`,
    start: (place) => agentgateway(place, {}),
  },
  {
    name: 'agentgateway, no access log',
    does: inspects,
    start: (place) => agentgateway(place, { accessLog: { filter: 'false' } }),
  },
];
