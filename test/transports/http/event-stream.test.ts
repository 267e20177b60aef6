import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { expect, it, vi } from 'vitest';
import { A2AError } from '../../../src/core/model/errors.ts';
import type { SseEvent } from '../../../src/wire/sse.ts';
import { decodeSse } from '../../support/sse.ts';
import { chunk, post, rpc, Source, sendRequest, serving, start, streaming } from './serving.ts';

const subscribe = (headers: Record<string, string> = {}, signal?: AbortSignal) =>
  fetch(`${serving.url}/tasks/t1:subscribe`, { headers, ...(signal && { signal }) });

async function* eventsOf({ body }: Response): AsyncGenerator<SseEvent> {
  yield* decodeSse(body as unknown as AsyncIterable<Uint8Array>);
}

const gather = async (events: AsyncIterable<SseEvent>): Promise<SseEvent[]> => {
  const found: SseEvent[] = [];
  for await (const event of events) found.push(event);
  return found;
};

const all = (response: Response) => gather(eventsOf(response));

it('an event stream has the right headers, an id on every event, and ends with its source', async () => {
  await start({
    invoke: streaming(async function* () {
      yield chunk(3);
      yield chunk(4);
    }),
  });
  const response = await subscribe();
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
    'a2a-version': '1.0',
    'x-request-id': expect.any(String),
  });
  expect(await all(response)).toEqual([
    { event: '', id: '3', data: chunk(3).json },
    { event: '', id: '4', data: chunk(4).json },
  ]);
});

it('an event stream in JSON-RPC wraps every event under the id of the request', async () => {
  await start({
    invoke: streaming(async function* () {
      yield chunk(1);
    }),
  });
  const response = await fetch(serving.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(rpc('SendStreamingMessage', sendRequest, 'seven')),
  });
  const [event] = await all(response);
  expect(JSON.parse(event?.data ?? '')).toEqual({ jsonrpc: '2.0', id: 'seven', result: chunk(1).event });
});

it('an event stream that fails before its first event is a proper error', async () => {
  await start({
    invoke: streaming(() => {
      const source = new Source();
      source.next = () => Promise.reject(A2AError.taskNotFound('t1'));
      return source;
    }),
  });
  expect((await subscribe()).status).toBe(404);
  const { status, json } = await post(serving.url, rpc('SubscribeToTask', { id: 't1' }, 4));
  expect([status, json.id, json.error.code]).toEqual([200, 4, -32001]);
});

it('an event stream that fails later ends with an error event, without internals', async () => {
  await start({
    invoke: streaming(async function* () {
      yield chunk(1);
      throw new Error('secret');
    }),
  });
  const [, failure] = await all(await subscribe());
  expect(failure).toMatchObject({ event: 'error', id: '1' });
  expect(JSON.parse(failure?.data ?? '')).toMatchObject({ error: { code: 500, message: 'Internal error' } });
  expect(failure?.data).not.toContain('secret');
});

it('an event stream passes on where to resume, and a nonsensical position is none', async () => {
  await start({
    invoke: streaming(async function* () {
      yield chunk(1);
    }),
  });
  for (const id of ['41', '-1', 'x', '1e3']) await (await subscribe({ 'last-event-id': id })).text();
  expect(serving.calls.map(({ context }) => context.replay)).toEqual([{ after: 41 }, undefined, undefined, undefined]);
});

it('an event stream carries ten thousand events of a source that never waits, and does not block the event loop', async () => {
  let turns = 0;
  const turning = setInterval(() => turns++, 0);
  await start({
    invoke: streaming(async function* () {
      for (let i = 1; i <= 10_000; i++) yield chunk(i);
    }),
  });
  const events = await all(await subscribe());
  clearInterval(turning);
  expect(events.map(({ id }) => Number(id))).toEqual(Array.from({ length: 10_000 }, (_, i) => i + 1));
  expect(turns).toBeGreaterThan(0);
});

it('an event stream ends its source and aborts the signal when the client goes away', async () => {
  const source = new Source();
  await start({ invoke: streaming(() => source) });
  source.push(chunk(1));
  const gone = new AbortController();
  const response = await subscribe({}, gone.signal);
  await response.body?.getReader().read();
  gone.abort();
  await source.returned;
  expect(serving.calls[0]?.context.signal.aborted).toBe(true);
  await expect.poll(() => serving.http.streams.size).toBe(0);
});

it('an event stream ends its source when the client goes away before the first event', async () => {
  const source = new Source();
  await start({ invoke: streaming(() => source) });
  const gone = new AbortController();
  const subscribed = subscribe({}, gone.signal).catch(() => 'gone');
  await expect.poll(() => source.pulled).toBe(1);
  gone.abort();
  await source.returned;
  expect(await subscribed).toBe('gone');
});

it('an event stream does not abort the signal of a call that was answered', async () => {
  await start({});
  await post(serving.url, rpc('SendMessage', sendRequest));
  await post(serving.url, rpc('SendMessage', sendRequest));
  expect(serving.calls[0]?.context.signal.aborted).toBe(false);
});

it('an event stream is kept alive by comments, all streams by one timer', async () => {
  const sources = [new Source(), new Source()];
  let next = 0;
  await start({ invoke: streaming(() => sources[next++] as Source), limits: { keepAlive: 20 } });
  for (const source of sources) source.push(chunk(1));
  const readers = (await Promise.all([subscribe(), subscribe()])).map(({ body }) => body?.getReader());
  for (const reader of readers) {
    let text = '';
    while (!text.includes('\n\n:\n:\n')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
  }
  expect(serving.http.streams.watchdog.size).toBe(2);
  await Promise.all(readers.map((reader) => reader?.cancel()));
  await expect.poll(() => serving.http.streams.watchdog.size).toBe(0);
});

it('an event stream is kept alive when the clock of the machine has been set back', async () => {
  const source = new Source();
  await start({ invoke: streaming(() => source), limits: { keepAlive: 20 } });
  source.push(chunk(1));
  const reader = (await subscribe()).body?.getReader();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  let text = '';
  while (!text.endsWith('\n:\n')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
  await reader?.cancel();
  expect(text).toMatch(/^id: 1\n/);
});

it('an event stream has no blank line after a comment, which some readers take for an event', async () => {
  const source = new Source();
  await start({ invoke: streaming(() => source), limits: { keepAlive: 5 } });
  source.push(chunk(1));
  let text = '';
  for await (const piece of ((await subscribe()).body as ReadableStream).pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.endsWith(':\n:\n')) source.push(chunk(2));
    if (text.includes('id: 2')) source.end();
  }
  expect(text.replaceAll(/^(?::\n)+/gm, ':\n')).toBe(
    `id: 1\ndata: ${chunk(1).json}\n\n:\nid: 2\ndata: ${chunk(2).json}\n\n`,
  );
  // The rule of httpx-sse, on which the Python SDKs rely: once there was an id, a blank line is an event.
  const dispatched: string[] = [];
  let data = '';
  for (const line of text.split('\n').slice(0, -1)) {
    if (line.startsWith('data: ')) data = line.slice('data: '.length);
    if (line === '') dispatched.push(data);
    if (line === '') data = '';
  }
  expect(dispatched).toEqual([chunk(1).json, chunk(2).json]);
});

it('an event stream makes its source wait for a slow client, and cuts off one that never reads', async () => {
  const text = 'x'.repeat(100_000);
  let given = 0;
  const endless = async function* () {
    for (let i = 1; ; i++) {
      given = i;
      yield chunk(i, text);
    }
  };
  let ended = false;
  await start({
    invoke: streaming(() => {
      const events = endless();
      return Object.assign(events, {
        return: async () => {
          ended = true;
          return { done: true as const, value: undefined };
        },
      });
    }),
    limits: { readTimeout: 200 },
  });
  const socket = connect(serving.port, '127.0.0.1', () => {
    socket.write('GET /tasks/t1:subscribe HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.pause();
  });
  await expect.poll(() => ended).toBe(true);
  // The kernel's buffers hold this much, and the gateway not much more.
  expect(given).toBeLessThan(500);
  socket.destroy();
});

it('an event stream waits for a client that reads late, and loses nothing', async () => {
  const text = 'x'.repeat(50_000);
  let given = 0;
  await start({
    invoke: streaming(async function* () {
      for (given = 1; given <= 500; given++) yield chunk(given, text);
    }),
  });
  const [answer] = (await once(request(`${serving.url}/tasks/t1:subscribe`).end(), 'response')) as [IncomingMessage];
  // Until the source was made to wait.
  let before = -1;
  const stands = () => {
    const same = before === given;
    before = given;
    return same;
  };
  await expect.poll(stands, { interval: 20 }).toBe(true);
  expect(given).toBeLessThan(500);
  const events = await gather(decodeSse(answer));
  expect(events.map(({ id }) => Number(id))).toEqual(Array.from({ length: 500 }, (_, i) => i + 1));
});

it('an event stream ends when the server closes its streams', async () => {
  const source = new Source();
  await start({ invoke: streaming(() => source) });
  source.push(chunk(1));
  const response = await subscribe();
  serving.http.streams.close();
  expect(await all(response)).toHaveLength(1);
  await source.returned;
});

it('a dialect that makes several frames of one event gives the event’s id to the last one only, so that resuming misses none', async () => {
  const { dialects } = await start({});
  await serving.close();
  const [first] = dialects.list;
  if (!first?.rest) throw new Error('no HTTP+JSON');
  const twice = {
    encoder: () => ({
      encode: ({ seq }: { seq: number }) => (seq === 6 ? [] : [{ data: `${seq}a` }, { event: 'b', data: `${seq}b` }]),
      end: () => [{ data: 'end' }],
    }),
    decoder: () => ({ decode: () => [] }),
  };
  const routes = first.rest.routes.map((route) => ({
    ...route,
    method: { ...route.method, ...(route.method.stream && { stream: twice }) },
  }));
  const dialect = { ...first, rest: { ...first.rest, routes } };
  await start({
    dialects: { ...dialects, list: [dialect], protocols: [dialect], byVersion: new Map(), byName: new Map() },
    invoke: streaming(async function* () {
      yield chunk(5);
      yield chunk(6);
      yield chunk(7);
    }),
  });
  const events = await all(await subscribe({ 'last-event-id': '4' }));
  expect(events.map(({ id, event, data }) => [id, event, data])).toEqual([
    ['4', '', '5a'],
    ['5', 'b', '5b'],
    ['5', '', '7a'],
    ['7', 'b', '7b'],
    ['7', '', 'end'],
  ]);
});
