/**
 * An agent that costs next to nothing, so that what stands before it is what is measured: node:http, a finished task for
 * every message, in the generation that its argument names (`1.0` or `0.3`).
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '../../../src/core/model/ids.ts';
import { report } from './child.ts';

const [version = '1.0'] = process.argv.slice(2);
const at = '2026-01-01T00:00:00.000Z';

const about = {
  name: 'Bare',
  description: 'Finishes every task at once',
  version: '1.0.0',
  capabilities: { streaming: false },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'bare', name: 'Bare', description: 'Finishes every task at once', tags: ['bench'] }],
};

const generations: Readonly<Record<string, { card(url: string): object; answer(message: never): object }>> = {
  '1.0': {
    card: (url) => ({
      ...about,
      supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    }),
    answer: (message: { parts: object[] }) => ({
      task: {
        id: newId(),
        contextId: 'context',
        status: { state: 'TASK_STATE_COMPLETED', timestamp: at },
        artifacts: [{ artifactId: 'answer', parts: message.parts }],
      },
    }),
  },
  '0.3': {
    card: (url) => ({ ...about, url, protocolVersion: '0.3.0', preferredTransport: 'JSONRPC' }),
    answer: (message: { parts: object[] }) => ({
      kind: 'task',
      id: newId(),
      contextId: 'context',
      status: { state: 'completed', timestamp: at },
      artifacts: [{ artifactId: 'answer', parts: message.parts }],
    }),
  },
};
const generation = generations[version];
if (!generation) throw new Error(`no such generation: ${version}`);

const server = createServer((request, response) => {
  const send = (value: object): void => {
    const body = JSON.stringify(value);
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    response.end(body);
  };
  if (request.method === 'GET') {
    send(generation.card(`http://localhost:${(server.address() as AddressInfo).port}/`));
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { id, params } = JSON.parse(Buffer.concat(chunks).toString());
    send({ jsonrpc: '2.0', id, result: generation.answer(params.message as never) });
  });
});
server.listen(0, '127.0.0.1', () => report({ http: (server.address() as AddressInfo).port }));
