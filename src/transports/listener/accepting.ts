import { createServer, type Server, type Socket } from 'node:net';
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds in which a port is closed, at most. */
const longestClosing = 1_000;

/** Milliseconds of a turn of the event loop in which next to no connection can arrive. */
const shortTurn = 0.1;

/** Part of the time so far that a turn may take which ends the closing: a process that stays busy has no short ones. */
const tolerance = 0.02;

/** Accepts the connections of a port, and closes the port without losing one that the system has accepted. */
export class Accepting {
  readonly #begin: (socket: Socket) => void;
  /** Connections so far. */
  #accepted = 0;
  /** Connections that wait until the port is closed. Undefined: none wait. */
  #held: Socket[] | undefined;

  /** @param begin serves a connection */
  constructor(begin: (socket: Socket) => void) {
    this.#begin = begin;
  }

  /** Listens to the event `connection` of a server. */
  readonly accept = (socket: Socket): void => {
    this.#accepted += 1;
    if (this.#held) this.#held.push(socket.on('error', ignore));
    else this.#begin(socket);
  };

  /**
   * Closes the servers of the port. Connections that are accepted meanwhile are served after that: their calls would make the
   * turns of the event loop longer. Resolves with a promise in an object, which resolves when all connections are closed.
   */
  async end(servers: readonly Server[]): Promise<{ readonly closed: Promise<void> }> {
    this.#held = [];
    // The code that closes is compiled before, not while connections arrive.
    await closeAll([createServer()]);
    await this.#backlogTaken();
    const closed = closeAll(servers);
    const held = this.#held.filter(({ destroyed }) => !destroyed);
    this.#held = undefined;
    for (const socket of held) this.#begin(socket);
    return { closed };
  }

  /**
   * Resolves when the system has no connection that the process has not taken: it resets those when the port is closed, and
   * their clients cannot know whether their requests were read. The process takes one in each turn of the event loop, before the work
   * of that turn, in which others arrive. So it resolves after a short turn that took none.
   */
  async #backlogTaken(): Promise<void> {
    const start = performance.now();
    for (let elapsed = 0; elapsed < longestClosing; ) {
      // The system rarely interrupts a process that has just slept.
      await sleep(1);
      const turn = await this.#emptyTurn(start + longestClosing);
      elapsed = performance.now() - start;
      if (turn < Math.max(shortTurn, elapsed * tolerance)) return;
    }
  }

  /** Milliseconds of the next turn of the event loop that takes no connection. After `end`, of any turn. */
  async #emptyTurn(end: number): Promise<number> {
    for (;;) {
      const accepted = this.#accepted;
      const start = performance.now();
      await immediate();
      const now = performance.now();
      if (this.#accepted === accepted || now > end) return now - start;
    }
  }
}

const ignore = (): void => {};

/** Resolves when servers and all their connections are closed. */
export async function closeAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
}
