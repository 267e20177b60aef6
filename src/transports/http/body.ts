import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CountLimits } from '../../core/limits/counts.ts';
import { type AnswerTarget, MemoryBudget, Reservation } from '../../core/limits/memory-budget.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Principal } from '../../core/model/principal.ts';
import { steadyNow } from '../../core/model/timing.ts';
import type { RequestReading } from '../../wire/counts.ts';
import { InboundBuffer } from '../../wire/inbound-buffer.ts';
import { checkRequest, parseJson, parseRequest } from '../../wire/json-body.ts';
import { lingerTime } from '../listener/linger.ts';
import { Watchdog } from '../listener/watchdog.ts';
import { codingOf, decodeBody } from './decompress.ts';

/** Read for every body, so that they can change. */
export interface BodyLimits {
  /** Bytes. Default 10 MiB. */
  readonly body?: number;
  /** Parts, keys and values of a body of JSON. Default: `requestCounts`. */
  readonly counts?: CountLimits;
  /** Milliseconds in which a body must arrive. Default 30,000. */
  readonly arrival?: number;
}

/** A request whose body is read, and where it is counted. Absent: it is not counted. */
export interface BodySource {
  readonly req: IncomingMessage;
  readonly facts?: { readonly reservation?: Reservation | undefined };
}

interface CountedExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly facts: { reservation: Reservation | undefined };
}

interface ReadOptions {
  readonly more?: number;
  readonly asSent?: boolean;
}

interface Admission extends Pick<ReadOptions, 'asSent'> {
  readonly reservation?: Reservation | undefined;
  /** Bytes. */
  readonly max: number;
}

const defaults = { body: 10 << 20, arrival: 30_000 } as const;

/**
 * Resolves when everything that has arrived in this turn of the event loop was passed on, so that the calls of one turn begin
 * together: small bodies are complete then, and can be read without listeners. One promise for all requests of the turn.
 * Undefined where there is nothing to wait for: a body over HTTP/2 arrives only when it is read.
 */
export function arrival(req: IncomingMessage): Promise<void> | undefined {
  if (req.complete || req.httpVersionMajor > 1) return undefined;
  nextTurn ??= new Promise((resolve) => {
    setImmediate(() => {
      nextTurn = undefined;
      resolve();
    });
  });
  return nextTurn;
}

let nextTurn: Promise<void> | undefined;

const empty = Buffer.alloc(0);

/** Reads request bodies within limits of size and time. */
export class BodyReader {
  readonly #limits: BodyLimits;
  readonly #budget: MemoryBudget;
  readonly #watchdog: Watchdog;

  constructor(limits: BodyLimits = {}, budget: MemoryBudget = new MemoryBudget()) {
    this.#limits = limits;
    this.#budget = budget;
    const { arrival = defaults.arrival } = limits;
    this.#watchdog = new Watchdog(Math.min(1_000, Math.max(10, arrival / 4)));
  }

  /** Counts the body of a request, and its answer, for its caller, or for the address of an unknown one. */
  countFor(
    { req, res, facts }: CountedExchange,
    caller: Pick<Principal, 'id' | 'limitedAs'> = { id: `address:${req.socket.remoteAddress}` },
  ): void {
    const target: AnswerTarget = res;
    target.reservation ??= new Reservation(this.#budget, caller, target, target.shared);
    facts.reservation = target.reservation;
  }

  /**
   * The whole body, without its content coding; empty when there is none. A body that middleware has read already is taken
   * from `req.body`.
   *
   * @param options `more`: bytes that the body may have beyond the limit, which are no content. `asSent`: with its content
   *   coding
   * @throws A2AError `payloadTooLarge`, at once when `Content-Length` exceeds the limit; `requestTimeout`; `unavailable`
   *   when there is not enough memory; `invalidRequest` for a transfer coding other than chunked; `canceled` when the
   *   client disconnects; `codingNotSupported`; `parse` for a body that its coding does not fit
   */
  async read({ req, facts }: BodySource, { more = 0, asSent = false }: ReadOptions = {}): Promise<Buffer> {
    const reservation = facts?.reservation;
    if (isAlreadyRead(req)) return parsedBytes(req);
    const { body: limit = defaults.body } = this.#limits;
    const max = limit + more;
    const coding = this.#admit(req, { reservation, max, asSent });
    const arriving = arrival(req);
    if (arriving) await arriving;
    const body = await this.#take(req, reservation, max);
    if (reservation) reservation.sent = body;
    if (!coding || body.length === 0) return body;
    const content = await decodeBody(coding, body, { limit: max, reservation });
    if (reservation?.isClosed) throw new A2AError('canceled');
    return content;
  }

  /**
   * The body as JSON; undefined when there is none. A body that middleware has read or parsed already is taken from
   * `req.body`.
   *
   * @param enveloped whether a request that is refused for what it holds is answered by its id
   * @throws A2AError as `read` and `parseRequest`
   */
  async readJson({ req, facts }: BodySource, enveloped = false): Promise<unknown> {
    const reservation = facts?.reservation;
    const { counts, body: max = defaults.body } = this.#limits;
    if (isAlreadyRead(req)) return parsedJson(req, { counts, enveloped });
    const coding = this.#admit(req, { reservation, max });
    const arriving = arrival(req);
    if (arriving) await arriving;
    const taken = this.#take(req, reservation, max);
    let bytes = taken instanceof Promise ? await taken : taken;
    if (coding && bytes.length > 0) {
      bytes = await decodeBody(coding, bytes, { limit: max, reservation });
      if (reservation?.isClosed) throw new A2AError('canceled');
    }
    if (reservation) reservation.sent = bytes;
    const parsing = parseRequest(bytes, { counts, reservation, enveloped });
    if (!(parsing instanceof Promise)) return parsing;
    const body: unknown = await parsing;
    if (reservation?.isClosed) throw new A2AError('canceled');
    return body;
  }

  /**
   * Hands over the body in chunks, as they arrive, and resolves at its end. The client is paused while a chunk is being
   * taken. The body may have any size. One that middleware has read already is taken from `req.body`.
   *
   * @param take rejects to refuse the rest of the body
   * @param owedSince since when the client owes bytes, by `steadyNow`; undefined while it may wait
   * @throws A2AError what `take` rejects with; `requestTimeout` when the client owes bytes for longer than a body may take;
   *   `invalidRequest` for a transfer coding other than chunked; `canceled` when the client disconnects
   */
  async eachChunk(
    req: IncomingMessage,
    take: (chunk: Buffer) => Promise<void>,
    owedSince: () => number | undefined,
  ): Promise<void> {
    if (isAlreadyRead(req)) return take(parsedBytes(req));
    // The bytes that arrive are messages already.
    this.#admit(req, { max: Number.POSITIVE_INFINITY, asSent: true });
    const { arrival = defaults.arrival } = this.#limits;
    return new Promise((resolve, reject) => {
      let isOver = false;
      let taking = Promise.resolve();
      const settle = (error?: A2AError): void => {
        if (isOver) return;
        isOver = true;
        unwatch();
        if (error) reject(error);
        else resolve();
      };
      const refuse = (thrown: unknown): void => {
        if (!isOver) discard(req);
        settle(A2AError.from(thrown));
      };
      const unwatch = this.#watchdog.watch((now) => {
        const since = owedSince();
        if (since !== undefined && now >= since + arrival) refuse(new A2AError('requestTimeout'));
      });
      req.on('data', (chunk: Buffer) => {
        if (isOver) return;
        req.pause();
        taking = take(chunk).then(() => void req.resume(), refuse);
      });
      // The last chunk may still be taken: a paused body ends nevertheless.
      req.on('end', () => void taking.then(() => settle()));
      req.on('error', () => settle(new A2AError('canceled')));
      req.on('close', () => {
        if (!req.complete) settle(new A2AError('canceled'));
      });
    });
  }

  /** Judges the body by the request's headers. Returns its content coding. */
  #admit(req: IncomingMessage, { reservation, max, asSent }: Admission) {
    if (req.destroyed) throw new A2AError('canceled');
    try {
      const coding = req.headers['transfer-encoding'];
      if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
        throw new A2AError('invalidRequest', 'The only supported transfer coding is chunked');
      }
      const announced = Number(req.headers['content-length'] ?? 0);
      if (announced > max) throw tooLarge(max);
      reservation?.reserveRequest(announced);
      const contentCoding = req.headers['content-encoding'];
      return asSent || contentCoding === undefined ? undefined : codingOf(contentCoding);
    } catch (thrown) {
      discard(req);
      throw thrown;
    }
  }

  /** The body if it is complete, as most are that came with their head. Otherwise waits for the rest. */
  #take(req: IncomingMessage, reservation: Reservation | undefined, max: number): Buffer | Promise<Buffer> {
    if (req.destroyed) throw new A2AError('canceled');
    const { arrival: timeout = defaults.arrival } = this.#limits;
    if (!req.complete) return receive(req, { max, timeout, reservation }, this.#watchdog);
    const bytes: Buffer = req.read() ?? empty;
    if (bytes.length > max) throw tooLarge(max);
    reservation?.reserveRequest(bytes.length);
    return bytes;
  }

  /**
   * The JSON of a request whose caller is refused, so that the answer can have its id. Undefined unless the body is small,
   * announced by `Content-Length`, arrives at once and is JSON, because a refused caller may take little memory and time.
   * Never rejects.
   */
  async readRefused(req: IncomingMessage): Promise<unknown> {
    try {
      if (isAlreadyRead(req)) return parsedJson(req, this.#limits);
      const { max, timeout } = refusedLimits;
      const { arrival = defaults.arrival } = this.#limits;
      const announced = Number(req.headers['content-length'] ?? 0);
      if (announced === 0 || announced > max || req.headers['transfer-encoding'] !== undefined) return undefined;
      const limits = { max, timeout: Math.min(timeout, arrival) };
      return parseJson(await receive(req, limits, this.#watchdog));
    } catch {
      return undefined;
    }
  }
}

/** Bytes and milliseconds of a body that is read although its caller was refused. */
const refusedLimits = { max: 16 * 1024, timeout: 1_000 } as const;

const tooLarge = (max: number): A2AError =>
  new A2AError('payloadTooLarge', `The request body is larger than ${max} bytes`);

interface ReceiveLimits {
  readonly max: number;
  /** Milliseconds. */
  readonly timeout: number;
  readonly reservation?: Reservation | undefined;
}

function receive(req: IncomingMessage, limits: ReceiveLimits, watchdog: Watchdog): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const { max, timeout } = limits;
    const due = steadyNow() + timeout;
    // Released when the body is complete: the listeners live as long as the request, whose answer may be a stream.
    const body = { buffer: new InboundBuffer<Buffer>(Buffer.concat), reservation: limits.reservation, resolve, reject };
    let pending: typeof body | undefined = body;
    const settle = (error?: A2AError): void => {
      const settled = pending;
      if (!settled) return;
      pending = undefined;
      unwatch();
      if (error) settled.reject(error);
      else settled.resolve(settled.buffer.join());
    };
    const refuse = (error: A2AError): void => {
      discard(req);
      settle(error);
    };
    const unwatch = watchdog.watch((now) => {
      if (now >= due) refuse(new A2AError('requestTimeout'));
    });
    req.on('data', (chunk: Buffer) => {
      if (!pending) return;
      const { buffer, reservation } = pending;
      const size = buffer.size + chunk.length;
      try {
        if (size > max) throw tooLarge(max);
        reservation?.reserveRequest(size);
        buffer.push(chunk);
      } catch (thrown) {
        refuse(A2AError.from(thrown));
      }
    });
    req.on('end', () => settle());
    req.on('error', () => settle(new A2AError('canceled')));
    req.on('close', () => {
      if (!req.complete) settle(new A2AError('canceled'));
    });
  });
}

/**
 * Lets a client finish sending, however much it is, so that it reads the answer: a connection that is closed with unread
 * data is reset, and the answer is lost.
 */
function discard(req: IncomingMessage): void {
  const timer = setTimeout(() => void req.destroy(), lingerTime).unref();
  req.on('error', () => {});
  req.once('close', () => clearTimeout(timer));
  req.resume();
}

/** A request as body parsers leave it: `body` is the parsed body, `rawBody` (set by some) the bytes. */
type ParsedRequest = IncomingMessage & { readonly body?: unknown; readonly rawBody?: unknown };

/** Whether a request has a body, by its headers. */
export const announcesBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;

/** Whether middleware of the app that the gateway is mounted in has read the body, and removed its content coding. */
export const isAlreadyRead = (req: IncomingMessage): boolean => req.readableDidRead || req.readableEnded;

/** The bytes of a body that was read before; of a parsed body, equivalent bytes. Throws A2AError as `rawBytes`. */
function parsedBytes(req: ParsedRequest): Buffer {
  const { body } = req;
  const bytes = rawBytes(req);
  if (bytes) return bytes;
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '');
  return Buffer.from(isForm ? formOf(body as object) : JSON.stringify(body));
}

/**
 * The JSON of a body that was read before; undefined when there was none. A parsed body must pass the checks of
 * `parseRequest`.
 *
 * @throws A2AError as `rawBytes` and `parseRequest`
 */
function parsedJson(req: ParsedRequest, reading: RequestReading): unknown {
  const bytes = rawBytes(req);
  if (bytes) return parseRequest(bytes, reading);
  checkRequest(req.body, reading.counts);
  return req.body;
}

/**
 * The bytes or text that middleware kept; empty for a request without a body; undefined when only the parsed body was kept.
 *
 * @throws A2AError `internal` when nothing was kept
 */
function rawBytes(req: ParsedRequest): Buffer | undefined {
  for (const value of [req.rawBody, req.body]) {
    if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    // Unparsed text: no request is a JSON string.
    if (typeof value === 'string') return Buffer.from(value);
  }
  if (req.body !== undefined) return undefined;
  if (!announcesBody(req)) return Buffer.alloc(0);
  throw new A2AError(
    'internal',
    'Middleware read the request body without keeping it in `req.body`; mount the gateway before that middleware',
  );
}

function formOf(body: object): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) {
    for (const each of Array.isArray(value) ? value : [value]) form.append(name, String(each));
  }
  return form.toString();
}
