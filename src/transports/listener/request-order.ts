import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { MemoryBudget } from '../../core/limits/memory-budget.ts';

/** Requests of one connection that may wait. A client that sends more is disconnected. */
const maxWaiting = 1_000;
/** Number of waiting requests at which reading from their connection stops. */
const pauseAt = 16;
/** Bytes that are counted for a waiting request: about what Node keeps for one. */
const requestBytes = 8_192;

/**
 * A listener that serves one HTTP/1.1 request of a connection at a time. Node emits pipelined requests as soon as they
 * arrive; here each waits until the answer before it has been handed to the system completely, and when many wait, reading
 * from the connection stops.
 *
 * @param budget counts waiting requests
 */
export function inRequestOrder(listener: RequestListener, budget: MemoryBudget): RequestListener {
  const pipelines = new WeakMap<Socket, Pipeline>();
  return (req, res) => {
    // Node assigns a response its connection when the earlier responses are finished.
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

/** The requests of one connection that wait for earlier answers. */
class Pipeline {
  readonly #socket: Socket;
  readonly #budget: MemoryBudget;
  #waiting = 0;

  constructor(socket: Socket, budget: MemoryBudget) {
    this.#socket = socket;
    this.#budget = budget;
    // Reading a request's body resumes its connection.
    socket.on('resume', () => {
      if (this.#waiting >= pauseAt) socket.pause();
    });
    socket.once('close', () => this.#left(this.#waiting));
  }

  add(req: IncomingMessage, res: ServerResponse, listener: RequestListener): void {
    if (this.#waiting >= maxWaiting || this.#budget.isFull) {
      this.#socket.destroy();
      return;
    }
    this.#waiting += 1;
    this.#budget.count(undefined, requestBytes);
    if (this.#waiting >= pauseAt) this.#socket.pause();
    const assign = res.assignSocket;
    res.assignSocket = (socket) => {
      res.assignSocket = assign;
      res.assignSocket(socket);
      if (!socket.writable) return;
      this.#left(1);
      listener(req, res);
      if (this.#waiting < pauseAt) socket.resume();
    };
  }

  #left(requests: number): void {
    this.#waiting -= requests;
    this.#budget.count(undefined, -requests * requestBytes);
  }
}
