import { configuredPrincipals, principalIds } from '../../auth/principals.ts';
import { signaturesOfCard, UntrustedCard, verifyCard } from '../../client/verify-card.ts';
import { activeSettings } from '../../config/active-settings.ts';
import { ConfigError } from '../../config/report.ts';
import { type AskReplicas, createAskReplicas } from '../../core/cluster/ask-replicas.ts';
import type { AnswerReplica } from '../../core/cluster/replica-requests.ts';
import type { UpstreamCard } from '../../core/model/agent.ts';
import { timestamp } from '../../core/model/agent-events.ts';
import { ownDialect } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { own } from '../../core/model/json.ts';
import { onBehalfOfOwners, ownerOfTask } from '../../core/operations/on-behalf.ts';
import type { TaskOverview } from '../../core/ports/admin-store.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import { type HistoryRange, joinSeries, type SeriesValues, withQuantiles } from '../../metrics/history.ts';
import type { AddedHandlers } from '../handlers.ts';
import type { AdminTools, Host, ReloadOutcome } from '../host.ts';
import type { ModuleService } from '../module.ts';
import { agentHandlers } from './agents.ts';
import { cardHandlers, type ReceivedCard, type ServedCard, type SignatureFacts } from './cards.ts';
import { countAnswers, gatewayHandlers, type ShownConfig } from './gateway.ts';
import { metricsHandlers } from './metrics.ts';
import type { PresenceStore } from './presence.ts';
import { retryHandlers } from './retry.ts';
import { createAdminService } from './service.ts';
import { createReplicaList, type StatusDeps, StatusWatch, statusHandlers } from './status.ts';
import { taskActions } from './task-actions.ts';
import { groupHandlers } from './task-groups.ts';
import { detailsOf as readDetails, taskHandlers } from './tasks.ts';
import { TaskWatch, watchHandlers } from './watch.ts';

/** Question to a replica for its metrics in a range of time. */
interface HistoryQuestion extends HistoryRange {
  /**
   * Whether the answer says since when the replica has metrics. Replicas of earlier versions neither ask for this time nor give
   * it.
   */
  readonly isDated?: true;
}

/** Metrics of one replica, and the time since which it has them: milliseconds since the epoch. */
interface HistoryAnswer {
  readonly since: number;
  readonly series: readonly SeriesValues[];
}

/** Creates the admin service from its own operations and those that modules add. */
export async function createAdmin(host: Host, presence: PresenceStore): Promise<ModuleService> {
  const { audit, metrics, operators, store, version } = host;
  const answers: Record<string, (request: never) => unknown> = {
    ...countAnswers(metrics),
    WatchStatus: () => version,
    GetMetrics: async ({ isDated, ...range }: HistoryQuestion): Promise<HistoryAnswer | SeriesValues[]> => {
      const series = await metrics.readHistory(range);
      return isDated ? { since: metrics.historySince, series } : series;
    },
  };
  const answer: AnswerReplica = async (question, request) => {
    const answerTo = own(answers, question);
    if (!answerTo) throw new A2AError('methodNotFound', `No such question: ${question}`);
    return answerTo(request as never);
  };
  const ask = createAskReplicas(store, answer);
  const tasks = taskParts(host);
  const detailsOf: AdminTools['detailsOf'] = (key, context) => readDetails(tasks, key, context);
  const added = await operators.handlers({ ask, detailsOf });
  for (const part of added) Object.assign(answers, part.answers);
  const list = createReplicaList({ store, ask, version, presence });
  const watches = {
    tasks: new TaskWatch({ store, hidesWords: host.hidesWords }),
    status: new StatusWatch({ ...statusDeps(host), presence }, list),
  };
  const parts = [ofTasks({ ...tasks, detailsOf }, host, watches.tasks), ofGateway(host, ask), ofAgents(host, ask)];
  const { streams } = host;
  const status = { handlers: statusHandlers({ list, presence, watch: watches.status, streams }) };
  return {
    invoke: createAdminService({ parts: [...parts, status, ...added], audit }),
    answer,
    close() {
      for (const watch of Object.values(watches)) watch.close();
      for (const part of added) part.close?.();
    },
  };
}

function statusDeps({ active, metrics, operators, state, store, version }: Host): Omit<StatusDeps, 'presence'> {
  return {
    store,
    version,
    facts: () => ({
      draining: state.stopping !== undefined,
      configActiveSince: timestamp(active.since),
      damagedRows: store.damaged.list().map(({ at, ...row }) => ({ ...row, noticedAt: timestamp(at) })),
      ...operators.replicaFacts(),
    }),
    eventLoopLag: () => metrics.eventLoopLag,
  };
}

/** Operations about agents, their cards and their numbers. */
function ofAgents(host: Host, ask: AskReplicas): AddedHandlers {
  const { active, metrics, modes, operators, service } = host;
  const { agents } = active;
  const deps = {
    agents,
    modes,
    kindOf: (name: string) => active.snapshot.config.agents.get(name)?.kind,
    callsOf: (name: string) => metrics.calls.of(name),
    liveTasksOf: service.liveTasksOf,
    addedFacts: operators.agentFacts,
    storedActivity: operators.activity,
    readMetrics: async (range: HistoryRange) => {
      const question: HistoryQuestion = { ...range, isDated: true };
      const { answers, missing } = await ask<HistoryAnswer | SeriesValues[]>('GetMetrics', question);
      const read = answers.map(({ value }) => (Array.isArray(value) ? { since: Date.now(), series: value } : value));
      const ended = (await operators.lastEnd()) ?? 0;
      return {
        series: withQuantiles(joinSeries(read.map(({ series }) => series))),
        missing,
        completeSince: Math.max(ended, ...read.map(({ since }) => since)),
      };
    },
  };
  const cards = {
    ...deps,
    cardsOf: createAgentCards(host),
    receivedOf: (name: string) => receivedCard(agents.get(name)?.upstreamCard),
    limits: active.select('limits'),
  };
  return { handlers: { ...agentHandlers(deps), ...cardHandlers(cards), ...metricsHandlers(deps) } };
}

/** Operations about the gateway itself. */
function ofGateway(host: Host, ask: AskReplicas): AddedHandlers {
  const { active, operators, store } = host;
  return {
    handlers: {
      ...gatewayHandlers({
        store,
        ask,
        operators,
        configured: () => configuredPrincipals(active.snapshot.config.auth),
        active: () => shownConfig(host),
        reload: host.reload && reloadWith(host.reload),
      }),
    },
    confidential: ['GetConfig'],
    polled: ['GetConfig'],
  };
}

/** Parts of the gateway that operations about tasks need. */
function taskParts({ active, operators, otherGateways, service, store, traces, hidesWords }: Host) {
  return {
    store,
    agents: active.agents,
    limits: active.select('limits'),
    traces: traces.turns,
    hidesWords,
    factsOf: operators.taskFacts,
    follow: service.follow,
    findEverywhere: otherGateways.find,
  };
}

/** Operations about tasks of all callers. */
function ofTasks(
  tasks: ReturnType<typeof taskParts> & Pick<AdminTools, 'detailsOf'>,
  { active, audit, invoke, service, streams }: Host,
  watch: TaskWatch,
): AddedHandlers {
  const { agents, store } = tasks;
  const onBehalf = onBehalfOfOwners({ store, agents, invoke: service.invoke, anonymous: principalIds.anonymous });
  // A new task is a call like one of the caller: authorized, judged by policies, and counted.
  const asOwner = onBehalfOfOwners({ store, agents, invoke, anonymous: principalIds.anonymous });
  const refusalFor = (task: TaskOverview): A2AError | undefined => {
    const { agent, tenant } = task;
    const principal = ownerOfTask(task, principalIds.anonymous);
    return active.snapshot.access.review({ principal, agent, tenant, operation: 'SendMessage' });
  };
  return {
    // A line of the audit log is written for each task.
    routine: ['RetryTasks'],
    handlers: {
      ...taskHandlers(tasks),
      ...groupHandlers(tasks),
      ...taskActions({ ...tasks, onBehalf }),
      ...retryHandlers({ ...tasks, asOwner, refusalFor, audit }),
      ...watchHandlers({ watch, streams }),
    },
    confidential: ['InspectTask', 'ListTaskEvents', 'FollowTask'],
  };
}

function shownConfig({ active, hasOwnStore }: Host): ShownConfig {
  const { base: config } = active.snapshot;
  const { store, ...settings } = activeSettings(config);
  // A store of the program stands in for the configured one.
  const shown = hasOwnStore ? settings : { store, ...settings };
  return { settings: shown, file: config.file, since: active.since, refused: active.refused };
}

/** Reads the configuration again and applies it. Rejects with an A2AError that names what is wrong in it. */
const reloadWith = (reload: NonNullable<Host['reload']>) => async (): Promise<ReloadOutcome> => {
  try {
    return await reload();
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    const violations = thrown.problems.map(({ where, path, message }) => ({
      field: path,
      description: where === undefined ? message : `${message} (${where})`,
    }));
    const message = `The configuration was refused, and the previous one stays active: ${thrown.message}`;
    throw new A2AError('invalidParams', message, { violations, cause: thrown });
  }
};

/** Reads the cards of an agent as clients get them below `/as/{dialect}`, and verifies them with the gateway's own keys. */
function createAgentCards({ active, dialects, publicUrl, signer, state, cards }: Host) {
  const { agents } = active;
  const own = dialects.byName.get(ownDialect);

  const signatureOf = async (document: unknown, dialect: Dialect): Promise<SignatureFacts> => {
    const keyIds = keyIdsOf(document);
    if (keyIds.length === 0 || !signer) return { verdict: 'unsigned', keyIds: [], reason: unsignedReason(signer) };
    try {
      const { kid } = await verifyCard(document, signer.keySet, [dialect], 'the card');
      return { verdict: 'verified', keyIds, reason: `the gateway signed it with the key ${kid}` };
    } catch (thrown) {
      if (!(thrown instanceof UntrustedCard)) throw thrown;
      return { verdict: 'invalid', keyIds, reason: thrown.message };
    }
  };

  return async (name: string): Promise<ServedCard[]> => {
    const origin = publicUrl() ?? 'http://localhost';
    const base = name === agents.defaultName ? '' : `/${name}`;
    const place = { agent: name, origin, base, grpc: state.grpc === true };
    const source = (dialect: Dialect): unknown => cards.source({ ...place, dialects: [dialect], pinned: dialect });
    const ordered = dialects.list.toSorted((one, other) => Number(other === own) - Number(one === own));
    const canonical = own?.card.decode(source(own), { losses: new Set() });
    return Promise.all(
      ordered.map(async (dialect) => {
        const document = source(dialect);
        const losses = new Set<string>();
        // Versions of A2A 1.x have a place for everything.
        if (canonical && dialect !== own) dialect.card.encode(canonical, { losses });
        return {
          dialect: dialect.name,
          path: `${base}/as/${dialect.name}/.well-known/agent-card.json`,
          document,
          signature: await signatureOf(document, dialect),
          dropped: losses,
        };
      }),
    );
  };
}

const keyIdsOf = (document: unknown): string[] => signaturesOfCard(document).map(({ kid = '' }) => kid);

const unsignedReason = (signer: object | undefined): string =>
  signer ? 'the dialect has no signatures' : 'cards.signing is not configured';

function receivedCard(card: UpstreamCard | undefined): ReceivedCard | undefined {
  if (!card) return undefined;
  const { document, verified, refused, problems, overridden } = card;
  const keyIds = keyIdsOf(document);
  const signature = (verdict: SignatureFacts['verdict'], reason: string): ReceivedCard => ({
    document,
    problems,
    signature: { verdict, keyIds, reason },
  });
  if (refused !== undefined) return signature('invalid', refused);
  if (document === undefined) return { document, problems, signature: undefined };
  if (keyIds.length === 0) return signature('unsigned', 'the card has no signatures');
  if (overridden) return signature('not-verified', 'the configuration replaces members of the card');
  return verified
    ? signature('verified', 'one of the keys in trust has signed it')
    : signature('not-verified', 'trust is not configured for the agent');
}
