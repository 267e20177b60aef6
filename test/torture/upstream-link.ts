import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** How gateways reach an agent behind them: a proxy at a port of its own that can be away, as a server that restarts is. */
export class UpstreamLink {
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  /** Where connections go; 0 before that is known. */
  target = 0;

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
      near.pipe(far).pipe(near);
    });
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Cuts all connections; new ones are refused. */
  async down(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    for (const socket of this.#sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  }
}
