import { type CallContext, type Invoke, nothingImplied, type Quirks } from '../core/model/call.ts';
import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import { newId } from '../core/model/ids.ts';
import type { WireProtocol } from '../dialects/kernel/wire.ts';
import { markUnsent } from '../net/failures.ts';
import type { Binding } from './bindings.ts';

/** Finds out what software an agent is made with, where that makes a difference. */
export interface Recognizer {
  /** What is known by now. Undefined where the software makes no difference. */
  readonly quirks: (() => Quirks) | undefined;
  /** Asks before the first call. */
  wrap(invoke: Invoke): Invoke;
}

/** Failures after which the call itself need not be tried. */
const away: ReadonlySet<ErrorKind> = new Set([
  'upstreamUnreachable',
  'upstreamTimeout',
  'canceled',
  'deadlineExceeded',
]);

/**
 * The SDKs answer with different words when they are asked for a task that does not exist. This is asked once, with the
 * first call and as its caller; an agent that lets nobody ask is asked again with the next call.
 *
 * @param told what the configuration says; then nothing is asked
 */
export function createRecognizer(dialect: WireProtocol, face: Binding['face'], told: Quirks = {}): Recognizer {
  const { software } = dialect;
  if (software === undefined || face === 'jsonrpc') return { quirks: undefined, wrap: (invoke) => invoke };
  let quirks = told;
  let known = told.base64Bytes !== undefined;

  async function ask(invoke: Invoke, context: CallContext): Promise<void> {
    try {
      await invoke({ operation: 'GetTask', request: { id: newId() }, context: questionOf(context) });
      known = true;
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (away.has(error.kind)) throw markUnsent(error);
      known = error.kind === 'taskNotFound';
      if (known) quirks = { ...software?.find((one) => one.answersSo(error))?.quirks, ...told };
    }
  }

  return {
    quirks: () => quirks,
    wrap: (invoke) => async (call) => {
      if (!known) await ask(invoke, call.context);
      return invoke(call);
    },
  };
}

/** The context of the question: that of a call, without what belongs to that call alone. */
function questionOf(context: CallContext): CallContext {
  const { idempotencyKey: _, replay: __, ...same } = context;
  return {
    ...same,
    signal: context.signal,
    implied: nothingImplied,
    extensions: [],
    notes: { extensions: new Set(), losses: new Set() },
  };
}
