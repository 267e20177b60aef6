import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { steadyNow } from '../../../core/model/timing.ts';
import type { EventStreams } from '../../../transports/http/event-stream.ts';
import { sseComment } from '../../../wire/sse.ts';

// The SDK takes requests and gives answers of the web's Fetch API.

const eventStream = 'text/event-stream';

/** The media ranges of `Accept` with a weight above zero, in lower case. */
function acceptedRanges({ headers: { accept = '' } }: IncomingMessage): string[] {
  return accept.split(',').flatMap((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const isRefused = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    return type === '' || isRefused ? [] : [type];
  });
}

/**
 * Whether the answer to a request may be an event stream. Clients that do not name that media type, such as those with `*\/*`, get
 * one JSON object: it is what programs without an SDK read.
 */
export const acceptsStream = (req: IncomingMessage): boolean => acceptedRanges(req).includes(eventStream);

/**
 * The `Accept` that the SDK gets, which refuses all but the one of the specification. An answer to POST is chosen by
 * `acceptsStream`. GET opens an event stream for clients that take any media type, and not for browsers.
 */
function acceptForSdk(req: IncomingMessage): string {
  if (req.method === 'POST') return `application/json, ${eventStream}`;
  const ranges = acceptedRanges(req);
  const takesAny = !req.headers.accept?.trim() || ranges.includes('*/*') || ranges.includes('text/*');
  return ranges.includes(eventStream) || (takesAny && !ranges.includes('text/html')) ? eventStream : 'text/html';
}

/** A request as the SDK takes it. Its body has been read. */
export function webRequest(req: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headers } = req;
  const given = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && !name.startsWith(':') && name !== 'accept' ? [[name, value] as [string, string]] : [],
  );
  given.push(['accept', acceptForSdk(req)]);
  return new Request(new URL(url, 'http://gateway'), { method, headers: given, signal });
}

/** Sends an answer of the SDK, which writes no comments of its own: in its comments a blank line follows. */
export async function sendWeb(
  res: ServerResponse,
  { status, headers, body }: Response,
  { keepAlive, watchdog }: Pick<EventStreams, 'keepAlive' | 'watchdog'>,
): Promise<void> {
  res.writeHead(status, Object.fromEntries(headers));
  if (headers.get('content-type') !== eventStream) {
    res.end(body && Buffer.from(await new Response(body).arrayBuffer()));
    return;
  }
  res.flushHeaders();
  let wroteAt = steadyNow();
  const unwatch = watchdog.watch((now) => {
    if (res.destroyed || res.writableEnded) unwatch();
    else if (now - wroteAt >= keepAlive && !res.writableNeedDrain) {
      wroteAt = now;
      res.write(sseComment);
    }
  });
  Readable.fromWeb(body as ReadableStream)
    .once('error', () => res.destroy())
    .on('data', () => {
      wroteAt = steadyNow();
    })
    .pipe(res);
}
