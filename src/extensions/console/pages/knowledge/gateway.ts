import { fields } from '../../../../gen/knowledge-v1/fields.ts';
import { type OperationTypes, operations } from '../../../../gen/knowledge-v1/operations.ts';
import type {
  KnowledgeGraphChangeEvent,
  KnowledgeQueryParams,
  KnowledgeUpdateParams,
} from '../../../../gen/knowledge-v1/types.ts';
import type { OpenStream } from '../../gateway/live.ts';
import { createService } from '../../gateway/service.ts';
import { hrefOf } from '../../shell/route.ts';

/** The knowledge of one agent, of one of its tenants where it has several. */
export interface Space {
  readonly agent: string;
  /** '' without tenants. */
  readonly tenant: string;
}

/** What every view is about. */
export interface SpaceProps {
  readonly space: Space;
}

const knowledge = createService<OperationTypes>(operations, fields);

/** The options of a call about an agent's knowledge. A page shows what it can without it, so that it asks for no sign-in. */
const about = ({ agent }: Space, signal: AbortSignal) => ({
  at: `/${encodeURIComponent(agent)}`,
  needed: false,
  signal,
});

const inSpace = <T extends object>({ tenant }: Space, request: T): T => ({ ...request, ...(tenant && { tenant }) });

/** Carries a query out. Rejects with a GatewayError. */
export const query = (space: Space, request: KnowledgeQueryParams, signal: AbortSignal) =>
  knowledge.call('Query', inSpace(space, request), about(space, signal));

/** Proposes changes. Rejects with a GatewayError, also where a rule forbids them. */
export const propose = (space: Space, request: KnowledgeUpdateParams, signal: AbortSignal) =>
  knowledge.call('Update', inSpace(space, request), about(space, signal));

/** Opens streams of the changes that pass a filter, after a position where one is given. */
export const changes =
  (space: Space, filter: object): OpenStream<KnowledgeGraphChangeEvent, number> =>
  (after, { signal, onOpen }) =>
    knowledge.stream('Subscribe', inSpace(space, { subscriptionQuery: JSON.stringify(filter) }), {
      ...about(space, signal),
      onOpen,
      lastEventId: after === undefined ? undefined : String(after),
    });

/** The address of a view of one agent's knowledge. */
export const viewHref = (
  { agent, tenant }: Space,
  view: string,
  more: Readonly<Record<string, string | undefined>> = {},
): string => hrefOf('knowledge', [agent], { view, tenant, ...more });

/** The address of an entity, with its neighbours. */
export const entityHref = (space: Space, id: string): string => viewHref(space, 'entities', { id });
