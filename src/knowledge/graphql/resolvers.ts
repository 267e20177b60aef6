import type { GraphQLResolveInfo } from 'graphql';
import type {
  KnowledgeView,
  Page,
  StatementPageRequest,
  StatementPattern,
  StoredStatement,
} from '../../core/model/knowledge.ts';
import type { QueryBudget } from './budget.ts';
import { Connection } from './connection.ts';
import { countLimit, countPrice, type GraphqlLimits, lookupPrice } from './limits.ts';
import type { QueryReader } from './query-reader.ts';

/** Shared by all fields of a query. */
export interface ResolverContext {
  readonly reading: QueryReader;
  readonly tally: QueryBudget;
  readonly limits: GraphqlLimits;
}

/** An entity is its id; everything else is looked up on demand. */
interface Entity {
  readonly id: string;
}

type Given<Name extends string> = { readonly [N in Name]?: string | null };
type Paged = Given<'after'> & { readonly first?: number | null };
type StatementArguments = Paged &
  Given<'subject' | 'predicate' | 'object' | 'value' | 'type' | 'graph'> & { readonly minCertainty?: number | null };

const pageOf = ({ first, after }: Paged, { page }: GraphqlLimits): StatementPageRequest => ({
  first: first ?? page,
  ...(after && { after }),
});

/** The arguments that are strings; null means absent. */
export function definedStrings<Name extends string>(
  wanted: { readonly [N in Name]: string | null | undefined },
): {
  [N in Name]?: string;
} {
  const found: { [N in Name]?: string } = {};
  for (const name of Object.keys(wanted) as Name[]) {
    const value = wanted[name];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}

/** A view that also requires a certainty. */
const atLeast = (view: KnowledgeView, certainty: number | null | undefined): KnowledgeView =>
  typeof certainty === 'number' ? { ...view, minCertainty: Math.max(certainty, view.minCertainty ?? 0) } : view;

function statements(pattern: StatementPattern, paged: Paged, context: ResolverContext): Connection<StoredStatement> {
  const { reading, tally, limits } = context;
  tally.spend(lookupPrice);
  const listing = {
    page: (request: StatementPageRequest) => reading.statements(pattern, request),
    count: (atMost: number) => reading.count(pattern, atMost),
  };
  return new Connection(listing, pageOf(paged, limits), (page) => tally.page(page));
}

function entities(type: string | null | undefined, paged: Paged, context: ResolverContext): Connection<Entity> {
  const { reading, tally, limits } = context;
  tally.spend(lookupPrice);
  const filter = { ...reading.view, ...definedStrings({ type }) };
  const listing = {
    async page(request: StatementPageRequest): Promise<Page<Entity>> {
      const page = await reading.entities(filter, request);
      return { ...page, items: page.items.map((id) => ({ id })) };
    },
    count: (atMost: number) => reading.countEntities(filter, atMost),
  };
  return new Connection(listing, pageOf(paged, limits), (page) => tally.page(page));
}

/** Whether a field is resolved for each item of a list. */
function isRepeated({ path }: GraphQLResolveInfo): boolean {
  for (let step: GraphQLResolveInfo['path'] | undefined = path; step; step = step.prev) {
    if (typeof step.key === 'number') return true;
  }
  return false;
}

function total(connection: Connection<unknown>, { limits, tally }: ResolverContext, info: GraphQLResolveInfo) {
  const atMost = countLimit(limits, isRepeated(info));
  return connection.count(atMost, () => tally.spend(countPrice(atMost)));
}

/** The common fields of connections. */
const connection = {
  pageInfo: async (list: Connection<unknown>) => {
    const { endCursor, hasMore } = await list.page();
    return { endCursor: endCursor === '' ? null : endCursor, hasNextPage: hasMore };
  },
  totalCount: async (list: Connection<unknown>, _: unknown, context: ResolverContext, info: GraphQLResolveInfo) =>
    (await total(list, context, info)).count,
  totalCountIsExact: async (
    list: Connection<unknown>,
    _: unknown,
    context: ResolverContext,
    info: GraphQLResolveInfo,
  ) => (await total(list, context, info)).exact,
};

/** Default resolver: a property of the parent. */
export function property(
  source: unknown,
  _: unknown,
  { tally }: ResolverContext,
  { fieldName }: GraphQLResolveInfo,
): unknown {
  tally.spend(1);
  return (source as Readonly<Record<string, unknown>>)[fieldName];
}

/** Resolvers by type and field name. */
export const resolvers = {
  Query: {
    statements: (_: unknown, asked: StatementArguments, context: ResolverContext) => {
      const { subject, predicate, object, value, type, graph, minCertainty } = asked;
      const pattern = definedStrings({ subject, predicate, object, value, subjectType: type, graph });
      return statements({ ...atLeast(context.reading.view, minCertainty), ...pattern }, asked, context);
    },
    entity: async (_: unknown, { id }: Entity, { reading, tally }: ResolverContext) => {
      tally.spend(lookupPrice);
      return (await reading.types(id)) === undefined ? null : { id };
    },
    entities: (_: unknown, asked: Paged & Given<'type'>, context: ResolverContext) =>
      entities(asked.type, asked, context),
  },
  Statement: {
    timestamp: ({ at }: StoredStatement) => new Date(at).toISOString(),
  },
  Subject: {
    entity: ({ id }: Entity): Entity => ({ id }),
  },
  Object: {
    entity: ({ id }: Partial<Entity>): Entity | null => (id === undefined ? null : { id }),
  },
  Entity: {
    types: async ({ id }: Entity, _: unknown, { reading, tally }: ResolverContext) => {
      tally.spend(lookupPrice);
      return (await reading.types(id)) ?? [];
    },
    out: ({ id }: Entity, { predicate, ...paged }: Paged & Given<'predicate'>, context: ResolverContext) =>
      statements({ ...context.reading.view, subject: id, ...definedStrings({ predicate }) }, paged, context),
    in: ({ id }: Entity, { predicate, ...paged }: Paged & Given<'predicate'>, context: ResolverContext) =>
      statements({ ...context.reading.view, object: id, ...definedStrings({ predicate }) }, paged, context),
  },
  StatementConnection: {
    ...connection,
    nodes: async (list: Connection<StoredStatement>, _: unknown, { tally }: ResolverContext) => {
      const { items } = await list.page();
      tally.statements(items);
      return items;
    },
  },
  EntityConnection: {
    ...connection,
    nodes: async (list: Connection<Entity>) => (await list.page()).items,
  },
};
