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

/** A way to call an agent that is to be tried. */
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

/** Limits of the ways that a card may list, and of the URLs at which unlisted ways are tried. */
const maxListed = 40;
const maxUrls = 4;

/** An endpoint for the report. Cards have no name for bindings that are used on request only. */
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
 * Every way that is worth trying: those that the card lists, then every binding and dialect at the URLs of the card and at
 * the agent's base URL.
 */
export function endpointsOf(
  target: URL,
  found: FoundCard | undefined,
  dialects: readonly Dialect[],
  { via, as, tenant, listedOnly = false }: InterfacePreferences & { readonly listedOnly?: boolean },
): { readonly places: readonly ProbeEndpoint[]; readonly rejected: readonly RejectedEndpoint[] } {
  const places = new Map<string, ProbeEndpoint>();
  const rejected: RejectedEndpoint[] = [];
  const add = (place: ProbeEndpoint): void => {
    const { binding, dialect } = place;
    if ((via !== undefined && binding.name !== via) || (as !== undefined && dialect.name !== as)) return;
    if (methodOf(binding.wireFormat, dialect, 'GetTask') === undefined) return;
    const key = `${serverOf(place)} ${dialect.name}`;
    if (!places.has(key)) places.set(key, place);
  };

  const bases = new Map<string, { readonly url: URL; readonly overHttp: boolean }>();
  const readings = found === undefined ? [] : [found, ...found.alternatives];
  const listed = readings.flatMap((reading) => choices(reading, dialects).map((choice) => ({ choice, reading })));
  for (const [at, { choice, reading }] of listed.slice(0, maxListed).entries()) {
    const { binding, dialect, interface: entry } = choice;
    const doubtful = reading !== found;
    try {
      const address = withQueryOf(target, addressOf(choice, found?.url ?? target.href));
      const overHttp = binding.wireFormat !== 'grpc';
      const url = overHttp ? address : new URL(address.origin);
      // A further address of an interface is not what the card lists.
      const isListed = reading.card.supportedInterfaces.includes(entry);
      add({
        binding,
        dialect,
        url,
        tenant: tenantAt(entry, reading.card, tenant),
        listed: isListed ? at : undefined,
        doubtful,
      });
      if (overHttp || !bases.has(trimmed(url))) bases.set(trimmed(url), { url, overHttp });
    } catch (thrown) {
      if (doubtful) continue;
      const { message, kind } = A2AError.from(thrown);
      rejected.push({ binding: binding.name, dialect: dialect.name, url: entry.url, listed: true, why: message, kind });
    }
  }
  const base = { url: baseOf(target, dialects), overHttp: true };
  const guesses = listedOnly ? [] : [...[...bases.values()].slice(0, maxUrls), base];
  for (const { url, overHttp } of guesses) {
    for (const binding of bindings) {
      // gRPC has no paths: on the host of an agent with a path, it may reach another agent.
      if (binding.wireFormat === 'grpc' ? url.pathname !== '/' : !overHttp) continue;
      for (const dialect of dialects)
        add({ binding, dialect, url, tenant: tenant ?? '', listed: undefined, doubtful: false });
    }
  }
  return { places: [...places.values()], rejected };
}
