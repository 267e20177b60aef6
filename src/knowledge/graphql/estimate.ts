import {
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  type SelectionSetNode,
  type VariableValues,
} from 'graphql';
import type { Prepared } from './document.ts';
import { countLimit, countPrice, type GraphqlLimits, lookupPrice } from './limits.ts';
import { fieldsIn, fragmentsOf } from './selections.ts';

/** Assumed items of a list in introspection. */
const listed = 10;

/** Context of a field. */
interface Place {
  readonly parent: GraphQLObjectType;
  /** Maximum of parents. */
  readonly times: number;
  /** Items of a list of the parent. */
  readonly items: number;
  /** Whether it is resolved for each item of a list. */
  readonly repeated: boolean;
}

/**
 * Estimates the cost of a valid query: one for every value, and more for lookups, with all pages full. So queries are
 * rejected that no graph could answer; the actual cost is counted during execution. Throws a GraphQLError with its
 * location for what is beyond a limit.
 */
export function estimateCost(
  schema: GraphQLSchema,
  { document, operation }: Prepared,
  variables: VariableValues,
  limits: GraphqlLimits,
): void {
  const fragments = fragmentsOf(document);
  let cost = 0;
  /** Cost in the schema: introspection needs no lookups and is not counted during execution. */
  let introspection = 0;

  const visit = (set: SelectionSetNode, place: Place): void => {
    for (const [node] of fieldsIn(set, fragments)) {
      const field = schema.getField(place.parent, node.name.value);
      if (field) visitField(field, node, place);
    }
  };

  const visitField = (field: GraphQLField<unknown, unknown>, node: FieldNode, place: Place): void => {
    const { parent, times, items, repeated } = place;
    const given = getArgumentValues(field, node, variables);
    checkRanges(node, given, limits);
    const price = times * priceOf(field, place, limits);
    if (parent.name.startsWith('__')) introspection += price;
    else cost += price;
    if (cost > limits.cost) {
      throw new GraphQLError('The answer could be too large: ask for smaller pages with `first`', { nodes: node });
    }
    if (introspection > limits.introspection) {
      throw new GraphQLError('The introspection query is too large', { nodes: node });
    }
    const type = getNamedType(field.type);
    if (!node.selectionSet || !isObjectType(type)) return;
    const isList = isListType(getNullableType(field.type));
    visit(node.selectionSet, {
      parent: type,
      times: isList ? times * items : times,
      items: isPaged(field) ? Number(given.first ?? limits.page) : listed,
      repeated: repeated || isList,
    });
  };

  const parent = schema.getRootType(operation.operation);
  if (parent) visit(operation.selectionSet, { parent, times: 1, items: listed, repeated: false });
}

/** Checks ranges that types cannot express. */
function checkRanges(
  node: FieldNode,
  { first, minCertainty }: Readonly<Record<string, unknown>>,
  { largestPage }: GraphqlLimits,
): void {
  if (typeof first === 'number' && (first < 0 || first > largestPage)) {
    throw new GraphQLError(`\`first\` must be between 0 and ${largestPage}`, { nodes: node });
  }
  if (typeof minCertainty === 'number' && (minCertainty < 0 || minCertainty > 1)) {
    throw new GraphQLError('`minCertainty` must be between 0 and 1', { nodes: node });
  }
}

const lookedUp: ReadonlySet<string> = new Set(['Query.entity', 'Entity.types']);

const isPaged = (field: GraphQLField<unknown, unknown>): boolean => field.args.some(({ name }) => name === 'first');

function priceOf(field: GraphQLField<unknown, unknown>, { parent, repeated }: Place, limits: GraphqlLimits): number {
  if (field.name.startsWith('totalCount')) return countPrice(countLimit(limits, repeated));
  return isPaged(field) || lookedUp.has(`${parent.name}.${field.name}`) ? lookupPrice : 1;
}
