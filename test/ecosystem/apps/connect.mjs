/** `@connectrpc/connect`: the gateway beside a route of the program's own, or a version that does not fit, which is named. */
import { equal, match, throws } from 'node:assert/strict';
import { createServer } from 'node:http';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { connectRoutes, contextValues } from 'a2a-gateway/connect';
import { close, gatewayWith, listening } from './support.mjs';

const gateway = gatewayWith();
await gateway.start();
if (process.env.REFUSED) throws(() => connectRoutes(gateway), new RegExp(process.env.REFUSED));
else {
  const routes = (router) => connectRoutes(gateway)(router);
  const server = createServer(connectNodeAdapter({ routes, contextValues }));
  const url = `${await listening(server)}/lf.a2a.v1.A2AService/`;
  const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'say hello' }] };
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  const answer = await fetch(`${url}SendMessage`, { method: 'POST', headers, body: JSON.stringify({ message }) });
  equal((await answer.json()).message.parts[0].text, 'hello');
  const json = Buffer.from(
    JSON.stringify({ message: { ...message, messageId: 'm-2', parts: [{ text: 'stream 3 1' }] } }),
  );
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(json.length, 1);
  const stream = await fetch(`${url}SendStreamingMessage`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/connect+json' },
    body: Buffer.concat([prefix, json]),
  });
  match(await stream.text(), /chunk 3/);
  close(server);
}
await gateway.close();
