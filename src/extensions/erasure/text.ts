import type { Progress } from './model.ts';

const listOf = (counts: Iterable<readonly [kind: string, count: number]>): string =>
  Array.from(counts, ([kind, count]) => `${kind} ${count}`).join(', ') || 'nothing';

/** The numbers of what was deleted and of what stays, for the audit log: without ids. */
export const resultOf = ({ erased, remaining }: Progress): string => {
  const staying = Object.entries(remaining).map(([kind, { count }]) => [kind, count] as const);
  return `erased: ${listOf(Object.entries(erased))}; remaining: ${listOf(staying)}`;
};
