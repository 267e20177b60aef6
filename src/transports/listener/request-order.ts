import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { MemoryBudget } from '../../core/limits/memory-budget.ts';

/** Requests of one connection that may wait. A client that sends more before it has read anything is cut off. */
const maxWaiting = 1_000;
/** Requests that may wait before nothing more is read from their connection. */
const crowd = 16;
/** Bytes that are counted for a request that waits: about what Node keeps of one. */
const weight = 8_192;

/**
 * A listener for the requests of HTTP/1.1 that serves one request of a connection at a time. Node hands over all
 * requests that a client has pipelined as soon as they have arrived; here each waits until the answer before it has been
 * handed to the system whole, and where many wait, nothing more is read from the connection.
 *
 * @param budget where requests that wait are counted
 */
export function inRequestOrder(listener: RequestListener, budget: MemoryBudget): RequestListener {
  const pipelines = new WeakMap<Socket, Pipeline>();
  return (req, res) => {
    // Node gives a response its connection when it is its turn.
    if (res.socket !== null) {
      listener(req, res);
      return;
    }
    const { socket } = req;
    let pipeline = pipelines.get(socket);
    if (!pipeline) {
      pipeline = new Pipeline(socket, budget);
      pipelines.set(socket, pipeline);
    }
    pipeline.add(req, res, listener);
  };
}

/** The requests of one connection that wait for the answers before theirs. */
class Pipeline {
  readonly #socket: Socket;
  readonly #budget: MemoryBudget;
  #waiting = 0;

  constructor(socket: Socket, budget: MemoryBudget) {
    this.#socket = socket;
    this.#budget = budget;
    // Whoever reads the body of a request lets its connection go on.
    socket.on('resume', () => {
      if (this.#waiting >= crowd) socket.pause();
    });
    socket.once('close', () => this.#left(this.#waiting));
  }

  add(req: IncomingMessage, res: ServerResponse, listener: RequestListener): void {
    if (this.#waiting >= maxWaiting || this.#budget.isFull) {
      this.#socket.destroy();
      return;
    }
    this.#waiting += 1;
    this.#budget.count(undefined, weight);
    if (this.#waiting >= crowd) this.#socket.pause();
    const assign = res.assignSocket;
    res.assignSocket = (socket) => {
      res.assignSocket = assign;
      res.assignSocket(socket);
      if (socket.destroyed) return;
      this.#left(1);
      listener(req, res);
      if (this.#waiting < crowd) socket.resume();
    };
  }

  #left(requests: number): void {
    this.#waiting -= requests;
    this.#budget.count(undefined, -requests * weight);
  }
}
