import type { ComponentType } from 'preact';
import type { IconName } from '../ui/icon.tsx';

/** One page of the console. Its code is loaded when it is first shown. */
export interface ConsolePage {
  /** Id of the page; its icon has the same name. */
  readonly id: IconName;
  readonly title: string;
  /** The letter that opens the page after `g`. */
  readonly key: string;
  /** Group in the navigation. */
  readonly group: 'Agents' | 'Tasks' | 'Gateway';
  /** Capability without which the page is not listed. */
  readonly needs?: 'knowledge';
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

/** All pages, in the order of the navigation. */
export const pages: readonly ConsolePage[] = [
  { id: 'agents', title: 'Agents', key: 'a', group: 'Agents', load: () => import('../pages/agents/index.tsx') },
  { id: 'bench', title: 'Bench', key: 'b', group: 'Agents', load: () => import('../pages/bench/index.tsx') },
  {
    id: 'knowledge',
    title: 'Knowledge',
    key: 'k',
    group: 'Agents',
    needs: 'knowledge',
    load: () => import('../pages/knowledge/index.tsx'),
  },
  { id: 'tasks', title: 'Tasks', key: 't', group: 'Tasks', load: () => import('../pages/tasks/index.tsx') },
  { id: 'calls', title: 'Calls', key: 'c', group: 'Tasks', load: () => import('../pages/calls/index.tsx') },
  { id: 'inbox', title: 'Inbox', key: 'i', group: 'Tasks', load: () => import('../pages/inbox/index.tsx') },
  { id: 'push', title: 'Push', key: 'p', group: 'Gateway', load: () => import('../pages/push/index.tsx') },
  { id: 'metrics', title: 'Metrics', key: 'm', group: 'Gateway', load: () => import('../pages/metrics/index.tsx') },
  { id: 'gateway', title: 'Gateway', key: 'w', group: 'Gateway', load: () => import('../pages/gateway/index.tsx') },
];
