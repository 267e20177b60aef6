import type { AgentCard } from '../../core/model/a2a.ts';
import type { AgentLog } from '../../core/model/agent.ts';
import type { BindingKind } from '../../core/model/call.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { ClientCertificate, Principal } from '../../core/model/principal.ts';
import type { Logger } from '../../core/ports/logger.ts';

/** Facts about a request's caller, known before its body is read. */
export interface AuthRequest {
  /** Returns a header, or gRPC metadata, by its case-insensitive name. Several values are joined with commas. */
  header(name: string): string | undefined;
  /** All headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Host header or `:authority`. Undefined if the request contains both and they differ. */
  readonly host: string | undefined;
  readonly remoteAddress: string;
  /** Whether the connection has TLS. */
  readonly encrypted: boolean;
  /** The connection's client certificate, signed by one of the listener's authorities. */
  readonly certificate: ClientCertificate | undefined;
  /** Undefined for the gateway's own pages. */
  readonly binding: BindingKind | undefined;
  /** The path of the URL, without the query. */
  readonly path: string;
  /**
   * The called agent, if the path, the host or `a2a-agent` names it. Undefined if the body names it, or no agent is
   * called.
   */
  readonly agent: string | undefined;
}

/** A caller that a hook has recognised. */
export interface Caller {
  /**
   * Id of the caller, to which its tasks belong: stable, unique among the hook's callers, and at most 256 characters
   * long.
   */
  readonly id: string;
  /** Names of the agents that the caller may call. Default: all. */
  readonly agents?: readonly string[] | undefined;
  /** Scopes such as `tasks` or `tasks:read`. Default: all that need not be granted explicitly. */
  readonly scopes?: readonly string[] | undefined;
  /** Tenants that the caller may name. A caller with a single tenant need not name it. Default: any. */
  readonly tenants?: readonly string[] | undefined;
  /** Attributes of the caller for agents and for `authorize`, at most 8 KiB of JSON. */
  readonly attributes?: JsonObject | undefined;
  /** Expiry of the caller's credential, at which its streams end: a date, or milliseconds since the epoch. */
  readonly expires?: Date | number | undefined;
}

/** The refusal of a caller whose credential is missing or wrong. */
export interface Challenge {
  /** The value of `WWW-Authenticate`, such as `Bearer realm="example"`. */
  readonly challenge: string;
  /** Error message for the caller. */
  readonly message?: string | undefined;
}

/** Tools that a hook receives besides the request. */
export interface HookTools {
  /** Aborts when the hook's timeout has passed. */
  readonly signal: AbortSignal;
  /** The gateway's log. */
  readonly log: AgentLog;
}

/** A call to authorize, which the caller's scopes, agents and tenants already allow. */
export interface AuthorizationRequest {
  readonly principal: Principal;
  /**
   * Name of the operation, such as `SendMessage` or `CancelTask`; for knowledge graphs `Query`, `Update` or
   * `Subscribe`.
   */
  readonly operation: string;
  readonly agent: string;
  /** The tenant, '' for none. */
  readonly tenant: string;
  /** Id of the skill or tool that the message names. Undefined if it names none, or the call sends no message. */
  readonly skill: string | undefined;
  /** The whole request, in v1 ProtoJSON. */
  readonly request: JsonObject;
}

/** A decision. Its reason is written to the audit log. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason?: string | undefined;
}

/** A program's own authentication and authorization. */
export interface AuthHooks {
  /**
   * Recognises the caller of each request, before its body is read and before the built-in methods are tried. Returns
   * the caller; a `challenge(…)` for a wrong credential, which counts as a failure of the caller's network; or
   * undefined to let the built-in methods decide. If it throws an A2AError, the caller receives that error. Any other
   * failure refuses the request with `unavailable`.
   */
  authenticate?(
    request: AuthRequest,
    tools: HookTools,
  ): Caller | Challenge | undefined | Promise<Caller | Challenge | undefined>;
  /**
   * Decides about each call that the caller's scopes, agents and tenants allow, once, before the call begins. If it
   * throws an A2AError, the caller receives that error. Any other failure refuses the call with `unavailable`.
   */
  authorize?(request: AuthorizationRequest, tools: HookTools): boolean | Decision | Promise<boolean | Decision>;
  /** Security schemes that cards list for `authenticate`, by the names that `securityRequirements` uses. */
  readonly securitySchemes?: AgentCard['securitySchemes'];
  /** Security requirements that cards list. Default: one for each of `securitySchemes`. */
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

/** Hooks, with the settings for asking them. */
export interface ConfiguredHooks {
  readonly hooks: AuthHooks;
  /** Milliseconds for an answer. */
  readonly timeout: number;
  readonly logger: Logger;
  /** Id of the hooks. It changes only if the hooks do. */
  readonly id: string;
}

/**
 * Refuses a caller whose credential is missing or wrong.
 *
 * @param header the value of `WWW-Authenticate`
 * @param message the error message for the caller
 */
export const challenge = (header: string, message?: string): Challenge => ({ challenge: header, message });

/**
 * Returns the hooks unchanged, with their types. Its result is the default export of a module that `auth.module` names.
 */
export const defineAuth = (hooks: AuthHooks): AuthHooks => hooks;
