import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { steadyNow } from '../../../core/model/timing.ts';
import type { EventStreams } from '../../../transports/http/event-stream.ts';
import { sseComment } from '../../../wire/sse.ts';

// Conversions to and from the web's Fetch API, which the SDK uses for requests and responses.

const eventStream = 'text/event-stream';

/** Returns the media ranges of `Accept` with a weight above zero, in lower case. */
function acceptedRanges({ headers: { accept = '' } }: IncomingMessage): string[] {
  return accept.split(',').flatMap((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const isRefused = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    return type === '' || isRefused ? [] : [type];
  });
}

/**
 * Whether the response to a request may be an event stream. Clients that do not name that media type, such as those
 * with `*\/*`, get one JSON object, which programs without an SDK can read.
 */
export const acceptsStream = (req: IncomingMessage): boolean => acceptedRanges(req).includes(eventStream);

/**
 * Returns an `Accept` for the SDK, which refuses all values except the specification's. For POST, `acceptsStream`
 * chooses the response. GET opens an event stream for clients that accept any media type, but not for browsers.
 */
function acceptForSdk(req: IncomingMessage): string {
  if (req.method === 'POST') return `application/json, ${eventStream}`;
  const ranges = acceptedRanges(req);
  const takesAny = !req.headers.accept?.trim() || ranges.includes('*/*') || ranges.includes('text/*');
  return ranges.includes(eventStream) || (takesAny && !ranges.includes('text/html')) ? eventStream : 'text/html';
}

/** Converts a request for the SDK. Its body has already been read. */
export function webRequest(req: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headers } = req;
  const given = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && !name.startsWith(':') && name !== 'accept' ? [[name, value] as [string, string]] : [],
  );
  given.push(['accept', acceptForSdk(req)]);
  return new Request(new URL(url, 'http://gateway'), { method, headers: given, signal });
}

/** Sends a response of the SDK. Keep-alive comments are written here: the SDK's would be followed by a blank line. */
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
