/**
 * `garbage-child.ts STRUCTURE`: adds and deletes members as requests do, and prints how many bytes of deleted members were
 * in the old generation at the most. Needs `--expose-gc`.
 */
import { getHeapSpaceStatistics } from 'node:v8';
import { LinkedList, Listed } from '../../../src/core/collections/linked-list.ts';
import { TransientMap } from '../../../src/core/collections/transient-map.ts';

interface Member {
  readonly key: string;
  readonly content: number[];
}

/** Adds a member; the returned function deletes it. */
type Add = (member: Member) => () => void;

const structures: Readonly<Record<string, () => Add>> = {
  Map: () => {
    const map = new Map<string, Member>();
    return (member) => {
      map.set(member.key, member);
      return () => map.delete(member.key);
    };
  },
  Set: () => {
    const set = new Set<Member>();
    return (member) => {
      set.add(member);
      return () => set.delete(member);
    };
  },
  TransientMap: () => {
    const map = new TransientMap<Member>();
    return (member) => {
      map.set(member.key, member);
      return () => map.delete(member.key);
    };
  },
  LinkedList: () => {
    const list = new LinkedList<Listed<Member>>();
    return (member) => {
      const listed = new Listed(member);
      list.add(listed);
      return () => list.delete(listed);
    };
  },
};

/** Requests under way at the same time, and in all. */
const [concurrent, total] = [16, 20_000];
/** Requests between two collections of the young generation. */
const perCollection = 500;

const gc = globalThis.gc as (options?: { type: 'minor' }) => void;

const oldBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0;

let most = 0;
const add = structures[process.argv[2] ?? '']?.() as Add;
const open: (() => void)[] = [];
for (let n = 0; n < concurrent; n += 1) open.push(add({ key: `first-${n}`, content: [] }));
// The structure, with its first members, moves to the old generation.
gc();
gc();
for (let n = 0; n < total; n += 1) {
  open[n % concurrent]?.();
  open[n % concurrent] = add({ key: `key-${n}`, content: new Array(256).fill(n) });
  if (n % perCollection !== 0) continue;
  gc({ type: 'minor' });
  // The most, since V8 makes a full collection of its own where the garbage grows.
  most = Math.max(most, oldBytes());
}
gc();
console.log(most - oldBytes());
