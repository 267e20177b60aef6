import type { Principal } from '../../../core/model/principal.ts';
import type { AccessConfig, ProtectionConfig } from '../../../gen/settings.ts';
import type { Hidden } from '../model/graph.ts';
import type { KGStatement } from '../model/knowledge.ts';

type Protected = Readonly<Record<string, AccessConfig>>;

/** Whether a configured name matches an id: it equals the id, or is a prefix of the id followed by `*`. */
const matchesName = (id: string, name: string): boolean =>
  name.endsWith('*') ? id.startsWith(name.slice(0, -1)) : id === name;

/** Whether one of the names matches an id. */
export const isAmong = (id: string, names: readonly string[] = []): boolean =>
  names.some((name) => matchesName(id, name));

const mayRead = ({ id }: Principal, { read }: AccessConfig): boolean => read === undefined || isAmong(id, read);

/** Whether a principal may change statements with an id. If several protected names match the id, all must allow it. */
export const mayWrite = (principal: Principal, names: Protected = {}, id: string): boolean =>
  Object.entries(names).every(
    ([name, access]) => !matchesName(id, name) || (mayRead(principal, access) && isAmong(principal.id, access.write)),
  );

const hiddenNames = (names: Protected = {}, principal: Principal): string[] =>
  Object.entries(names).flatMap(([name, access]) => (mayRead(principal, access) ? [] : [name]));

/** Returns the graphs and predicates that are hidden from a principal; undefined if there are none. */
export function hiddenFrom(settings: ProtectionConfig | undefined, principal: Principal): Hidden | undefined {
  const graphs = hiddenNames(settings?.graphs, principal);
  const predicates = hiddenNames(settings?.predicates, principal);
  if (graphs.length === 0 && predicates.length === 0) return undefined;
  return { ...(graphs.length > 0 && { graphs }), ...(predicates.length > 0 && { predicates }) };
}

/** Whether a statement is hidden. '' is the default graph. */
export function hides(hidden: Hidden | undefined, { predicate, graph = '' }: KGStatement): boolean {
  return hidden !== undefined && (isAmong(predicate.id, hidden.predicates) || isAmong(graph, hidden.graphs));
}
