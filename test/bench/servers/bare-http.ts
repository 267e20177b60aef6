/** Bare node:http that parses and stringifies the same JSON: the upper bound on this runtime. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { report } from './child.ts';

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { id, params } = JSON.parse(Buffer.concat(chunks).toString());
    const { parts } = params.message;
    const message = { messageId: 'answer', role: 'ROLE_AGENT', parts, contextId: 'context' };
    const body = JSON.stringify({ jsonrpc: '2.0', id, result: { message } });
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => report({ http: (server.address() as AddressInfo).port }));
