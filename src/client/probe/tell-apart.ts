import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { Method } from '../../dialects/kernel/wire.ts';
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
import type { ProbeEndpoint } from './places.ts';
import { readsOnly } from './tables.ts';

/** Telling dialects apart whose methods have the same names, by methods that not all of them have. */

/** The methods of a dialect that only read, and those that are answered on the spot, by name. */
function harmless({ jsonrpc }: Dialect): ReadonlyMap<string, Method> {
  const methods = [...(jsonrpc?.methods.values() ?? [])].filter(readsOnly);
  const local = [...(jsonrpc?.local?.keys() ?? [])].map((name) => localMethod(name, 'GetTask'));
  return new Map([...methods, ...local].map((method) => [method.name, method]));
}

/**
 * Asks at one URL for methods that some of the dialects have and others have not.
 *
 * @param places the same URL in each of the dialects
 * @throws A2AError `canceled`
 */
export async function distinguishDialects(
  places: readonly ProbeEndpoint[],
  options: ProbeRequestOptions,
): Promise<readonly DialectVerdict[]> {
  const tables = places.map(({ dialect }) => harmless(dialect));
  const names = new Set(tables.flatMap((table) => [...table.keys()]));
  const present = new Set<string>();
  const missing = new Set<string>();
  for (const name of names) {
    const owners = tables.flatMap((table, at) => (table.has(name) ? [at] : []));
    const [first] = owners;
    const place = places[first ?? -1];
    const method = tables[first ?? -1]?.get(name);
    if (owners.length === places.length || place === undefined || method === undefined) continue;
    const answer = await sendProbe(place, method.operation, options, withMethod(place.dialect, method));
    const kind = answer.error?.kind;
    if (kind !== undefined && deniedKinds.has(kind)) continue;
    if (isFromAgent(answer) && !(await provesNothing(place, method, answer, options))) present.add(name);
    else if (kind !== undefined && (absentKinds.has(kind) || isFromAgent(answer))) missing.add(name);
  }
  const asked = [...present, ...missing];
  const candidates = places.map(({ dialect, listed, doubtful }, at) => ({
    name: dialect.name,
    listed: listed === undefined ? false : doubtful ? ('doubtful' as const) : true,
    own: new Set(asked.filter((name) => tables[at]?.has(name))),
  }));
  return judgeDialects(candidates, { present, missing });
}

/** Whether a method that there cannot be is answered in the same way. */
async function provesNothing(
  place: ProbeEndpoint,
  method: Method,
  answer: ProbeResponse,
  options: ProbeRequestOptions,
): Promise<boolean> {
  if (answer.error?.kind === 'taskNotFound') return false;
  const control = controlOf(withMethod(place.dialect, method), place.binding.wireFormat);
  return matchesControl(answer, await sendProbe(place, method.operation, options, control), place.binding.wireFormat);
}
