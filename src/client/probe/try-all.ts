import type { ErrorKind } from '../../core/model/errors.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { Method } from '../../dialects/kernel/wire.ts';
import { bindings } from '../bindings.ts';
import {
  absentKinds,
  controlOf,
  deniedKinds,
  isFromAgent,
  localMethod,
  matchesControl,
  type ProbeRequestOptions,
  type ProbeResponse,
  sendProbe,
  withMethod,
} from './ask.ts';
import { type DialectVerdict, judgeDialects } from './judge.ts';
import { type ProbeEndpoint, reportOf, serverOf } from './places.ts';
import type { FoundEndpoint, RejectedEndpoint } from './report.ts';
import { methodOf, readOperations } from './tables.ts';

/** A way that works, with its place in the order of preference. */
interface RankedEndpoint {
  readonly place: ProbeEndpoint;
  readonly result: FoundEndpoint;
  /** Position in the card of the first endpoint of the same server and method names. */
  readonly listed: number;
  /** Position among the dialects that were distinguished. */
  readonly rank: number;
}

interface ProbeResults {
  readonly found: readonly RankedEndpoint[];
  readonly rejected: readonly RejectedEndpoint[];
}

/** Maximum number of servers that are probed at the same time. */
const concurrency = 2;

/**
 * Probes all endpoints; the endpoints of one server are probed one after the other. Working endpoints are returned in
 * order of preference.
 *
 * @throws A2AError `canceled`
 */
export async function probeAll(
  places: readonly ProbeEndpoint[],
  asking: ProbeRequestOptions,
  onProgress: ((what: string) => void) | undefined,
): Promise<ProbeResults> {
  const servers = [...Map.groupBy(places, serverOf).values()];
  const results: ProbeResults[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < servers.length; at = next++) {
      const server = servers[at] as readonly ProbeEndpoint[];
      onProgress?.(`asking ${server[0]?.binding.title} at ${server[0]?.url.href}`);
      results[at] = await probeServer(server, asking);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return {
    found: results.flatMap(({ found }) => found).sort(byPreference),
    rejected: results.flatMap(({ rejected }) => rejected),
  };
}

async function probeServer(places: readonly ProbeEndpoint[], asking: ProbeRequestOptions): Promise<ProbeResults> {
  const responding: { readonly place: ProbeEndpoint; readonly evidence: string }[] = [];
  const rejected: RejectedEndpoint[] = [];
  let silence: Failure | undefined;
  for (const place of places) {
    const outcome = silence ?? (await probeEndpoint(place, asking));
    if (typeof outcome === 'string') {
      responding.push({ place, evidence: outcome });
      continue;
    }
    rejected.push(rejection(place, outcome));
    // A server that does not answer in one dialect answers in none.
    if (silentKinds.has(outcome.kind)) silence ??= outcome;
  }
  const groups = Map.groupBy(responding, ({ place: { binding, dialect } }) =>
    String(methodOf(binding.wireFormat, dialect, question)?.names[0]),
  );
  const judged = await Promise.all([...groups.values()].map((group) => judgeGroup(group, asking)));
  return {
    found: judged.flatMap(({ found }) => found),
    rejected: [...rejected, ...judged.flatMap((group) => group.rejected)],
  };
}

/** Decides between dialects in which one server responds to a method of the same name. */
async function judgeGroup(
  group: readonly { readonly place: ProbeEndpoint; readonly evidence: string }[],
  asking: ProbeRequestOptions,
): Promise<ProbeResults> {
  const places = group.map(({ place }) => place);
  const verdicts = places.length > 1 ? await distinguishDialects(places, asking) : undefined;
  const listed = Math.min(...places.map((place) => place.listed ?? Number.POSITIVE_INFINITY));
  const found: RankedEndpoint[] = [];
  const rejected: RejectedEndpoint[] = [];
  for (const { place, evidence: answered } of group) {
    const rank = verdicts?.findIndex(({ name }) => name === place.dialect.name) ?? 0;
    const { because, why, unsure } = verdicts?.[rank] ?? {};
    if (why === undefined) {
      const evidence = because === undefined ? answered : `${answered}; ${because}`;
      found.push({ place, result: { ...reportOf(place), evidence, ...(unsure && { unsure }) }, listed, rank });
    } else rejected.push(rejection(place, { why, kind: 'versionNotSupported' }));
  }
  return { found, rejected };
}

/** Errors of servers that did not answer. */
const silentKinds: ReadonlySet<ErrorKind> = new Set(['upstreamTimeout', 'upstreamUnreachable']);

type Failure = Pick<RejectedEndpoint, 'why' | 'kind'>;

/**
 * Creates a rejected endpoint. An endpoint that is listed only in an unlikely reading of the card counts as unlisted.
 */
function rejection(place: ProbeEndpoint, failure: Failure): RejectedEndpoint {
  const report = reportOf(place);
  return { ...report, listed: report.listed && !place.doubtful, ...failure };
}

/** Orders endpoints: listed ones first, in the card's order; bindings that are used only on request last. */
function byPreference(a: RankedEndpoint, b: RankedEndpoint): number {
  const asked = ({ place }: RankedEndpoint): number => Number(place.binding.onRequest ?? false);
  const order = ({ place }: RankedEndpoint): number => bindings.indexOf(place.binding);
  return (
    asked(a) - asked(b) || (a.listed === b.listed ? 0 : a.listed - b.listed) || a.rank - b.rank || order(a) - order(b)
  );
}

/** Removes the URL from a message, because reports list it separately. */
const withoutUrl = (words: string): string => words.replace(/^https?:\/\/\S+ (answered|redirects)/, '$1');

/** The operation that is called at every endpoint. */
const question = 'GetTask';

/**
 * Checks whether an endpoint works: calls GetTask with an id that cannot exist, then a method that does not exist. An
 * agent answers the first call in the form of the dialect, and the second one differently.
 *
 * @returns the evidence, or the failure
 * @throws A2AError `canceled`
 */
async function probeEndpoint(place: ProbeEndpoint, options: ProbeRequestOptions): Promise<string | Failure> {
  const { binding, dialect } = place;
  const answer = await sendProbe(place, question, options);
  const { error } = answer;
  // Over HTTP+JSON any server may answer 400 or 500.
  const provesNothing = binding.wireFormat === 'rest' && error !== undefined && error.kind !== 'taskNotFound';
  if (error !== undefined && (!isFromAgent(answer) || provesNothing)) {
    return { why: withoutUrl(answer.words), kind: error.kind };
  }
  const control = await sendProbe(place, question, options, controlOf(dialect));
  const name = methodOf(binding.wireFormat, dialect, question)?.names[0] ?? question;
  if (matchesControl(answer, control, binding.wireFormat)) {
    const why = `answers ${name} like a method that does not exist: ${answer.words}`;
    return { why, kind: error?.kind ?? 'invalidAgentResponse' };
  }
  const software = error && binding.wireFormat !== 'jsonrpc' && dialect.software?.find((one) => one.answersSo(error));
  const likeness = software ? ` (as ${software.name} answers)` : '';
  return `${name} of an unknown id: ${answer.words}${likeness}`;
}

/** Returns the read-only methods of a dialect and its methods without an operation, by name. */
function harmlessMethods({ jsonrpc }: Dialect): ReadonlyMap<string, Method> {
  const methods = [...(jsonrpc?.methods.values() ?? [])].filter(({ operation }) => readOperations.has(operation));
  const local = [...(jsonrpc?.local?.keys() ?? [])].map((name) => localMethod(name, question));
  return new Map([...methods, ...local].map((method) => [method.name, method]));
}

/** Distinguishes dialects at one URL by methods that only some of them have. */
async function distinguishDialects(
  places: readonly ProbeEndpoint[],
  options: ProbeRequestOptions,
): Promise<readonly DialectVerdict[]> {
  const tables = places.map(({ dialect }) => harmlessMethods(dialect));
  const present = new Set<string>();
  const missing = new Set<string>();
  for (const name of new Set(tables.flatMap((table) => [...table.keys()]))) {
    const owner = tables.findIndex((table) => table.has(name));
    const place = places[owner];
    const method = tables[owner]?.get(name);
    if (tables.every((table) => table.has(name)) || place === undefined || method === undefined) continue;
    const answer = await sendProbe(place, method.operation, options, withMethod(place.dialect, method));
    const kind = answer.error?.kind;
    if (kind !== undefined && deniedKinds.has(kind)) continue;
    if (isFromAgent(answer) && !(await isAnswerToAnything(place, method, answer, options))) present.add(name);
    else if (kind !== undefined && (absentKinds.has(kind) || isFromAgent(answer))) missing.add(name);
  }
  const asked = present.union(missing);
  const candidates = places.map(({ dialect, listed, doubtful }, at) => ({
    name: dialect.name,
    listed: listed === undefined ? false : doubtful ? ('doubtful' as const) : true,
    own: new Set(asked.values().filter((name) => tables[at]?.has(name))),
  }));
  return judgeDialects(candidates, { present, missing });
}

/** Whether the agent responds to a method that does not exist in the same way. */
async function isAnswerToAnything(
  place: ProbeEndpoint,
  method: Method,
  answer: ProbeResponse,
  options: ProbeRequestOptions,
): Promise<boolean> {
  if (answer.error?.kind === 'taskNotFound') return false;
  const control = controlOf(withMethod(place.dialect, method));
  return matchesControl(answer, await sendProbe(place, method.operation, options, control), place.binding.wireFormat);
}
