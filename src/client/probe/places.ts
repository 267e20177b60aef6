import { A2AError } from '../../core/model/errors.ts';
import { trimEnd } from '../../core/model/text.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import { type Binding, bindings } from '../bindings.ts';
import { addressOf, choices, type InterfacePreferences } from '../choose.ts';
import type { FoundCard } from '../read-card.ts';
import type { EndpointReport, RejectedEndpoint } from './report.ts';
import { methodOf } from './tables.ts';

/** A way to call an agent that is to be tried. */
export interface ProbeEndpoint {
  readonly binding: Binding;
  readonly dialect: Dialect;
  readonly url: URL;
  readonly tenant: string;
  /** Position in the card's order; undefined where the card does not list it. */
  readonly listed: number | undefined;
  /** It is listed only if the card is read as another generation than it seems to be of. */
  readonly doubtful: boolean;
}

/** Ways that a card may list, and URLs at which unlisted ways are tried: a card may not make us call the whole world. */
const mostListed = 40;
const mostUrls = 4;

/** What a report says of a place. Cards have no word for the bindings that are used on request only. */
export const reportOf = ({ binding, dialect, url, tenant, listed }: ProbeEndpoint): EndpointReport => ({
  binding: binding.name,
  dialect: dialect.name,
  url: binding.wireFormat === 'grpc' ? url.origin : url.href,
  ...(tenant !== '' && { tenant }),
  listed: listed !== undefined && !binding.onRequest,
});

/** Places at which a connection of one kind leads to the same server. */
export const serverOf = ({ binding, url }: ProbeEndpoint): string => `${binding.name} ${trimmed(url)}`;

const trimmed = ({ href }: URL): string => trimEnd(href, '/');

/**
 * Every way that is worth trying: those that the card lists, and then every binding and dialect at the URLs that the
 * card names and at the agent's base.
 */
export function endpointsOf(
  target: URL,
  found: FoundCard | undefined,
  dialects: readonly Dialect[],
  { via, as, listedOnly = false }: InterfacePreferences & { readonly listedOnly?: boolean },
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
  for (const [at, { choice, reading }] of listed.slice(0, mostListed).entries()) {
    const { binding, dialect, interface: face } = choice;
    const doubtful = reading !== found;
    try {
      const address = addressOf(choice, found?.url ?? target.href);
      const url = binding.wireFormat === 'grpc' ? new URL(address.origin) : address;
      add({ binding, dialect, url, tenant: face.tenant ?? '', listed: at, doubtful });
      const overHttp = binding.wireFormat !== 'grpc';
      if (overHttp || !bases.has(trimmed(url))) bases.set(trimmed(url), { url, overHttp });
    } catch (thrown) {
      if (doubtful) continue;
      const { message, kind } = A2AError.from(thrown);
      rejected.push({ binding: binding.name, dialect: dialect.name, url: face.url, listed: true, why: message, kind });
    }
  }
  const base = { url: baseOf(target, dialects), overHttp: true };
  const guesses = listedOnly ? [] : [...[...bases.values()].slice(0, mostUrls), base];
  for (const { url, overHttp } of guesses) {
    for (const binding of bindings) {
      // gRPC has no paths: beside an agent that has one, whoever answers at the host is another agent.
      if (binding.wireFormat === 'grpc' ? url.pathname !== '/' : !overHttp) continue;
      for (const dialect of dialects) add({ binding, dialect, url, tenant: '', listed: undefined, doubtful: false });
    }
  }
  return { places: [...places.values()], rejected };
}

/** The agent's base: the target, or what stands before the path of a card. */
function baseOf(target: URL, dialects: readonly Dialect[]): URL {
  if (!target.pathname.endsWith('.json')) return target;
  const paths = dialects.flatMap(({ card }) => card.paths).sort((a, b) => b.length - a.length);
  const path =
    paths.find((one) => target.pathname.endsWith(one)) ?? target.pathname.slice(target.pathname.lastIndexOf('/'));
  const base = new URL(target);
  base.pathname = target.pathname.slice(0, -path.length);
  base.search = '';
  return base;
}
