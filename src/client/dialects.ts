import type { Dialect } from '../dialects/dialect.ts';
import { createDialects } from '../dialects/registry.ts';
import { api } from '../gen/a2a-v1/index.ts';

export { ownUris } from '../dialects/a2a-0.3/card.ts';

let registry: readonly Dialect[] | undefined;

/** Every generation that this version knows, the preferred one first. */
export function allDialects(): readonly Dialect[] {
  registry ??= createDialects(api).list;
  return registry;
}
