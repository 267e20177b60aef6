import type { CallContext, Invoke, Reply, StreamReply, UnaryReply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Audit, SecurityEvent } from '../../core/ports/audit.ts';
import { type OperationName, operations, type RequestOf, type ResponseOf } from '../../gen/admin-v1/operations.ts';

type StreamingOperation = Extract<(typeof operations)[number], { streaming: true }>['name'];

type ReplyOf<K extends OperationName> = K extends StreamingOperation
  ? StreamReply<ResponseOf<K>>
  : Omit<UnaryReply, 'value'> & { readonly value: ResponseOf<K> };

/** Carries out one operation. Rejects with an A2AError. */
export type AdminHandler<K extends OperationName> = (
  request: RequestOf<K>,
  context: CallContext,
  facts: AuditedFacts,
) => Promise<ReplyOf<K>>;

/** What a handler adds to the line of the audit log. */
export type AuditedFacts = { -readonly [N in 'agent' | 'owner' | 'reason']?: SecurityEvent[N] & string };

/** Any handlers, by the names of their operations. */
type Handlers = {
  readonly [name: string]: (request: never, context: CallContext, facts: AuditedFacts) => Promise<unknown>;
};

export type AdminHandlers<K extends OperationName = OperationName> = { readonly [N in K]: AdminHandler<N> };

export interface AdminServiceDeps {
  readonly handlers: AdminHandlers;
  readonly audit: Audit;
}

/** The names of the request's fields that say what an operation is about. */
const subjects = ['name', 'key', 'taskKey', 'taskId', 'agent', 'principal', 'recording', 'stop'] as const;

/** Operations that show what callers and agents said, or how the gateway is configured. */
const confidential: ReadonlySet<string> = new Set<OperationName>([
  ...(['InspectTask', 'ListTaskEvents', 'FollowTask', 'ListRefusedUpdates', 'GetConfig'] as const),
  ...(['ListQuestions', 'ListRecords'] as const),
]);

/** What changes something. Leases are renewed all the time. */
const changing: ReadonlySet<string> = new Set(
  operations.filter((operation) => !('reads' in operation)).map(({ name }) => name),
).difference(new Set(['RenewAgent']));

/**
 * The admin service over all bindings. Each change, and each look at confidential content, is a line of the audit log, also
 * where it fails.
 */
export function createAdminService({ handlers, audit }: AdminServiceDeps): Invoke {
  return async (call): Promise<Reply> => {
    const { operation, request, context } = call;
    // An rpc of a later version has none.
    const handler = (handlers as Handlers)[operation];
    if (!handler) throw new A2AError('methodNotFound', `No such operation: ${operation}`);
    const event = changing.has(operation) ? 'admin.action' : confidential.has(operation) ? 'admin.read' : undefined;
    const added: AuditedFacts = {};
    if (!event) return (await handler(request as never, context, added)) as Reply;
    const [subject] = subjects.flatMap((name) => (request as Partial<Record<typeof name, string>>)[name] ?? []);
    const record = (reason?: string): void =>
      audit({
        event,
        principal: context.principal.id,
        operation,
        request: context.requestId,
        ...added,
        ...(subject !== undefined && { subject: subject.slice(0, 256) }),
        ...(reason !== undefined && { reason }),
      });
    try {
      const reply = (await handler(request as never, context, added)) as Reply;
      record();
      return reply;
    } catch (thrown) {
      record(`Failed: ${A2AError.from(thrown).kind}`);
      throw thrown;
    }
  };
}
