/** A plain reverse proxy on node:http with keep-alive: forwards bytes, keeps nothing. Its argument is the port behind. */
import { Agent, createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { report } from './child.ts';

const port = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });

const server = createServer((incoming, outgoing) => {
  const { method, url, headers } = incoming;
  const options = { agent, host: '127.0.0.1', port, method, path: url, headers };
  const onward = forward(options, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.writeHead(502).end());
  incoming.pipe(onward);
});
server.listen(0, '127.0.0.1', () => report({ http: (server.address() as AddressInfo).port }));
