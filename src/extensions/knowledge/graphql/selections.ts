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

interface Options {
  /** Names of the fragments that the selection set is within. */
  readonly within?: readonly string[];
  /** Whether a field or fragment is a part of the result. Default: all are. */
  readonly isIncluded?: (selection: SelectionNode) => boolean;
  /** Called with every field and fragment. */
  readonly onSelection?: (selection: SelectionNode) => void;
}

/**
 * The fields of a selection set, with those of its fragments. Each comes with the names of the fragments that it is
 * within: these are not expanded again, since validation rejects recursive fragments. All type conditions hold: the
 * schema has neither interfaces nor unions.
 */
export function* fieldsIn(
  { selections }: SelectionSetNode,
  fragments: Fragments,
  options: Options = {},
): Generator<readonly [field: FieldNode, within: readonly string[]]> {
  const { within = [], isIncluded, onSelection } = options;
  for (const selection of selections) {
    onSelection?.(selection);
    if (isIncluded?.(selection) === false) continue;
    if (selection.kind === Kind.FIELD) yield [selection, within];
    else if (selection.kind === Kind.INLINE_FRAGMENT) {
      yield* fieldsIn(selection.selectionSet, fragments, options);
    } else {
      const name = selection.name.value;
      const fragment = within.includes(name) ? undefined : fragments.get(name);
      if (fragment) yield* fieldsIn(fragment.selectionSet, fragments, { ...options, within: [...within, name] });
    }
  }
}
