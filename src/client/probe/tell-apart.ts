import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { Method } from '../../dialects/kernel/wire.ts';
import {
  type Answer,
  type AskOptions,
  absent,
  answered,
  ask,
  calling,
  isNoise,
  localMethod,
  locked,
  misplaced,
} from './ask.ts';
import { judge, type Told } from './judge.ts';
import type { Place } from './places.ts';
import { isRead } from './tables.ts';

/** Telling dialects apart whose methods have the same names, by methods that not all of them have. */

/** The methods of a dialect that only read, and those that are answered on the spot, by name. */
function harmless({ jsonrpc }: Dialect): ReadonlyMap<string, Method> {
  const methods = [...(jsonrpc?.methods.values() ?? [])].filter(isRead);
  const local = [...(jsonrpc?.local?.keys() ?? [])].map((name) => localMethod(name, 'GetTask'));
  return new Map([...methods, ...local].map((method) => [method.name, method]));
}

/**
 * Asks at one URL for methods that some of the dialects have and others have not.
 *
 * @param places the same URL in each of the dialects
 * @throws A2AError `canceled`
 */
export async function tellApart(places: readonly Place[], options: AskOptions): Promise<readonly Told[]> {
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
    const answer = await ask(place, method.operation, options, calling(place.dialect, method));
    const kind = answer.error?.kind;
    if (kind !== undefined && locked.has(kind)) continue;
    if (answered(answer) && !(await provesNothing(place, method, answer, options))) present.add(name);
    else if (kind !== undefined && (absent.has(kind) || answered(answer))) missing.add(name);
  }
  const asked = [...present, ...missing];
  const candidates = places.map(({ dialect, listed, doubtful }, at) => ({
    name: dialect.name,
    listed: listed === undefined ? false : doubtful ? ('doubtful' as const) : true,
    own: new Set(asked.filter((name) => tables[at]?.has(name))),
  }));
  return judge(candidates, { present, missing });
}

/** Whether a method that there cannot be is answered in the same way. */
async function provesNothing(place: Place, method: Method, answer: Answer, options: AskOptions): Promise<boolean> {
  if (answer.error?.kind === 'taskNotFound') return false;
  const control = misplaced(calling(place.dialect, method), place.binding.face);
  return isNoise(answer, await ask(place, method.operation, options, control), place.binding.face);
}
