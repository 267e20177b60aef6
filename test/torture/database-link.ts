import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Fate of a statement that changes something. `unsent`: the connection is reset before the server receives it. The server
 * executes all others: `reset` and `swallowed` lose its answer, by a reset or silently; `late` delays the answer for a
 * while.
 */
export type Fate = 'passed' | 'unsent' | 'reset' | 'swallowed' | 'late';

/** Connections at a time whose answers are swallowed: a pool of ten must not run dry by that alone. */
const mostSwallowed = 3;
/** Milliseconds that a late answer is kept back. */
const lateBy = { least: 300, most: 3_000 } as const;

/** A gateway's connection to the database: a proxy that understands enough of the protocol to recognize writes. */
export class DatabaseLink {
  /** Decides over each statement that changes something. */
  fateOf: (statement: string) => Fate = () => 'passed';
  /** Milliseconds that everything takes, in either direction. */
  slowness = 0;
  /** Number of statements by fate, without those that were passed. */
  readonly fates = new Map<Fate, number>();
  readonly #target: number;
  readonly #random: () => number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #holds = 0;
  #swallowed = 0;

  private constructor(target: number, random: () => number) {
    this.#target = target;
    this.#random = random;
    this.#server = createServer((near) => this.#join(near));
  }

  /**
   * Listens on a port of loopback, and passes connections on to another one.
   *
   * @param random at least 0 and below 1, for how late answers are
   */
  static async open(target: number, random: () => number): Promise<DatabaseLink> {
    const link = new DatabaseLink(target, random);
    link.#server.listen(0, '127.0.0.1');
    await once(link.#server, 'listening');
    return link;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Stands still for a while: connections stay open, new ones are accepted, and no byte is passed on. */
  async hold(ms: number): Promise<void> {
    this.#holds += 1;
    for (const socket of this.#sockets) socket.pause();
    await delay(ms);
    this.#holds -= 1;
    if (this.#holds === 0) for (const socket of this.#sockets) socket.resume();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(near: Socket): void {
    const far = connect(this.#target, '127.0.0.1');
    const link = new Connection(near, far, {
      fateOf: (statement) => this.#decide(statement),
      slowness: () => this.slowness,
      lateness: () => lateBy.least + this.#random() * (lateBy.most - lateBy.least),
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one.setNoDelay(true);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
    near.on('data', (data: Buffer) => link.sent(data));
    far.on('data', (data: Buffer) => link.answered(data));
    if (this.#holds > 0) for (const socket of [near, far]) socket.pause();
    near.once('close', () => {
      if (link.isSwallowed) this.#swallowed -= 1;
    });
  }

  #decide(statement: string): Fate {
    const wished = this.fateOf(statement);
    const fate = wished === 'swallowed' && this.#swallowed >= mostSwallowed ? 'reset' : wished;
    if (fate === 'swallowed') this.#swallowed += 1;
    if (fate !== 'passed') this.fates.set(fate, (this.fates.get(fate) ?? 0) + 1);
    return fate;
  }
}

interface Rules {
  readonly fateOf: (statement: string) => Fate;
  /** Milliseconds that everything takes, and that a late answer takes besides. */
  readonly slowness: () => number;
  readonly lateness: () => number;
}

/** One direction of a connection: what is kept back leaves in its order, and is lost with the connection. */
class Lane {
  readonly #to: Socket;
  #last: Promise<void> | undefined;

  constructor(to: Socket) {
    this.#to = to;
  }

  pass(data: Buffer, wait: number): void {
    if (wait === 0 && !this.#last) {
      this.#to.write(data);
      return;
    }
    const leaving = Promise.all([this.#last, delay(wait)]).then(() => {
      if (!this.#to.destroyed) this.#to.write(data);
      if (this.#last === leaving) this.#last = undefined;
    });
    this.#last = leaving;
  }
}

/** One connection of a gateway's. */
class Connection {
  readonly #near: Socket;
  readonly #rules: Rules;
  readonly #there: Lane;
  readonly #back: Lane;
  readonly #sent = new Frames(true);
  readonly #answers = new Frames(false);
  readonly #statements = new Statements();
  #fate: Fate = 'passed';

  constructor(near: Socket, far: Socket, rules: Rules) {
    this.#near = near;
    this.#rules = rules;
    this.#there = new Lane(far);
    this.#back = new Lane(near);
  }

  sent(data: Buffer): void {
    const passed: Buffer[] = [];
    for (const frame of this.#sent.take(data)) {
      const statement = this.#statements.changedBy(frame);
      if (statement !== undefined && !this.isSwallowed) this.#fate = this.#rules.fateOf(statement);
      if (this.#fate === 'unsent') {
        this.#near.resetAndDestroy();
        return;
      }
      passed.push(frame.bytes);
    }
    if (passed.length > 0) this.#there.pass(Buffer.concat(passed), this.#rules.slowness());
  }

  answered(data: Buffer): void {
    // The server has executed the statement, and committed it, when it says that it is ready for the next one.
    const ready = this.#answers.take(data).some(({ type }) => type === 'Z');
    if (this.#fate === 'reset') {
      if (ready) this.#near.resetAndDestroy();
    } else if (!this.isSwallowed) {
      this.#back.pass(data, this.#rules.slowness() + (this.#fate === 'late' ? this.#rules.lateness() : 0));
      if (ready && this.#fate === 'late') this.#fate = 'passed';
    }
  }

  /** Whether nothing that the server says on it is passed on any more. */
  get isSwallowed(): boolean {
    return this.#fate === 'swallowed';
  }
}

/** Cuts what one side of a PostgreSQL connection sends into messages, however the bytes are split. */
class Frames {
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
interface Frame {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Whether the statement changes something, or ends a transaction that did. */
const changes = /\b(insert\s+into|update\s+"?\w+"?\s|delete\s+from)|^\s*commit\b/i;

/** The statements that a client sends, by the ones that it has prepared on its connection. */
class Statements {
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
