import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The fragments of a document, by name. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

export const fragmentsOf = ({ definitions }: DocumentNode): Fragments =>
  new Map(
    definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [])),
  );

/**
 * The fields of a selection set, with those of its fragments. Each comes with the names of the fragments that it is
 * within: these are not expanded again, since validation rejects recursive fragments.
 *
 * @param onSelection called with every field and fragment
 */
export function* fieldsIn(
  { selections }: SelectionSetNode,
  fragments: Fragments,
  within: readonly string[] = [],
  onSelection: (selection: SelectionNode) => void = () => {},
): Generator<readonly [field: FieldNode, within: readonly string[]]> {
  for (const selection of selections) {
    onSelection(selection);
    if (selection.kind === Kind.FIELD) yield [selection, within];
    else if (selection.kind === Kind.INLINE_FRAGMENT) {
      yield* fieldsIn(selection.selectionSet, fragments, within, onSelection);
    } else {
      const name = selection.name.value;
      const fragment = within.includes(name) ? undefined : fragments.get(name);
      if (fragment) yield* fieldsIn(fragment.selectionSet, fragments, [...within, name], onSelection);
    }
  }
}
