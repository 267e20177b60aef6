import type { KGStatement } from '../../../core/model/knowledge.ts';
import type { PatchedOutcome } from '../outcome.ts';
import { subClassOf } from './terms.ts';

/** Direct superclasses, or subclasses, of each class. */
export type Classes = ReadonlyMap<string, ReadonlySet<string>>;

interface Edge {
  readonly lower: string;
  readonly upper: string;
}

/**
 * Ids of the instances of classes whose superclasses an update changes: constraints of those classes begin or cease to
 * apply to them.
 *
 * @param classes direct superclasses, as the shapes file states them
 * @param named classes that shapes target or require: other superclasses do not matter
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
  // Existing, removed and configured superclasses: too many do no harm here.
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

/** All nodes that can be reached, including the start. */
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
