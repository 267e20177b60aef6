import { withSignal } from '../../core/lazy-signal.ts';
import type { TraceContext } from '../../core/trace-context.ts';

/** The same context at another place of its trace. Where its signal is made when it is asked for, it is not asked for here. */
export function placed<T extends { readonly signal: AbortSignal }>(context: T, trace: TraceContext): T {
  const facts = { ...context, ...trace };
  return Object.hasOwn(context, 'signal') ? facts : withSignal<T>(facts, () => context.signal);
}
