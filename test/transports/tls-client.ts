/**
 * The official SDK as a client over TLS, in a process of its own: which authorities fetch trusts is fixed when a process
 * starts (NODE_EXTRA_CA_CERTS). Prints what each binding answered, as JSON.
 */
import { readFileSync } from 'node:fs';
import { Message, SendMessageRequest } from '@a2a-js/sdk';
import { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import grpc from '@grpc/grpc-js';

const [origin = '', ca = ''] = process.argv.slice(2);
const grpcChannelCredentials = grpc.credentials.createSsl(readFileSync(ca));
const transports = [
  new JsonRpcTransportFactory(),
  new RestTransportFactory(),
  new GrpcTransportFactory({ grpcChannelCredentials }),
];
const message = { messageId: 'tls', role: 'ROLE_USER', parts: [{ text: 'say safe' }] };
const answers: Record<string, unknown> = {};
for (const protocol of ['JSONRPC', 'HTTP+JSON', 'GRPC']) {
  const options = { transports, preferredTransports: [protocol] };
  const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, options));
  const client = await factory.createFromUrl(`${origin}/.well-known/agent-card.json`, '');
  const answer = await client.sendMessage(SendMessageRequest.fromJSON({ message }));
  answers[protocol] = 'parts' in answer ? (Message.toJSON(answer) as { parts: unknown }).parts : answer;
}
console.log(JSON.stringify(answers));
