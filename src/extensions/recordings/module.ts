import type { OpeningHost } from '../host.ts';
import type { Module, OpenModule } from '../module.ts';

/** Recordings of calls as they are on the wire, while an operator wants them. */
export const recordings: Module = { name: 'recordings', open };

function open({ recorder: active, recompose, meters }: OpeningHost): OpenModule {
  active.onActive = recompose;
  return {
    interceptors: [
      {
        name: 'recording',
        // Inside of the span, whose trace is part of the record; outside of what refuses calls, which are recorded too.
        at: 'traced',
        applies: () => active.active !== undefined,
        intercept: (next) => (call) => active.active?.invoke(call, next) ?? next(call),
      },
    ],
    async handlers({ active: config, ask, dialects, hidesWords, store }) {
      const [{ CallRecorder }, { recordAnswers, recordHandlers }, { rpcAtPath }] = await Promise.all([
        import('./recorder.ts'),
        import('./records.ts'),
        import('./record-text.ts'),
      ]);
      const recorder = new CallRecorder({
        recorder: active,
        meters,
        hidesWords,
        credentialHeaders: () => config.snapshot.access.headers,
        isOfGateway: (name) => dialects.protocols.some((one) => one.name === name && one.ofGateway),
      });
      return {
        handlers: recordHandlers({ ask, store, agents: config.agents, hidesWords }),
        answers: recordAnswers({ recorder, rpcAt: rpcAtPath(dialects), hidesWords }),
        confidential: ['ListRecords'],
        close: () => recorder.close(),
      };
    },
  };
}
