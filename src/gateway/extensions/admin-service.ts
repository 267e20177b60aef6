import { configuredPrincipals, isNamed, principalIds } from '../../auth/principals.ts';
import { signaturesOfCard, UntrustedCard, verifyCard } from '../../client/verify-card.ts';
import { activeSettings } from '../../config/active-settings.ts';
import { ConfigError } from '../../config/report.ts';
import { createAskReplicas } from '../../core/cluster/ask-replicas.ts';
import type { AnswerReplica } from '../../core/cluster/forward.ts';
import { api } from '../../core/model/a2a.ts';
import type { UpstreamCard } from '../../core/model/agent.ts';
import { timestamp } from '../../core/model/agent-events.ts';
import { ownDialect } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { defined, own } from '../../core/model/json.ts';
import { onBehalfOfOwners } from '../../core/operations/on-behalf.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import { stripper } from '../../dialects/kernel/metadata.ts';
import { agentHandlers } from '../../extensions/admin/agents.ts';
import { CallWatch, callAnswers, callHandlers } from '../../extensions/admin/calls.ts';
import { cardHandlers, type ReceivedCard, type ServedCard, type SignatureFacts } from '../../extensions/admin/cards.ts';
import { countAnswers, gatewayHandlers, type ReloadOutcome, type ShownConfig } from '../../extensions/admin/gateway.ts';
import { metricsHandlers } from '../../extensions/admin/metrics.ts';
import { questionHandlers } from '../../extensions/admin/questions.ts';
import type { RpcAt } from '../../extensions/admin/recordings/record-text.ts';
import { CallRecorder } from '../../extensions/admin/recordings/recorder.ts';
import { recordAnswers, recordHandlers } from '../../extensions/admin/recordings/records.ts';
import { registrationHandlers } from '../../extensions/admin/registration/handlers.ts';
import { createAdminService } from '../../extensions/admin/service.ts';
import { createReplicaList, StatusWatch, statusHandlers } from '../../extensions/admin/status.ts';
import { stopHandlers } from '../../extensions/admin/stops/handlers.ts';
import { partType, taskActions } from '../../extensions/admin/task-actions.ts';
import { groupHandlers } from '../../extensions/admin/task-groups.ts';
import { taskHandlers } from '../../extensions/admin/tasks.ts';
import { TaskWatch, watchHandlers } from '../../extensions/admin/watch.ts';
import { type HistoryRange, joinSeries, type SeriesValues, withQuantiles } from '../../metrics/history.ts';
import { rpcsByPath } from '../../transports/rpc/rpc.ts';
import { hidesWords, type ServiceHost } from '../compose/build.ts';
import type { ExtensionService } from '../compose/extension.ts';
import type { Opened } from '../compose/open.ts';
import { packageVersion } from '../process/version.ts';
import { knowledgeServiceOf, languagesOf } from './knowledge.ts';
import { registryOf } from './registration.ts';

export function createAdmin(host: ServiceHost): ExtensionService {
  const { active, audit, deps, dialects, meters, metrics, modes, service, stops, store, streams, traces } = host;
  if (!stops) throw new TypeError('the admin extension opens what is stopped');
  const { agents } = active;
  const hides = hidesWords(active);
  const costsOf = async (keys: readonly string[]) =>
    (await active.snapshot.trees?.costs(keys)) ?? new Map<string, number>();
  const tasks = { store, agents, limits: active.select('limits'), traces: traces.turns, hidesWords: hides, costsOf };
  const recorder = new CallRecorder({
    recorder: host.recorder,
    meters,
    hidesWords: hides,
    credentialHeaders: () => active.snapshot.access.headers,
    isOfGateway: (name) => dialects.protocols.some((one) => one.name === name && one.ofGateway),
  });
  const version = packageVersion();
  const answers: Readonly<Record<string, (request: never) => unknown>> = {
    ...callAnswers(metrics.log, hides),
    ...countAnswers(metrics),
    WatchStatus: () => version,
    GetMetrics: (range: HistoryRange) => metrics.readHistory(range),
    ...recordAnswers({ recorder, rpcAt: rpcAtPath(dialects), hidesWords: hides }),
  };
  const answer: AnswerReplica = async (question, request) => {
    const answerTo = own(answers, question);
    if (!answerTo) throw new A2AError('methodNotFound', `No such question: ${question}`);
    return answerTo(request as never);
  };
  const ask = createAskReplicas(store, answer);
  const ofAgents = {
    agents,
    modes,
    kindOf: (name: string) => active.snapshot.config.agents.get(name)?.kind,
    callsOf: (name: string) => metrics.calls.of(name),
    liveTasksOf: service.liveTasksOf,
    languagesOf: (name: string) => languagesOf(host, name),
    readMetrics: async (range: HistoryRange) => {
      const { answers: read, missing } = await ask<SeriesValues[]>('GetMetrics', range);
      return { series: withQuantiles(joinSeries(read.map(({ value }) => value))), missing };
    },
  };
  const ofStatus = {
    store,
    ask,
    version,
    local: () => ({
      draining: host.state.stopping !== undefined,
      ...defined({ eventLoopLagP99Ms: metrics.eventLoopLag }),
      configActiveSince: timestamp(active.since),
      stops: stops.active?.all.length ?? 0,
      damagedRows: store.damaged.list().map(({ at, ...row }) => ({ ...row, noticedAt: timestamp(at) })),
      knowledge: agents.names.some((name) => languagesOf(host, name) !== undefined),
    }),
  };
  const list = createReplicaList(ofStatus);
  const status = new StatusWatch(ofStatus, list);
  const watch = new TaskWatch({ store, hidesWords: hides });
  const calls = new CallWatch(ask, store.peers.shared);
  const actions = {
    ...tasks,
    onBehalf: onBehalfOfOwners({ store, agents, invoke: service.invoke, anonymous: principalIds.anonymous }),
    strip: stripper(api, partType),
  };
  const handlers = {
    ...agentHandlers(ofAgents),
    ...cardHandlers({
      ...ofAgents,
      cardsOf: createAgentCards(host),
      receivedOf: (name) => receivedCard(agents.get(name)?.upstreamCard),
      limits: tasks.limits,
    }),
    ...metricsHandlers(ofAgents),
    ...callHandlers({ ask, watch: calls, streams }),
    ...recordHandlers({ ask, store, agents, hidesWords: hides }),
    ...gatewayHandlers({
      store,
      ask,
      configured: () => configuredPrincipals(active.snapshot.config.auth),
      refusedUpdates: (agent) => knowledgeServiceOf(host)?.refused.list(agent) ?? [],
      active: () => shownConfig(host),
      reload: deps.rereadConfig && (() => reloadConfig(host)),
    }),
    ...taskHandlers({
      ...tasks,
      follow: service.follow,
      findTree: async (root) => (await import('./whole-tree.ts')).findTree(host, root),
    }),
    ...groupHandlers(tasks),
    ...taskActions(actions),
    ...questionHandlers({
      ...actions,
      isNamed: (name, id) => isNamed(active.snapshot.config.auth, name, id),
    }),
    ...watchHandlers({ watch, streams }),
    ...statusHandlers({ list, watch: status, streams }),
    ...registrationHandlers(registryOf(host.added), tasks.limits),
    ...stopHandlers({
      store,
      stops,
      agents,
      stopElsewhere: async (root, by, reason) => (await import('./whole-tree.ts')).stopTree(host, root, { by, reason }),
    }),
  };
  const close = (): void => {
    watch.close();
    calls.close();
    status.close();
    recorder.close();
  };
  return { invoke: createAdminService({ handlers, audit }), answer, close };
}

/** The rpcs of all services, of A2A and of the gateway, by the end of a path: before it there may be a prefix and an agent. */
function rpcAtPath({ protocols }: Opened['dialects']): RpcAt {
  const rpcs = rpcsByPath(protocols);
  return (path) => rpcs.get(`/${path.split('/').slice(-2).join('/')}`)?.[0];
}

function shownConfig({ active, deps }: Opened): ShownConfig {
  const { base: config } = active.snapshot;
  const { store, ...settings } = activeSettings(config);
  // A store of the program stands in for the configured one.
  const shown = deps.store ? settings : { store, ...settings };
  return { settings: shown, file: config.file, since: active.since, refused: active.refused };
}

/** Reads the configuration again and applies it. Rejects with an A2AError that names what is wrong in it. */
async function reloadConfig({ deps, state }: Opened): Promise<ReloadOutcome> {
  const { rereadConfig, workers } = deps;
  if (!rereadConfig || !state.reload) throw new A2AError('unavailable', 'The gateway is starting');
  try {
    return workers ? await workers.reload() : await state.reload(rereadConfig);
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    const violations = thrown.problems.map(({ where, path, message }) => ({
      field: path,
      description: where === undefined ? message : `${message} (${where})`,
    }));
    const message = `The configuration was refused, and the previous one stays active: ${thrown.message}`;
    throw new A2AError('invalidParams', message, { violations, cause: thrown });
  }
}

/** Reads the cards of an agent as clients get them below `/as/{dialect}`, and verifies them with the gateway's own keys. */
function createAgentCards({ active, dialects, publicUrl, signer, state, cards }: ServiceHost) {
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
