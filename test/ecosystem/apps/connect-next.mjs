/** `@connectrpc/connect-next`: the gateway among the API routes of Next.js, in a build as it is deployed. */
import { equal, match } from 'node:assert/strict';
import { servedByNext } from './support.mjs';

await servedByNext('connect-next', async (origin) => {
  const url = `${origin}/api/lf.a2a.v1.A2AService/`;
  const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'say hello' }] };
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  const answer = await fetch(`${url}SendMessage`, { method: 'POST', headers, body: JSON.stringify({ message }) });
  equal((await answer.json()).message.parts[0].text, 'hello');
  const asked = Buffer.from(
    JSON.stringify({ message: { ...message, messageId: 'm-2', parts: [{ text: 'stream 3 1' }] } }),
  );
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(asked.length, 1);
  const stream = await fetch(`${url}SendStreamingMessage`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/connect+json' },
    body: Buffer.concat([prefix, asked]),
  });
  match(await stream.text(), /chunk 3/);
});
