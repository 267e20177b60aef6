/**
 * A bare grpc-js server: `bytes` echoes buffers, `codec` decodes and encodes, `task` answers with a finished task and has its
 * card at a port of HTTP.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import grpc from '@grpc/grpc-js';
import { api } from '../../../src/core/model/a2a.ts';
import { newId } from '../../../src/core/model/ids.ts';
import { decode, encode } from '../../../src/wire/protobuf.ts';
import { report } from './child.ts';

const [mode] = process.argv.slice(2);
const [request, response] = ['lf.a2a.v1.SendMessageRequest', 'lf.a2a.v1.SendMessageResponse'] as const;
const same = (bytes: Buffer): Buffer => bytes;
const codec = mode !== 'bytes';

/** The answer to a message. */
const answer = (message: { parts?: object[] }): object =>
  mode === 'task'
    ? {
        task: {
          id: newId(),
          contextId: 'context',
          status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-01T00:00:00.000Z' },
          artifacts: [{ artifactId: 'answer', parts: message.parts }],
        },
      }
    : { message };
const server = new grpc.Server();
server.addService(
  {
    SendMessage: {
      path: '/lf.a2a.v1.A2AService/SendMessage',
      requestStream: false,
      responseStream: false,
      requestSerialize: same,
      requestDeserialize: codec ? (bytes: Buffer) => decode(api, request, bytes) : same,
      responseSerialize: codec ? (value: object) => Buffer.from(encode(api, response, value)) : same,
      responseDeserialize: same,
    },
  } as grpc.ServiceDefinition,
  {
    SendMessage: ((call: { request: { message: object } }, done: (error: null, value: object) => void) =>
      done(null, codec ? answer(call.request.message) : call.request)) as grpc.UntypedHandleCall,
  },
);
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  if (mode !== 'task') {
    report({ grpc: port });
    return;
  }
  const card = JSON.stringify({
    name: 'Bare',
    description: 'Finishes every task at once',
    version: '1.0.0',
    supportedInterfaces: [{ url: `localhost:${port}`, protocolBinding: 'GRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'bare', name: 'Bare', description: 'Finishes every task at once', tags: ['bench'] }],
  });
  const cards = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(card);
  });
  cards.listen(0, '127.0.0.1', () => report({ http: (cards.address() as AddressInfo).port, grpc: port }));
});
