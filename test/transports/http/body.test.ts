import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { BodyReader } from '../../../src/transports/http/body.ts';
import { listenOn } from '../../support/peer.ts';
import { post, raw, rpc, sendRequest, serving, start } from './serving.ts';

const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
const big = JSON.stringify(rpc('SendMessage', { ...sendRequest, metadata: { x: 'y'.repeat(5_000) } }));

it('a request body beyond the bound is refused, announced or not, in the shape of the binding', async () => {
  const { calls } = await start({ limits: { bodies: { body: 2_000 } } });
  const { status, json } = await post(serving.url, big);
  expect([status, json.error.code, json.id]).toEqual([413, -32600, null]);
  const chunked = await fetch(`${serving.url}/message:send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new Blob([big]).stream(),
    duplex: 'half',
  } as RequestInit);
  expect([chunked.status, await chunked.json()]).toMatchObject([413, { error: { status: 'RESOURCE_EXHAUSTED' } }]);
  expect((await post(serving.url, rpc('SendMessage', sendRequest))).status).toBe(200);
  expect(calls).toHaveLength(1);
});

it('a request body that is announced too large is refused before any of it came', async () => {
  await start();
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n';
  const status = await new Promise((resolve) => {
    const socket = connect(serving.port, '127.0.0.1', () => socket.write(head));
    socket.once('data', (data) => {
      resolve(data.toString().slice(0, 12));
      socket.destroy();
    });
  });
  expect(status).toBe('HTTP/1.1 413');
});

it('a request body that does not arrive in time is refused', async () => {
  await start({ limits: { bodies: { arrival: 40 } } });
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{';
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(serving.port, '127.0.0.1', () => socket.write(head));
    socket.once('data', (data) => {
      resolve(data.toString());
      socket.destroy();
    });
  });
  expect(bodyOf(answer).error).toMatchObject({ code: -32600, message: expect.stringContaining('in time') });
});

it('a request body whose client goes away in between leaves nothing behind', async () => {
  const { calls } = await start();
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{';
  const socket = connect(serving.port, '127.0.0.1', () => socket.end(head));
  await new Promise((resolve) => socket.resume().on('close', resolve));
  expect((await post(serving.url, rpc('SendMessage', sendRequest))).status).toBe(200);
  expect(calls).toHaveLength(1);
});

it('a request body may be missing where there is nothing to say', async () => {
  await start({ invoke: async () => ({ value: { id: 't1', status: { state: 'TASK_STATE_CANCELED' } } }) });
  const answer = await raw(serving.port, 'POST /tasks/t1:cancel HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  expect(bodyOf(answer)).toMatchObject({ id: 't1' });
  expect(serving.calls[0]?.request).toEqual({ id: 't1' });
});

it('a request body may come in pieces', async () => {
  await start();
  const body = Buffer.from(JSON.stringify(rpc('SendMessage', { ...sendRequest, metadata: { x: 'ü🦊' } })));
  const head = `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const answer = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect(serving.port, '127.0.0.1', () => {
      socket.setNoDelay(true);
      socket.write(head);
      for (const byte of body) socket.write(Buffer.of(byte));
    });
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('close', () => resolve(text));
  });
  expect(bodyOf(answer)).toHaveProperty('result');
  expect(serving.calls[0]?.request).toMatchObject({ metadata: { x: 'ü🦊' } });
});

it('a body that arrives with its head is read without listeners, and one in pieces with them', async () => {
  const bodies = new BodyReader();
  const seen: [body: string, listeners: number][] = [];
  const server = createServer(async (req, res) => {
    const body = await bodies.read({ req });
    seen.push([body.toString(), req.listenerCount('data')]);
    res.end();
  });
  const { port } = await listenOn(server);
  const socket = connect(port, '127.0.0.1');
  const head = (length: number) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
  socket.write(`${head(5)}whole`);
  await once(socket, 'data');
  socket.write(head(0));
  await once(socket, 'data');
  socket.write(`${head(6)}pie`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  socket.write('ces');
  await once(socket, 'data');
  socket.destroy();
  server.close();
  expect(seen).toEqual([
    ['whole', 0],
    ['', 0],
    ['pieces', 1],
  ]);
});
