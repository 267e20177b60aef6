import type { Dialect, DialectName } from '../dialects/kernel/dialect.ts';
import { createDialects } from '../dialects/registry.ts';

export { ownUris } from '../dialects/a2a-0.3/card-mapping.ts';

let registry: readonly Dialect[] | undefined;

/** Every dialect of this version, the preferred one first. */
export function allDialects(): readonly Dialect[] {
  registry ??= createDialects().list;
  return registry;
}

/** Returns the dialects in which an agent may be called. Previews are included only if the caller names a dialect. */
export const dialectsFor = (as: DialectName | undefined): readonly Dialect[] =>
  as === undefined ? allDialects().filter(({ preview }) => !preview) : allDialects();
