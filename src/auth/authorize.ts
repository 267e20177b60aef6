import { type Call, type Invoke, ownerOf } from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';
import { hasScope, mayCall, type Principal } from '../core/model/principal.ts';
import type { Audit } from '../core/ports/audit.ts';
import type { Operation } from '../gen/operations.ts';
import type { Revalidate } from './authenticator.ts';
import type { AuthorizeHook } from './hooks/authorize-hook.ts';

/** The operations of one service, and the scope that they require. */
export interface ScopedOperations {
  readonly scope: string;
  readonly operations: readonly Pick<Operation, 'name' | 'reads'>[];
  /**
   * True if the operations concern the whole gateway: principals that are limited to some agents or tenants may not
   * call them.
   */
  readonly ofGateway?: true;
  /** Operations for which another scope suffices, by name. The operation itself restricts callers with that scope. */
  readonly restricted?: Readonly<Record<string, string>>;
}

export interface AuthorizerOptions {
  readonly services: readonly ScopedOperations[];
  readonly audit: Audit;
  /**
   * Returns the current principal of a caller, whose rights a reload may have changed. Default: the principal is
   * unchanged.
   */
  readonly revalidate?: Revalidate;
  /** The program's own decision about each call, made after all other checks. Absent if there is none. */
  readonly hook?: AuthorizeHook | undefined;
  /** Value of `WWW-Authenticate` for anonymous callers that need credentials. */
  readonly challenge?: string;
}

/** A running operation. */
interface ReviewedStream {
  readonly principal: Principal;
  readonly agent: string;
  readonly operation: string | undefined;
  /** The tenant of the call. Undefined if its caller may name any tenant. */
  readonly tenant?: string | undefined;
}

/**
 * Decides which agents and operations authenticated callers may call. A read-only operation requires `{scope}:read` or
 * `{scope}`.
 */
export class Authorizer {
  readonly #audit: Audit;
  readonly #revalidate: Revalidate;
  readonly #hook: AuthorizeHook | undefined;
  readonly #challenge: string | undefined;
  readonly #scopes: Map<string, string>;
  readonly #restricted: Map<string, string>;
  readonly #ofGateway: Set<string>;

  constructor({ services, audit, revalidate = (same) => same, hook, challenge }: AuthorizerOptions) {
    this.#audit = audit;
    this.#revalidate = revalidate;
    this.#hook = hook;
    this.#challenge = challenge;
    this.#scopes = new Map(
      services.flatMap(({ scope, operations }) =>
        operations.map(({ name, reads }) => [name, reads ? `${scope}:read` : scope] as const),
      ),
    );
    this.#restricted = new Map(services.flatMap((service) => Object.entries(service.restricted ?? {})));
    this.#ofGateway = new Set(
      services.flatMap((service) => (service.ofGateway ? service.operations.map(({ name }) => name) : [])),
    );
  }

  #requireUnlimited({ agents, tenants, id }: Principal, operation: string, request: string): void {
    if (!agents && !tenants) return;
    const reason = `Principal limited to ${agents ? 'agents' : 'tenants'}`;
    this.#audit({ event: 'authorization.denied', reason, principal: id, operation, request });
    throw denied(`is limited to some ${agents ? 'agents' : 'tenants'}, and this operation is about the whole gateway`);
  }

  /** @throws A2AError `permissionDenied` if the principal may not call the agent */
  readonly checkAgent = (principal: Principal, agent: string, request: string): void => {
    if (mayCall(principal, agent)) return;
    this.#audit({
      event: 'authorization.denied',
      reason: 'Agent not allowed',
      principal: principal.id,
      agent,
      request,
    });
    throw denied(`may not call the agent ${agent}`);
  };

  #isInScope(principal: Principal, operation: string): boolean {
    const scope = this.#scopes.get(operation);
    if (scope !== undefined && hasScope(principal, scope)) return true;
    const other = this.#restricted.get(operation);
    return other !== undefined && hasScope(principal, other);
  }

  #checkScope(principal: Principal, operation: string, facts: { agent?: string; request: string }): void {
    if (this.#isInScope(principal, operation)) return;
    const scope = this.#scopes.get(operation);
    const reason = `Scope ${scope} not granted`;
    this.#audit({ event: 'authorization.denied', reason, principal: principal.id, operation, ...facts });
    if (principal.anonymous) {
      const message = `This needs a credential with the scope ${scope}; if none is configured, the gateway prints a key when it starts`;
      throw new A2AError('unauthenticated', message, { challenge: this.#challenge });
    }
    const bearer = principal.credential?.kind === 'token' || principal.credential?.kind === 'jwt';
    throw denied(`lacks the scope ${scope}`, bearer ? scopeChallenge(scope) : undefined);
  }

  #checkTenant({ tenants, id }: Principal, call: Call): void {
    if (!tenants) return;
    const { tenant } = ownerOf(call);
    if (tenants.has(tenant)) return;
    const reason = tenant === '' ? 'No tenant named' : 'Tenant not allowed';
    const { operation, context } = call;
    const facts = { operation, agent: context.agent, request: context.requestId };
    this.#audit({ event: 'authorization.denied', reason, principal: id, ...facts });
    throw denied(tenant === '' ? 'must name one of its tenants' : `may not act for the tenant ${tenant.slice(0, 128)}`);
  }

  #current(principal: Principal): Principal {
    const now = this.#revalidate(principal);
    if (!now) throw lost(principal);
    return now;
  }

  /** Checks only the scope, before a request's parameters are read. */
  readonly checkOperation = (principal: Principal, operation: string, request: string): void => {
    this.#checkScope(this.#current(principal), operation, { request });
  };

  /** Whether a principal may call an operation at all. */
  readonly permits = (principal: Principal, operation: string): boolean => {
    return (
      this.#isInScope(principal, operation) &&
      !(this.#ofGateway.has(operation) && (principal.agents || principal.tenants))
    );
  };

  /** Returns the error if the caller of a running operation may not continue. Undefined if it may. */
  readonly review = ({ principal, agent, operation, tenant }: ReviewedStream): A2AError | undefined => {
    const now = this.#revalidate(principal);
    if (!now) return lost(principal);
    if (agent !== '' && !mayCall(now, agent)) return denied(`may no longer call the agent ${agent}`);
    if (operation === undefined) return undefined;
    if (!this.#isInScope(now, operation)) return denied(`no longer has the scope ${this.#scopes.get(operation)}`);
    if (this.#ofGateway.has(operation) && (now.agents || now.tenants))
      return denied('is limited to some agents or tenants now');
    if (!now.tenants || (tenant !== undefined && now.tenants.has(tenant))) return undefined;
    return denied('may no longer act for the tenant');
  };

  /** Middleware that refuses calls whose principal lacks the agent, the scope or the tenant, with `permissionDenied`. */
  readonly authorize = (next: Invoke): Invoke => {
    const check = (call: Call): Principal => {
      const { operation, context } = call;
      const { agent, requestId: request } = context;
      // The rights may have changed while the body arrived.
      const principal = this.#current(context.principal);
      if (this.#ofGateway.has(operation)) {
        this.#checkScope(principal, operation, { request });
        this.#requireUnlimited(principal, operation, request);
        return principal;
      }
      this.checkAgent(principal, agent, request);
      this.#checkScope(principal, operation, { agent, request });
      this.#checkTenant(principal, call);
      return principal;
    };
    // Not async, which saves a promise for each call.
    return (call) => {
      try {
        const principal = check(call);
        const asked = this.#hook?.(call, principal);
        return asked ? asked.then(() => next(call)) : next(call);
      } catch (thrown) {
        return Promise.reject(thrown);
      }
    };
  };
}

/** Returns the challenge that names the scope which a token lacks (RFC 6750 section 3.1). */
const scopeChallenge = (scope: string | undefined): string =>
  `Bearer realm="a2a-gateway", error="insufficient_scope", scope="${scope}"`;

const denied = (what: string, challenge?: string): A2AError =>
  new A2AError('permissionDenied', `The caller ${what}`, { challenge });

const lost = ({ byId }: Principal): A2AError =>
  byId
    ? denied(
        'has no rights that the gateway knows: its credential was removed, or it has made no call since the gateway was restarted',
      )
    : new A2AError('unauthenticated', "The caller's credential is no longer valid");
