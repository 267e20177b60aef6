/**
 * Bare node:http, the upper bound on this runtime. A POST is parsed and answered with as much JSON as a message
 * takes; a GET is answered with the bytes of the last PUT.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { report } from './child.ts';

let stored: Buffer = Buffer.alloc(0);

function send(response: ServerResponse, body: string | Buffer): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    send(response, stored);
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    if (request.method === 'PUT') {
      stored = body;
      send(response, '');
      return;
    }
    const { id, params } = JSON.parse(body.toString());
    const { parts } = params.message;
    const message = { messageId: 'answer', role: 'ROLE_AGENT', parts, contextId: 'context' };
    send(response, JSON.stringify({ jsonrpc: '2.0', id, result: { message } }));
  });
});
server.listen(0, '127.0.0.1', () => report({ http: (server.address() as AddressInfo).port }));
