import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  type VariableValues,
} from 'graphql';
import type { Prepared } from './document.ts';
import { countLimit, countPrice, type GraphqlLimits, lookupPrice } from './limits.ts';

/**
 * Estimates the cost of a result: one for every value, and more for lookups, with all pages full. It rejects queries
 * that no graph could answer; the actual cost is counted during execution.
 */

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

/** Checks a valid query against the limits, with its variables. */
export class CostEstimate {
  readonly #schema: GraphQLSchema;
  readonly #limits: GraphqlLimits;
  readonly #variables: VariableValues;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  /** Cost in the graph. */
  #cost = 0;
  /** Cost in the schema: introspection needs no lookups and is not counted during execution. */
  #introspection = 0;

  constructor(schema: GraphQLSchema, { document }: Prepared, variables: VariableValues, limits: GraphqlLimits) {
    this.#schema = schema;
    this.#limits = limits;
    this.#variables = variables;
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
    }
  }

  /** Throws a GraphQLError with its location for what is beyond a limit. */
  judge({ operation }: Prepared): void {
    const parent = this.#schema.getRootType(operation.operation);
    if (parent) this.#visit(operation.selectionSet, { parent, times: 1, items: listed, repeated: false });
  }

  #visit({ selections }: SelectionSetNode, place: Place): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) this.#field(selection, place);
      else if (selection.kind === Kind.INLINE_FRAGMENT) this.#visit(selection.selectionSet, place);
      else {
        const fragment = this.#fragments.get(selection.name.value);
        if (fragment) this.#visit(fragment.selectionSet, place);
      }
    }
  }

  #field(node: FieldNode, place: Place): void {
    const { parent, times, items, repeated } = place;
    const field = this.#schema.getField(parent, node.name.value);
    if (!field) return;
    const given = getArgumentValues(field, node, this.#variables);
    this.#check(node, given);
    this.#pay(node, place, times * this.#price(field, place));
    const type = getNamedType(field.type);
    if (!node.selectionSet || !isObjectType(type)) return;
    const isList = isListType(getNullableType(field.type));
    this.#visit(node.selectionSet, {
      parent: type,
      times: isList ? times * items : times,
      items: isPaged(field) ? Number(given.first ?? this.#limits.page) : listed,
      repeated: repeated || isList,
    });
  }

  #pay(node: FieldNode, { parent }: Place, price: number): void {
    if (parent.name.startsWith('__')) this.#introspection += price;
    else this.#cost += price;
    if (this.#cost > this.#limits.cost) {
      throw new GraphQLError('The answer could be too large: ask for smaller pages with `first`', { nodes: node });
    }
    if (this.#introspection > this.#limits.introspection) {
      throw new GraphQLError('The introspection query is too large', { nodes: node });
    }
  }

  /** Checks ranges that types cannot express. */
  #check(node: FieldNode, { first, minCertainty }: Readonly<Record<string, unknown>>): void {
    const { largestPage } = this.#limits;
    if (typeof first === 'number' && (first < 0 || first > largestPage)) {
      throw new GraphQLError(`\`first\` must be between 0 and ${largestPage}`, { nodes: node });
    }
    if (typeof minCertainty === 'number' && (minCertainty < 0 || minCertainty > 1)) {
      throw new GraphQLError('`minCertainty` must be between 0 and 1', { nodes: node });
    }
  }

  #price(field: GraphQLField<unknown, unknown>, { parent, repeated }: Place): number {
    if (field.name.startsWith('totalCount')) return countPrice(countLimit(this.#limits, repeated));
    const isLookedUp = isPaged(field) || lookedUp.has(`${parent.name}.${field.name}`);
    return isLookedUp ? lookupPrice : 1;
  }
}

const lookedUp: ReadonlySet<string> = new Set(['Query.entity', 'Entity.types']);

const isPaged = (field: GraphQLField<unknown, unknown>): boolean => field.args.some(({ name }) => name === 'first');
