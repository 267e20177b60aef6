import type { AddedHandlers } from '../handlers.ts';
import type { AdminHost, ErasedCaller, ErasedCounts, Host, OpeningHost } from '../host.ts';
import type { Module, OpenModule } from '../module.ts';
import type { ModuleInterceptor } from '../part.ts';
import type { LastFailures } from './last-failures.ts';
import type { CallRecorder } from './recorder.ts';

/**
 * Records the requests and answers of calls: of each agent's last failed calls, and of other calls while an operator records
 * them.
 */
export const recordings: Module = { name: 'recordings', open: (host) => new RecordingsModule(host) };

class RecordingsModule implements OpenModule {
  readonly #host: OpeningHost;
  /** Undefined until the admin service is created. */
  #recorder: CallRecorder | undefined;
  /** Undefined while nothing is recorded. */
  #active: CallRecorder | undefined;
  #Failures: typeof LastFailures | undefined;
  /** Undefined: the configuration keeps no calls. */
  #failures: LastFailures | undefined;
  readonly interceptors = [
    {
      name: 'recording',
      // Inside of the span, since the record names the trace; before all checks, since refused calls are recorded, too.
      at: 'traced',
      applies: () => this.#active !== undefined,
      intercept: (next) => (call) => this.#active?.invoke(call, next) ?? next(call),
    },
  ] satisfies ModuleInterceptor[];

  constructor(host: OpeningHost) {
    this.#host = host;
  }

  forget({ principal }: Pick<ErasedCaller, 'principal'>): ErasedCounts {
    const failed = this.#failures?.forget(principal) ?? 0;
    return { recordings: failed + (this.#recorder?.forget(principal) ?? 0) };
  }

  async ready(): Promise<void> {
    if (this.#host.config().calls) this.#Failures = (await import('./last-failures.ts')).LastFailures;
  }

  start({ active, hidesWords, metrics }: Host): void {
    if (!this.#Failures) return;
    const failures = new this.#Failures({
      isAgent: (name) => active.agents.get(name) !== undefined,
      hidesWords,
      withholdsAnswers: () => active.snapshot.parts.withholdsAnswers,
      credentialHeaders: () => active.snapshot.access.headers,
      now: this.#host.store.now,
    });
    this.#failures = failures;
    metrics.calls.onFailed = failures.noteCall;
    metrics.upstreams.onFailed = failures.noteAttempt;
  }

  observer(): CallRecorder | undefined {
    return this.#active;
  }

  async handlers({ active, ask, dialects, hidesWords, store }: AdminHost): Promise<AddedHandlers> {
    const [{ CallRecorder }, { recordAnswers, recordHandlers }, { rpcAtPath }] = await Promise.all([
      import('./recorder.ts'),
      import('./records.ts'),
      import('./record-text.ts'),
    ]);
    const recorder: CallRecorder = new CallRecorder({
      meters: this.#host.meters,
      hidesWords,
      credentialHeaders: () => active.snapshot.access.headers,
      isOfGateway: (name) => dialects.protocols.some((one) => one.name === name && one.ofGateway),
      onActive: (isActive) => {
        this.#active = isActive ? recorder : undefined;
        this.#host.recompose();
      },
    });
    this.#recorder = recorder;
    return {
      handlers: recordHandlers({ ask, store, agents: active.agents, hidesWords }),
      answers: recordAnswers({ recorder, failures: this.#failures, rpcAt: rpcAtPath(dialects), hidesWords }),
      confidential: ['ListRecords'],
      polled: ['ListRecords'],
      close: () => recorder.close(),
    };
  }
}
