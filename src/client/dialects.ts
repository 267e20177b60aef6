import { api } from '../core/model/a2a.ts';
import type { Dialect } from '../dialects/kernel/dialect.ts';
import { createDialects } from '../dialects/kernel/registry.ts';

export { ownUris } from '../dialects/a2a-0.3/card-mapping.ts';

let registry: readonly Dialect[] | undefined;

/** Every dialect of this version, the preferred one first. */
export function allDialects(): readonly Dialect[] {
  registry ??= createDialects(api).list;
  return registry;
}
