import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { FrameHeaders } from '../../core/model/frames.ts';
import { shownHeader } from '../../net/wire-log.ts';

export type Header = readonly [name: string, value: string];

/** State that all frames of a record share. */
export interface FrameKeeper {
  /** Credentials that were found, which other text may repeat. */
  readonly secrets: Set<string>;
  /** Most bytes that are kept of one body. */
  readonly maxBody: number;
  /** Whether a header of this name, in lower case, holds a credential although its name is not a usual one. */
  isCredential(name: string): boolean;
  /** Returns how many of the wanted bytes a frame may keep. */
  keep(bytes: number): number;
}

/** Request or answer: its headers without credentials, and the first bytes of its body. */
export class Frame {
  head = '';
  headers: readonly Header[] = [];
  trailers: readonly Header[] = [];
  /** Bytes of the body. */
  size = 0;
  #kept = 0;
  readonly #chunks: Buffer[] = [];
  readonly #keeper: FrameKeeper;

  constructor(keeper: FrameKeeper) {
    this.#keeper = keeper;
  }

  begin(head: string, headers: FrameHeaders): void {
    this.head = head;
    this.headers = this.#shown(headers);
  }

  end(trailers: FrameHeaders): void {
    this.trailers = this.#shown(trailers);
  }

  push(chunk: Uint8Array | string, encoding: BufferEncoding = 'utf8'): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    this.size += bytes.length;
    const wanted = Math.min(bytes.length, this.#keeper.maxBody - this.#kept);
    const kept = wanted > 0 ? this.#keeper.keep(wanted) : 0;
    if (kept === 0) return;
    this.#kept += kept;
    // A copy, since the original may be part of a larger buffer, or may be reused.
    this.#chunks.push(Buffer.from(bytes.subarray(0, kept)));
  }

  /** Adds a message with its prefix of gRPC. */
  pushMessage(message: Uint8Array): void {
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(message.length, 1);
    this.push(prefix);
    this.push(message);
  }

  get body(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** Number of bytes that were not kept. */
  get cut(): number {
    return this.size - this.#kept;
  }

  /** Returns a header. @param wanted name in lower case */
  header(wanted: string): string | undefined {
    return this.headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  }

  #shown(headers: FrameHeaders): Header[] {
    const shown = Object.entries(headers).flatMap(([name, value]): Header[] => {
      if (value === undefined || name.startsWith(':')) return [];
      const lower = name.toLowerCase();
      const isCredential = this.#keeper.isCredential(lower) || undefined;
      const values = Array.isArray(value) ? value : [value];
      return values.map((one) => [name, shownHeader(lower, String(one), this.#keeper.secrets, isCredential)]);
    });
    this.#keeper.keep(shown.reduce((sum, [name, value]) => sum + name.length + value.length, 0));
    return shown;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: methods of Node with several forms
type Method = (...parts: any[]) => any;

/** Calls `before` with the arguments of each call of a method of one object. */
function tap<T extends object, K extends keyof T>(target: T, name: K, before: Method): void {
  const method = target[name] as Method;
  target[name] = function (this: T, ...parts: unknown[]) {
    try {
      before(...parts);
    } catch {
      // Frames that cannot be recorded are served nevertheless.
    }
    return method.apply(this, parts);
  } as T[K];
}

/** Returns headers from arguments of Node: an object, or a list of names and values. */
function headersIn(parts: readonly unknown[]): FrameHeaders {
  const given = parts.findLast((part) => typeof part === 'object' && part !== null) ?? {};
  if (!Array.isArray(given)) return given as FrameHeaders;
  const headers: Record<string, string[]> = Object.create(null);
  for (let at = 0; at + 1 < given.length; at += 2) {
    const name = String(given[at]);
    headers[name] = (headers[name] ?? []).concat(given[at + 1] as string);
  }
  return headers;
}

const isBytes = (chunk: unknown): chunk is Uint8Array | string =>
  typeof chunk === 'string' || chunk instanceof Uint8Array;

/** Records the body as it is read. Both flowing mode and `read()` emit its chunks as events. */
function tapReads(source: IncomingMessage | ServerHttp2Stream, frame: Frame): void {
  tap(source, 'emit', (event: unknown, chunk: unknown) => {
    if (event === 'data' && isBytes(chunk)) frame.push(chunk);
  });
}

function tapWrites(target: ServerResponse | ServerHttp2Stream, frame: Frame): void {
  const push = (chunk: unknown, encoding: unknown): void => {
    if (isBytes(chunk)) frame.push(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
  };
  tap(target, 'write', push);
  tap(target, 'end', push);
}

/** Records a request over HTTP whose body was not read yet, and its answer. */
export function tapHttp(req: IncomingMessage, res: ServerResponse, request: Frame, answer: Frame): void {
  const { body } = req as IncomingMessage & { body?: unknown };
  takeHead(req, request);
  // If middleware has parsed the body already, only the parsed value is left.
  if ((req.readableDidRead || req.readableEnded) && body !== undefined)
    request.push(isBytes(body) ? body : JSON.stringify(body));
  else tapReads(req, request);
  tapAnswer(req, res, answer);
}

const versionOf = ({ httpVersionMajor, httpVersion }: IncomingMessage): string =>
  httpVersionMajor > 1 ? `${httpVersionMajor}` : httpVersion;

/** Records the first line and the headers of a request over HTTP. */
export function takeHead(req: IncomingMessage, request: Frame): void {
  const { url = '/', originalUrl = url } = req as IncomingMessage & { originalUrl?: string };
  request.begin(`${req.method} ${originalUrl} HTTP/${versionOf(req)}`, req.headers);
}

/** Records the rest of an answer over HTTP, and its head also where that has been sent. */
export function tapAnswer(req: IncomingMessage, res: ServerResponse, answer: Frame): void {
  const begin = (status: number, ...more: unknown[]): void =>
    answer.begin(`HTTP/${versionOf(req)} ${status}`, { ...res.getHeaders(), ...headersIn(more) });
  if (res.headersSent) begin(res.statusCode);
  else tap(res, 'writeHead', begin);
  tapWrites(res, answer);
}

/** Records a call over gRPC whose message was not read yet, and its answer. */
export function tapGrpc(
  stream: ServerHttp2Stream,
  { path, headers }: { readonly path: string; readonly headers: FrameHeaders },
  request: Frame,
  answer: Frame,
): void {
  request.begin(`POST ${path} HTTP/2`, headers);
  tapReads(stream, request);
  tapRpcAnswer(stream, answer);
}

/** Records the rest of an answer over gRPC. */
export function tapRpcAnswer(stream: ServerHttp2Stream, answer: Frame): void {
  if (stream.headersSent) answer.begin(`HTTP/2 200`, (stream.sentHeaders ?? {}) as FrameHeaders);
  tap(stream, 'respond', (...parts: unknown[]) => {
    const all = headersIn(parts.slice(0, 1));
    answer.begin(`HTTP/2 ${all[':status'] ?? 200}`, all);
  });
  tap(stream, 'sendTrailers', (trailers: FrameHeaders) => answer.end(trailers));
  tapWrites(stream, answer);
}
