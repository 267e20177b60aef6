/** Streams a message with Connect, by the descriptors that protoc-gen-es has generated. */
import { randomUUID } from 'node:crypto';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { A2AService, Role, TaskState } from '../a2a/connect.ts';

const [, , url = 'http://localhost:8080'] = process.argv;
const transport = createConnectTransport({ baseUrl: url, httpVersion: '1.1' });
const client = createClient(A2AService, transport);

const parts = [{ content: { case: 'text' as const, value: 'hello by Connect' } }];
const message = { messageId: randomUUID(), role: Role.USER, parts };
for await (const { payload } of client.sendStreamingMessage({ message }, { headers: { 'a2a-version': '1.0' } })) {
  if (payload.case !== 'statusUpdate') console.log(payload.case);
  else console.log(payload.value.status?.state === TaskState.COMPLETED ? 'COMPLETED' : payload.value.status?.state);
}
