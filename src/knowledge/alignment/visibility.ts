import type { Hidden, KGStatement } from '../../core/model/knowledge.ts';

/** Whether a name matches an id: it equals the id, or is a prefix of it followed by `*`. */
export function matchesName(id: string, name: string): boolean {
  return name.endsWith('*') ? id.startsWith(name.slice(0, -1)) : id === name;
}

/** Whether one of the names matches an id. */
export const isAmong = (id: string, names: readonly string[] | undefined): boolean =>
  names?.some((name) => matchesName(id, name)) ?? false;

/** Whether a statement is hidden. '' is the default graph. */
export function hides(hidden: Hidden | undefined, { predicate, graph = '' }: KGStatement): boolean {
  return hidden !== undefined && (isAmong(predicate.id, hidden.predicates) || isAmong(graph, hidden.graphs));
}
