import { type OperationName, operations } from '../../src/core/model/a2a.ts';
import type { CallSemantics } from '../../src/core/model/call.ts';
import type { DialectBinding } from '../support/conversations.ts';

/** Limits of a dialect over a binding: fields and operations that it cannot express, by the dialect's own tables. */

/** The type of the objects that stand under a field. */
const types: Readonly<Record<string, string>> = {
  artifact: 'Artifact',
  artifacts: 'Artifact',
  artifactUpdate: 'TaskArtifactUpdateEvent',
  capabilities: 'AgentCapabilities',
  card: 'AgentCard',
  configuration: 'SendMessageConfiguration',
  event: 'StreamResponse',
  history: 'Message',
  stored: 'Task',
  log: 'StreamResponse',
  message: 'Message',
  parts: 'Part',
  provider: 'AgentProvider',
  push: 'TaskPushNotificationConfig',
  request: 'Request',
  skills: 'AgentSkill',
  status: 'TaskStatus',
  statusUpdate: 'TaskStatusUpdateEvent',
  task: 'Task',
  taskPushNotificationConfig: 'TaskPushNotificationConfig',
};

/** A field with the type that has it, wherever the object stands: `task.artifacts.parts.raw` is `Part.raw`. */
export function fieldAt(path: string): string {
  const names = path.split('.');
  const last = names.pop() ?? '';
  const owner = names.findLast((name) => Object.hasOwn(types, name));
  return owner === undefined ? path : `${types[owner]}.${last}`;
}

export const lacks = (operation: OperationName): string => `There is no ${operation}`;
export const snapshotOnly = 'SubscribeToTask returns the current task, and ends';
export const knownOnly = 'GetExtendedAgentCard answers known callers only';

/** Limits that a method's meaning is, by operation. */
const meanings: Partial<Record<OperationName, readonly [limit: string, is: (semantics: CallSemantics) => boolean]>> = {
  SubscribeToTask: [snapshotOnly, ({ replay }) => replay === 'snapshot'],
  GetExtendedAgentCard: [knownOnly, ({ authenticated }) => authenticated === true],
};

/** Fields that are not carried, by type; operations that there are not; and methods that mean less than v1's. */
export function limitsOf({ losses, methods }: DialectBinding): ReadonlySet<string> {
  const limits = new Set<string>();
  for (const [type, paths] of Object.entries(losses)) for (const path of paths) limits.add(fieldAt(`${type}.${path}`));
  for (const { name } of operations) {
    const method = methods.get(name);
    if (!method) limits.add(lacks(name));
    const [limit, is] = meanings[name] ?? [];
    if (!method || !limit || !is) continue;
    const cx = { losses: new Set<string>() };
    const { semantics } = method.request.decode(method.request.encode({ request: { id: 'any' } as never }, cx), cx);
    if (semantics && is(semantics)) limits.add(limit);
  }
  return limits;
}

/** The owner of the limits: the dialect, or its protobuf shapes where these have limits of their own. */
export const ownerOf = ({ as, dialect, losses }: DialectBinding): string =>
  losses === dialect.losses ? `${as}` : `${as} in its protobuf shapes`;
