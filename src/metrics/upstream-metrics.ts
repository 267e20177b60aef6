import { type AttemptTarget, type Call, isStream, type ObserveAttempt } from '../core/model/call.ts';
import type { A2AError } from '../core/model/errors.ts';
import { steadyNow } from '../core/model/timing.ts';
import { by, counter, type Family, histogram } from './family.ts';
import { bounds, getOrCreate, Outcomes } from './series.ts';

/** Calls to one agent. */
class UpstreamSeries extends Outcomes {
  retries = 0;
  skippedEvents = 0;
}

/** Counts calls to upstream agents, each attempt on its own. */
export class UpstreamMetrics {
  /** Called with each attempt that failed. Must not throw. */
  onFailed: ((call: Call, to: AttemptTarget, error: A2AError, seconds: number) => void) | undefined;
  readonly #agents = new Map<string, UpstreamSeries>();

  /** Middleware around each attempt. */
  readonly observe = (agent: string): ObserveAttempt => {
    const series = this.#seriesOf(agent);
    return (next, to) => (call) =>
      series.watch(
        () => next(call),
        (error, seconds, reply) => {
          if (!to || !this.onFailed) return;
          if (error) this.onFailed(call, to, error, seconds);
          if (!reply || !isStream(reply)) return;
          const began = steadyNow() - seconds * 1_000;
          call.context.notes.onStreamFailed = (failure) =>
            this.onFailed?.(call, to, failure, (steadyNow() - began) / 1_000);
        },
      );
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
