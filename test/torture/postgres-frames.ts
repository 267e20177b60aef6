/** Cuts what one side of a PostgreSQL connection sends into messages, however the bytes are split. */
export class Frames {
  #rest: Buffer = Buffer.alloc(0);
  /** Whether the next message is the one without a type, with which a client begins. */
  #begins: boolean;

  /** @param begins whether this side sends the start message */
  constructor(begins: boolean) {
    this.#begins = begins;
  }

  /** The messages that are complete now. */
  take(data: Buffer): Frame[] {
    this.#rest = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    const found: Frame[] = [];
    for (;;) {
      const typed = this.#begins ? 0 : 1;
      if (this.#rest.length < typed + 4) return found;
      const length = typed + this.#rest.readInt32BE(typed);
      if (this.#rest.length < length) return found;
      const bytes = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      found.push({ type: typed ? String.fromCharCode(bytes[0] ?? 0) : '', bytes });
      this.#begins = false;
    }
  }
}

/** One message of the protocol, with its type: '' for the start message. */
export interface Frame {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Whether the statement changes something, or ends a transaction that did. */
const changes = /\b(insert\s+into|update\s+"?\w+"?\s|delete\s+from)|^\s*commit\b/i;

/** Which statements a client sends, by what it has prepared on its connection. */
export class Statements {
  readonly #prepared = new Map<string, string>();

  /** The text of the statement that a message executes; undefined when it executes none that changes anything. */
  changedBy({ type, bytes }: Frame): string | undefined {
    const body = bytes.subarray(5);
    if (type === 'P') {
      const [name = '', text = ''] = strings(body, 2);
      this.#prepared.set(name, text);
      return undefined;
    }
    if (type !== 'Q' && type !== 'B') return undefined;
    const [first = '', second = ''] = strings(body, type === 'Q' ? 1 : 2);
    const text = type === 'Q' ? first : (this.#prepared.get(second) ?? '');
    return changes.test(text) ? text : undefined;
  }
}

/** The zero-terminated strings with which a message begins. */
function strings(body: Buffer, count: number): string[] {
  const found: string[] = [];
  for (let from = 0; found.length < count; ) {
    const end = body.indexOf(0, from);
    if (end < 0) return found;
    found.push(body.toString('utf8', from, end));
    from = end + 1;
  }
  return found;
}
