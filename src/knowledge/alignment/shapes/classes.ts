import type { KGStatement } from '../../../core/model/knowledge.ts';
import type { PatchedOutcome } from '../outcome.ts';
import { subClassOf } from './terms.ts';

/** Which classes are right above, or right below, each class. */
export type Classes = ReadonlyMap<string, ReadonlySet<string>>;

interface Edge {
  readonly lower: string;
  readonly upper: string;
}

/**
 * Ids of the instances of classes whose place among others an update changes: what holds for a class above them begins,
 * or ceases, to hold for them.
 *
 * @param classes what the shapes place right above each class
 * @param named classes that shapes are about, or ask for: a place below any other changes nothing
 */
export async function movedInstances(
  changed: readonly KGStatement[],
  outcome: PatchedOutcome,
  classes: Classes,
  named: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const moved = changed.flatMap(({ subject, predicate, object }): Edge[] =>
    predicate.id === subClassOf.value && object.id !== undefined ? [{ lower: subject.id, upper: object.id }] : [],
  );
  const instances = new Set<string>();
  if (moved.length === 0 || named.size === 0) return instances;
  // What is there, what was there before, and what the shapes say: a way too many does no harm here.
  const known = [...moved, ...[...classes].flatMap(([lower, above]) => [...above].map((upper) => ({ lower, upper })))];

  const above = async (level: readonly string[]): Promise<string[]> => {
    const found = await outcome.findEach(level.map((subject) => ({ subject, predicate: subClassOf.value })));
    const said = found.flat().flatMap(({ object }) => object.id ?? []);
    return [...said, ...known.filter(({ lower }) => level.includes(lower)).map(({ upper }) => upper)];
  };
  const below = async (level: readonly string[]): Promise<string[]> => {
    const found = await outcome.findEach(level.map((object) => ({ predicate: subClassOf.value, object })));
    const said = found.flat().map(({ subject }) => subject.id);
    return [...said, ...known.filter(({ upper }) => level.includes(upper)).map(({ lower }) => lower)];
  };

  const concerned = new Set<string>();
  for (const { lower, upper } of moved) {
    const all = await reached([upper], above);
    if (!all.isDisjointFrom(named)) concerned.add(lower);
  }
  for (const type of await reached([...concerned], below)) {
    for (const id of await outcome.instancesOf(type)) instances.add(id);
  }
  return instances;
}

/** Everything that can be reached, what one begins with included. */
async function reached(
  from: readonly string[],
  next: (level: readonly string[]) => Promise<readonly string[]>,
): Promise<ReadonlySet<string>> {
  const all = new Set(from);
  for (let level = [...from]; level.length > 0; ) {
    const found = new Set(await next(level)).difference(all);
    for (const one of found) all.add(one);
    level = [...found];
  }
  return all;
}
