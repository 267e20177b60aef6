import type {
  KnowledgeGraphChangeEvent,
  KnowledgeQueryParams,
  KnowledgeQueryResponseResult,
  KnowledgeUpdateParams,
  KnowledgeUpdateResponseResult,
} from '../../../../gen/knowledge-v1/types.ts';
import { asGatewayError, errorOf } from '../../gateway/error.ts';
import { callGateway } from '../../gateway/fetch.ts';
import { readEvents } from '../../gateway/sse.ts';

/** The knowledge of one agent, of one of its tenants where it has several. */
export interface Space {
  readonly agent: string;
  /** '' without tenants. */
  readonly tenant: string;
}

/** Milliseconds for an answer. */
const deadline = 30_000;

function pathOf({ agent, tenant }: Space, verb: string): string {
  const pieces = [agent, ...(tenant === '' ? [] : [tenant])].map(encodeURIComponent);
  return `/${pieces.join('/')}/knowledge:${verb}`;
}

const headers = { 'Content-Type': 'application/json' };

async function post<T>(space: Space, verb: string, body: object, signal: AbortSignal): Promise<T> {
  const signals = AbortSignal.any([signal, AbortSignal.timeout(deadline)]);
  const request = { method: 'POST', headers, body: JSON.stringify(body), signal: signals, needed: false };
  const response = await callGateway(pathOf(space, verb), request);
  return response.json().catch((thrown: unknown) => Promise.reject(asGatewayError(thrown)));
}

/** Carries a query out. Rejects with a GatewayError. */
export const query = (space: Space, request: KnowledgeQueryParams, signal: AbortSignal) =>
  post<KnowledgeQueryResponseResult>(space, 'query', request, signal);

/** Proposes changes. Rejects with a GatewayError, also where a rule forbids them. */
export const propose = (space: Space, request: KnowledgeUpdateParams, signal: AbortSignal) =>
  post<KnowledgeUpdateResponseResult>(space, 'update', request, signal);

/** Position of the last change, for a subscription after it. */
export async function lastPosition(space: Space, signal: AbortSignal): Promise<number | undefined> {
  const { queryMetadata } = await query(space, { query: '{ __typename }' }, signal);
  const { position } = queryMetadata ?? {};
  return typeof position === 'number' ? position : undefined;
}

/** What a subscription is for: GraphQL, or a filter as JSON. */
export interface Subscription {
  readonly text: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** Opens a stream of changes, after a position where one is given. */
export async function* changes(
  space: Space,
  { text, variables }: Subscription,
  after: number | undefined,
  { signal, onOpen }: { readonly signal: AbortSignal; readonly onOpen: () => void },
): AsyncGenerator<{ readonly id: string | undefined; readonly event: KnowledgeGraphChangeEvent }> {
  const response = await callGateway(pathOf(space, 'subscribe'), {
    method: 'POST',
    headers: {
      ...headers,
      Accept: 'text/event-stream',
      ...(after !== undefined && { 'Last-Event-ID': String(after) }),
    },
    body: JSON.stringify({ subscriptionQuery: text, ...(variables && { variables }) }),
    signal,
    needed: false,
  });
  onOpen();
  if (!response.body) return;
  try {
    for await (const { event, id, data } of readEvents(response.body)) {
      const value = JSON.parse(data);
      if (event === 'error') throw errorOf(value);
      yield { id, event: value };
    }
  } catch (thrown) {
    throw asGatewayError(thrown);
  }
}
