import {
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type SelectionNode,
  type SelectionSetNode,
  type VariableValues,
} from 'graphql';
import { countWork } from '../turns.ts';
import { fieldsIn, fragmentsOf, type Prepared } from './document.ts';
import { countLimit, countPrice, type GraphqlLimits, lookupPrice } from './limits.ts';
import { fieldOf } from './versions.ts';

/** Assumed number of items of a list in introspection. */
const listed = 10;

/** A field of the result, with the selections of all its occurrences. */
export interface PlannedField {
  /** The alias or, without one, the name. */
  readonly key: string;
  readonly node: FieldNode;
  readonly parent: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
  readonly args: Readonly<Record<string, unknown>>;
  readonly isList: boolean;
  readonly isRequired: boolean;
  /** Whether the field is resolved for each item of a list. */
  readonly isRepeated: boolean;
  /** Type of the leaf; absent for an object. */
  readonly leaf?: GraphQLLeafType;
  /** Fields of the object, or of each object of the list. */
  readonly fields: readonly PlannedField[];
}

/** Context of a selection. */
interface Place {
  readonly parent: GraphQLObjectType;
  readonly path: readonly string[];
  /** Maximum number of parent objects. */
  readonly times: number;
  /** Maximum number of items of a list of the parent. */
  readonly items: number;
  readonly isRepeated: boolean;
}

/**
 * Plans the result of a valid query and computes its cost: one for every value and more for lookups, assuming that all
 * pages are full. The cost therefore grows with the product of `first` along each path. The actual cost is counted
 * during execution.
 *
 * @throws GraphQLError with the location of the first excess
 */
export function planQuery(
  schema: GraphQLSchema,
  prepared: Prepared,
  variables: VariableValues,
  limits: GraphqlLimits,
): readonly PlannedField[] {
  return new Planner(schema, fragmentsOf(prepared.document), variables, limits).planOperation(prepared.operation);
}

/** A field and its cost. */
interface Priced {
  readonly price: number;
  readonly path: string;
  readonly node: FieldNode;
}

/** Plans one query. */
class Planner {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReturnType<typeof fragmentsOf>;
  readonly #variables: VariableValues;
  readonly #limits: GraphqlLimits;
  #cost = 0;
  #introspection = 0;
  /** The most expensive field. */
  #dearest: Priced | undefined;

  constructor(
    schema: GraphQLSchema,
    fragments: ReturnType<typeof fragmentsOf>,
    variables: VariableValues,
    limits: GraphqlLimits,
  ) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#variables = variables;
    this.#limits = limits;
  }

  planOperation({ operation, selectionSet }: Prepared['operation']): readonly PlannedField[] {
    const parent = this.#schema.getRootType(operation);
    if (!parent) return [];
    const fields = this.#plan([selectionSet], { parent, path: [], times: 1, items: listed, isRepeated: false });
    if (this.#cost > this.#limits.cost && this.#dearest) throw this.#tooDear(this.#dearest);
    return fields;
  }

  #plan(sets: readonly SelectionSetNode[], place: Place): PlannedField[] {
    const nodes = Map.groupBy(
      sets.flatMap((set) =>
        [...fieldsIn(set, this.#fragments, { isIncluded: (node) => this.#isIncluded(node) })].map(([node]) => node),
      ),
      ({ alias, name }) => (alias ?? name).value,
    );
    return [...nodes].flatMap(([key, same]) => this.#planField(key, same, place) ?? []);
  }

  #planField(key: string, nodes: readonly FieldNode[], place: Place): PlannedField | undefined {
    const [node] = nodes;
    const { parent, times, items } = place;
    const limits = this.#limits;
    const field = node && fieldOf(this.#schema, parent, node.name.value);
    if (!node || !field) return undefined;
    countWork(1);
    const args = getArgumentValues(field, node, this.#variables);
    checkRanges(node, args, limits);
    const path = [...place.path, key];
    this.#charge(times * priceOf(field, place, limits), path, node, parent);
    const type = getNamedType(field.type);
    const isList = isListType(getNullableType(field.type));
    const below = {
      path,
      times: isList ? times * items : times,
      items: isPaged(field) ? Number(args.first ?? limits.page) : listed,
      isRepeated: place.isRepeated || isList,
    };
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    return {
      key,
      node,
      parent,
      field,
      args,
      isList,
      isRequired: isNonNullType(field.type),
      isRepeated: place.isRepeated,
      ...(isLeafType(type) && { leaf: type }),
      fields: isObjectType(type) ? this.#plan(sets, { ...below, parent: type }) : [],
    };
  }

  #charge(price: number, path: readonly string[], node: FieldNode, parent: GraphQLObjectType): void {
    if (parent.name.startsWith('__')) {
      this.#introspection += price;
      if (this.#introspection <= this.#limits.introspection) return;
      throw new GraphQLError('The introspection query is too large', { nodes: node, path });
    }
    this.#cost += price;
    if (price > (this.#dearest?.price ?? 0)) this.#dearest = { price, path: path.join('.'), node };
  }

  #isIncluded(node: SelectionNode): boolean {
    return (
      getDirectiveValues(GraphQLSkipDirective, node, this.#variables)?.if !== true &&
      getDirectiveValues(GraphQLIncludeDirective, node, this.#variables)?.if !== false
    );
  }

  #tooDear({ price, path, node }: Priced): GraphQLError {
    const [cost, share, limit] = [Math.ceil(this.#cost), Math.ceil(price), this.#limits.cost].map((figure) =>
      figure.toLocaleString('en'),
    );
    const message = `The response could be too large: it costs ${cost} if all pages are full, of which ${share} for ${path}; the limit is ${limit}. Request smaller pages with \`first\``;
    return new GraphQLError(message, { nodes: node });
  }
}

/** Checks the ranges of arguments, which types cannot express. */
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

function priceOf(field: GraphQLField<unknown, unknown>, { parent, isRepeated }: Place, limits: GraphqlLimits): number {
  if (field.name.startsWith('totalCount')) return countPrice(countLimit(limits, isRepeated));
  return isPaged(field) || lookedUp.has(`${parent.name}.${field.name}`) ? lookupPrice : 1;
}
