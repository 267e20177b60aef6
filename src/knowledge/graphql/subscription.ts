import {
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  getArgumentValues,
  Kind,
  type SelectionSetNode,
  type VariableValues,
} from 'graphql';
import { A2AError } from '../../core/model/errors.ts';
import type { ChangePattern } from '../change-pattern.ts';
import type { Prepared } from './document.ts';
import { queryError, subscribing } from './errors.ts';
import { definedStrings } from './resolvers.ts';

type Arguments = { readonly [N in keyof ChangePattern]-?: string | null | undefined };

/**
 * The changes that a valid subscription asks for; validation allows one root field.
 *
 * @throws A2AError `knowledgeSubscription` if it has none
 */
export function changePattern(schema: GraphQLSchema, prepared: Prepared, variables: VariableValues): ChangePattern {
  const { document, operation } = prepared;
  const node = fieldIn(operation.selectionSet);
  const field = node && schema.getSubscriptionType()?.getFields()[node.name.value];
  if (!field)
    throw queryError(subscribing, [new GraphQLError('The subscription selects no field', { nodes: operation })]);
  const { subject, predicate, object, type, graph } = getArgumentValues(field, node, variables) as Arguments;
  return definedStrings({ subject, predicate, object, type, graph });

  function fieldIn({ selections }: SelectionSetNode): FieldNode | undefined {
    for (const selection of selections) {
      const found = selection.kind === Kind.FIELD ? selection : fieldIn(selectionsOf(selection));
      if (found) return found;
    }
    return undefined;
  }

  function selectionsOf(selection: Exclude<SelectionSetNode['selections'][number], FieldNode>): SelectionSetNode {
    if (selection.kind === Kind.INLINE_FRAGMENT) return selection.selectionSet;
    const named = document.definitions.find(
      (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value,
    );
    return named?.kind === Kind.FRAGMENT_DEFINITION ? named.selectionSet : { kind: Kind.SELECTION_SET, selections: [] };
  }
}

const names = ['subject', 'predicate', 'object', 'type', 'graph'] as const satisfies readonly (keyof ChangePattern)[];

const isName = (name: string): name is (typeof names)[number] => (names as readonly string[]).includes(name);

const refuse = (what: string): A2AError => new A2AError('knowledgeSubscription', `The filter ${what}`);

/**
 * Parses a plain filter: a JSON object with the arguments of `statementChanged`, such as `{"subject": "urn:a"}`.
 * Undefined for a text that is no JSON object. Throws `knowledgeSubscription` for unknown fields or values.
 */
export function plainFilter(text: string): ChangePattern | undefined {
  const filter = objectIn(text);
  if (!filter) return undefined;
  const pattern: { -readonly [N in keyof ChangePattern]: string } = {};
  for (const [name, value] of Object.entries(filter)) {
    if (!isName(name)) throw refuse(`has an unknown field ${name.slice(0, 64)}; known fields: ${names.join(', ')}`);
    if (value !== null && typeof value !== 'string') throw refuse(`must have a string as its ${name}`);
    if (value !== null) pattern[name] = value;
  }
  return pattern;
}

function objectIn(text: string): object | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
