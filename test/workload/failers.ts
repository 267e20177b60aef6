import { A2AError } from '../../src/client/index.ts';
import type { Random } from '../support/random.ts';
import { type Clients, modern } from './clients.ts';
import type { Gate } from './gate.ts';
import { Talkers } from './talkers.ts';

/** The caller of calls that fail. */
export const failer = 'failer';

/** Milliseconds that one call may take. */
const within = 5_000;

/** A call that failed, whose caller got the answer. Times are milliseconds since the epoch. */
export interface FailedCall {
  /** Id of the task that it asked for. */
  readonly taskId: string;
  readonly gateway: number;
  /** Number of the process that answered. */
  readonly pid: number;
  readonly began: number;
  readonly ended: number;
}

export interface FailersOptions {
  readonly clients: Clients;
  readonly random: Random;
  readonly gate: Gate;
  /** Number of gateways. */
  readonly size: number;
  /** The process that serves a gateway. */
  readonly pidOf: (gateway: number) => number;
}

/** A caller whose calls ask for tasks that do not exist. */
export class Failers extends Talkers {
  readonly #options: FailersOptions;
  readonly answered: FailedCall[] = [];
  /** Calls that were begun, whether they were answered or not. */
  begun = 0;

  constructor(options: FailersOptions) {
    super(options, [300, 900]);
    this.#options = options;
  }

  protected async converse(): Promise<void> {
    const { clients, random, size, pidOf } = this.#options;
    const gateway = random.between(0, size - 1);
    const face = random.pick(modern);
    const signal = AbortSignal.timeout(within);
    try {
      const client = await clients.at(gateway, { agent: 'local', face, caller: failer }, signal);
      this.begun += 1;
      const taskId = `failed-${this.begun}`;
      const began = Date.now();
      await client.getTask({ id: taskId }, { signal }).catch((thrown: unknown) => {
        // Any other error may be one of the way to the gateway.
        if (A2AError.from(thrown).kind !== 'taskNotFound') return;
        this.answered.push({ taskId, gateway, pid: pidOf(gateway), began, ended: Date.now() });
      });
    } catch {
      // There was no connection.
    }
  }
}
