import type { Call, Invoke, Reply } from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';
import type { NothingRan } from '../net/nothing-ran.ts';
import { Learned } from './learned.ts';
import { blameOf, durationOf, misreadBy, nextWay, type Way } from './ways.ts';

/** A way that was opened. */
interface Opened {
  readonly invoke: Invoke;
  close(): Promise<void>;
}

/**
 * Calls an agent over the first of several ways that can be used. A call that has provably not run is repeated over the next one,
 * which is used first for a while after it has answered.
 */
export async function createFailover(ways: readonly [Way, ...Way[]], open: (way: Way) => Promise<Opened>) {
  const [first] = ways;
  const opened = new Map<Way, Promise<Opened>>();
  const learned = new Learned<Way>(() => undefined);
  const current = (): Way => learned.value ?? first;

  const over = async (way: Way, call: Call): Promise<Reply> => {
    let opening = opened.get(way);
    if (!opening) {
      opening = open(way);
      opened.set(way, opening);
    }
    return (await opening).invoke(way === first ? call : withTenantOf(way, call));
  };

  const invoke: Invoke = async (call) => {
    const failed = new Map<Way, NothingRan>();
    let why: A2AError | undefined;
    for (let way = current(); ; ) {
      try {
        const reply = await over(way, call);
        const misread = 'ofOtherDialect' in reply ? misreadBy(ways, way, call) : undefined;
        why ??= misread?.why;
        if (misread) ({ way } = misread);
        if (!misread?.repeats) {
          if (why && way !== current()) learned.learn(way, durationOf(way, first));
          return reply;
        }
        call.context.notes.losses.clear();
      } catch (thrown) {
        const error = A2AError.from(thrown);
        const blame = call.context.signal.aborted ? undefined : blameOf(error, call);
        if (!blame) throw error;
        why ??= error;
        failed.set(way, blame);
        const next = nextWay(ways, failed, call);
        if (!next) throw why;
        call.context.notes.losses.clear();
        way = next;
      }
    }
  };

  opened.set(first, Promise.resolve(await open(first)));
  return {
    invoke,
    /** The way that is used first. */
    current,
    async close(): Promise<void> {
      const all = await Promise.allSettled(opened.values());
      await Promise.all(all.map((one) => (one.status === 'fulfilled' ? one.value.close() : undefined)));
    },
  };
}

/** A call of the first way, with the tenant of another one. */
function withTenantOf({ choice }: Way, call: Call): Call {
  const { tenant: _, ...request } = call.request as { readonly tenant?: string };
  const { tenant = '' } = choice.interface;
  return { ...call, request: tenant === '' ? request : { tenant, ...request } } as Call;
}
