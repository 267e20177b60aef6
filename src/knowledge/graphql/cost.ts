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

/** Items that a list has, where no page says. */
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
  readonly depth: number;
}

/** Holds a query against the limits, with its variables. */
export class Judge {
  readonly #schema: GraphQLSchema;
  readonly #limits: GraphqlLimits;
  readonly #variables: VariableValues;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  #selections = 0;
  #aliases = 0;
  #cost = 0;

  constructor(schema: GraphQLSchema, { document }: Prepared, variables: VariableValues, limits: GraphqlLimits) {
    this.#schema = schema;
    this.#limits = limits;
    this.#variables = variables;
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
    }
  }

  /** Throws a GraphQLError, naming the field, for what is beyond a limit. */
  judge({ operation }: Prepared): void {
    const parent = this.#schema.getRootType(operation.operation);
    if (parent) this.#visit(operation.selectionSet, { parent, times: 1, items: listed, repeated: false, depth: 1 });
  }

  #visit({ selections }: SelectionSetNode, place: Place): void {
    for (const selection of selections) {
      this.#selections += 1;
      this.#hold(this.#selections, 'fields', selection, 'The query has more than $ fields, fragments spread');
      if (selection.kind === Kind.FIELD) this.#field(selection, place);
      else if (selection.kind === Kind.INLINE_FRAGMENT) this.#visit(selection.selectionSet, place);
      else {
        const fragment = this.#fragments.get(selection.name.value);
        if (fragment) this.#visit(fragment.selectionSet, place);
      }
    }
  }

  #field(node: FieldNode, place: Place): void {
    const { parent, times, items, repeated, depth } = place;
    this.#hold(depth, 'depth', node, 'Fields are nested deeper than $');
    if (node.alias) this.#aliases += 1;
    this.#hold(this.#aliases, 'aliases', node, 'The query has more than $ aliases');
    const field = this.#schema.getField(parent, node.name.value);
    if (!field) return;
    const given = getArgumentValues(field, node, this.#variables);
    this.#check(node, given);
    this.#cost += times * this.#price(field, place);
    this.#hold(this.#cost, 'cost', node, 'The answer could be too large: ask for smaller pages with `first`');
    const type = getNamedType(field.type);
    if (!node.selectionSet || !isObjectType(type)) return;
    const isList = isListType(getNullableType(field.type));
    this.#visit(node.selectionSet, {
      parent: type,
      times: isList ? times * items : times,
      repeated: repeated || isList,
      items: isPaged(field) ? Number(given.first ?? this.#limits.page) : listed,
      depth: depth + 1,
    });
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

  #price(field: GraphQLField<unknown, unknown>, { parent, repeated, depth }: Place): number {
    if (field.name.startsWith('totalCount')) return countPrice(countLimit(this.#limits, repeated));
    const looksUp = isPaged(field) || (field.name === 'entity' && depth === 1);
    return looksUp || (field.name === 'types' && parent.name === 'Entity') ? lookupPrice : 1;
  }

  #hold(
    amount: number,
    limit: keyof GraphqlLimits,
    node: FieldNode | SelectionSetNode['selections'][number],
    message: string,
  ): void {
    if (amount <= this.#limits[limit]) return;
    throw new GraphQLError(message.replace('$', String(this.#limits[limit])), { nodes: node });
  }
}

const isPaged = (field: GraphQLField<unknown, unknown>): boolean => field.args.some(({ name }) => name === 'first');
