import { admin, type TaskSummary } from '../gateway/admin.ts';
import { hrefOf } from './route.ts';

/** One result of a search. */
interface Place {
  readonly kind: 'Task' | 'Agent' | 'Conversation' | 'Caller';
  readonly name: string;
  readonly href: string;
  /** First message of a task. */
  readonly line?: string | undefined;
  readonly state?: string;
}

/** Number of tasks that are read for one text. */
const most = 8;

/** Finds objects with a text: tasks, with their conversations and callers, and agents. Enter opens the exact match. */
export async function find(
  text: string,
  signal: AbortSignal,
): Promise<{ readonly places: readonly Place[]; readonly exact: string | undefined }> {
  const options = { signal, needed: false } as const;
  const [{ tasks = [] }, { agents = [] }] = await Promise.all([
    admin.call('FindTasks', { text, pageSize: most }, options),
    admin.call('ListAgents', {}, options),
  ]);
  const wanted = text.toLowerCase();
  const isMeant = (name: string): boolean =>
    name.toLowerCase().startsWith(wanted) || name.toLowerCase().endsWith(wanted);
  const named = (kind: Place['kind'], field: 'contextId' | 'principal', parameter: string): Place[] =>
    [...new Set(tasks.map((task: TaskSummary) => task[field] ?? ''))]
      .filter((name) => name !== '' && isMeant(name))
      .map((name) => ({ kind, name, href: hrefOf('tasks', [], { [parameter]: name }) }));
  const places: readonly Place[] = [
    ...agents
      .filter(({ name, title = '' }) => isMeant(name) || title.toLowerCase().includes(wanted))
      .slice(0, most)
      .map(({ name }) => ({ kind: 'Agent' as const, name, href: hrefOf('agents', [name]) })),
    ...named('Conversation', 'contextId', 'context'),
    ...named('Caller', 'principal', 'principal'),
    ...tasks.map(({ key, id, preview, reason, state }) => ({
      kind: 'Task' as const,
      name: id,
      href: hrefOf('tasks', [key]),
      line: preview || reason,
      state,
    })),
  ];
  const keyed = tasks.filter(({ key, id }) => key === text || id === text);
  const exact = keyed.length === 1 && keyed[0] ? hrefOf('tasks', [keyed[0].key]) : undefined;
  return { places, exact: exact ?? places.find(({ kind, name }) => kind !== 'Task' && name === text)?.href };
}
