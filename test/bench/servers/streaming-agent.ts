/**
 * An agent of A2A 1.0 that streams and costs next to nothing: node:http. A text that begins with two numbers, such as `20 10`,
 * is answered over `SendStreamingMessage` with the task, 20 chunks of an artifact that are 10 ms apart, and the final status; with 0
 * as the second number each chunk follows in a turn of its own. Every other message is answered with a finished task.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { newId } from '../../../src/core/model/ids.ts';
import { report } from './child.ts';

const at = '2026-01-01T00:00:00.000Z';
const contextId = 'context';

interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly message: { readonly parts: readonly { readonly text: string }[] } };
}

const card = (url: string): object => ({
  name: 'Streaming',
  description: 'Answers in chunks',
  version: '1.0.0',
  supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'chunks', name: 'Chunks', description: 'Answers in chunks', tags: ['bench'] }],
});

const task = (id: string, state: string, parts: readonly object[]): object => ({
  id,
  contextId,
  status: { state, timestamp: at },
  ...(parts.length > 0 && { artifacts: [{ artifactId: 'answer', parts }] }),
});

async function stream(response: ServerResponse, { id, params }: Asked): Promise<void> {
  const { parts } = params.message;
  const [, chunks = '0', gap = '0'] = /^(\d+) (\d+)/.exec(parts[0]?.text ?? '') ?? [];
  const taskId = newId();
  const event = (result: object): boolean =>
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
  if (chunks === '0') {
    event({ task: task(taskId, 'TASK_STATE_COMPLETED', parts) });
    response.end();
    return;
  }
  event({ task: task(taskId, 'TASK_STATE_WORKING', []) });
  const artifact = { artifactId: 'answer', parts: [{ text: 'a chunk of an answer ' }] };
  for (let left = Number(chunks); left > 0; left -= 1) {
    await (gap === '0' ? setImmediate() : setTimeout(Number(gap)));
    const append = left < Number(chunks);
    event({ artifactUpdate: { taskId, contextId, artifact, append, lastChunk: left === 1 } });
  }
  event({ statusUpdate: { taskId, contextId, status: { state: 'TASK_STATE_COMPLETED', timestamp: at } } });
  response.end();
}

const server = createServer((request, response) => {
  const send = (value: object): void => {
    const body = JSON.stringify(value);
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    response.end(body);
  };
  if (request.method === 'GET') {
    send(card(`http://localhost:${(server.address() as AddressInfo).port}/`));
    return;
  }
  const read: Buffer[] = [];
  request.on('data', (chunk: Buffer) => read.push(chunk));
  request.on('end', () => {
    const asked = JSON.parse(Buffer.concat(read).toString()) as Asked;
    if (asked.method === 'SendStreamingMessage') void stream(response, asked);
    else {
      const { parts } = asked.params.message;
      send({ jsonrpc: '2.0', id: asked.id, result: { task: task(newId(), 'TASK_STATE_COMPLETED', parts) } });
    }
  });
});
server.listen(0, '127.0.0.1', () => report({ http: (server.address() as AddressInfo).port }));
