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
 * What an answer could cost: one for every value that it may have, and for what must be looked up in the graph, more.
 * Pages count as full. That keeps out what no graph could answer; what an answer really costs is paid as it comes.
 */

/** Items that a list of the schema itself has, as a guess. */
const listed = 10;

/** Where a field stands. */
interface Place {
  readonly parent: GraphQLObjectType;
  /** How many parents there are at most. */
  readonly times: number;
  /** How many items a list of the parent has. */
  readonly items: number;
  /** Whether it is there for each item of a list. */
  readonly repeated: boolean;
}

/** Holds a valid query against the limits, with its variables. */
export class CostEstimate {
  readonly #schema: GraphQLSchema;
  readonly #limits: GraphqlLimits;
  readonly #variables: VariableValues;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  /** Of the graph. */
  #cost = 0;
  /** Of the schema: what is told of it is not looked up, and not paid for as it comes. */
  #introspection = 0;

  constructor(schema: GraphQLSchema, { document }: Prepared, variables: VariableValues, limits: GraphqlLimits) {
    this.#schema = schema;
    this.#limits = limits;
    this.#variables = variables;
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
    }
  }

  /** Throws a GraphQLError, with its place, for what is beyond a limit. */
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

  /** What is out of range in a way that no type says. */
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
