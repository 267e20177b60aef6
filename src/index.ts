/**
 * a2a-gateway as a library: serve agents over every binding of A2A (`createGateway`), write agents (`defineAgent`), and
 * call them (`connect`). Every message of A2A 1.x is a type: `Task`, `Message`, `Part`, `Artifact`, `StreamResponse`,
 * `AgentCard` and the others, as JSON has them.
 *
 * ```ts
 * import { type Artifact, connect, type Message, type Part } from 'a2a-gateway';
 *
 * const part: Part = { text: 'hello' };
 * const message: Message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [part] };
 * const agent = await connect('http://localhost:8080');
 * const { task } = await agent.send(message);
 * const artifacts: readonly Artifact[] = task?.artifacts ?? [];
 * console.log(artifacts.flatMap(({ parts }) => parts.map(({ text }) => text ?? '')).join('\n'));
 * await agent.close();
 * ```
 */

export {
  type AgentAnswer,
  type AgentDefinition,
  type AgentFacts,
  type AgentRequest,
  type AgentReturn,
  defineAgent,
} from './agents/define.ts';
export {
  type ArtifactEvent,
  type AskOptions,
  artifact,
  ask,
  type Content as AgentContent,
  data,
  file,
  isWaiting,
  type PassedOn,
  passedOn,
  passOn,
  progress,
  say,
  status,
  textOf,
} from './agents/events.ts';
export type { AgentSettings } from './agents/module.ts';
export { createReferenceAgent } from './agents/reference.ts';
export {
  type AuthHooks,
  type AuthModuleSettings,
  type AuthorizationRequest,
  type AuthRequest,
  type Caller,
  type Challenge,
  challenge,
  type Decision,
  defineAuth,
  type HookTools,
} from './auth/hooks/hooks.ts';
export * from './client/index.ts';
export {
  type Config,
  ConfigError,
  type ConfigOverrides,
  defaultConfig,
  loadConfig,
} from './config/index.ts';
export type { LoadOptions, ServeFlags } from './config/load.ts';
export { type ConfigSource, type ParseOptions, parseConfig } from './config/parse.ts';
export type { ConfigProblem } from './config/report.ts';
export type {
  Agent,
  AgentContext,
  AgentDescription,
  AgentFetch,
  AgentFetchInit,
  AgentHealth,
  AgentLog,
  AgentState,
  Answered,
  AskGateway,
  CalledAgent,
  CalledAnswer,
  CalledContent,
  CalledOptions,
  CardProblem,
  StateSpace,
  UnansweredMessage,
  WhileRunning,
} from './core/model/agent.ts';
export type { Call, Reply, ReplyNotes, StreamReply, UnaryReply } from './core/model/call.ts';
export type { A2AErrorOptions, ErrorDetail, ErrorRow, FieldViolation } from './core/model/errors.ts';
export type { JsonObject } from './core/model/json.ts';
export type {
  ClientCertificate,
  Credential,
  Principal,
  ShownCredentials,
  TokenAudience,
} from './core/model/principal.ts';
export type { Answer, Otherwise, QuestionFacts } from './core/model/question.ts';
export type { DamagedRows, LeftOutRow } from './core/ports/damaged-rows.ts';
export type { Logger } from './core/ports/logger.ts';
export type { Store } from './core/ports/store.ts';
export type { GuardJudge, GuardPhase, GuardQuestion, GuardVerdict } from './extensions/guards/model.ts';
export type {
  AlignmentRule,
  Outcome,
  OutcomePattern,
  ProposedUpdate,
  Verdict,
} from './extensions/knowledge/alignment/rule.ts';
export type { ChangeMeta, Hidden, StatementPattern } from './extensions/knowledge/model/graph.ts';
export type {
  AgentKnowledge,
  KnowledgeCallContext,
  KnowledgeChangeStream,
  KnowledgePatch,
  KnowledgeSpace,
  KnowledgeSubscribeContext,
  LiteralValue,
  PatchOp,
} from './extensions/knowledge/model/knowledge.ts';
export { createGateway, type Gateway, type GatewayDeps, type Listening } from './gateway/compose/gateway.ts';
export type { LocalAnswer, LocalCall, LocalCallOptions, LocalPrincipal } from './gateway/compose/local-calls.ts';
export type { CloseOptions } from './gateway/compose/serve.ts';
export type { AgentInSettings, CodeAgent, CodeAgentSettings, GatewaySettings } from './gateway/compose/settings.ts';
export type { FetchOrigin } from './gateway/http/fetch.ts';
export type { ConnectMiddleware } from './gateway/http/server.ts';
export type { ReloadReport } from './gateway/process/state.ts';
export type * from './gen/settings.ts';
export type { ClientTls, TlsByUrl } from './net/client-tls.ts';
export { createUrlGuard, type UrlGuard, type UrlGuardOptions, UrlRefused } from './net/guard.ts';
export { createHttpClient, type HttpClient, type HttpClientOptions } from './net/http-client.ts';
export type { AvailableBody, HttpAnswer, HttpRequest } from './net/http-exchange.ts';
export { createStore, type StoreOptions } from './stores/index.ts';
