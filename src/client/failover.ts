import type { Call, Invoke, Reply } from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';
import type { NothingRan } from '../net/nothing-ran.ts';
import { Learned } from './learned.ts';
import { blameOf, durationOf, misreadBy, nextWay, type Way } from './ways.ts';

/** A way, opened for calls. */
interface Opened {
  readonly invoke: Invoke;
  close(): Promise<void>;
}

/**
 * Creates a failover, which calls an agent over the first usable one of several ways. A call that provably has not run
 * is repeated over the next way. If that way answers, it is preferred for a while.
 */
export async function createFailover(ways: Ways, open: OpenWay): Promise<Failover> {
  const failover = new Failover(ways, open);
  await failover.openFirst();
  return failover;
}

type Ways = readonly [Way, ...Way[]];
type OpenWay = (way: Way) => Promise<Opened>;

export class Failover {
  readonly #ways: Ways;
  readonly #open: OpenWay;
  readonly #opened = new Map<Way, Promise<Opened>>();
  readonly #learned = new Learned<Way>(() => undefined);

  constructor(ways: Ways, open: OpenWay) {
    this.#ways = ways;
    this.#open = open;
  }

  async openFirst(): Promise<void> {
    const [first] = this.#ways;
    this.#opened.set(first, Promise.resolve(await this.#open(first)));
  }

  /** The way that is tried first. */
  current(): Way {
    return this.#learned.value ?? this.#ways[0];
  }

  readonly invoke: Invoke = async (call) => {
    const ways = this.#ways;
    const failed = new Map<Way, NothingRan>();
    let why: A2AError | undefined;
    for (let way = this.current(); ; ) {
      try {
        const reply = await this.#over(way, call);
        const misread = 'ofOtherDialect' in reply ? misreadBy(ways, way, call) : undefined;
        why ??= misread?.why;
        if (misread) ({ way } = misread);
        if (!misread?.repeats) {
          if (why && way !== this.current()) this.#learned.learn(way, durationOf(way, ways[0]));
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

  async close(): Promise<void> {
    const all = await Promise.allSettled(this.#opened.values());
    await Promise.all(all.map((one) => (one.status === 'fulfilled' ? one.value.close() : undefined)));
  }

  async #over(way: Way, call: Call): Promise<Reply> {
    let opening = this.#opened.get(way);
    if (!opening) {
      opening = this.#open(way);
      this.#opened.set(way, opening);
    }
    return (await opening).invoke(way === this.#ways[0] ? call : withTenantOf(way, call));
  }
}

/** Replaces the first way's tenant in a call by the tenant of another way. */
function withTenantOf({ choice }: Way, call: Call): Call {
  const { tenant: _, ...request } = call.request as { readonly tenant?: string };
  const { tenant = '' } = choice.interface;
  return { ...call, request: tenant === '' ? request : { tenant, ...request } } as Call;
}
