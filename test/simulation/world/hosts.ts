import { AsyncLocalStorage } from 'node:async_hooks';

/** `dead`: nothing that it began goes on. `paused`: it goes on later, and its clock has moved meanwhile. */
export type HostState = 'running' | 'paused' | 'dead';

/** A machine of the simulation with one program on it: a gateway, an agent, or a client. */
export class Host {
  readonly name: string;
  /** An address such as `10.0.0.1`. */
  readonly address: string;
  /** Milliseconds that its wall clock is ahead of the simulation's. */
  skew = 0;
  state: HostState = 'running';
  /** Timers of its program that wait. */
  timers = 0;
  /** Events that arrived while it was paused. */
  readonly #held: (() => void)[] = [];
  readonly #onDeath: (() => void)[] = [];

  constructor(name: string, address: string) {
    this.name = name;
    this.address = address;
  }

  /** Runs code of this host: timers and connections that it opens belong to the host. */
  run<T>(use: () => T): T {
    return running.run(this, use);
  }

  /** Hands an event to the host: at once, after its pause, or never. */
  receive(event: () => void): void {
    if (this.state === 'running') event();
    else if (this.state === 'paused') this.#held.push(event);
  }

  pause(): void {
    if (this.state === 'running') this.state = 'paused';
  }

  /** Goes on after a pause, with everything that has arrived meanwhile. */
  resume(): void {
    if (this.state !== 'paused') return;
    this.state = 'running';
    for (const event of this.#held.splice(0)) this.receive(event);
  }

  /** Ends the host as `kill -9` does. */
  die(): void {
    if (this.state === 'dead') return;
    this.state = 'dead';
    this.#held.length = 0;
    for (const listener of this.#onDeath.splice(0)) listener();
  }

  /** Calls a listener when the host dies. */
  onDeath(listener: () => void): void {
    this.#onDeath.push(listener);
  }
}

const running = new AsyncLocalStorage<Host>();

/** The host whose code runs; undefined in the simulation's own. */
export const currentHost = (): Host | undefined => running.getStore();
