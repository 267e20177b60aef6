import type { Principal } from './call.ts';

/** What nobody may do who was not given it in so many words: numbers about everybody's calls. */
const givenOnly: ReadonlySet<string> = new Set(['metrics']);

/** Whether these scopes hold one: `tasks` holds `tasks:read` too. */
export function holdsScope(scopes: ReadonlySet<string>, wanted: string): boolean {
  if (scopes.has(wanted)) return true;
  const colon = wanted.indexOf(':');
  return colon > 0 && scopes.has(wanted.slice(0, colon));
}

/** Whether a principal has a scope. */
export const hasScope = ({ scopes }: Principal, wanted: string): boolean =>
  scopes === undefined ? !givenOnly.has(wanted) : holdsScope(scopes, wanted);

/** Whether a principal may call an agent. */
export const mayCall = ({ agents }: Principal, agent: string): boolean => agents?.has(agent) ?? true;
