import type { AgentCapabilities, StreamResponse } from '../../../../src/core/model/a2a.ts';
import { type Agent, defineAgent } from '../../../../src/index.ts';
import { behave } from '../behaviors.ts';

/** The gateway's own agent, in its process. */
export const directAgent = (): Agent => agentWith({}, 'The extended card of the agent that ACTS expects.');

/** An agent without streams, webhooks and an extended card. */
export const plainAgent = (): Agent => agentWith({ streaming: false, pushNotifications: false }, undefined);

function agentWith(capabilities: AgentCapabilities, extended: string | undefined): Agent {
  return defineAgent({
    name: 'ACTS agent',
    description: 'The agent that ACTS expects.',
    card: { capabilities },
    ...(extended !== undefined && { extendedCard: { description: extended } }),
    async *execute({ taskId, contextId, message, task, signal }) {
      const turn = { taskId, contextId, message, before: task };
      const stopped = new Promise<'stopped'>((resolve) => signal.addEventListener('abort', () => resolve('stopped')));
      const told = new Told();
      const running = behave(turn, (event) => told.push(event), { wait: () => stopped }).finally(() => told.end());
      for await (const event of told) if (event.task === undefined) yield event;
      await running;
    },
  });
}

/** Events that one function tells and another one reads. */
class Told implements AsyncIterable<StreamResponse> {
  readonly #events: StreamResponse[] = [];
  #isOver = false;
  #wake: () => void = () => {};

  push(event: StreamResponse): void {
    this.#events.push(event);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamResponse> {
    for (;;) {
      yield* this.#events.splice(0);
      if (this.#isOver) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (this.#events.length > 0 || this.#isOver) resolve();
      });
    }
  }
}
