import type { Hidden, KGStatement } from '../../core/model/knowledge.ts';

/** Whether an id has this name: it is the name, or begins as a name that ends with `*` says. */
export function matchesName(id: string, name: string): boolean {
  return name.endsWith('*') ? id.startsWith(name.slice(0, -1)) : id === name;
}

/** Whether an id has one of these names. */
export const isAmong = (id: string, names: readonly string[] | undefined): boolean =>
  names?.some((name) => matchesName(id, name)) ?? false;

/** Whether a statement is left out for a reader from whom this is hidden. '' is the default graph. */
export function hides(hidden: Hidden | undefined, { predicate, graph = '' }: KGStatement): boolean {
  return hidden !== undefined && (isAmong(predicate.id, hidden.predicates) || isAmong(graph, hidden.graphs));
}
