import { GraphQLError, type GraphQLSchema, getArgumentValues, type VariableValues } from 'graphql';
import { A2AError } from '../../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../../core/model/json.ts';
import type { ChangePattern } from '../change-stream.ts';
import { fieldsIn, fragmentsOf, type Prepared } from './document.ts';
import { queryError } from './errors.ts';
import { definedStrings } from './resolvers.ts';

/** Fields of a pattern, and arguments of `statementChanged`. */
const names: readonly string[] = ['subject', 'predicate', 'object', 'type', 'graph'] satisfies (keyof ChangePattern)[];

/**
 * The changes that a valid subscription asks for; validation allows one root field.
 *
 * @throws A2AError `knowledgeSubscription` if it has none
 */
export function changePattern(schema: GraphQLSchema, prepared: Prepared, variables: VariableValues): ChangePattern {
  const { document, operation } = prepared;
  const [[node] = []] = fieldsIn(operation.selectionSet, fragmentsOf(document));
  const field = node && schema.getSubscriptionType()?.getFields()[node.name.value];
  if (field) return definedStrings(getArgumentValues(field, node, variables));
  throw queryError('subscription', [new GraphQLError('The subscription selects no field', { nodes: operation })]);
}

const refuse = (what: string): A2AError => new A2AError('knowledgeSubscription', `The filter ${what}`);

/**
 * Parses a plain filter: a JSON object with the arguments of `statementChanged`, such as `{"subject": "urn:a"}`.
 * Undefined for a text that is no JSON object. Throws `knowledgeSubscription` for unknown fields or values.
 */
export function plainFilter(text: string): ChangePattern | undefined {
  const filter = objectIn(text);
  if (!filter) return undefined;
  for (const [name, value] of Object.entries(filter)) {
    if (!names.includes(name))
      throw refuse(`has an unknown field ${name.slice(0, 64)}; known fields: ${names.join(', ')}`);
    if (value !== null && typeof value !== 'string') throw refuse(`must have a string as its ${name}`);
  }
  return definedStrings(filter);
}

function objectIn(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
