import type { Api } from '../../gen/api.ts';
import { type Rewrite, rewrites } from '../kernel/rewrite.ts';

/** What an older version of A2A 1.x lacks of one type of the canonical form. */
export interface Drop {
  /** Whether stored JSON may hold some of it. */
  readonly isStored: boolean;
  /** Schema paths of all of it. */
  readonly paths: readonly string[];
  /** The value without it; the same object when it had none. */
  readonly from: Rewrite['of'];
}

/**
 * Finds what a version lacks, by type. Undefined for a type that it has whole, with all that values of it contain.
 *
 * @param own the version
 */
export function dropsOf(
  canonical: Pick<Api, 'fields'>,
  own: Pick<Api, 'fields'>,
): (typeName: string) => Drop | undefined {
  const rewriteOf = rewrites(canonical.fields, ({ jsonName }, typeName) => {
    const isKnown = own.fields.messages[typeName]?.fields.some((field) => field.jsonName === jsonName);
    return isKnown ? undefined : (_value, losses, path) => void losses?.add(path);
  });
  return (typeName) => {
    const rewrite = rewriteOf(typeName);
    if (!rewrite) return undefined;
    const { fields, of } = rewrite;
    return { isStored: fields.some(({ field }) => !field.added), paths: fields.map(({ path }) => path), from: of };
  };
}
