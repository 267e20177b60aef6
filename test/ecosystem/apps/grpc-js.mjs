/** `@grpc/grpc-js`: the typed clients of the package, and the gateway beside a service of the program's own in one server. */
import { equal } from 'node:assert/strict';
import { credentials, loadPackageDefinition, Server, ServerCredentials } from '@grpc/grpc-js';
import * as grpc from 'a2a-gateway/grpc';
import { addGateway, authentication } from 'a2a-gateway/grpc-js';
import { gatewayWith } from './support.mjs';

const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'say hello' }] };

async function call(target) {
  const client = new grpc.A2AServiceClient(target, credentials.createInsecure());
  const { response } = await grpc.unary(client, 'sendMessage', { message });
  equal(response.message?.parts[0]?.text, 'hello');
  const texts = [];
  for await (const event of grpc.stream(client, 'sendStreamingMessage', {
    message: { ...message, messageId: 'm-2', parts: [{ text: 'stream 3 1' }] },
  })) {
    texts.push(JSON.stringify(event));
  }
  equal(texts.join().includes('chunk 3'), true);
  client.close();
}

const alone = gatewayWith({ listen: { host: 'localhost', port: 0 } });
const { url } = await alone.listen();
await call(new URL(url).host);
await alone.close();

const gateway = gatewayWith();
await gateway.start();
const server = new Server({ interceptors: [authentication(gateway)] });
addGateway(server, gateway);
const plain = {
  requestSerialize: (text) => Buffer.from(text),
  requestDeserialize: String,
  responseSerialize: (text) => Buffer.from(text),
  responseDeserialize: String,
};
const definition = { say: { path: '/my.Own/Say', requestStream: false, responseStream: false, ...plain } };
server.addService(definition, { say: ({ request }, callback) => callback(null, `own ${request}`) });
const port = await new Promise((resolve, reject) =>
  server.bindAsync('localhost:0', ServerCredentials.createInsecure(), (error, bound) =>
    error ? reject(error) : resolve(bound),
  ),
);
await call(`localhost:${port}`);
const { My } = loadPackageDefinition({ My: definition });
const own = new My(`localhost:${port}`, credentials.createInsecure());
equal(
  await new Promise((resolve, reject) => own.say('x', (error, said) => (error ? reject(error) : resolve(said)))),
  'own x',
);
own.close();
server.forceShutdown();
await gateway.close();
