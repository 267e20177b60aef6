import {
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  getArgumentValues,
  Kind,
  type SelectionSetNode,
  type VariableValues,
} from 'graphql';
import type { ChangePattern } from '../change-pattern.ts';
import type { Prepared } from './document.ts';
import { queryError, subscribing } from './errors.ts';
import { definedStrings } from './resolvers.ts';

type Arguments = { readonly [N in keyof ChangePattern]-?: string | null | undefined };

/**
 * Which changes a valid subscription asks for: validation lets it have one field at its root.
 *
 * @throws A2AError `knowledgeSubscription` where it has none
 */
export function changePattern(schema: GraphQLSchema, prepared: Prepared, variables: VariableValues): ChangePattern {
  const { document, operation } = prepared;
  const node = fieldIn(operation.selectionSet);
  const field = node && schema.getSubscriptionType()?.getFields()[node.name.value];
  if (!field) throw queryError(subscribing, [new GraphQLError('Nothing is subscribed to', { nodes: operation })]);
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
