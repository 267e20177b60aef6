import { A2AError } from '../../core/model/errors.ts';
import type { AvailableBody, HttpAnswer } from '../../net/http-exchange.ts';
import { tooLarge } from '../../net/network-errors.ts';
import { type BodyForm, formOf } from './frame-reader.ts';

/** An answer whose body has been read a little to determine its form. It is read like any other answer. */
class BegunAnswer implements HttpAnswer {
  readonly #answer: HttpAnswer;
  readonly #head: readonly Uint8Array[];
  readonly #rest: AsyncIterator<Uint8Array>;

  constructor(answer: HttpAnswer, head: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>) {
    this.#answer = answer;
    this.#head = head;
    this.#rest = rest;
  }

  get status(): number {
    return this.#answer.status;
  }

  get headers(): HttpAnswer['headers'] {
    return this.#answer.headers;
  }

  get mediaType(): string {
    return this.#answer.mediaType;
  }

  async *chunks(): AsyncGenerator<Uint8Array, void> {
    try {
      yield* this.#head;
      for (let next = await this.#rest.next(); !next.done; next = await this.#rest.next()) yield next.value;
    } finally {
      this.discard();
    }
  }

  async read(limit: number): Promise<Buffer> {
    const { bytes, failure } = await this.readAvailable(limit);
    if (failure) throw failure;
    return bytes;
  }

  async readAvailable(limit: number): Promise<AvailableBody> {
    const parts: Uint8Array[] = [];
    let size = 0;
    let failure: A2AError | undefined;
    try {
      for await (const chunk of this.chunks()) {
        parts.push(chunk);
        size += chunk.length;
        if (size > limit) break;
      }
    } catch (thrown) {
      failure = A2AError.from(thrown);
    }
    if (size > limit) throw tooLarge(limit);
    return { bytes: Buffer.concat(parts), failure };
  }

  discard(): void {
    this.#answer.discard();
  }
}

/** Largest number of bytes of white space before a body of frames. */
const maxBlank = 65_536;

/** Waits for the beginning of a body. Resolves with its form, and the answer to read. An empty body is `other`. */
export async function begunAnswer(answer: HttpAnswer): Promise<{ form: BodyForm; answer: HttpAnswer }> {
  const body = answer.chunks()[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  let form: BodyForm | undefined;
  let blank = 0;
  while (form === undefined && blank <= maxBlank) {
    const { done, value } = await body.next();
    if (done) break;
    head.push(value);
    form = formOf(textOf(head.length === 1 ? value : Buffer.concat(head)));
    blank += value.length;
  }
  return { form: form ?? 'other', answer: new BegunAnswer(answer, head, body) };
}

/** A short text from the beginning of a body, after white space. */
function textOf(bytes: Uint8Array): string {
  let at = 0;
  while (at < bytes.length && (bytes[at] as number) <= 0x20) at += 1;
  return Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(16, bytes.length - at)).toString();
}
