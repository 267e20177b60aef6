import type { ErrorKind } from '../../core/model/errors.ts';
import { bindings } from '../bindings.ts';
import { controlOf, isFromAgent, matchesControl, type ProbeRequestOptions, sendProbe } from './ask.ts';
import { type ProbeEndpoint, reportOf, serverOf } from './places.ts';
import type { FoundEndpoint, RejectedEndpoint } from './report.ts';
import { methodOf } from './tables.ts';
import { distinguishDialects } from './tell-apart.ts';

/** A way that works, with what it is sorted by. */
export interface RankedEndpoint {
  readonly place: ProbeEndpoint;
  readonly result: FoundEndpoint;
  /** Position in the card of the first way at the same site that is spoken by the same methods. */
  readonly listed: number;
  /** Position among the dialects that were told apart. */
  readonly rank: number;
}

/** What works and what does not. */
export interface ProbeResults {
  readonly found: readonly RankedEndpoint[];
  readonly rejected: readonly RejectedEndpoint[];
}

/** Sites that are asked at the same time. */
const concurrency = 2;

/**
 * Tries every place, one after the other at each site. What works comes back in the order of preference.
 *
 * @throws A2AError `canceled`
 */
export async function probeAll(
  places: readonly ProbeEndpoint[],
  asking: ProbeRequestOptions,
  onProgress: ((what: string) => void) | undefined,
): Promise<ProbeResults> {
  const sites = [...Map.groupBy(places, serverOf).values()];
  const results: ProbeResults[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < sites.length; at = next++) {
      const site = sites[at] as readonly ProbeEndpoint[];
      const [first] = site;
      onProgress?.(`asking ${first?.binding.title} at ${first?.url.href}`);
      results[at] = await probeServer(site, asking);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return {
    found: results.flatMap(({ found }) => found).sort(byPreference),
    rejected: results.flatMap(({ rejected }) => rejected),
  };
}

/** A place at which a dialect may be spoken. */
interface Responding {
  readonly place: ProbeEndpoint;
  readonly evidence: string;
}

async function probeServer(places: readonly ProbeEndpoint[], asking: ProbeRequestOptions): Promise<ProbeResults> {
  const heard: Responding[] = [];
  const rejected: RejectedEndpoint[] = [];
  let silence: { readonly why: string; readonly kind: ErrorKind } | undefined;
  for (const place of places) {
    const outcome = silence ? { place, ...silence } : await probeEndpoint(place, asking);
    if (outcome.evidence !== undefined) heard.push(outcome);
    else rejected.push(rejection(place, outcome.why, outcome.kind));
    // Who does not answer one dialect answers none.
    if (outcome.why !== undefined && silent.has(outcome.kind)) silence ??= outcome;
  }
  const groups = Map.groupBy(heard, ({ place: { binding, dialect } }) =>
    String(methodOf(binding.wireFormat, dialect, 'GetTask')?.names[0]),
  );
  const told = await Promise.all([...groups.values()].map((group) => judgeGroup(group, asking)));
  return {
    found: told.flatMap(({ found }) => found),
    rejected: [...rejected, ...told.flatMap((group) => group.rejected)],
  };
}

/** Dialects that are spoken at one site by methods of the same name. */
async function judgeGroup(group: readonly Responding[], asking: ProbeRequestOptions): Promise<ProbeResults> {
  const places = group.map(({ place }) => place);
  const told = places.length > 1 ? await distinguishDialects(places, asking) : undefined;
  const listed = Math.min(...places.map((place) => place.listed ?? Number.POSITIVE_INFINITY));
  const found: RankedEndpoint[] = [];
  const rejected: RejectedEndpoint[] = [];
  for (const { place, evidence } of group) {
    const rank = told?.findIndex(({ name }) => name === place.dialect.name) ?? 0;
    const { because, why, unsure } = told?.[rank] ?? {};
    if (why === undefined) {
      const said = because === undefined ? evidence : `${evidence}; ${because}`;
      const result: FoundEndpoint = { ...reportOf(place), evidence: said, ...(unsure && { unsure }) };
      found.push({ place, result, listed, rank });
    } else rejected.push(rejection(place, why, 'versionNotSupported'));
  }
  return { found, rejected };
}

/** Kinds of errors with which nobody answered. */
const silent: ReadonlySet<ErrorKind> = new Set(['upstreamTimeout', 'upstreamUnreachable']);

/** A card that would have to be read as one of another generation promises nothing. */
function rejection(place: ProbeEndpoint, why: string, kind: ErrorKind): RejectedEndpoint {
  const way = reportOf(place);
  return { ...way, listed: way.listed && !place.doubtful, why, kind };
}

/** What a card lists comes first, in its order; what nobody asks for of themselves comes last. */
function byPreference(a: RankedEndpoint, b: RankedEndpoint): number {
  const asked = ({ place }: RankedEndpoint): number => Number(place.binding.onRequest ?? false);
  const order = ({ place }: RankedEndpoint): number => bindings.indexOf(place.binding);
  return (
    asked(a) - asked(b) || (a.listed === b.listed ? 0 : a.listed - b.listed) || a.rank - b.rank || order(a) - order(b)
  );
}

/** Reports name the URL already. */
const withoutUrl = (words: string): string => words.replace(/^https?:\/\/\S+ (answered|redirects)/, '$1');

/** What the try of one place came to. */
export type EndpointResult =
  | { readonly place: ProbeEndpoint; readonly evidence: string; readonly why?: undefined }
  | { readonly place: ProbeEndpoint; readonly evidence?: undefined; readonly why: string; readonly kind: ErrorKind };

/** What is asked of a place that is tried. */
const operation = 'GetTask';

/** The kind that proves a dialect over HTTP+JSON, where anybody may answer 400 or 500. */
const expected: ErrorKind = 'taskNotFound';

/**
 * Finds out whether a dialect is spoken at a place: by asking for a task that cannot exist, and then for the same where
 * there is nothing. An agent says in the dialect's own form that it has no such task, and something else the second time.
 *
 * @throws A2AError `canceled`
 */
export async function probeEndpoint(place: ProbeEndpoint, options: ProbeRequestOptions): Promise<EndpointResult> {
  const { binding, dialect } = place;
  const answer = await sendProbe(place, operation, options);
  const { error } = answer;
  const provesNothing = binding.wireFormat === 'rest' && error !== undefined && error.kind !== expected;
  if (error !== undefined && (!isFromAgent(answer) || provesNothing)) {
    return { place, why: withoutUrl(answer.words), kind: error.kind };
  }

  const control = await sendProbe(place, operation, options, controlOf(dialect, binding.wireFormat));
  const name = methodOf(binding.wireFormat, dialect, operation)?.names[0] ?? operation;
  if (matchesControl(answer, control, binding.wireFormat)) {
    const why = `answers ${name} as it answers nonsense: ${answer.words}`;
    return { place, why, kind: error?.kind ?? 'invalidAgentResponse' };
  }
  const software = error && binding.wireFormat !== 'jsonrpc' && dialect.software?.find((one) => one.answersSo(error));
  const likeness = software ? ` (as ${software.name} answers)` : '';
  return { place, evidence: `${name} of an unknown id: ${answer.words}${likeness}` };
}
