import { hrefOf } from '../../shell/route.ts';
import type { Space } from './gateway.ts';
import type { StatementFilter } from './statements.ts';

export const views = ['statements', 'entities', 'graph', 'changes', 'graphql', 'propose', 'refused'] as const;
export type View = (typeof views)[number];

/** The address of a view of one agent's knowledge. */
export const viewHref = ({ agent, tenant }: Space, view: View, more: Readonly<Record<string, string>> = {}): string =>
  hrefOf('knowledge', [agent], { view: view === 'statements' ? '' : view, tenant, ...more });

/** The address of an entity in the graph. */
export const entityHref = (space: Space, id: string): string => viewHref(space, 'graph', { id });

/** The address of the statements that a filter means. */
export function statementsHref(space: Space, { minCertainty, ...texts }: StatementFilter): string {
  const certainty = minCertainty === undefined ? {} : { minCertainty: String(minCertainty) };
  return viewHref(space, 'statements', { ...(texts as Record<string, string>), ...certainty });
}
