import { fields } from '../../../../gen/knowledge-v1/fields.ts';
import { type OperationTypes, operations } from '../../../../gen/knowledge-v1/operations.ts';
import type { KnowledgeQueryParams } from '../../../../gen/knowledge-v1/types.ts';
import { createService } from '../../gateway/service.ts';
import { hrefOf } from '../../shell/route.ts';

/** The knowledge of one agent, or of one of its tenants if it has several. */
export interface Space {
  readonly agent: string;
  /** Tenant; '' without tenants. */
  readonly tenant: string;
}

/** The subject of every view. */
export interface SpaceProps {
  readonly space: Space;
}

const knowledge = createService<OperationTypes>(operations, fields);

/**
 * Returns the options of a call about an agent's knowledge. A page shows its other parts without it, so a refusal does
 * not open the dialog to sign in.
 */
const about = ({ agent }: Space, signal: AbortSignal) => ({
  at: `/${encodeURIComponent(agent)}`,
  needed: false,
  signal,
});

const inSpace = <T extends object>({ tenant }: Space, request: T): T => ({ ...request, ...(tenant && { tenant }) });

/** Runs a query. Rejects with a GatewayError. */
export const query = (space: Space, request: KnowledgeQueryParams, signal: AbortSignal) =>
  knowledge.call('Query', inSpace(space, request), about(space, signal));

/** Returns the address of a view of one agent's knowledge. */
export const viewHref = (
  { agent, tenant }: Space,
  view: string,
  more: Readonly<Record<string, string | undefined>> = {},
): string => hrefOf('knowledge', [agent], { view, tenant, ...more });

/** Returns the address of the statements about an entity. */
export const entityHref = (space: Space, id: string): string => viewHref(space, 'statements', { subject: id });
