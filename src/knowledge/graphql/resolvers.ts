import type { GraphQLResolveInfo } from 'graphql';
import type {
  BoundedCount,
  KnowledgeView,
  Page,
  StatementPageRequest,
  StatementPattern,
  StoredStatement,
} from '../../core/model/knowledge.ts';
import type { QueryBudget } from './budget.ts';
import { countLimit, countPrice, type GraphqlLimits, lookupPrice } from './limits.ts';
import type { QueryReader } from './query-reader.ts';

/** Shared by all fields of a query. */
export interface ResolverContext {
  readonly reader: QueryReader;
  readonly budget: QueryBudget;
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

/** The values that are strings; null means absent. */
export const definedStrings = <Values extends object>(values: Values): Partial<Record<keyof Values, string>> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'string')) as Partial<
    Record<keyof Values, string>
  >;

/** A view that also requires a certainty. */
const atLeast = (view: KnowledgeView, certainty: number | null | undefined): KnowledgeView =>
  typeof certainty === 'number' ? { ...view, minCertainty: Math.max(certainty, view.minCertainty ?? 0) } : view;

/** A page of a list. Only the requested fields are looked up, each once. */
interface Connection<Item> {
  page(): Promise<Page<Item>>;
  /** Counts all items up to a bound. */
  count(info: GraphQLResolveInfo): Promise<BoundedCount>;
}

function connect<Item>(
  read: (request: StatementPageRequest) => Promise<Page<Item>>,
  countUpTo: (atMost: number) => Promise<BoundedCount>,
  { first: wanted, after }: Paged,
  { budget, limits }: ResolverContext,
): Connection<Item> {
  budget.spend(lookupPrice);
  const first = wanted ?? limits.page;
  let page: Promise<Page<Item>> | undefined;
  let total: Promise<BoundedCount> | undefined;
  const load = async (): Promise<Page<Item>> => {
    const full = await read({ first: first || 1, ...(after && { after }) });
    // An empty page can still tell whether there are items.
    const shown = first > 0 ? full : { items: [], endCursor: after ?? '', hasMore: full.items.length > 0 };
    budget.page(shown);
    return shown;
  };
  const count = async (info: GraphQLResolveInfo): Promise<BoundedCount> => {
    // Sibling fields have started their reads by then.
    await Promise.resolve();
    const known = after ? undefined : await page;
    if (known && !known.hasMore) return { count: known.items.length, exact: true };
    const atMost = countLimit(limits, isRepeated(info));
    budget.spend(countPrice(atMost));
    return countUpTo(atMost);
  };
  return {
    page: () => {
      page ??= load();
      return page;
    },
    count: (info) => {
      total ??= count(info);
      return total;
    },
  };
}

const statements = (pattern: StatementPattern, paged: Paged, context: ResolverContext): Connection<StoredStatement> =>
  connect(
    (request) => context.reader.statements(pattern, request),
    (atMost) => context.reader.count(pattern, atMost),
    paged,
    context,
  );

function entities(type: string | null | undefined, paged: Paged, context: ResolverContext): Connection<Entity> {
  const { reader } = context;
  const filter = { ...reader.view, ...definedStrings({ type }) };
  const read = async (request: StatementPageRequest): Promise<Page<Entity>> => {
    const page = await reader.entities(filter, request);
    return { ...page, items: page.items.map((id) => ({ id })) };
  };
  return connect(read, (atMost) => reader.countEntities(filter, atMost), paged, context);
}

/** Whether a field is resolved for each item of a list. */
function isRepeated({ path }: GraphQLResolveInfo): boolean {
  for (let step: GraphQLResolveInfo['path'] | undefined = path; step; step = step.prev) {
    if (typeof step.key === 'number') return true;
  }
  return false;
}

/** The common fields of connections. */
const connection = {
  pageInfo: async (list: Connection<unknown>) => {
    const { endCursor, hasMore } = await list.page();
    return { endCursor: endCursor === '' ? null : endCursor, hasNextPage: hasMore };
  },
  totalCount: async ({ count }: Connection<unknown>, _: unknown, __: unknown, info: GraphQLResolveInfo) =>
    (await count(info)).count,
  totalCountIsExact: async ({ count }: Connection<unknown>, _: unknown, __: unknown, info: GraphQLResolveInfo) =>
    (await count(info)).exact,
};

/** Default resolver: a property of the parent. */
export function property(
  source: unknown,
  _: unknown,
  { budget }: ResolverContext,
  { fieldName }: GraphQLResolveInfo,
): unknown {
  budget.spend(1);
  return (source as Readonly<Record<string, unknown>>)[fieldName];
}

/** Resolvers by type and field name. */
export const resolvers = {
  Query: {
    statements: (_: unknown, args: StatementArguments, context: ResolverContext) => {
      const { subject, predicate, object, value, type, graph, minCertainty } = args;
      const pattern = definedStrings({ subject, predicate, object, value, subjectType: type, graph });
      return statements({ ...atLeast(context.reader.view, minCertainty), ...pattern }, args, context);
    },
    entity: async (_: unknown, { id }: Entity, { reader, budget }: ResolverContext) => {
      budget.spend(lookupPrice);
      return (await reader.types(id)) === undefined ? null : { id };
    },
    entities: (_: unknown, args: Paged & Given<'type'>, context: ResolverContext) => entities(args.type, args, context),
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
    types: async ({ id }: Entity, _: unknown, { reader, budget }: ResolverContext) => {
      budget.spend(lookupPrice);
      return (await reader.types(id)) ?? [];
    },
    out: ({ id }: Entity, { predicate, ...paged }: Paged & Given<'predicate'>, context: ResolverContext) =>
      statements({ ...context.reader.view, subject: id, ...definedStrings({ predicate }) }, paged, context),
    in: ({ id }: Entity, { predicate, ...paged }: Paged & Given<'predicate'>, context: ResolverContext) =>
      statements({ ...context.reader.view, object: id, ...definedStrings({ predicate }) }, paged, context),
  },
  StatementConnection: {
    ...connection,
    nodes: async (list: Connection<StoredStatement>, _: unknown, { budget }: ResolverContext) => {
      const { items } = await list.page();
      budget.statements(items);
      return items;
    },
  },
  EntityConnection: {
    ...connection,
    nodes: async (list: Connection<Entity>) => (await list.page()).items,
  },
};
