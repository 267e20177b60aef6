import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A gateway's connection to NATS: a proxy that can stall, so that this gateway alone is cut off. */
export class NatsLink {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #holds = false;

  private constructor(target: number) {
    this.#server = createServer((near) => {
      const far = connect(target, '127.0.0.1');
      for (const [one, other] of [[near, far] as const, [far, near] as const]) {
        this.#sockets.add(one);
        one.on('data', (data: Buffer) => other.write(data));
        one.on('error', () => undefined);
        one.on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
        if (this.#holds) one.pause();
      }
    });
  }

  /** Listens on a port of loopback, and passes connections on to another one. */
  static async open(target: number): Promise<NatsLink> {
    const link = new NatsLink(target);
    link.#server.listen(0, '127.0.0.1');
    await once(link.#server, 'listening');
    return link;
  }

  get url(): string {
    return `nats://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections stay open, new ones are accepted, and for a while no byte is passed on. */
  async hold(ms: number): Promise<void> {
    this.#holds = true;
    for (const socket of this.#sockets) socket.pause();
    await delay(ms);
    this.#holds = false;
    for (const socket of this.#sockets) socket.resume();
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
