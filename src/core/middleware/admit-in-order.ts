import type { Invoke } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';

/** Middleware: calls from outside begin in turns. */
export const yieldToEventLoop =
  (next: Invoke): Invoke =>
  (call) => {
    const { reservation } = call.context;
    const turn = reservation?.turn();
    if (!turn) return next(call);
    return turn.then(() => {
      if (reservation?.isClosed) throw new A2AError('canceled');
      return next(call);
    });
  };
