import { hash } from 'node:crypto';
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TransientMap } from '../../../core/collections/transient-map.ts';
import type { StreamResponse } from '../../../core/model/a2a.ts';
import type { Agent, AgentContext, AgentHealth } from '../../../core/model/agent.ts';
import type { Invoke } from '../../../core/model/call.ts';
import { A2AError, isUndelivered, markUndelivered } from '../../../core/model/errors.ts';
import { atCopy, looksGenerated, splitCopy } from '../../../core/model/ids.ts';
import type { AgentKnowledge, KnowledgeCallContext } from '../../../core/model/knowledge.ts';
import { shownUrl } from '../../../core/model/shown-url.ts';
import { shared, steadyNow, withSignal, withTimeout } from '../../../core/model/timing.ts';
import type { UrlGuard } from '../../../net/guard.ts';
import { isNetworkFailure } from '../../../net/network-errors.ts';
import { describeUnread } from '../describe-unread.ts';
import { IdMapping, noIds } from '../ids.ts';
import { createUpstreamAgent, type UpstreamOptions } from '../index.ts';
import { type Copy, describe, dueBy, fail, firstRest, idsAt, isWell, leastBusy, noCopy, rest, watch } from './copy.ts';
import { translateAtCopies } from './translator.ts';

/** One of the URLs of an upstream agent. */
export interface CopyTarget {
  readonly url: string;
  /** Percent of the new tasks. Default: what the shares of others leave, by outstanding calls. */
  readonly share?: number | undefined;
}

export interface CopiesOptions extends UpstreamOptions {
  /** Absent: the addresses of the name in `url` are the copies. */
  readonly copies?: readonly CopyTarget[] | undefined;
  /** Looks a name up. Default: the system. */
  readonly addressesOf?: (hostname: string) => Promise<readonly LookupAddress[]>;
  /** Milliseconds between two look-ups. Default 5,000. */
  readonly lookupInterval?: number;
}

/** Milliseconds that a look-up may take. */
const lookupTimeout = 5_000;
/** Milliseconds that a task which is resumed waits for the address of its copy to be there again. */
const patience = 60_000;

/**
 * Several copies of an upstream agent as one agent: the URLs of a list, or the addresses of one name. A new task goes to the
 * copy with the fewest runs and calls under way, and stays there, as does its conversation. A copy that fails is left out for
 * a while. Another one gets a message only where nothing of it was sent.
 */
export function createCopies(options: CopiesOptions): Agent {
  const { name, url, keep = 'tasks', logger, copies: targets } = options;
  const { lookupInterval = 5_000, addressesOf = systemAddresses } = options;
  const ids = keep === 'none' ? noIds : options.ids;
  const { hostname } = new URL(url);
  /** In order: old ids without a mark belong to the first. */
  let copies: Copy[] = [];
  /** Those whose address is gone, until their last run is over. */
  const leaving = new Set<Copy>();
  /** The copies of the runs under way, by the keys of their tasks. */
  const runs = new TransientMap<{ readonly copy: Copy }>();
  const unshared = { credit: 0 };
  let turn = 0;
  let isOpen = false;
  let timer: NodeJS.Timeout | undefined;

  const create = (target: CopyTarget, found?: LookupAddress): Copy => {
    const shown = shownAt(target.url, found);
    const mark = markOf(shown);
    const observe = options.observe?.(name) ?? ((next: Invoke) => next);
    const agent = createUpstreamAgent({
      ...options,
      url: target.url,
      ids: idsAt(ids, mark, () => copies[0]?.mark === mark),
      ...(found && { guard: atAddress(options.guard, hostname, found) }),
      observe: () => (next) => observe(watch(copy, next)),
      onSession: (to) => {
        copy.calledAt = found && to.hostname === hostname ? found.address : to.href;
        const same = copies.filter(({ calledAt }) => calledAt === copy.calledAt);
        if (same.length < 2) return;
        const facts = { agent: name, copies: same.map((each) => each.url), url: shownUrl(to) };
        logger.warn(facts, 'the cards of several copies of an upstream agent lead to the same address');
      },
    });
    const state = { outstanding: 0, failures: 0, hasAnswered: false, credit: 0 };
    const copy: Copy = { mark, url: shown, share: target.share, agent, restsUntil: steadyNow() + firstRest, ...state };
    return copy;
  };
  copies = targets?.map((target) => create(target)) ?? [];

  /** Creates the copies of new addresses, and lets those of the others go. */
  const refresh = shared(async () => {
    const found = (await withTimeout(addressesOf(hostname), lookupTimeout).catch(() => undefined)) ?? [];
    // Without an answer, all stays as it is.
    if (found.length === 0) {
      if (copies.length > 0) return;
      throw unsent('The upstream agent cannot be reached at the moment: its name leads to no address');
    }
    const former = [...copies, ...leaving];
    const now = found.map((address) => {
      const known = former.find(({ mark }) => mark === markOf(shownAt(url, address)));
      if (known) return known;
      const created = create({ url }, address);
      if (isOpen) created.agent.open?.();
      return created;
    });
    const before = copies;
    copies = now;
    for (const copy of now) {
      leaving.delete(copy);
      if (!before.includes(copy)) logger.info({ agent: name, url: copy.url }, 'a copy of the upstream agent was found');
    }
    for (const copy of before) if (!now.includes(copy)) leave(copy);
  });
  const leave = (copy: Copy): void => {
    leaving.add(copy);
    logger.info({ agent: name, url: copy.url }, 'a copy of the upstream agent is gone');
    if (copy.outstanding === 0) end(copy);
  };
  const end = (copy: Copy): void => {
    leaving.delete(copy);
    void copy.agent.close?.().catch(() => undefined);
  };
  const follow = (isFirst = true): void => {
    refresh()
      .catch((err: unknown) => {
        if (isFirst) logger.warn({ agent: name, err }, 'cannot look up the upstream agent; trying again');
      })
      .finally(() => {
        if (isOpen) timer = setTimeout(follow, lookupInterval, false).unref();
      });
  };

  /** The copy for new work: none of `tried`. Undefined: there is no other. */
  const choose = (tried?: ReadonlySet<Copy>): Copy | undefined => {
    const now = steadyNow();
    const left = copies.filter((copy) => copy.share !== 0 && !tried?.has(copy));
    const well = left.filter((copy) => isWell(copy) || now >= copy.restsUntil);
    const pool = well.length > 0 ? well : left;
    const shared = tried ? undefined : dueBy(copies, unshared);
    const others = pool.filter(({ share }) => share === undefined);
    const chosen = shared && pool.includes(shared) ? shared : leastBusy(others.length > 0 ? others : pool, turn++);
    // One call finds out how it is; others go elsewhere meanwhile.
    if (chosen && !isWell(chosen) && now >= chosen.restsUntil) rest(chosen);
    return chosen;
  };

  /** The copy with this mark; without a mark the first. */
  const find = (mark: string | undefined): Copy | undefined =>
    mark === undefined ? copies[0] : copies.find((copy) => copy.mark === mark);

  const mappingOf = (principal: string, tenant: string, signal?: () => AbortSignal): IdMapping =>
    new IdMapping(ids, { agent: name, tenant, principal }, signal);
  const idsOf = (context: AgentContext, tenant = ''): IdMapping =>
    mappingOf(context.principal.id, context.tenant || tenant, () => context.signal);

  /** The copy that has a task; undefined when it is gone. */
  const copyOfTask = async (context: AgentContext, waits = false): Promise<Copy | undefined> => {
    const running = runs.get(context.key);
    if (running) return running.copy;
    const mapping = idsOf(context);
    const stored = (await mapping.task(context.key))?.id ?? (await mapping.context(placeOf(context.key)));
    const { mark } = splitCopy(stored ?? '');
    if (copies.length === 0) await refresh();
    for (const until = steadyNow() + patience; ; await sleep(lookupInterval, undefined, { signal: context.signal })) {
      const copy = find(mark);
      if (copy || targets || !waits || steadyNow() >= until) return copy;
    }
  };
  const requireCopy = (copy: Copy | undefined): Copy => {
    if (copy) return copy;
    throw unsent('The copy of the upstream agent that has this task is gone: its URL or address was removed');
  };

  /** Counts work of a copy until it is over. */
  const begin = (copy: Copy): (() => void) => {
    copy.outstanding += 1;
    return () => {
      copy.outstanding -= 1;
      if (leaving.has(copy) && copy.outstanding === 0) end(copy);
    };
  };

  /** The events of a run at a copy, which counts there from now on. `before`: what is to be done first. */
  async function* follows(
    copy: Copy,
    context: AgentContext,
    events: (context: AgentContext) => AsyncIterable<StreamResponse> | undefined,
    before?: () => Promise<void>,
  ): AsyncGenerator<StreamResponse, void> {
    const done = begin(copy);
    const run = { copy };
    runs.set(context.key, run);
    const bind: AgentContext['bind'] = ({ id, contextId }) =>
      context.bind({ id: atCopy(copy.mark, id), contextId: contextId && atCopy(copy.mark, contextId) });
    try {
      await before?.();
      const inner = withSignal<AgentContext>({ ...context, bind }, () => context.signal);
      yield* events(inner) ?? [];
    } finally {
      if (runs.get(context.key) === run) runs.delete(context.key);
      done();
    }
  }

  /** Opens a task at a copy: the next one gets the message where a copy cannot have got it. */
  async function* opens(
    request: Parameters<Agent['execute']>[0],
    context: AgentContext,
  ): AsyncGenerator<StreamResponse, void> {
    const mapping = idsOf(context, request.tenant);
    if (copies.length === 0) await refresh();
    const stored = context.newContext ? undefined : await mapping.context(context.contextId);
    const known = stored === undefined ? undefined : find(splitCopy(stored).mark);
    const tried = new Set<Copy>();
    for (let copy = known ?? choose(); ; ) {
      if (!copy) throw unsent(noCopy);
      let isAnswered = false;
      const { agent, mark } = copy;
      // Before the message is sent, so that the copy is known after a takeover, whatever became of the message.
      const bind = () => mapping.bindContext(placeOf(context.key), atCopy(mark, ''));
      try {
        for await (const event of follows(copy, context, (inner) => agent.execute(request, inner), bind)) {
          isAnswered = true;
          yield event;
        }
        return;
      } catch (thrown) {
        const mayMove = !isAnswered && thrown instanceof A2AError && isUndelivered(thrown) && !context.signal.aborted;
        if (mayMove) fail(copy, thrown);
        tried.add(copy);
        const next = mayMove && !known ? choose(tried) : undefined;
        if (!next) throw thrown;
        options.onRetry?.(name);
        copy = next;
      }
    }
  }

  async function* continues(
    request: Parameters<Agent['execute']>[0],
    context: AgentContext,
  ): AsyncGenerator<StreamResponse, void> {
    const copy = requireCopy(await copyOfTask(context));
    yield* follows(copy, context, (inner) => copy.agent.execute(request, inner));
  }

  async function* resumes(...[task, context, unanswered]: Parameters<NonNullable<Agent['resume']>>) {
    const copy = requireCopy(await copyOfTask(context, true));
    yield* follows(copy, context, (inner) => copy.agent.resume?.(task, inner, unanswered));
  }

  /**
   * Calls the knowledge of a copy: the one that the session or task is at, if any.
   *
   * @param isRepeatable whether another copy may be asked after a failure of the network
   */
  const askKnowledge = async <T>(
    { taskId, sessionId }: { readonly taskId?: string; readonly sessionId?: string },
    { call, space }: KnowledgeCallContext,
    isRepeatable: boolean,
    ask: (knowledge: AgentKnowledge) => Promise<T>,
  ): Promise<T> => {
    const mapping = mappingOf(call.principal.id, space.tenant);
    const task = taskId !== undefined && looksGenerated(taskId) ? await mapping.task(taskId) : undefined;
    const stored = task?.id ?? (sessionId === undefined ? undefined : await mapping.context(sessionId));
    if (copies.length === 0) await refresh();
    const known = stored === undefined ? undefined : find(splitCopy(stored).mark);
    const tried = new Set<Copy>();
    for (let copy = known ?? choose(); ; ) {
      if (!copy) throw unsent(noCopy);
      const done = begin(copy);
      try {
        if (!copy.agent.knowledge) throw new A2AError('knowledgeNotSupported');
        return await ask(copy.agent.knowledge);
      } catch (thrown) {
        tried.add(copy);
        const next = isRepeatable && !known && isNetworkFailure(thrown) ? choose(tried) : undefined;
        if (!next) throw thrown;
        copy = next;
      } finally {
        done();
      }
    }
  };
  const knowledge = ({ languages }: AgentKnowledge): AgentKnowledge => ({
    languages,
    query: (request, context) => askKnowledge(request, context, true, (at) => at.query(request, context)),
    update: (request, context) => askKnowledge(request, context, false, (at) => at.update(request, context)),
    subscribe: (request, context) => askKnowledge(request, context, true, (at) => at.subscribe(request, context)),
  });

  /** The copy whose card is the agent's. */
  const leader = (): Agent | undefined =>
    (copies.find(isWell) ?? copies.find(({ agent }) => agent.upstreamCard?.document !== undefined) ?? copies[0])?.agent;

  const atLeastOne = async (): Promise<readonly Copy[]> => {
    if (copies.length === 0) await refresh();
    return copies;
  };

  return {
    ...(keep === 'none' && {
      invoke: translateAtCopies({ copies: atLeastOne, choose, begin, onFailure: fail }),
    }),
    forwards: options.auth?.type === 'forward',
    enforcesExtensions: options.enforcesExtensions ?? true,
    holdsTask: true,
    get card() {
      return leader()?.card ?? describeUnread(name, false, keep);
    },
    get extendedCard() {
      return leader()?.extendedCard;
    },
    get knowledge() {
      const own = leader()?.knowledge;
      return own && knowledge(own);
    },
    get upstreamCard() {
      return leader()?.upstreamCard;
    },
    open() {
      isOpen = true;
      for (const { agent } of copies) agent.open?.();
      if (!targets) follow();
    },
    async close() {
      isOpen = false;
      clearTimeout(timer);
      await Promise.all([...copies, ...leaving].map(({ agent }) => agent.close?.()));
    },
    health(): AgentHealth {
      const own = leader()?.health?.() ?? { state: 'connecting', url: shownAt(url) };
      return { ...own, copies: `${copies.filter(isWell).length} of ${copies.length} answer` };
    },
    copies: () => [...copies, ...leaving].map(describe),
    gateways: () => [...copies, ...leaving].flatMap(({ agent }) => agent.gateways?.() ?? []),
    execute: (request, context) =>
      context.task || runs.get(context.key) ? continues(request, context) : opens(request, context),
    resume: resumes,
    async cancel(task, context) {
      const copy = await copyOfTask(context);
      // What a copy works on that is gone is given up.
      return (await copy?.agent.cancel?.(task, context)) || undefined;
    },
  };
}

/** Where the copy of a task is stored that has no id there yet: in the place of a context. */
const placeOf = (key: string): string => `a2a-gateway/copy of ${key}`;

/** The URL of a copy without credentials, and its address where that tells it from others. */
const shownAt = (url: string, found?: LookupAddress): string =>
  shownUrl(new URL(url)) + (found ? ` (${found.address})` : '');

/** The error of a message for which there is no copy. */
const unsent = (text: string): A2AError => markUndelivered(new A2AError('upstreamUnreachable', text));

const markOf = (shown: string): string => hash('sha256', shown, 'base64url').slice(0, 10);

/** The addresses of a name, in order: of IPv4 where it has any, so that a machine with both is one copy. */
async function systemAddresses(hostname: string): Promise<readonly LookupAddress[]> {
  const found = (await lookup(hostname, { all: true })).toSorted((a, b) => (a.address < b.address ? -1 : 1));
  const four = found.filter(({ family }) => family === 4);
  return four.length > 0 ? four : found;
}

/** A guard under which a name has one address, at every port. */
const atAddress = (guard: UrlGuard | undefined, name: string, found: LookupAddress): UrlGuard => ({
  check: (url) => guard?.check(url) ?? new URL(url),
  trusting: (...urls) => atAddress(guard?.trusting(...urls), name, found),
  lookupAt: (port) => {
    const others = guard?.lookupAt(port) ?? (systemLookup as LookupFunction);
    return (hostname, options, callback) => {
      if (hostname !== name) others(hostname, options, callback);
      else if (options.all) process.nextTick(callback, null, [found]);
      else process.nextTick(callback, null, found.address, found.family);
    };
  },
});
