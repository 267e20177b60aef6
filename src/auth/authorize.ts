import type { CheckOperation } from '../core/limits/admission.ts';
import type { Invoke } from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';
import { hasScope, mayCall, type Principal } from '../core/model/principal.ts';
import type { Audit } from '../core/ports/audit.ts';
import type { Operation } from '../gen/operations.ts';
import type { Revalidate } from './revalidation.ts';

/** The operations of one service, and the scope that admits to all of them. */
export interface ScopedOperations {
  readonly scope: string;
  readonly operations: readonly Pick<Operation, 'name' | 'reads'>[];
}

export interface AuthorizerOptions {
  readonly services: readonly ScopedOperations[];
  readonly audit: Audit;
  /** Says who callers are by now: others may be let in than when they were. Default: who they were. */
  readonly revalidate?: Revalidate;
}

/** What callers may do who are known. */
export interface Authorizer {
  /** @throws A2AError `permissionDenied` when the principal may not call the agent */
  checkAgent(principal: Principal, agent: string, request: string): void;
  /** The scope alone, before a request's parameters are read. */
  readonly checkOperation: CheckOperation;
  /** Middleware that refuses calls whose principal lacks the agent or the scope, with `permissionDenied`. */
  readonly authorize: (next: Invoke) => Invoke;
  /** What stands against what somebody is doing who was let in before; undefined: nothing. */
  review(principal: Principal, agent: string, operation: string | undefined): A2AError | undefined;
}

/**
 * Makes what is decided here alone: which agents a caller may call, and with which operations. An operation that only
 * reads, as the table says, is open to `{scope}:read` as well as to `{scope}`.
 */
export function createAuthorizer({ services, audit, revalidate = same }: AuthorizerOptions): Authorizer {
  const needed = new Map(
    services.flatMap(({ scope, operations }) =>
      operations.map(({ name, reads }) => [name, reads ? `${scope}:read` : scope] as const),
    ),
  );

  const checkAgent: Authorizer['checkAgent'] = (principal, agent, request) => {
    if (mayCall(principal, agent)) return;
    audit({ event: 'authorization.denied', reason: 'Agent not allowed', principal: principal.id, agent, request });
    throw new A2AError('permissionDenied', `This caller may not call the agent ${agent}`);
  };

  const mayDo = (principal: Principal, operation: string): boolean => {
    const scope = needed.get(operation);
    return scope !== undefined && hasScope(principal, scope);
  };

  const checkScope = (principal: Principal, operation: string, facts: { agent?: string; request: string }): void => {
    if (mayDo(principal, operation)) return;
    const scope = needed.get(operation);
    const reason = `Scope ${scope} not granted`;
    audit({ event: 'authorization.denied', reason, principal: principal.id, operation, ...facts });
    throw new A2AError('permissionDenied', `This caller lacks the scope ${scope}`);
  };

  return {
    checkAgent,
    checkOperation(principal, operation, request) {
      const now = revalidate(principal);
      if (!now) throw withdrawn();
      checkScope(now, operation, { request });
    },
    review(principal, agent, operation) {
      const now = revalidate(principal);
      if (!now) return withdrawn();
      if (agent !== '' && !mayCall(now, agent))
        return new A2AError('permissionDenied', `This caller may not call the agent ${agent} any more`);
      if (operation === undefined || mayDo(now, operation)) return undefined;
      return new A2AError('permissionDenied', `This caller lacks the scope ${needed.get(operation)} by now`);
    },
    authorize: (next) => async (call) => {
      const { operation, context } = call;
      const { agent, requestId: request } = context;
      // Its body may have been long in coming.
      const principal = revalidate(context.principal);
      if (!principal) throw withdrawn();
      checkAgent(principal, agent, request);
      checkScope(principal, operation, { agent, request });
      return next(call);
    },
  };
}

const same: Revalidate = (principal) => principal;

const withdrawn = (): A2AError => new A2AError('unauthenticated', 'What the caller showed is not valid any longer');
