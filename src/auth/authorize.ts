import type { Audit } from '../core/audit.ts';
import type { Invoke, Principal } from '../core/call.ts';
import { A2AError } from '../core/errors.ts';
import { hasScope, mayCall } from '../core/permissions.ts';
import type { Operation } from '../gen/operations.ts';

/** The operations of one service, and the scope that admits to all of them. */
export interface ScopedOperations {
  readonly scope: string;
  readonly operations: readonly Pick<Operation, 'name' | 'reads'>[];
}

export interface AuthorizerOptions {
  readonly services: readonly ScopedOperations[];
  readonly audit: Audit;
}

/** What callers may do who are known. */
export interface Authorizer {
  /** @throws A2AError `permissionDenied` when the principal may not call the agent */
  checkAgent(principal: Principal, agent: string, request: string): void;
  /** Middleware that refuses calls whose principal lacks the agent or the scope, with `permissionDenied`. */
  readonly authorize: (next: Invoke) => Invoke;
}

/**
 * Makes what is decided here alone: which agents a caller may call, and with which operations. An operation that only
 * reads, as the table says, is open to `{scope}:read` as well as to `{scope}`.
 */
export function createAuthorizer({ services, audit }: AuthorizerOptions): Authorizer {
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

  return {
    checkAgent,
    authorize: (next) => async (call) => {
      const { operation, context } = call;
      const { principal, agent, requestId: request } = context;
      checkAgent(principal, agent, request);
      const scope = needed.get(operation);
      if (scope === undefined || !hasScope(principal, scope)) {
        const reason = `Scope ${scope} not granted`;
        audit({ event: 'authorization.denied', reason, principal: principal.id, agent, operation, request });
        throw new A2AError('permissionDenied', `This caller lacks the scope ${scope}`);
      }
      return next(call);
    },
  };
}
