import { A2AError } from '../../core/model/errors.ts';
import { trimEnd } from '../../core/model/text.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import { withQueryOf } from '../../net/url-query.ts';
import { type Binding, bindings } from '../bindings.ts';
import { addressOf, choices, type InterfacePreferences, tenantAt } from '../choose.ts';
import type { FoundCard } from '../read-card.ts';
import { baseOf } from '../recognize-card.ts';
import type { EndpointReport, RejectedEndpoint } from './report.ts';
import { methodOf } from './tables.ts';

/** A way to call an agent, which the probe tries. */
export interface ProbeEndpoint {
  readonly binding: Binding;
  readonly dialect: Dialect;
  readonly url: URL;
  readonly tenant: string;
  /** Position in the card's order; undefined if the card does not list it. */
  readonly listed: number | undefined;
  /** Whether the card lists it only when read in another dialect than the most likely one. */
  readonly doubtful: boolean;
}

/** Maximum number of listed ways of a card, and of URLs at which unlisted ways are tried. */
const maxListed = 40;
const maxUrls = 4;

/**
 * Converts an endpoint for the report. Bindings that are used only on request count as unlisted, because cards have no
 * name for them.
 */
export const reportOf = ({ binding, dialect, url, tenant, listed }: ProbeEndpoint): EndpointReport => ({
  binding: binding.name,
  dialect: dialect.name,
  url: binding.wireFormat === 'grpc' ? url.origin : url.href,
  ...(tenant !== '' && { tenant }),
  listed: listed !== undefined && !binding.onRequest,
});

/** Identifies the server that an endpoint leads to. */
export const serverOf = ({ binding, url }: ProbeEndpoint): string => `${binding.name} ${trimmed(url)}`;

const trimmed = ({ href }: URL): string => trimEnd(href, '/');

/**
 * Returns every way that is worth trying: the ways that the card lists, then every binding and dialect at the URLs of
 * the card and at the agent's base URL.
 */
export function endpointsOf(
  target: URL,
  found: FoundCard | undefined,
  dialects: readonly Dialect[],
  preferences: EndpointPreferences,
): { readonly places: readonly ProbeEndpoint[]; readonly rejected: readonly RejectedEndpoint[] } {
  const endpoints = new Endpoints(target, dialects, preferences);
  if (found) endpoints.addListed(found);
  if (!preferences.listedOnly) endpoints.addGuesses();
  return { places: [...endpoints.places.values()], rejected: endpoints.rejected };
}

type EndpointPreferences = InterfacePreferences & { readonly listedOnly?: boolean };

/** A URL at which unlisted ways are tried. */
interface BaseUrl {
  readonly url: URL;
  readonly overHttp: boolean;
}

class Endpoints {
  /** Endpoints by server and dialect. */
  readonly places = new Map<string, ProbeEndpoint>();
  /** Listed ways that cannot be tried. */
  readonly rejected: RejectedEndpoint[] = [];
  readonly #target: URL;
  readonly #dialects: readonly Dialect[];
  readonly #preferences: EndpointPreferences;
  readonly #bases = new Map<string, BaseUrl>();

  constructor(target: URL, dialects: readonly Dialect[], preferences: EndpointPreferences) {
    this.#target = target;
    this.#dialects = dialects;
    this.#preferences = preferences;
  }

  /** Adds the ways that a card lists, in all dialects in which it may have been written. */
  addListed(found: FoundCard): void {
    const listed = [found, ...found.alternatives].flatMap((reading) =>
      choices(reading, this.#dialects).map((choice) => ({ choice, reading })),
    );
    for (const [at, { choice, reading }] of listed.slice(0, maxListed).entries()) {
      const { binding, dialect, interface: entry } = choice;
      const doubtful = reading !== found;
      try {
        const address = withQueryOf(this.#target, addressOf(choice, found.url));
        const overHttp = binding.wireFormat !== 'grpc';
        const url = overHttp ? address : new URL(address.origin);
        // The card does not list the alternative addresses of an interface.
        const isListed = reading.card.supportedInterfaces.includes(entry);
        const tenant = tenantAt(entry, reading.card, this.#preferences.tenant);
        this.#add({ binding, dialect, url, tenant, listed: isListed ? at : undefined, doubtful });
        if (overHttp || !this.#bases.has(trimmed(url))) this.#bases.set(trimmed(url), { url, overHttp });
      } catch (thrown) {
        if (doubtful) continue;
        const { message: why, kind } = A2AError.from(thrown);
        this.rejected.push({ binding: binding.name, dialect: dialect.name, url: entry.url, listed: true, why, kind });
      }
    }
  }

  /** Adds every binding and dialect at the URLs of the card and at the agent's base URL. */
  addGuesses(): void {
    const { tenant = '' } = this.#preferences;
    const base = { url: baseOf(this.#target, this.#dialects), overHttp: true };
    for (const { url, overHttp } of [...[...this.#bases.values()].slice(0, maxUrls), base]) {
      for (const binding of bindings) {
        // gRPC has no paths: on the host of an agent with a path, it may reach another agent.
        if (binding.wireFormat === 'grpc' ? url.pathname !== '/' : !overHttp) continue;
        for (const dialect of this.#dialects)
          this.#add({ binding, dialect, url, tenant, listed: undefined, doubtful: false });
      }
    }
  }

  #add(place: ProbeEndpoint): void {
    const { via, as } = this.#preferences;
    const { binding, dialect } = place;
    if ((via !== undefined && binding.name !== via) || (as !== undefined && dialect.name !== as)) return;
    if (methodOf(binding.wireFormat, dialect, 'GetTask') === undefined) return;
    const key = `${serverOf(place)} ${dialect.name}`;
    if (!this.places.has(key)) this.places.set(key, place);
  }
}
