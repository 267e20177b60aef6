import { timestamp } from '../../core/model/agent-events.ts';
import { foldedReason } from '../../core/model/folded-reason.ts';
import type { TaskFilter, TaskOverview } from '../../core/ports/admin-store.ts';
import type { AgentTasks, GroupTasksRequest, GroupTasksResponse, TaskGroup } from '../../gen/admin-v1/types.ts';
import type { AdminHandlers } from '../handlers.ts';
import { filterOf, type TaskHandlersDeps } from './tasks.ts';

/**
 * Largest numbers of tasks: read for one call, read at once, and read at once for conversations, of which each task may have its
 * own.
 */
const reading = { most: 10_000, step: 2_000, contextStep: 500 } as const;
/**
 * Largest number of groups. Once there are so many conversations, only their tasks are counted; the next page begins with the
 * others.
 */
const maxGroups = 500;
/** Largest numbers of names: agents and principals of a conversation, and callers with the most tasks of a group. */
const maxNames = { conversation: 20, callers: 5 } as const;
/** Number of steps of a line over time. */
const lineSteps = 24;

type Deps = Pick<TaskHandlersDeps, 'store' | 'hidesWords'>;

interface Group {
  count: number;
  readonly latest: TaskOverview;
  readonly reason: string;
  readonly agents: Set<string>;
  /** Number of tasks of each principal. */
  readonly principals: Map<string, number>;
  /** Times at which the group's tasks last changed, in milliseconds since the epoch. The latest comes first. */
  readonly times: number[];
}

/** Groups of the tasks that were read. */
interface Grouped {
  readonly groups: readonly Group[];
  /** Number of tasks. */
  readonly tasks: number;
  /** Token of the page at which the reading stopped. '': there are no more tasks. */
  readonly token: string;
  /** Token of the next page, if it differs from `token`. */
  readonly next: string | undefined;
}

/** The operation that counts tasks of all callers. */
export function groupHandlers(deps: Deps): AdminHandlers<'GroupTasks'> {
  return {
    async GroupTasks(request) {
      const hidden = deps.hidesWords();
      const filter = filterOf(request, hidden);
      const byContext = request.by === 'TASK_GROUPING_CONTEXT';
      const grouped = await readGroups(deps, filter, { token: request.pageToken ?? '', byContext, hidden });
      const { groups, tasks, token, next } = grouped;
      const value: GroupTasksResponse = {
        ...(byContext ? { groups: groups.map((group) => contextOf(group, hidden)) } : reasonsOf(groups, filter, deps)),
        tasks,
        complete: token === '',
        nextPageToken: next ?? token,
        totals: request.totals ? await totalsOf(deps, request, hidden) : [],
      };
      return { value };
    },
  };
}

async function readGroups(
  { store }: Deps,
  filter: TaskFilter,
  {
    token: first,
    byContext,
    hidden,
  }: { readonly token: string; readonly byContext: boolean; readonly hidden: boolean },
): Promise<Grouped> {
  const step = byContext ? reading.contextStep : reading.step;
  const groups = new Map<string, Group>();
  let [tasks, read, token] = [0, 0, first];
  let next: string | undefined;
  do {
    const found = await store.searchTasks(filter, step, token);
    for (const task of found.tasks) {
      const reason = hidden ? '' : foldedReason(task.reason);
      const name = byContext ? task.contextId : JSON.stringify([task.agent, task.state, reason]);
      if (next !== undefined && !groups.has(name)) continue;
      addTo(groups, name, task, reason);
    }
    tasks += found.tasks.length;
    // A page that is not full has cost as much as a large one.
    read += found.tasks.length < step ? reading.step : step;
    token = found.nextPageToken;
    if (byContext && groups.size >= maxGroups) next ??= token;
  } while (token !== '' && read < reading.most);
  return { groups: [...groups.values()], tasks, token, next };
}

function addTo(groups: Map<string, Group>, name: string, task: TaskOverview, reason: string): void {
  let group = groups.get(name);
  if (!group) {
    group = { count: 0, latest: task, reason, agents: new Set(), principals: new Map(), times: [] };
    groups.set(name, group);
  }
  group.count += 1;
  if (group.agents.size < maxNames.conversation) group.agents.add(task.agent);
  group.principals.set(task.principal, (group.principals.get(task.principal) ?? 0) + 1);
  group.times.push(task.updatedAt);
}

/** The largest groups, with their lines over the time of the filter, or since the task that changed first. */
function reasonsOf(
  groups: readonly Group[],
  { changedSince, changedBefore }: TaskFilter,
  { store }: Deps,
): Pick<GroupTasksResponse, 'groups' | 'times'> {
  const until = changedBefore ?? store.now();
  const from = changedSince ?? Math.min(until - 1, ...groups.map(({ times }) => times.at(-1) ?? until));
  const step = Math.max(1, (until - from) / lineSteps);
  const lineOf = ({ times }: Group): number[] => {
    const line = new Array<number>(lineSteps).fill(0);
    for (const time of times) {
      const at = Math.min(lineSteps - 1, Math.max(0, Math.floor((time - from) / step)));
      line[at] = (line[at] as number) + 1;
    }
    return line;
  };
  const largest = groups.toSorted((a, b) => b.count - a.count).slice(0, maxGroups);
  return {
    groups: largest.map((group) => ({ ...groupOf(group), line: lineOf(group) })),
    times: Array.from({ length: lineSteps }, (_, at) => timestamp(from + at * step)),
  };
}

/** All tasks of each agent that match except for their states and reasons. */
async function totalsOf({ store }: Deps, request: GroupTasksRequest, hidden: boolean): Promise<AgentTasks[]> {
  const { states: _, reason: __, ...others } = request;
  const filter = filterOf(others, hidden);
  const counts = new Map<string, number>();
  let [read, token] = [0, ''];
  do {
    const found = await store.searchTasks(filter, reading.step, token);
    for (const { agent } of found.tasks) counts.set(agent, (counts.get(agent) ?? 0) + 1);
    read += reading.step;
    token = found.nextPageToken;
  } while (token !== '' && read < reading.most);
  return Array.from(counts, ([agent, count]) => ({ agent, count, complete: token === '' }));
}

const groupOf = ({ count, latest, reason, principals, times }: Group): TaskGroup => ({
  agent: latest.agent,
  state: latest.state,
  reason,
  count,
  latestKey: latest.key,
  latestAt: timestamp(latest.updatedAt),
  firstAt: timestamp(times.reduce((first, time) => Math.min(first, time), latest.updatedAt)),
  callers: principals.size,
  topCallers: Array.from(principals, ([principal, tasks]) => ({ principal, count: tasks }))
    .sort((a, b) => b.count - a.count)
    .slice(0, maxNames.callers),
});

/** Returns the group of a conversation. */
const contextOf = (group: Group, hidden: boolean): TaskGroup => ({
  ...groupOf(group),
  contextId: group.latest.contextId,
  ...(!hidden && { preview: group.latest.preview }),
  agents: [...group.agents],
  principals: [...group.principals.keys()].slice(0, maxNames.conversation),
});
