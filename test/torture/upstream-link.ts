import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Fate of a message: it arrives, or it arrives and its connection is cut, at once or at the answer. */
export type MessageFate = 'answered' | 'cut after it' | 'cut at its answer';

/** A mark in each message of the load, the same in JSON and in protobuf. */
const marker = 'marker-';

/**
 * The gateways' connection to an agent behind them: a proxy at a port of its own that can be unavailable, like a server that
 * restarts.
 */
export class UpstreamLink {
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  /** The port to which connections go; 0 before that is known. */
  target = 0;
  /** Decides over each message. */
  fateOf: () => MessageFate = () => 'answered';
  /** Whether it was ever away. */
  wasAway = false;
  /** Number of messages that were cut off from their answers. */
  readonly fates = new Map<MessageFate, number>();

  constructor(port: number) {
    this.#port = port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Accepts connections. */
  async up(): Promise<void> {
    this.#server = createServer((near) => {
      const far = connect(this.target, '127.0.0.1');
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          this.#sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
      this.#join(near, far);
    });
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  #join(near: Socket, far: Socket): void {
    let fate: MessageFate = 'answered';
    near.on('data', (data: Buffer) => {
      if (fate === 'answered' && data.includes(marker)) {
        fate = this.fateOf();
        if (fate !== 'answered') this.fates.set(fate, (this.fates.get(fate) ?? 0) + 1);
      }
      // Data before the cut is still written before the connection ends.
      far.write(data);
      if (fate === 'cut after it') far.end(() => near.resetAndDestroy());
    });
    far.on('data', (data: Buffer) => {
      if (fate === 'answered') near.write(data);
      else if (fate === 'cut at its answer') near.resetAndDestroy();
    });
  }

  /** Cuts all connections; new ones are refused. */
  async down(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    this.wasAway = true;
    for (const socket of this.#sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  }
}
