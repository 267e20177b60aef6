import type { AgentCard } from '../../core/model/a2a.ts';
import type { AgentLog } from '../../core/model/agent.ts';
import type { BindingKind } from '../../core/model/call.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { ClientCertificate, Principal } from '../../core/model/principal.ts';
import type { Logger } from '../../core/ports/logger.ts';

/** Facts about a request's caller, known before its body is read. */
export interface AuthRequest {
  /** A header, or gRPC metadata; its name in any case. Several values are joined by commas. */
  header(name: string): string | undefined;
  /** All of them, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Host header or `:authority`; undefined where the request names two that differ. */
  readonly host: string | undefined;
  readonly remoteAddress: string;
  /** Whether the connection has TLS. */
  readonly encrypted: boolean;
  /** The connection's client certificate, which one of the listener's authorities signed. */
  readonly certificate: ClientCertificate | undefined;
  /** Undefined for the gateway's own pages. */
  readonly binding: BindingKind | undefined;
  /** The path of the URL, without the query. */
  readonly path: string;
  /** The called agent, where path, host or `a2a-agent` name it. Undefined: the body does, or no agent is called. */
  readonly agent: string | undefined;
}

/** A caller that a hook has recognised. */
export interface Caller {
  /** Stable and unique among the hook's callers: tasks belong to it. At most 256 characters. */
  readonly id: string;
  /** Names of the agents that it may call. Default: all. */
  readonly agents?: readonly string[] | undefined;
  /** Scopes such as `tasks` or `tasks:read`. Default: all that need not be granted explicitly. */
  readonly scopes?: readonly string[] | undefined;
  /** Tenants that it may name. A caller of one tenant need not name it. Default: any. */
  readonly tenants?: readonly string[] | undefined;
  /** JSON for agents and for `authorize`, at most 8 KiB. */
  readonly attributes?: JsonObject | undefined;
  /** Expiry of its credential: a date, or milliseconds since the epoch. Its streams end then. */
  readonly expires?: Date | number | undefined;
}

/** The answer to a caller whose credential is missing or wrong. */
export interface Challenge {
  /** The value of `WWW-Authenticate`, such as `Bearer realm="example"`. */
  readonly challenge: string;
  /** For the caller. */
  readonly message?: string | undefined;
}

/** Tools that a hook receives besides the request. */
export interface HookTools {
  /** Aborts when the hook's time is over. */
  readonly signal: AbortSignal;
  /** The gateway's log. */
  readonly log: AgentLog;
}

/** A call that is to be authorized. The scopes and agents of its caller allow it. */
export interface AuthorizationRequest {
  readonly principal: Principal;
  /** Such as `SendMessage` or `CancelTask`; for knowledge `Query`, `Update` or `Subscribe`. */
  readonly operation: string;
  readonly agent: string;
  /** '' where there is none. */
  readonly tenant: string;
  /** Id of the skill or tool that a message names. Undefined: it names none, or the call is about something else. */
  readonly skill: string | undefined;
  /** The whole request, in v1 ProtoJSON. */
  readonly request: JsonObject;
}

/** A decision with its reason, which is for the audit log. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason?: string | undefined;
}

/** A program's own authentication and authorization. */
export interface AuthHooks {
  /**
   * Recognises the caller of each request, before its body is read and before the built-in ways. Returns the caller; a
   * `challenge(…)` for a wrong credential, which counts as a failure of the caller's network; or nothing, so that the
   * built-in ways decide. An A2AError that is thrown is the answer. Anything else refuses the request as `unavailable`.
   */
  authenticate?(
    request: AuthRequest,
    tools: HookTools,
  ): Caller | Challenge | undefined | Promise<Caller | Challenge | undefined>;
  /**
   * Decides about each call that the caller's scopes, agents and tenants allow, once, before it begins. An A2AError that is
   * thrown is the answer. A failure refuses the call as `unavailable`.
   */
  authorize?(request: AuthorizationRequest, tools: HookTools): boolean | Decision | Promise<boolean | Decision>;
  /** Security schemes that cards list for `authenticate`, by names that `securityRequirements` use. */
  readonly securitySchemes?: AgentCard['securitySchemes'];
  /** Default: each of `securitySchemes` alone. */
  readonly securityRequirements?: AgentCard['securityRequirements'];
}

/** Settings that the configuration passes to the function that an authentication module exports by default. */
export interface AuthModuleSettings<Config = unknown> {
  /** `config` of `auth`, as the module's `configSchema` returns it. */
  readonly config: Config;
  /** `env` of `auth`. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: AgentLog;
}

/** Hooks with what is needed to ask them. */
export interface ConfiguredHooks {
  readonly hooks: AuthHooks;
  /** Milliseconds for an answer. */
  readonly timeout: number;
  readonly logger: Logger;
  /** Id of the hooks; unchanged as long as the hooks are. */
  readonly id: string;
}

/**
 * Refuses a caller whose credential is missing or wrong.
 *
 * @param header the value of `WWW-Authenticate`
 * @param message for the caller
 */
export const challenge = (header: string, message?: string): Challenge => ({ challenge: header, message });

/** The hooks as they are, with their types: the default export of a module that `auth.module` names. */
export const defineAuth = (hooks: AuthHooks): AuthHooks => hooks;
