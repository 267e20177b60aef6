import type { Invoke } from '../core/model/call.ts';
import { by, counter, type Family, histogram } from './family.ts';
import { bounds, getOrCreate, Outcomes } from './series.ts';

/** Calls to one agent. */
class UpstreamSeries extends Outcomes {
  retries = 0;
  skippedEvents = 0;
}

/** Counts calls to upstream agents, each attempt on its own. */
export class UpstreamMetrics {
  readonly #agents = new Map<string, UpstreamSeries>();

  /** Middleware around each attempt. */
  readonly observe = (agent: string): ((next: Invoke) => Invoke) => {
    const series = this.#seriesOf(agent);
    return (next) => (call) => series.watch(() => next(call));
  };

  /** Called when a call is retried. */
  readonly onRetry = (agent: string): void => {
    this.#seriesOf(agent).retries += 1;
  };

  /** Called with each part of a stream that is not part of the answer. */
  readonly onSkipped = (agent: string): void => {
    this.#seriesOf(agent).skippedEvents += 1;
  };

  families(): Family[] {
    const agents = [...this.#agents];
    return [
      counter(
        'upstream_requests',
        'Calls to upstream agents, each attempt, by result: ok, or the kind of error.',
        agents.flatMap(([agent, { results }]) => results.map(([result, count]) => [{ agent, result }, count] as const)),
      ),
      histogram(
        'upstream_request_duration_seconds',
        'Time from a call to an upstream agent to its answer, or to the beginning of its stream.',
        agents.map(([agent, { latency }]) => [{ agent }, latency] as const),
      ),
      counter(
        'upstream_retries',
        'Calls to upstream agents that were retried.',
        by(
          'agent',
          agents.map(([agent, { retries }]) => [agent, retries]),
        ),
      ),
      counter(
        'upstream_skipped_events',
        'Parts of the streams of upstream agents that are no answers, such as heartbeats, and were skipped.',
        by(
          'agent',
          agents.map(([agent, { skippedEvents }]) => [agent, skippedEvents]),
        ),
      ),
    ];
  }

  #seriesOf(agent: string): UpstreamSeries {
    return getOrCreate(this.#agents, agent, () => new UpstreamSeries(bounds.calls));
  }
}
