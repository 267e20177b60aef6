import type { KGStatement } from '../../../core/model/knowledge.ts';
import type { PatchedOutcome } from '../outcome.ts';
import type { Superclasses } from './load.ts';
import { subClassOf } from './terms.ts';

/** A class as the `subject`, and one of its direct superclasses as the `object`. */
type Edge = Readonly<Record<'subject' | 'object', string>>;

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
  classes: Superclasses,
  named: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const moved = changed.flatMap(({ subject, predicate, object }): Edge[] =>
    predicate.id === subClassOf.value && object.id !== undefined ? [{ subject: subject.id, object: object.id }] : [],
  );
  const instances = new Set<string>();
  if (moved.length === 0 || named.size === 0) return instances;
  // Existing, removed and configured superclasses: too many do no harm here.
  const known = [
    ...moved,
    ...[...classes].flatMap(([subject, above]) => [...above].map((object) => ({ subject, object }))),
  ];

  /** Classes, and all that can be reached from them: superclasses from subjects, subclasses from objects. */
  const reached = async (from: keyof Edge, start: Iterable<string>): Promise<ReadonlySet<string>> => {
    const to = from === 'subject' ? 'object' : 'subject';
    const all = new Set(start);
    for (let level = [...all]; level.length > 0; ) {
      const stored = await outcome.findEach(level.map((id) => ({ [from]: id, predicate: subClassOf.value })));
      const next = new Set([
        ...stored.flat().flatMap((statement) => statement[to].id ?? []),
        ...known.filter((edge) => level.includes(edge[from])).map((edge) => edge[to]),
      ]);
      level = [...next.difference(all)];
      for (const one of level) all.add(one);
    }
    return all;
  };

  const concerned = new Set<string>();
  for (const { subject, object } of moved) {
    if (!(await reached('subject', [object])).isDisjointFrom(named)) concerned.add(subject);
  }
  for (const type of await reached('object', concerned)) {
    for (const id of await outcome.instancesOf(type)) instances.add(id);
  }
  return instances;
}
