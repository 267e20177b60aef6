import type { GraphQLResolveInfo } from 'graphql';
import type { BoundedCount, KnowledgeView, Page, StatementPattern, StoredStatement } from '../model/graph.ts';
import type { QueryBudget } from './budget.ts';
import { countLimit, countPrice, type GraphqlLimits, lookupPrice } from './limits.ts';
import { type Awaited, type List, type Lookup, type Lookups, type Paging, whenLoaded } from './lookups.ts';
import type { PlannedField } from './plan.ts';

/** State that all fields of a query share. */
export interface ResolverContext {
  readonly lookups: Lookups;
  readonly budget: QueryBudget;
  readonly limits: GraphqlLimits;
}

/** Information about a field for its resolver. Introspection uses the first two members. */
export interface FieldInfo extends Pick<GraphQLResolveInfo, 'schema' | 'parentType'> {
  readonly planned: PlannedField;
}

/** An entity is represented by its id; everything else is looked up on demand. */
interface Entity {
  readonly id: string;
}

type Given<Name extends string> = { readonly [N in Name]?: string | null };
type Paged = Given<'after'> & { readonly first?: number | null };
type StatementArguments = Paged &
  Given<'subject' | 'predicate' | 'object' | 'value' | 'type' | 'graph'> & { readonly minCertainty?: number | null };

/** Returns the members whose value is a string. Null means absent. */
export const definedStrings = <Values extends object>(values: Values): Partial<Record<keyof Values, string>> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'string')) as Partial<
    Record<keyof Values, string>
  >;

/** Returns a view that also requires a minimum certainty. */
const atLeast = (view: KnowledgeView, certainty: number | null | undefined): KnowledgeView =>
  typeof certainty === 'number' ? { ...view, minCertainty: Math.max(certainty, view.minCertainty ?? 0) } : view;

/** A list as a connection of the result. */
interface Connection<Item> extends List<Item> {
  /** Cursor after which the list begins. */
  readonly after: string | undefined;
  /** Whether `first` is 0: the page has no items, but reports whether there are any. */
  readonly isEmpty: boolean;
  /** The page, if the query selects its items. It may make a count unnecessary. */
  readonly wanted: Lookup<Page<Item>> | undefined;
}

const paging = ({ first, after }: Paged, { limits }: ResolverContext): Paging => ({
  first: (first ?? limits.page) || 1,
  ...(after && { after }),
});

function connect<Item>(
  list: List<Item>,
  { first, after }: Paged,
  { budget }: ResolverContext,
  { planned }: FieldInfo,
): Connection<Item> {
  budget.spend(lookupPrice);
  const isPageWanted = planned.fields.some(({ field: { name } }) => name === 'nodes' || name === 'pageInfo');
  return { ...list, after: after || undefined, isEmpty: first === 0, wanted: isPageWanted ? list.page() : undefined };
}

const statements = (pattern: StatementPattern, paged: Paged, context: ResolverContext, info: FieldInfo) =>
  connect(context.lookups.statements(pattern, paging(paged, context)), paged, context, info);

/** Returns a resolver of the statements with an entity as subject or object. */
const statementsWith =
  (place: 'subject' | 'object') =>
  ({ id }: Entity, args: Paged & Given<'predicate'>, context: ResolverContext, info: FieldInfo) =>
    statements({ [place]: id, ...definedStrings({ predicate: args.predicate }) }, args, context, info);

function nodes<Item>(
  { page: pageOf, isEmpty }: Connection<Item>,
  budget: QueryBudget,
  read: (items: readonly Item[]) => unknown,
) {
  return whenLoaded(pageOf(), (page) => {
    budget.page({ ...page, hasMore: page.hasMore || (isEmpty && page.items.length > 0) });
    return read(isEmpty ? [] : page.items);
  });
}

function counted(
  { after, wanted, count: countOf }: Connection<unknown>,
  { budget, limits }: ResolverContext,
  { planned: { isRepeated } }: FieldInfo,
  read: (count: BoundedCount) => unknown,
): Awaited {
  const count = (): Awaited => {
    const atMost = countLimit(limits, isRepeated);
    budget.spend(countPrice(atMost));
    return whenLoaded(countOf(atMost), read);
  };
  if (!wanted || after !== undefined) return count();
  return whenLoaded(wanted, ({ items, hasMore }) => (hasMore ? count() : read({ count: items.length, exact: true })));
}

/** Fields that all connections have in common. */
const connection = {
  pageInfo: ({ page: pageOf, after, isEmpty }: Connection<unknown>, _: unknown, { budget }: ResolverContext) =>
    whenLoaded(pageOf(), (page) => {
      const hasMore = isEmpty ? page.items.length > 0 : page.hasMore;
      const endCursor = isEmpty ? (after ?? '') : page.endCursor;
      budget.page({ ...page, hasMore });
      return { endCursor: endCursor === '' ? null : endCursor, hasNextPage: hasMore };
    }),
  totalCount: (of: Connection<unknown>, _: unknown, context: ResolverContext, info: FieldInfo) =>
    counted(of, context, info, ({ count }) => count),
  totalCountIsExact: (of: Connection<unknown>, _: unknown, context: ResolverContext, info: FieldInfo) =>
    counted(of, context, info, ({ exact }) => exact),
};

/** Resolvers by type and field name. Fields without a resolver are properties. */
export const resolvers = {
  Query: {
    statements: (_: unknown, args: StatementArguments, context: ResolverContext, info: FieldInfo) => {
      const { subject, predicate, object, value, type, graph, minCertainty } = args;
      const pattern = definedStrings({ subject, predicate, object, value, subjectType: type, graph });
      return statements({ ...atLeast(context.lookups.view, minCertainty), ...pattern }, args, context, info);
    },
    entity: (_: unknown, { id }: Entity, { lookups, budget }: ResolverContext) => {
      budget.spend(lookupPrice);
      return whenLoaded(lookups.types(id), (types) => types && { id });
    },
    entities: (_: unknown, args: Paged & Given<'type'>, context: ResolverContext, info: FieldInfo) => {
      const list = context.lookups.entities(definedStrings({ type: args.type }), paging(args, context));
      return connect(list, args, context, info);
    },
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
    types: ({ id }: Entity, _: unknown, { lookups, budget }: ResolverContext) => {
      budget.spend(lookupPrice);
      return whenLoaded(lookups.types(id), (types) => types ?? []);
    },
    out: statementsWith('subject'),
    in: statementsWith('object'),
  },
  StatementConnection: {
    ...connection,
    nodes: (of: Connection<StoredStatement>, _: unknown, { budget }: ResolverContext) =>
      nodes(of, budget, (items) => {
        budget.statements(items);
        return items;
      }),
  },
  EntityConnection: {
    ...connection,
    nodes: (of: Connection<string>, _: unknown, { budget }: ResolverContext) =>
      nodes(of, budget, (items) => items.map((id): Entity => ({ id }))),
  },
};
