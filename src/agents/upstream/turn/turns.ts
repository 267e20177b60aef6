import { TransientMap } from '../../../core/collections/transient-map.ts';
import type { SendMessageRequest, Task, TaskStatus } from '../../../core/model/a2a.ts';
import type { AgentContext, UnansweredMessage } from '../../../core/model/agent.ts';
import type { UpstreamConnection } from '../connection/connection.ts';
import type { IdMapping } from '../ids.ts';
import { cancelUpstream } from './cancel.ts';
import type { TurnTimes } from './task-calls.ts';
import { type TurnParts, UpstreamTurn } from './turn.ts';

/** Returns the id mapping of a caller's tasks and contexts. */
export type IdsOf = (principal: string, tenant: string, signal?: () => AbortSignal) => IdMapping;

/** The turns of an agent whose tasks the gateway keeps. Holds the latest turn of each task that is followed. */
export class UpstreamTurns {
  readonly #connection: UpstreamConnection;
  readonly #times: TurnTimes;
  readonly #idsOf: IdsOf;
  /** The latest turns, by the keys of their tasks. */
  readonly #latest = new TransientMap<UpstreamTurn>();

  constructor(connection: UpstreamConnection, times: TurnTimes, idsOf: IdsOf) {
    this.#connection = connection;
    this.#times = times;
    this.#idsOf = idsOf;
  }

  execute(request: SendMessageRequest, context: AgentContext): UpstreamTurn {
    const { key } = context;
    const former = this.#latest.get(key);
    const turn = new UpstreamTurn(this.#partsOf(context, request.tenant), { request, former });
    this.#latest.set(key, turn);
    return turn;
  }

  resume(task: Task, context: AgentContext, unanswered: UnansweredMessage | undefined): UpstreamTurn {
    const turn = new UpstreamTurn(this.#partsOf(context, undefined), { task, unanswered });
    this.#latest.set(context.key, turn);
    return turn;
  }

  cancel(task: Task, context: AgentContext): Promise<TaskStatus | undefined> {
    return cancelUpstream({
      connection: this.#connection,
      ids: this.#idsOf(context.principal.id, context.tenant),
      context,
      timeout: this.#times.call,
      task,
      turn: this.#latest.get(context.key),
    });
  }

  #partsOf(context: AgentContext, tenant: string | undefined): TurnParts {
    const latest = this.#latest;
    return {
      connection: this.#connection,
      ids: this.#idsOf(context.principal.id, context.tenant || (tenant ?? ''), () => context.signal),
      context,
      times: this.#times,
      onEnd: (turn) => {
        if (latest.get(context.key) === turn) latest.delete(context.key);
      },
    };
  }
}
