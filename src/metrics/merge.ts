import type { Family, Sample } from './family.ts';

/** Gauges that say the same in every process, or of which the worst counts. All other gauges and counts are added. */
const highest =
  /^(a2a_gateway_(build_info|gateways|reloads_total|push_queue|push_oldest_seconds|agent_.*|upstream_breaker_state)|nodejs_(eventloop_lag_.*|version_info))$/;
const lowest = /^(a2a_gateway_store_up|process_start_time_seconds)$/;

/** The metrics of several processes as those of one. */
export function mergeFamilies(processes: readonly (readonly Family[])[]): Family[] {
  const merged = new Map<string, Family & { readonly byLabels: Map<string, Sample> }>();
  for (const each of processes.flat()) {
    const known = merged.get(each.name) ?? { ...each, byLabels: new Map<string, Sample>() };
    merged.set(each.name, known);
    const join = joinOf(each.name);
    for (const sample of each.samples) {
      const key = JSON.stringify([sample.suffix, sample.labels]);
      const before = known.byLabels.get(key);
      known.byLabels.set(key, before ? { ...sample, value: join(before.value, sample.value) } : sample);
    }
  }
  return Array.from(merged.values(), ({ byLabels, ...family }) => ({ ...family, samples: [...byLabels.values()] }));
}

function joinOf(name: string): (one: number, other: number) => number {
  if (highest.test(name)) return Math.max;
  return lowest.test(name) ? Math.min : (one, other) => one + other;
}
