import type { IncomingMessage } from 'node:http';
import { A2AError } from '../../core/errors.ts';
import { checkJson, parseJson } from '../../wire/json.ts';
import { Sweeper, type Swept } from './sweep.ts';

export interface BodyLimits {
  /** Bytes. Default 10 MiB. */
  readonly maxBody?: number;
  /** Milliseconds that a body may take to arrive. Default 30,000. */
  readonly bodyTimeout?: number;
}

/** Whether a request has a body, as far as its headers say. */
export const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;

/** Reads request bodies within bounds of size and time. */
export class BodyReader {
  readonly #max: number;
  readonly #timeout: number;
  readonly #sweeper: Sweeper;

  constructor({ maxBody = 10 << 20, bodyTimeout = 30_000 }: BodyLimits = {}) {
    this.#max = maxBody;
    this.#timeout = bodyTimeout;
    this.#sweeper = new Sweeper(Math.min(1_000, Math.max(10, bodyTimeout / 4)));
  }

  /**
   * The whole body; empty when there is none.
   *
   * @throws A2AError `payloadTooLarge`, at once when the announced length is beyond the bound; `requestTimeout`;
   *   `canceled` when the client goes away first
   */
  read(req: IncomingMessage): Promise<Buffer> {
    const announced = Number(req.headers['content-length'] ?? 0);
    if (announced > this.#max) {
      discard(req, this.#max);
      return Promise.reject(this.#tooLarge());
    }
    return new Promise((resolve, reject) => {
      const due = Date.now() + this.#timeout;
      let chunks: Buffer[] = [];
      let size = 0;
      const fail = (error: A2AError) => {
        this.#sweeper.delete(waiting);
        chunks = [];
        reject(error);
      };
      const waiting: Swept = {
        sweep: (now) => {
          if (now < due) return;
          discard(req, this.#max);
          fail(new A2AError('requestTimeout'));
        },
      };
      const onData = (chunk: Buffer) => {
        size += chunk.length;
        if (size <= this.#max) {
          chunks.push(chunk);
          return;
        }
        req.off('data', onData);
        discard(req, this.#max);
        fail(this.#tooLarge());
      };
      req.on('data', onData);
      req.on('end', () => {
        this.#sweeper.delete(waiting);
        const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size);
        // The request lives as long as its answer, which may be a stream.
        chunks = [];
        resolve(body);
      });
      req.on('error', () => fail(new A2AError('canceled')));
      req.on('close', () => {
        if (!req.complete) fail(new A2AError('canceled'));
      });
      this.#sweeper.add(waiting);
    });
  }

  /**
   * The body as JSON; undefined when there is none. A body that middleware before us has parsed already is taken as it
   * is, and held against the same rules.
   *
   * @throws A2AError as `read`, and `parse`
   */
  async readJson(req: IncomingMessage): Promise<unknown> {
    const { body } = req as { body?: unknown };
    if (body !== undefined && req.readableEnded) {
      checkJson(body);
      return body;
    }
    const bytes = await this.read(req);
    return bytes.length === 0 ? undefined : parseJson(bytes);
  }

  #tooLarge(): A2AError {
    return new A2AError('payloadTooLarge', `The request body is larger than ${this.#max} bytes`);
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
  const cut = () => req.socket.destroy();
  const timer = setTimeout(cut, patience).unref();
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) cut();
  });
  req.on('error', () => {});
  req.once('close', () => clearTimeout(timer));
  req.resume();
}
