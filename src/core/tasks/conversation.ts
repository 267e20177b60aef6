import type { Message, Task } from '../model/a2a.ts';
import type { ReadBudget } from '../model/call.ts';
import type { TaskOwner } from '../model/ids.ts';
import type { TaskStore } from '../ports/task-store.ts';

/** Tasks that are read at once, and bytes of them. */
const page = { size: 50, bytes: 4 << 20 } as const;

/** Messages: without a wish, and the most. */
const limits = { usual: 50, most: 1_000 } as const;

/** Larger tasks are left out: an agent's history must not take the memory that a task too large to be answered needs. */
const room: ReadBudget = { largest: 64 << 20, reserve: () => undefined };

/** The conversations of an owner. */
export interface ConversationDeps {
  readonly store: Pick<TaskStore, 'list'>;
  readonly owner: TaskOwner;
}

/**
 * The latest messages of the owner's tasks in a context, oldest first. A direct message has no task and is not kept.
 *
 * @param wanted how many; at most 1,000. Default 50
 * @param except id of a message that is left out
 */
export async function latestMessages(
  { store, owner }: ConversationDeps,
  contextId: string,
  wanted: number = limits.usual,
  except?: string,
): Promise<Message[]> {
  const limit = Math.min(Math.max(0, Math.floor(wanted)), limits.most);
  const found: { readonly messages: readonly Message[]; readonly createdAt: number; readonly id: string }[] = [];
  let count = 0;
  for (let pageToken = ''; ; ) {
    const request = { contextId, pageToken, pageSize: page.size, pageBytes: page.bytes };
    const { tasks, taskFacts, nextPageToken } = await store.list(owner, request, room);
    for (const [at, task] of tasks.entries()) {
      const messages = messagesOf(task).filter(({ messageId }) => messageId !== except);
      count += messages.length;
      found.push({ messages, createdAt: taskFacts[at]?.createdAt ?? 0, id: task.id });
    }
    pageToken = nextPageToken;
    if (count >= limit || pageToken === '') break;
  }
  // Generated ids tell the order of tasks that were created in the same millisecond.
  const inOrder = found
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
    .flatMap(({ messages }) => messages);
  return limit === 0 ? [] : inOrder.slice(-limit);
}

const messagesOf = ({ history = [], status: { message } }: Task): readonly Message[] =>
  message ? [...history, message] : history;
