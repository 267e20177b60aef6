import type { ComponentType } from 'preact';
import type { IconName } from '../ui/icon.tsx';

/** One page of the console. Its code is loaded when it is first shown. */
export interface ConsolePage {
  /** Id of the page; its icon has the same name. */
  readonly id: IconName;
  readonly title: string;
  /** Group in the navigation. */
  readonly group: 'Agents' | 'Tasks' | 'Gateway';
  /** Capability without which the page is not listed. */
  readonly needs?: 'knowledge';
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

/** All pages, in the order of the navigation. */
export const pages: readonly ConsolePage[] = [
  { id: 'agents', title: 'Agents', group: 'Agents', load: () => import('../pages/agents/index.tsx') },
  { id: 'bench', title: 'Bench', group: 'Agents', load: () => import('../pages/bench/index.tsx') },
  {
    id: 'knowledge',
    title: 'Knowledge',
    group: 'Agents',
    needs: 'knowledge',
    load: () => import('../pages/knowledge/index.tsx'),
  },
  { id: 'tasks', title: 'Tasks', group: 'Tasks', load: () => import('../pages/tasks/index.tsx') },
  { id: 'calls', title: 'Calls', group: 'Tasks', load: () => import('../pages/calls/index.tsx') },
  { id: 'inbox', title: 'Inbox', group: 'Tasks', load: () => import('../pages/inbox/index.tsx') },
  { id: 'push', title: 'Push', group: 'Gateway', load: () => import('../pages/push/index.tsx') },
  { id: 'metrics', title: 'Metrics', group: 'Gateway', load: () => import('../pages/metrics/index.tsx') },
  { id: 'gateway', title: 'Gateway', group: 'Gateway', load: () => import('../pages/gateway/index.tsx') },
];
