import { A2AError } from '../../core/model/errors.ts';
import { shortened } from '../../core/model/text.ts';
import type { CatalogAgent, RegisterCatalogResponse, SkippedAgent } from '../../gen/admin-v1/types.ts';
import { cardReaders } from './cards.ts';
import { type ListedAgent, nameAgents } from './catalog-names.ts';
import type { Offer } from './store.ts';

/** Milliseconds for registering the agents of a catalog. */
const catalogTimeout = 60_000;

/** Agents in a catalog, and the parts of it that cannot be used. */
export interface FoundAgents {
  readonly agents: readonly ListedAgent[];
  readonly skipped: readonly SkippedAgent[];
}

/** An agent in a catalog, as it is to be registered. */
export interface CatalogOffer {
  readonly name: string;
  readonly offer: Offer;
  /** The name that its card must have; undefined: any. */
  readonly nameOfCard: string | undefined;
}

/**
 * Registers the agents of a catalog. Resolves with the agents that were registered and those that were not.
 *
 * @param readCatalog returns the agents of the catalog. Rejects with A2AError
 * @param register registers one of them. Rejects with A2AError
 */
export async function registerAgents(
  signal: AbortSignal,
  readCatalog: (signal: AbortSignal) => Promise<FoundAgents>,
  register: (agent: CatalogOffer) => Promise<void>,
): Promise<Required<RegisterCatalogResponse>> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(catalogTimeout)]);
  const { agents, skipped } = await readCatalog(until);
  const { named, unnamed } = nameAgents(agents);
  const listed: readonly CatalogAgent[] = [...named].map(([name, { identifier }]) => ({ identifier, name }));
  const done = new Set<string>();
  const refused = [...skipped, ...unnamed];
  const left = [...named];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [name, { identifier, url, name: nameOfCard }] = next;
      const offer = { url: url.href, dialect: '', transport: '', title: '', description: '', skills: [] };
      try {
        if (until.aborted) throw new A2AError('deadlineExceeded', 'there was no time left: register the catalog again');
        await register({ name, offer, nameOfCard });
        done.add(name);
      } catch (thrown) {
        refused.push({ identifier, reason: reasonOf(thrown) });
      }
    }
  };
  await Promise.all(Array.from({ length: cardReaders }, work));
  return { registered: listed.filter(({ name }) => done.has(name)), skipped: refused };
}

function reasonOf(thrown: unknown): string {
  const { message, violations } = A2AError.from(thrown);
  return shortened(violations.map(({ field, description }) => `${field} ${description}`).join('; ') || message, 1_000);
}
