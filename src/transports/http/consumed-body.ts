import type { IncomingMessage } from 'node:http';
import { A2AError } from '../../core/model/errors.ts';
import { checkJson, parseJson } from '../../wire/json.ts';

/** A request as body parsers leave it: `body` is what they made of it, `rawBody` (some keep it) what it was. */
type Parsed = IncomingMessage & { readonly body?: unknown; readonly rawBody?: unknown };

/** Whether a request has a body, as far as its headers say. */
export const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;

/**
 * Whether middleware of the app that the gateway is mounted in has read the body: then nothing of it comes any more. What
 * such middleware keeps is not compressed any more.
 */
export const isConsumed = (req: IncomingMessage): boolean => req.readableDidRead || req.readableEnded;

/**
 * The bytes of a body that was read before; of one that was parsed, bytes that mean the same.
 *
 * @throws A2AError `internal` where nothing was kept
 */
export function consumedBytes(req: Parsed): Buffer {
  const bytes = rawOf(req);
  if (bytes) return bytes;
  const { body } = req;
  if (body === undefined) return nothingKept(req);
  const form = /^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '');
  return Buffer.from(form ? formOf(body) : JSON.stringify(body));
}

/**
 * The JSON of a body that was read before; undefined when there was none. What was parsed is held against the same rules as
 * what the gateway parses itself.
 *
 * @throws A2AError `internal` where nothing was kept, `parse`
 */
export function consumedJson(req: Parsed): unknown {
  const bytes = rawOf(req);
  if (!bytes && req.body !== undefined) {
    checkJson(req.body);
    return req.body;
  }
  const text = bytes ?? nothingKept(req);
  return text.length === 0 ? undefined : parseJson(text);
}

/** What was kept as it came. */
function rawOf({ body, rawBody }: Parsed): Buffer | undefined {
  for (const kept of [rawBody, body]) {
    if (kept instanceof Uint8Array) return Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength);
    // The text of JSON: no request is a string of JSON.
    if (typeof kept === 'string') return Buffer.from(kept);
  }
  return undefined;
}

function nothingKept(req: IncomingMessage): Buffer {
  if (!announcesBody(req)) return Buffer.alloc(0);
  throw new A2AError(
    'internal',
    'The body was read before the request reached the gateway, and not kept in `body`: mount the gateway before what reads bodies',
  );
}

function formOf(body: unknown): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body as object)) {
    for (const each of Array.isArray(value) ? value : [value]) form.append(name, String(each));
  }
  return form.toString();
}
