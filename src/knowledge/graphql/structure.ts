import { type ASTNode, type DocumentNode, GraphQLError, Kind, type SelectionSetNode } from 'graphql';
import type { GraphqlLimits } from './limits.ts';
import { fieldsIn, fragmentsOf } from './selections.ts';

/** Fields with one response path. */
interface Slot {
  fields: number;
  readonly below: Map<string, Slot>;
}

const newSlot = (): Slot => ({ fields: 0, below: new Map() });

const messages = {
  fields: (limit: number) => `The query has more than ${limit} fields and fragments, each as often as it is spread`,
  aliases: (limit: number) => `The query has more than ${limit} aliases`,
  depth: (limit: number) => `Fields are nested deeper than ${limit}`,
  pairs: () => 'The query selects the same field too often',
};

/**
 * Measures a document with its fragments expanded. Validation compares all pairs of fields with the same response path,
 * so these pairs are counted. Throws a GraphQLError with its location for what is beyond a limit.
 */
export function measureStructure(document: DocumentNode, limits: GraphqlLimits): void {
  const fragments = fragmentsOf(document);
  const spread = new Set<string>();
  const count = { fields: 0, aliases: 0, pairs: 0 };

  const check = (limit: keyof typeof messages, amount: number, node: ASTNode): void => {
    if (amount > limits[limit]) throw new GraphQLError(messages[limit](limits[limit]), { nodes: node });
  };

  const visit = (set: SelectionSetNode, within: readonly string[], slot: Slot, depth: number): void => {
    const fields = fieldsIn(set, fragments, within, (selection) => {
      count.fields += 1;
      check('fields', count.fields, selection);
      if (selection.kind === Kind.FRAGMENT_SPREAD) spread.add(selection.name.value);
    });
    for (const [field, inside] of fields) {
      check('depth', depth, field);
      if (field.alias) count.aliases += 1;
      check('aliases', count.aliases, field);
      const name = field.alias?.value ?? field.name.value;
      const below = slot.below.get(name) ?? newSlot();
      slot.below.set(name, below);
      count.pairs += below.fields;
      below.fields += 1;
      check('pairs', count.pairs, field);
      if (field.selectionSet) visit(field.selectionSet, inside, below, depth + 1);
    }
  };

  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) visit(definition.selectionSet, [], newSlot(), 1);
  }
  // Unused fragments are validated, too.
  for (const [name, { selectionSet }] of fragments) {
    if (!spread.has(name)) visit(selectionSet, [], newSlot(), 1);
  }
}
