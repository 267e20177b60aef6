import type { SkippedAgent } from '../../gen/admin-v1/types.ts';

export interface ListedAgent {
  readonly identifier: string;
  /** URL of its card. */
  readonly url: URL;
  /** The name that its card must have. Absent: any. */
  readonly name?: string;
}

/** Characters of a name. */
const longest = 63;

/** The agents of a catalog by names made of the last parts of their identifiers; the first of several with one name has it. */
export function nameAgents(agents: readonly ListedAgent[]) {
  const named = new Map<string, ListedAgent>();
  const unnamed: SkippedAgent[] = [];
  for (const agent of agents) {
    const { identifier } = agent;
    const name = nameOf(identifier);
    const first = named.get(name);
    if (name === '') unnamed.push({ identifier, reason: 'its identifier has no letter and no digit at its end' });
    else if (first) unnamed.push({ identifier, reason: `it would have the name ${name}, as ${first.identifier} has` });
    else named.set(name, agent);
  }
  return { named, unnamed };
}

/** `urn:air:example.com:agent:Weather_EU` becomes `weather-eu`. */
const nameOf = (identifier: string): string =>
  (identifier.split(/[:/]/).findLast((part) => part !== '') ?? '')
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter((word) => word !== '')
    .join('-')
    .slice(0, longest);
