import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as immediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { serveFetch } from '../../../src/gateway/http/fetch-exchange.ts';
import { BodyReader } from '../../../src/transports/http/body.ts';

/** Requests of the Fetch API whose bodies are read by the bindings' own reader. */

const place = { url: '/', baseUrl: '', host: 'localhost', remoteAddress: '127.0.0.1', encrypted: false };
const bodies = new BodyReader();

/** Begins to read a body. */
type Read = (req: IncomingMessage) => Promise<unknown>;

const whole: Read = (req) => bodies.read({ req });
const inParts: Read = (req) =>
  bodies.eachChunk(
    req,
    async () => {},
    () => undefined,
  );

/** A request whose body has begun, and stays open. */
const unended = (more: RequestInit = {}): Request => {
  const body = new ReadableStream({ start: (to) => to.enqueue(Buffer.from('the beginning')) });
  return new Request('http://localhost/', { method: 'POST', body, duplex: 'half', ...more } as RequestInit);
};

describe.each([
  ['read as a whole', whole],
  ['read in parts', inParts],
])('a body that is %s', (_, read) => {
  /** Serves a request; `act` is called in a promise's turn, as handlers are, when the beginning of its body was read. */
  const serve = async (request: Request, act: (res: ServerResponse) => void) => {
    let reading: Promise<unknown> = Promise.resolve();
    const answer = serveFetch(
      (req, res) => {
        reading = read(req).catch((thrown) => thrown);
        req.once('data', () => void immediate(res).then(act));
      },
      request,
      place,
    );
    await answer.catch(() => {});
    return reading;
  };

  test('is cut off when the answer ends before it', async () => {
    const thrown = await serve(unended(), (res) => res.end('done'));
    expect(thrown).toMatchObject({ kind: 'canceled' });
  });

  test('is cut off when a streamed answer ends before it', async () => {
    const thrown = await serve(unended(), (res) => {
      res.flushHeaders();
      res.end();
    });
    expect(thrown).toMatchObject({ kind: 'canceled' });
  });

  test('is cut off when its request is aborted', async () => {
    const leaving = new AbortController();
    const thrown = await serve(unended({ signal: leaving.signal }), () => leaving.abort());
    expect(thrown).toMatchObject({ kind: 'canceled' });
  });
});
