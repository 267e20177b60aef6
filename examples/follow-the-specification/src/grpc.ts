/** Streams a message over gRPC, with the client that ts-proto has generated for `@grpc/grpc-js`. */
import { randomUUID } from 'node:crypto';
import { credentials, Metadata } from '@grpc/grpc-js';
import { A2AServiceClient, Role, SendMessageRequest, type StreamResponse } from '../a2a/messages.ts';

const [, , url = 'http://localhost:8080'] = process.argv;
const client = new A2AServiceClient(new URL(url).host, credentials.createInsecure());
const metadata = new Metadata();
metadata.set('a2a-version', '1.0');

const request = SendMessageRequest.fromPartial({
  message: {
    messageId: randomUUID(),
    role: Role.ROLE_USER,
    parts: [{ content: { $case: 'text', value: 'hello by grpc-js' } }],
  },
});
for await (const event of client.sendStreamingMessage(request, metadata) as AsyncIterable<StreamResponse>) {
  const { payload } = event;
  if (payload?.$case === 'statusUpdate') console.log(payload.value.status?.state);
  else console.log(payload?.$case);
}
client.close();
