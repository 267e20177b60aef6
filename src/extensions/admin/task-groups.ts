import { timestamp } from '../../core/model/agent-events.ts';
import type { TaskOverview } from '../../core/ports/admin-store.ts';
import type { TaskGroup } from '../../gen/admin-v1/types.ts';
import type { AdminHandlers } from './service.ts';
import { filterOf, type TaskHandlersDeps } from './tasks.ts';

/** Tasks that one call reads at once, and how often. */
const reading = { page: 2_000, pages: 5 } as const;
/** Groups that are listed. */
const maxGroups = 500;

/** The beginning of one that was cut off, UUIDs, hexadecimal numbers of eight digits, decimal ones of five. */
const ids = [
  /\b[\da-f-]{1,64}…$/i,
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi,
  /\b(?:0x)?[\da-f]{8,}\b/gi,
  /\d{5,}/g,
] as const;

/** The operation that counts tasks of all callers. */
export function groupHandlers({
  store,
  hidesWords,
}: Pick<TaskHandlersDeps, 'store' | 'hidesWords'>): AdminHandlers<'GroupTasks'> {
  return {
    async GroupTasks(request) {
      const hidden = hidesWords();
      const filter = filterOf(request, hidden);
      const groups = new Map<string, { count: number; readonly latest: TaskOverview; readonly reason: string }>();
      let tasks = 0;
      let token = '';
      for (let page = 0; page < reading.pages; page += 1) {
        const found = await store.searchTasks(filter, reading.page, token);
        for (const task of found.tasks) {
          const reason = hidden ? '' : ids.reduce((text, id) => text.replace(id, '…'), task.reason);
          const name = JSON.stringify([task.agent, task.state, reason]);
          const group = groups.get(name) ?? { count: 0, latest: task, reason };
          group.count += 1;
          groups.set(name, group);
        }
        tasks += found.tasks.length;
        token = found.nextPageToken;
        if (token === '') break;
      }
      const largest = [...groups.values()].sort((a, b) => b.count - a.count).slice(0, maxGroups);
      return { value: { groups: largest.map(groupOf), tasks, complete: token === '' } };
    },
  };
}

const groupOf = ({ count, latest, reason }: { count: number; latest: TaskOverview; reason: string }): TaskGroup => ({
  ...{ agent: latest.agent, state: latest.state, reason, count },
  ...{ latestKey: latest.key, latestAt: timestamp(latest.updatedAt) },
});
