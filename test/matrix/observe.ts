import type { Client } from '../../src/client/index.ts';
import { type Conversation, kindOf } from '../support/conversations.ts';
import { plain } from '../support/plain.ts';
import type { Keeper } from './gateways.ts';

/** What a conversation came to, without what differs from one to another. */
export interface Observation {
  /** The error that ended it early. */
  readonly thrown?: string;
  /** What the client knows. */
  readonly told?: unknown;
  /** The task as the gateway keeps it. */
  readonly kept?: unknown;
  /** Everything that happened to it. */
  readonly log?: unknown;
}

/** How many tasks, and how many contexts, something speaks of. */
function countNames(value: unknown): { readonly tasks: number; readonly contexts: number } {
  const found = { taskId: new Set<unknown>(), contextId: new Set<unknown>() };
  const look = (item: unknown): void => {
    if (typeof item !== 'object' || item === null) return;
    for (const [key, inner] of Object.entries(item)) {
      if (key === 'taskId' || key === 'contextId') found[key].add(inner);
      else if (key !== 'data' && key !== 'metadata') look(inner);
    }
  };
  look(value);
  return { tasks: found.taskId.size, contexts: found.contextId.size };
}

/** Milliseconds after which a conversation that does not end is given up. */
const patience = 5_000;

/** Holds a conversation, and looks at what is kept of it. What it throws is told as well. */
export async function observe({ hold }: Conversation, client: Client, keeper: Keeper): Promise<Observation> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`nothing for ${patience} ms`)), patience);
  try {
    return await Promise.race([observed(), late.promise]);
  } catch (thrown) {
    return { thrown: `${await kindOf(Promise.reject(thrown))}: ${String(thrown)}` };
  } finally {
    clearTimeout(timer);
  }

  async function observed(): Promise<Observation> {
    const { task, message, errors, others } = await hold(client);
    const told = plain({ task, message, errors, others });
    if (!task) return { told };
    const { id } = task;
    const names = countNames([{ taskId: id, contextId: task.contextId }, task]);
    const kept = await keeper.task(id);
    return { told: { ...(told as object), names }, kept: plain(kept), log: plain(await keeper.log(kept)) };
  }
}
