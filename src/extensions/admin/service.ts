import { type CallContext, type Invoke, isStream, type Reply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { own } from '../../core/model/json.ts';
import type { Audit } from '../../core/ports/audit.ts';
import { operations } from '../../gen/admin-v1/operations.ts';
import type { AddedHandlers, AuditedFacts } from '../handlers.ts';
import { RepeatedReads } from './repeated-reads.ts';

/** Any handlers, by the names of their operations. */
type Handlers = {
  readonly [name: string]: (request: never, context: CallContext, facts: AuditedFacts) => Promise<unknown>;
};

export interface AdminServiceDeps {
  /** Handlers of the admin service, and of the modules. */
  readonly parts: readonly AddedHandlers[];
  readonly audit: Audit;
}

/** Request fields that name the subject of an operation. */
const subjects = ['name', 'key', 'taskKey', 'taskId', 'agent', 'principal', 'recording', 'stop'] as const;

/** Operations that change something. */
const changing: ReadonlySet<string> = new Set(
  operations.filter((operation) => !('reads' in operation)).map(({ name }) => name),
);

/**
 * Joins the handlers of all operations.
 *
 * @throws TypeError that names the operations with no handler or with several
 */
function handlersOf(parts: readonly AddedHandlers[]): Handlers {
  const entries = parts.flatMap((part) => Object.entries(part.handlers)) as [string, Handlers[string]][];
  const count = (name: string): number => entries.filter(([known]) => known === name).length;
  const names = operations.map(({ name }): string => name).filter((name) => count(name) !== 1);
  if (names.length > 0) throw new TypeError(`Operations with no handler, or with several: ${names.join(', ')}`);
  return Object.fromEntries(entries);
}

/**
 * The admin service over all bindings. Each change, and each look at confidential content, is a line of the audit log, also
 * where it fails. An answer that a view asks for again has no line if its caller has read it within an hour.
 */
export function createAdminService({ parts, audit }: AdminServiceDeps): Invoke {
  const handlers = handlersOf(parts);
  const confidential = new Set<string>(parts.flatMap((part) => part.confidential ?? []));
  const polled = new Set<string>(parts.flatMap((part) => part.polled ?? []));
  const repeated = new RepeatedReads();
  const audited = changing.difference(new Set<string>(parts.flatMap((part) => part.routine ?? [])));
  return async (call): Promise<Reply> => {
    const { operation, request, context } = call;
    // An rpc of a later version has none.
    const handler = own(handlers, operation);
    if (!handler) throw new A2AError('methodNotFound', `No such operation: ${operation}`);
    const event = audited.has(operation) ? 'admin.action' : confidential.has(operation) ? 'admin.read' : undefined;
    const added: AuditedFacts = {};
    if (!event) return (await handler(request as never, context, added)) as Reply;
    const [subject] = subjects.flatMap((name) => (request as Partial<Record<typeof name, string>>)[name] ?? []);
    const record = (reason?: string): void =>
      audit({
        event,
        principal: context.principal.id,
        operation,
        request: context.requestId,
        ...(subject !== undefined && { subject: subject.slice(0, 256) }),
        ...added,
        ...(reason !== undefined && { reason }),
      });
    try {
      const reply = (await handler(request as never, context, added)) as Reply;
      const isPolled = polled.has(operation) && !isStream(reply);
      if (!isPolled || !repeated.isRepeated(context.principal.id, operation, request, reply.value)) record();
      return reply;
    } catch (thrown) {
      record(`Failed: ${A2AError.from(thrown).kind}`);
      throw thrown;
    }
  };
}
