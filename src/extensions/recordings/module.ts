import type { AddedHandlers } from '../handlers.ts';
import type { AdminHost, ErasedCaller, ErasedCounts, OpeningHost } from '../host.ts';
import type { Module, OpenModule } from '../module.ts';
import type { ModuleInterceptor } from '../part.ts';
import type { CallRecorder } from './recorder.ts';

/** Recordings of calls as they are on the wire, while an operator wants them. */
export const recordings: Module = { name: 'recordings', open: (host) => new RecordingsModule(host) };

class RecordingsModule implements OpenModule {
  readonly #host: OpeningHost;
  /** Absent until the admin service is created. */
  #recorder: CallRecorder | undefined;
  /** Undefined while nothing is recorded. */
  #active: CallRecorder | undefined;
  readonly interceptors = [
    {
      name: 'recording',
      // Inside of the span, whose trace is part of the record; outside of what refuses calls, which are recorded too.
      at: 'traced',
      applies: () => this.#active !== undefined,
      intercept: (next) => (call) => this.#active?.invoke(call, next) ?? next(call),
    },
  ] satisfies ModuleInterceptor[];

  constructor(host: OpeningHost) {
    this.#host = host;
  }

  forget({ principal }: Pick<ErasedCaller, 'principal'>): ErasedCounts {
    return { recordings: this.#recorder?.forget(principal) ?? 0 };
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
      answers: recordAnswers({ recorder, rpcAt: rpcAtPath(dialects), hidesWords }),
      confidential: ['ListRecords'],
      polled: ['ListRecords'],
      close: () => recorder.close(),
    };
  }
}
