import { timestamp } from '../../core/model/agent-events.ts';
import type { TaskOverview } from '../../core/ports/admin-store.ts';
import type { TaskGroup } from '../../gen/admin-v1/types.ts';
import type { AdminHandlers } from '../handlers.ts';
import { filterOf, type TaskHandlersDeps } from './tasks.ts';

/** Tasks that one call reads, and at once. Of conversations fewer at once: each task may have one of its own. */
const reading = { most: 10_000, step: 2_000, contextStep: 500 } as const;
/** Groups that are listed. Of so many conversations the tasks are counted on, and the next page begins with the others. */
const maxGroups = 500;
/** Agents and principals of a conversation that are named. */
const maxNames = 20;

/** The beginning of one that was cut off, UUIDs, hexadecimal numbers of eight digits, decimal ones of five. */
const ids = [
  /\b[\da-f-]{1,64}…$/i,
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi,
  /\b(?:0x)?[\da-f]{8,}\b/gi,
  /\d{5,}/g,
] as const;

interface Group {
  count: number;
  readonly latest: TaskOverview;
  readonly reason: string;
  readonly agents: Set<string>;
  readonly principals: Set<string>;
}

/** The operation that counts tasks of all callers. */
export function groupHandlers({
  store,
  hidesWords,
}: Pick<TaskHandlersDeps, 'store' | 'hidesWords'>): AdminHandlers<'GroupTasks'> {
  return {
    async GroupTasks(request) {
      const hidden = hidesWords();
      const filter = filterOf(request, hidden);
      const byContext = request.by === 'TASK_GROUPING_CONTEXT';
      const step = byContext ? reading.contextStep : reading.step;
      const groups = new Map<string, Group>();
      let [tasks, read, token] = [0, 0, request.pageToken ?? ''];
      let next: string | undefined;
      do {
        const found = await store.searchTasks(filter, step, token);
        for (const task of found.tasks) {
          const reason = hidden ? '' : ids.reduce((text, id) => text.replace(id, '…'), task.reason);
          const name = byContext ? task.contextId : JSON.stringify([task.agent, task.state, reason]);
          let group = groups.get(name);
          if (!group) {
            if (next !== undefined) continue;
            group = { count: 0, latest: task, reason, agents: new Set(), principals: new Set() };
            groups.set(name, group);
          }
          group.count += 1;
          if (group.agents.size < maxNames) group.agents.add(task.agent);
          if (group.principals.size < maxNames) group.principals.add(task.principal);
        }
        tasks += found.tasks.length;
        // A page that is not full has cost as much as a large one.
        read += found.tasks.length < step ? reading.step : step;
        token = found.nextPageToken;
        if (byContext && groups.size >= maxGroups) next ??= token;
      } while (token !== '' && read < reading.most);
      const all = [...groups.values()];
      const shown = byContext
        ? all.map((group) => contextOf(group, hidden))
        : all
            .sort((a, b) => b.count - a.count)
            .slice(0, maxGroups)
            .map(groupOf);
      return { value: { groups: shown, tasks, complete: token === '', nextPageToken: next ?? token } };
    },
  };
}

const groupOf = ({ count, latest, reason }: Group): TaskGroup => ({
  agent: latest.agent,
  state: latest.state,
  reason,
  count,
  latestKey: latest.key,
  latestAt: timestamp(latest.updatedAt),
});

/** A conversation by its tasks. */
const contextOf = (group: Group, hidden: boolean): TaskGroup => ({
  ...groupOf(group),
  contextId: group.latest.contextId,
  ...(!hidden && { preview: group.latest.preview }),
  agents: [...group.agents],
  principals: [...group.principals],
});
