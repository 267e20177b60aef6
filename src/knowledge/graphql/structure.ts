import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { GraphqlLimits } from './limits.ts';

/** Fields with one response path. */
interface Slot {
  fields: number;
  readonly below: Map<string, Slot>;
}

const newSlot = (): Slot => ({ fields: 0, below: new Map() });

type StructureLimit = 'fields' | 'aliases' | 'depth' | 'pairs';

const messages: Readonly<Record<StructureLimit, (limit: number) => string>> = {
  fields: (limit) => `The query has more than ${limit} fields and fragments, each as often as it is spread`,
  aliases: (limit) => `The query has more than ${limit} aliases`,
  depth: (limit) => `Fields are nested deeper than ${limit}`,
  pairs: () => 'The query selects the same field too often',
};

/**
 * Measures a document with its fragments expanded. Validation compares all pairs of fields with the same response path,
 * so these pairs are counted.
 */
export class Structure {
  readonly #limits: GraphqlLimits;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #spread = new Set<string>();
  readonly #within = new Set<string>();
  #fields = 0;
  #aliases = 0;
  #pairs = 0;

  constructor(document: DocumentNode, limits: GraphqlLimits) {
    this.#limits = limits;
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
    }
  }

  /** Throws a GraphQLError with its location for what is beyond a limit. */
  measure({ definitions }: DocumentNode): void {
    for (const definition of definitions) {
      if (definition.kind === Kind.OPERATION_DEFINITION) this.#visit(definition.selectionSet, newSlot(), 1);
    }
    // Unused fragments are validated, too.
    for (const [name, { selectionSet }] of this.#fragments) {
      if (!this.#spread.has(name)) this.#visit(selectionSet, newSlot(), 1);
    }
  }

  #visit({ selections }: SelectionSetNode, slot: Slot, depth: number): void {
    for (const selection of selections) {
      this.#fields += 1;
      this.#hold('fields', this.#fields, selection);
      if (selection.kind === Kind.INLINE_FRAGMENT) this.#visit(selection.selectionSet, slot, depth);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) this.#follow(selection.name.value, slot, depth);
      else {
        this.#hold('depth', depth, selection);
        if (selection.alias) this.#aliases += 1;
        this.#hold('aliases', this.#aliases, selection);
        const below = this.#below(slot, selection.alias?.value ?? selection.name.value);
        this.#pairs += below.fields;
        below.fields += 1;
        this.#hold('pairs', this.#pairs, selection);
        if (selection.selectionSet) this.#visit(selection.selectionSet, below, depth + 1);
      }
    }
  }

  /** Validation rejects recursive fragments. */
  #follow(name: string, slot: Slot, depth: number): void {
    const fragment = this.#fragments.get(name);
    if (!fragment || this.#within.has(name)) return;
    this.#spread.add(name);
    this.#within.add(name);
    this.#visit(fragment.selectionSet, slot, depth);
    this.#within.delete(name);
  }

  #below(slot: Slot, name: string): Slot {
    const known = slot.below.get(name);
    if (known) return known;
    const below = newSlot();
    slot.below.set(name, below);
    return below;
  }

  #hold(limit: StructureLimit, amount: number, node: SelectionNode): void {
    if (amount > this.#limits[limit]) throw new GraphQLError(messages[limit](this.#limits[limit]), { nodes: node });
  }
}
