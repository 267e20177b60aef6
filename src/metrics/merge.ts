import type { Family, Sample } from './family.ts';

const joins = { highest: Math.max, lowest: Math.min, sum: (one: number, other: number): number => one + other };

/** Joins the metrics of several processes. */
export function mergeFamilies(processes: readonly (readonly Family[])[]): Family[] {
  const merged = new Map<string, Family & { readonly byLabels: Map<string, Sample> }>();
  for (const each of processes.flat()) {
    const known = merged.get(each.name) ?? { ...each, byLabels: new Map<string, Sample>() };
    merged.set(each.name, known);
    const join = joins[each.join ?? 'sum'];
    for (const sample of each.samples) {
      const key = JSON.stringify([sample.suffix, sample.labels]);
      const before = known.byLabels.get(key);
      known.byLabels.set(key, before ? { ...sample, value: join(before.value, sample.value) } : sample);
    }
  }
  return Array.from(merged.values(), ({ byLabels, ...family }) => ({ ...family, samples: [...byLabels.values()] }));
}
