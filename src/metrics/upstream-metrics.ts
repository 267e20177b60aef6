import type { Invoke } from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';
import { getOrCreate } from './call-metrics.ts';
import { counter, type Family, histogram } from './family.ts';
import { bounds, Histogram } from './histogram.ts';

/** Calls to one agent. */
class UpstreamSeries {
  readonly latency = new Histogram(bounds.calls);
  readonly results = new Map<string, number>();
  retries = 0;
}

/** Who is told of calls to upstream agents. */
export interface UpstreamObserver {
  /** Middleware around each attempt. */
  readonly observe: (agent: string) => (next: Invoke) => Invoke;
  /** A call is tried again. */
  readonly onRetry: (agent: string) => void;
}

/** Counts calls to upstream agents, each attempt for itself. */
export class UpstreamMetrics implements UpstreamObserver {
  readonly #agents = new Map<string, UpstreamSeries>();

  readonly observe = (agent: string): ((next: Invoke) => Invoke) => {
    const outgoing = getOrCreate(this.#agents, agent, () => new UpstreamSeries());
    const over = (began: number, result: string): void => {
      outgoing.latency.observe((performance.now() - began) / 1_000);
      outgoing.results.set(result, (outgoing.results.get(result) ?? 0) + 1);
    };
    return (next) => (call) => {
      const began = performance.now();
      const reply = next(call);
      reply.then(
        () => over(began, 'ok'),
        (thrown: unknown) => over(began, A2AError.from(thrown).kind),
      );
      return reply;
    };
  };

  readonly onRetry = (agent: string): void => {
    getOrCreate(this.#agents, agent, () => new UpstreamSeries()).retries += 1;
  };

  families(): Family[] {
    const agents = [...this.#agents];
    return [
      counter(
        'upstream_requests',
        'Calls to upstream agents, by what became of them: ok, or the kind of error. Attempts count each.',
        agents.flatMap(([agent, { results }]) => Array.from(results, ([result, n]) => [{ agent, result }, n] as const)),
      ),
      histogram(
        'upstream_request_duration_seconds',
        'Time from a call to an upstream agent to its answer, or to the beginning of its stream.',
        agents.map(([agent, { latency }]) => [{ agent }, latency] as const),
      ),
      counter(
        'upstream_retries',
        'Calls to upstream agents that were tried again.',
        agents.map(([agent, { retries }]) => [{ agent }, retries] as const),
      ),
    ];
  }
}
