import type { Client } from '../../src/client/index.ts';
import { comparable } from '../support/comparable.ts';
import { type Conversation, kindOf } from '../support/conversations.ts';
import type { Keeper } from './gateways.ts';

/** Results of a conversation, without values that differ from one run to another. */
export interface Observation {
  /** The error that ended it early. */
  readonly thrown?: string;
  /** The client's view of it. */
  readonly client?: unknown;
  /** The task as the gateway keeps it. */
  readonly stored?: unknown;
  /** Everything that happened to it. */
  readonly log?: unknown;
}

/** The number of tasks and of contexts in a value. */
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
const timeoutMs = 30_000;

/** Holds a conversation, and reads what the gateway stored of it. Errors become part of the observation. */
export async function observe({ hold }: Conversation, client: Client, keeper: Keeper): Promise<Observation> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`nothing for ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([observed(), late.promise]);
  } catch (thrown) {
    return { thrown: `${await kindOf(Promise.reject(thrown))}: ${String(thrown)}` };
  } finally {
    clearTimeout(timer);
  }

  async function observed(): Promise<Observation> {
    const { task, message, errors, others } = await hold(client);
    const seen = comparable({ task, message, errors, others });
    if (!task) return { client: seen };
    const { id } = task;
    const names = countNames([{ taskId: id, contextId: task.contextId }, task]);
    const stored = await keeper.task(id);
    return {
      client: { ...(seen as object), names },
      stored: comparable(stored),
      log: comparable(await keeper.log(stored)),
    };
  }
}
