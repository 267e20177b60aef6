/** A bare grpc-js echo server: `bytes` passes buffers through, `codec` decodes and encodes. */
import grpc from '@grpc/grpc-js';
import { api } from '../../../src/core/model/a2a.ts';
import { decode, encode } from '../../../src/wire/protobuf.ts';
import { report } from './child.ts';

const [mode] = process.argv.slice(2);
const [request, response] = ['lf.a2a.v1.SendMessageRequest', 'lf.a2a.v1.SendMessageResponse'] as const;
const same = (bytes: Buffer): Buffer => bytes;
const codec = mode === 'codec';
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
      done(null, codec ? { message: call.request.message } : call.request)) as grpc.UntypedHandleCall,
  },
);
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  report({ grpc: port });
});
