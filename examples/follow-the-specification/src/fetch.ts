/** Sends a message over HTTP+JSON: path and verb are those of the specification, and the answer is validated. */
import { randomUUID } from 'node:crypto';
import { operations } from '../a2a/operations.ts';
import { SendMessageResponseSchema } from '../a2a/schemas.ts';
import type { SendMessageRequest } from '../a2a/types.ts';

const [, , url = 'http://localhost:8080'] = process.argv;
const request: SendMessageRequest = {
  message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello by fetch' }] },
};

const [{ verb, path }] = operations.SendMessage.http;
const answer = await fetch(new URL(path, url), {
  method: verb,
  headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
  body: JSON.stringify(request),
});
const { task, message } = SendMessageResponseSchema.parse(await answer.json());
console.log(task?.status.state ?? message?.parts);
