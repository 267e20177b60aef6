import type { IncomingMessage } from 'node:http';
import type { Reservation } from '../../core/limits/reservation.ts';
import { A2AError } from '../../core/model/errors.ts';
import { parsedSize, parseJson } from '../../wire/json.ts';
import { Watchdog, type Watched } from '../listener/watchdog.ts';
import { consumedBytes, consumedJson, isConsumed } from './consumed-body.ts';
import { InboundBuffer } from './inbound-buffer.ts';

/** Read for every body, so that they may change. */
export interface BodyLimits {
  /** Bytes. Default 10 MiB. */
  readonly maxBody?: number;
  /** Milliseconds that a body may take to arrive. Default 30,000. */
  readonly bodyTimeout?: number;
}

/** Reads request bodies within bounds of size and time. */
export class BodyReader {
  readonly #limits: BodyLimits;
  readonly #sweeper: Watchdog;

  constructor(limits: BodyLimits = {}) {
    this.#limits = limits;
    this.#sweeper = new Watchdog(Math.min(1_000, Math.max(10, this.#timeout / 4)));
  }

  get #max(): number {
    return this.#limits.maxBody ?? 10 << 20;
  }

  get #timeout(): number {
    return this.#limits.bodyTimeout ?? 30_000;
  }

  /**
   * The whole body; empty when there is none. What middleware before us has read is taken from there.
   *
   * @param reservation where a large body is reserved before it is read. Absent: it is not
   * @throws A2AError `payloadTooLarge`, at once when the announced length is beyond the bound; `requestTimeout`;
   *   `unavailable` when there is no room for it; `invalidRequest` for a transfer coding besides chunked; `canceled` when
   *   the client goes away first
   */
  async read(req: IncomingMessage, reservation?: Reservation): Promise<Buffer> {
    return isConsumed(req) ? consumedBytes(req) : this.#read(req, reservation);
  }

  #read(req: IncomingMessage, reservation: Reservation | undefined): Promise<Buffer> {
    if (req.destroyed) return Promise.reject(new A2AError('canceled'));
    const coding = req.headers['transfer-encoding'];
    if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
      discard(req, this.#max);
      return Promise.reject(
        new A2AError('invalidRequest', 'Bodies may be chunked, and transferred in no other coding'),
      );
    }
    const announced = Number(req.headers['content-length'] ?? 0);
    if (announced > this.#max) {
      discard(req, this.#max);
      return Promise.reject(tooLarge(this.#max));
    }
    try {
      reservation?.reserveRequest(announced);
    } catch (thrown) {
      discard(req, this.#max);
      return Promise.reject(thrown);
    }
    return this.#arrive(req, { max: this.#max, timeout: this.#timeout, reservation });
  }

  #arrive(req: IncomingMessage, bounds: Bounds): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      new Reading(req, bounds, this.#sweeper, resolve, reject);
    });
  }

  /**
   * The body as JSON; undefined when there is none. What middleware before us has read or parsed is taken from there.
   *
   * @throws A2AError as `read`, and `parse`
   */
  async readJson(req: IncomingMessage, reservation?: Reservation): Promise<unknown> {
    if (isConsumed(req)) return consumedJson(req);
    const bytes = await this.#read(req, reservation);
    reservation?.reserveParsed(bytes.length, () => parsedSize(bytes));
    return bytes.length === 0 ? undefined : parseJson(bytes);
  }

  /**
   * The JSON of a request whose caller is refused, for the id to answer under. Undefined unless the head announces a small
   * body, the body arrives at once, and it is JSON: a refused caller makes the gateway neither wait nor keep much. Never
   * rejects.
   */
  async readRefused(req: IncomingMessage): Promise<unknown> {
    try {
      if (isConsumed(req)) return consumedJson(req);
      const announced = Number(req.headers['content-length'] ?? 0);
      if (announced === 0 || announced > refused.max || req.headers['transfer-encoding'] !== undefined)
        return undefined;
      const { max } = refused;
      return parseJson(await this.#arrive(req, { max, timeout: Math.min(refused.timeout, this.#timeout) }));
    } catch {
      return undefined;
    }
  }
}

/** Bytes and milliseconds of a body that is read though its caller was refused. */
const refused = { max: 16 * 1024, timeout: 1_000 } as const;

const tooLarge = (max: number): A2AError =>
  new A2AError('payloadTooLarge', `The request body is larger than ${max} bytes`);

interface Bounds {
  readonly max: number;
  /** Milliseconds. */
  readonly timeout: number;
  readonly reservation?: Reservation | undefined;
}

/** One body on its way. The request lives as long as its answer, which may be a stream: nothing stays when it is read. */
class Reading implements Watched {
  previous: Watched | undefined;
  next: Watched | undefined;
  readonly #req: IncomingMessage;
  readonly #bounds: Bounds;
  readonly #due: number;
  readonly #sweeper: Watchdog;
  /** Until it is read. */
  #buffer: InboundBuffer | undefined = new InboundBuffer();
  #resolve: ((body: Buffer) => void) | undefined;
  #reject: ((error: A2AError) => void) | undefined;

  constructor(
    req: IncomingMessage,
    bounds: Bounds,
    sweeper: Watchdog,
    resolve: (body: Buffer) => void,
    reject: (error: A2AError) => void,
  ) {
    this.#req = req;
    this.#bounds = bounds;
    this.#due = Date.now() + bounds.timeout;
    this.#sweeper = sweeper;
    this.#resolve = resolve;
    this.#reject = reject;
    req.on('data', (chunk: Buffer) => this.#take(chunk));
    req.on('end', () => this.#settle());
    req.on('error', () => this.#settle(new A2AError('canceled')));
    req.on('close', () => {
      if (!req.complete) this.#settle(new A2AError('canceled'));
    });
    sweeper.add(this);
  }

  check(now: number): void {
    if (now < this.#due) return;
    this.#refuse(new A2AError('requestTimeout'));
  }

  #take(chunk: Buffer): void {
    const buffer = this.#buffer;
    if (!buffer) return;
    const { max, reservation } = this.#bounds;
    const size = buffer.size + chunk.length;
    try {
      if (size > max) throw tooLarge(max);
      reservation?.reserveRequest(size);
      buffer.push(chunk);
    } catch (thrown) {
      this.#refuse(A2AError.from(thrown));
    }
  }

  #refuse(error: A2AError): void {
    discard(this.#req, this.#bounds.max);
    this.#settle(error);
  }

  #settle(error?: A2AError): void {
    const [resolve, reject] = [this.#resolve, this.#reject];
    if (!resolve) return;
    this.#sweeper.delete(this);
    this.#resolve = undefined;
    this.#reject = undefined;
    const buffer = this.#buffer as InboundBuffer;
    this.#buffer = undefined;
    if (error) reject?.(error);
    else resolve(buffer.join());
  }
}

/** Milliseconds that a client may go on sending what nobody will read. */
const patience = 5_000;

/**
 * Lets a client finish what it is sending, so that it comes to read the answer: a connection closed on unread data is
 * reset, and the answer lost. Bounded in bytes and time; beyond, the connection is cut.
 */
export function discard(req: IncomingMessage, max: number): void {
  let left = Math.max(max, 1 << 20);
  const cut = () => void req.destroy();
  const timer = setTimeout(cut, patience).unref();
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) cut();
  });
  req.on('error', () => {});
  req.once('close', () => clearTimeout(timer));
  req.resume();
}
