import type { AskReplicas } from '../../core/cluster/ask-replicas.ts';
import { timestamp } from '../../core/model/agent-events.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { defined, type JsonObject } from '../../core/model/json.ts';
import { unlessAborted } from '../../core/model/timing.ts';
import type { AdminStore } from '../../core/ports/admin-store.ts';
import type { Store } from '../../core/ports/store.ts';
import type { CallerRecord, Callers, LossCounts, LossRecord } from '../../core/telemetry/records.ts';
import type { BackupChunk, CallerStatus, ListCallersResponse } from '../../gen/admin-v1/types.ts';
import type { AdminHandlers } from '../handlers.ts';
import type { AdminParts, ReloadOutcome } from '../host.ts';
import { pageSizeOf } from '../requests.ts';

interface ConfiguredCaller {
  readonly principal: string;
  /** Undefined: all scopes that need no explicit grant. */
  readonly scopes?: readonly string[] | undefined;
}

/** The active configuration, without its secrets. */
export interface ShownConfig {
  /** In the form of the configuration file, without secrets. */
  readonly settings: JsonObject;
  readonly file: string | undefined;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Reason and time of the latest refused reload: milliseconds since the epoch. */
  readonly refused: { readonly problem: string; readonly at: number } | undefined;
}

export interface GatewayHandlersDeps {
  readonly store: Pick<Store, 'backUp' | 'now'> & Pick<AdminStore, 'listUndelivered' | 'retryUndelivered'>;
  readonly configured: () => readonly ConfiguredCaller[];
  readonly ask: AskReplicas;
  readonly operators: Pick<AdminParts, 'activity' | 'lastEnd'>;
  readonly active: () => ShownConfig;
  /** Reads the file again and applies it. Rejects with an A2AError. Undefined: there is no file to read. */
  readonly reload: (() => Promise<ReloadOutcome>) | undefined;
}

type GatewayOperations =
  | 'BackUpStore'
  | 'GetConfig'
  | 'ListCallers'
  | 'ListDeliveries'
  | 'ListLosses'
  | 'ReloadConfig'
  | 'RetryDeliveries';

const deliveryPage = { fallback: 100, max: 1_000 } as const;

/** Returns the operations about the gateway: its configuration, store, callers, losses and deliveries. */
export function gatewayHandlers(deps: GatewayHandlersDeps): AdminHandlers<GatewayOperations> {
  const { store, ask } = deps;
  return {
    BackUpStore: backUp(store),

    async GetConfig() {
      const { settings, file = '', since, refused } = deps.active();
      const reloadable = deps.reload !== undefined;
      const refusal = refused && { refused: refused.problem, refusedAt: timestamp(refused.at) };
      return { value: { settings, file, activeSince: timestamp(since), reloadable, ...refusal } };
    },

    async ReloadConfig() {
      if (!deps.reload) {
        const message =
          'This gateway has no configuration file to read again; a program applies settings with reload()';
        throw new A2AError('unsupportedOperation', message);
      }
      const { agents, ended, restart } = await deps.reload();
      const { added, changed, removed } = agents;
      return {
        value: {
          added: [...added],
          changed: [...changed],
          removed: [...removed],
          endedStreams: ended,
          restart: [...restart],
        },
      };
    },

    async ListCallers() {
      return { value: await listCallers(deps) };
    },

    async ListLosses() {
      const { answers: read, missing } = await ask<LossesAnswer | LossRecord[]>('ListLosses', { isDated: true });
      const answers = read.map(({ value }) => ({
        value: Array.isArray(value) ? { since: Date.now(), losses: value } : value,
      }));
      const losses = joinLosses(answers).map(({ lastAt, ...loss }) => ({
        ...defined(loss),
        lastAt: timestamp(lastAt),
      }));
      const { since, completeSince } = await remembered(deps, answers);
      const times = { since: timestamp(since), completeSince: timestamp(completeSince) };
      return { value: { losses, ...times, missingReplicas: [...missing] } };
    },

    async ListDeliveries({ taskId, pageSize, pageToken = '' }) {
      const size = pageSizeOf(pageSize, deliveryPage);
      const { items, nextPageToken } = await store.listUndelivered(taskId || undefined, size, pageToken);
      const deliveries = items.map(({ first, last, at, ...push }) => ({
        ...push,
        firstPosition: first,
        lastPosition: last,
        time: timestamp(at),
      }));
      return { value: { deliveries, nextPageToken } };
    },

    async RetryDeliveries({ taskId, receiver }) {
      return { value: { retried: await store.retryUndelivered(taskId || undefined, receiver || undefined) } };
    },
  };
}

/** Milliseconds of the period for which the calls of callers are counted. */
const day = 86_400_000;

/** Lists the callers of the configuration and those that replicas have seen, with their calls of the last day from the store. */
async function listCallers(deps: GatewayHandlersDeps): Promise<ListCallersResponse> {
  const named = new Map(deps.configured().map((caller) => [caller.principal, caller]));
  const kept = await deps.operators.activity(deps.store.now() - day, 'principal');
  const { answers, missing } = await deps.ask<CallersAnswer>('ListCallers', {});
  const seen = joinCallers(answers).map((record) => callerStatus(record, named.get(record.principal)));
  const unseen = new Set([...(kept?.byName.keys() ?? []), ...named.keys()]);
  for (const { principal } of seen) unseen.delete(principal);
  const others = [...unseen].map((principal) => ({
    principal,
    configured: named.has(principal),
    scopes: [...(named.get(principal)?.scopes ?? [])],
  }));
  const callers = [...seen, ...others].map((caller) => {
    if (!kept) return caller;
    const { calls = 0, failedCalls = 0 } = kept.byName.get(caller.principal) ?? {};
    return { ...caller, calls, failedCalls };
  });
  const { since, completeSince } = kept ?? (await remembered(deps, answers));
  return {
    callers,
    since: timestamp(since),
    completeSince: timestamp(completeSince),
    missingReplicas: [...missing],
  };
}

/** When the first replica began to count, and since when nothing is missing: milliseconds since the epoch. */
async function remembered(
  { operators }: GatewayHandlersDeps,
  answers: readonly { readonly value: { readonly since: number } }[],
): Promise<{ readonly since: number; readonly completeSince: number }> {
  const times = answers.map(({ value }) => value.since);
  return { since: Math.min(...times), completeSince: Math.max((await operators.lastEnd()) ?? 0, ...times) };
}

/** Losses that one replica has in memory. */
interface LossesAnswer {
  readonly since: number;
  readonly losses: readonly LossRecord[];
}

/** Callers that one replica has in memory. Replicas send sets as lists. */
interface CallersAnswer {
  readonly since: number;
  readonly callers: readonly (Omit<CallerRecord, 'scopes'> & { readonly scopes: readonly string[] | undefined })[];
}

/** Returns the answers of a replica to questions for its callers and losses. */
export const countAnswers = ({ callers, losses }: { readonly callers: Callers; readonly losses: LossCounts }) => ({
  ListCallers: (): CallersAnswer => ({
    since: callers.since,
    callers: callers.list().map(({ scopes, ...record }) => ({ ...record, scopes: scopes && [...scopes] })),
  }),
  // Replicas of earlier versions ask for the losses alone, and give no others.
  ListLosses: ({ isDated }: { readonly isDated?: true }): LossesAnswer | readonly LossRecord[] =>
    isDated ? { since: losses.since, losses: losses.list() } : losses.list(),
});

/** Adds up the callers of all replicas. The caller with the latest call comes first. */
function joinCallers(answers: readonly { readonly value: CallersAnswer }[]): CallersAnswer['callers'] {
  const joined = new Map<string, CallersAnswer['callers'][number]>();
  for (const record of answers.flatMap(({ value }) => value.callers)) {
    const known = joined.get(record.principal) ?? { ...record, calls: 0, failed: 0 };
    const calls = known.calls + record.calls;
    const failed = known.failed + record.failed;
    joined.set(record.principal, { ...(record.lastAt > known.lastAt ? record : known), calls, failed });
  }
  return [...joined.values()].sort((one, other) => other.lastAt - one.lastAt);
}

/** Adds up the losses of all replicas. The most frequent loss comes first. */
function joinLosses(answers: readonly { readonly value: LossesAnswer }[]): LossRecord[] {
  const joined = new Map<string, LossRecord>();
  for (const record of answers.flatMap(({ value }) => value.losses)) {
    const key = `${record.dialect} ${record.ofAgent ?? false} ${record.path}`;
    const known = joined.get(key) ?? { ...record, count: 0 };
    joined.set(key, { ...(record.lastAt > known.lastAt ? record : known), count: known.count + record.count });
  }
  return [...joined.values()].sort((one, other) => other.count - one.count || other.lastAt - one.lastAt);
}

function callerStatus(
  record: CallersAnswer['callers'][number],
  configured: ConfiguredCaller | undefined,
): CallerStatus {
  const { principal, calls, failed, lastAt, lastOperation, lastAgent, lastDialect, lastBinding, scopes } = record;
  return {
    principal,
    calls,
    failedCalls: failed,
    lastUsedAt: timestamp(lastAt),
    lastOperation,
    lastAgent,
    lastDialect,
    lastBinding,
    configured: configured !== undefined,
    // Scopes of the configuration: a token may have had fewer.
    scopes: [...((configured ? configured.scopes : scopes) ?? [])],
  };
}

/** The operation that copies the store. One backup is made at a time. */
function backUp(store: Pick<Store, 'backUp'>): AdminHandlers<'BackUpStore'>['BackUpStore'] {
  let isRunning = false;
  async function* events(signal: AbortSignal): AsyncGenerator<LoggedEvent<BackupChunk>> {
    if (isRunning)
      throw new A2AError('unavailable', 'Another backup is being made; try again later.', { retryAfter: 5 });
    isRunning = true;
    let seq = 0;
    const eventOf = (event: BackupChunk): LoggedEvent<BackupChunk> => {
      seq += 1;
      return { seq, at: Date.now(), generation: 0, event, json: JSON.stringify(event) };
    };
    try {
      const { expectedSize, parts } = await store.backUp();
      try {
        yield eventOf({ size: `${expectedSize}` });
        for (;;) {
          const { done, value } = await unlessAborted(parts.next(), signal);
          if (done || !value) return;
          if ('data' in value) yield eventOf({ data: Buffer.from(value.data).toString('base64') });
          else yield eventOf({ size: `${value.size}`, sha256: value.sha256 });
        }
      } finally {
        void parts.return();
      }
    } finally {
      isRunning = false;
    }
  }
  return async (_request, { signal }) => ({ events: events(signal) });
}
